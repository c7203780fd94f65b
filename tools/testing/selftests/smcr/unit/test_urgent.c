// SPDX-License-Identifier: GPL-2.0
/*
 * Urgent data (urgent.c), each side alone, and both as two ends that move a
 * stream through a ring, whose reader gets what TCP would give it.
 */
#include "tap.h"
#include "tx_plan.h"
#include "urgent.h"

#define P		SMCR_CDC_P
#define PU		(SMCR_CDC_P | SMCR_CDC_U)
/* Events of which every order is tried */
#define ORDERS		(SPARSE == 1 ? 6 : 5)

/* Figure 20: 500 urgent bytes at 1000, then 1000 more */
static void open_window(void)
{
	struct smcr_urgent_tx tx = {};

	EXPECT_EQ(smcr_urgent_tx_limit(&tx, 1000, 1000, 1200), 1200);
	EXPECT_EQ(smcr_urgent_tx_flags(&tx, 1000, 1000, 1000), 0);
	smcr_urgent_tx_set(&tx, 1500);
	EXPECT_EQ(smcr_urgent_tx_limit(&tx, 1000, 1000, 2500), 1500);
	EXPECT_EQ(smcr_urgent_tx_flags(&tx, 1500, 2500, 1000), PU);
	smcr_urgent_tx_posted(&tx, 1500, PU);
	EXPECT_EQ(smcr_urgent_tx_limit(&tx, 1000, 1500, 2500), 1500);
	EXPECT_EQ(smcr_urgent_tx_limit(&tx, 1499, 1500, 2500), 1500);
	EXPECT_EQ(smcr_urgent_tx_flags(&tx, 1500, 2500, 1499), 0);
	EXPECT_EQ(smcr_urgent_tx_limit(&tx, 1500, 1500, 2500), 2500);
	EXPECT_EQ(smcr_urgent_tx_flags(&tx, 2500, 2500, 1500), 0);
}

/* Figure 21: the window is closed, so P goes first */
static void closed_window(void)
{
	struct smcr_urgent_tx tx = {};

	smcr_urgent_tx_set(&tx, 1500);
	EXPECT_EQ(smcr_urgent_tx_flags(&tx, 1000, 1500, 0), P);
	smcr_urgent_tx_posted(&tx, 1000, P);
	EXPECT_EQ(smcr_urgent_tx_flags(&tx, 1498, 1500, 1000), P);
	smcr_urgent_tx_posted(&tx, 1498, P);
	EXPECT_EQ(smcr_urgent_tx_limit(&tx, 1000, 1498, 2500), 1500);
	EXPECT_EQ(smcr_urgent_tx_flags(&tx, 1500, 2500, 1000), PU);
	/* The reader would take the urgent byte for an ordinary one */
	EXPECT_EQ(smcr_urgent_tx_flags(&tx, 1499, 2500, 1000), 0);
}

/* Wherever the send() ends, an ordinary byte comes before the urgent one */
static void long_send(void)
{
	struct smcr_urgent_tx tx = {};

	smcr_urgent_tx_begin(&tx);
	EXPECT_EQ(smcr_urgent_tx_limit(&tx, 0, 0, 0), 0);
	EXPECT_EQ(smcr_urgent_tx_limit(&tx, 0, 0, 1), 0);
	EXPECT_EQ(smcr_urgent_tx_flags(&tx, 0, 1, 0), 0);
	EXPECT_EQ(smcr_urgent_tx_limit(&tx, 0, 90, 100), 98);
	EXPECT_EQ(smcr_urgent_tx_limit(&tx, 0, 99, 100), 99);
	EXPECT_EQ(smcr_urgent_tx_flags(&tx, 98, 100, 0), P);
	smcr_urgent_tx_posted(&tx, 98, P);
	smcr_urgent_tx_set(&tx, 200);
	EXPECT_EQ(smcr_urgent_tx_flags(&tx, 200, 200, 0), PU);
	smcr_urgent_tx_posted(&tx, 200, PU);
	EXPECT(!smcr_urgent_tx_end(&tx));
	EXPECT_EQ(smcr_urgent_tx_flags(&tx, 200, 200, 0), 0);
}

/* The caller gave up before a byte was accepted */
static void withdrawn(void)
{
	struct smcr_urgent_tx tx = {};

	smcr_urgent_tx_begin(&tx);
	smcr_urgent_tx_begin(&tx);
	smcr_urgent_tx_posted(&tx, 100, P);
	EXPECT(!smcr_urgent_tx_end(&tx));
	EXPECT(smcr_urgent_tx_end(&tx));
	EXPECT_EQ(smcr_urgent_tx_flags(&tx, 100, 200, 0), 0);
	smcr_urgent_tx_posted(&tx, 100, 0);
	smcr_urgent_tx_begin(&tx);
	EXPECT(!smcr_urgent_tx_end(&tx));
}

static void newer_byte(void)
{
	struct smcr_urgent_tx tx = {};

	smcr_urgent_tx_set(&tx, 10);
	smcr_urgent_tx_set(&tx, 20);
	EXPECT_EQ(smcr_urgent_tx_limit(&tx, 0, 0, 20), 20);
	EXPECT_EQ(smcr_urgent_tx_flags(&tx, 10, 20, 0), P);
	smcr_urgent_tx_posted(&tx, 20, PU);
	smcr_urgent_tx_set(&tx, 30);
	EXPECT_EQ(smcr_urgent_tx_limit(&tx, 19, 20, 40), 20);
	EXPECT_EQ(smcr_urgent_tx_flags(&tx, 20, 40, 19), P);
	EXPECT_EQ(smcr_urgent_tx_limit(&tx, 20, 20, 40), 30);
}

static void after_move(void)
{
	struct smcr_urgent_tx tx = {};

	smcr_urgent_tx_set(&tx, 10);
	smcr_urgent_tx_posted(&tx, 10, PU);
	smcr_urgent_tx_moved(&tx, 9);
	EXPECT_EQ(smcr_urgent_tx_flags(&tx, 10, 20, 9), PU);
	smcr_urgent_tx_posted(&tx, 10, PU);
	EXPECT_EQ(smcr_urgent_tx_flags(&tx, 10, 20, 9), 0);
	EXPECT_EQ(smcr_urgent_tx_limit(&tx, 9, 10, 20), 10);
	smcr_urgent_tx_moved(&tx, 10);
	EXPECT_EQ(smcr_urgent_tx_flags(&tx, 10, 20, 10), 0);
}

/* What a reader gets at a position: "r" bytes of the ring, "a" one that is kept
 * apart, "n" nothing; and the position after it
 */
static char what(const struct smcr_urgent_rx *rx, u64 pos, u64 end,
		 bool in_line, u64 next)
{
	struct smcr_urgent_part part;

	smcr_urgent_rx_part(rx, pos, end, in_line, &part);
	EXPECT_EQ(part.next, next);
	return part.place == SMCR_URGENT_RING ? 'r' :
	       part.place == SMCR_URGENT_APART ? 'a' : 'n';
}

static u8 apart(const struct smcr_urgent_rx *rx, u64 pos, bool in_line)
{
	struct smcr_urgent_part part;

	smcr_urgent_rx_part(rx, pos, pos + 1, in_line, &part);
	EXPECT_EQ(part.place, SMCR_URGENT_APART);
	return part.byte;
}

/* 5 bytes come, the last one is urgent */
static void out_of_line(void)
{
	struct smcr_urgent_rx rx = {};

	EXPECT(smcr_urgent_rx_recv(&rx, PU, 5, 0, 'u', false));
	EXPECT_EQ(rx.byte, 'u');
	EXPECT(rx.bits & SMCR_URGENT_UNREAD);
	EXPECT(!smcr_urgent_rx_at_mark(&rx, 0));
	EXPECT_EQ(what(&rx, 0, 5, false, 4), 'r');
	EXPECT_EQ(smcr_urgent_rx_queued(&rx, 0, 5, false), 4);
	EXPECT_EQ(smcr_urgent_rx_told(&rx, 3), 3);
	smcr_urgent_rx_passed(&rx, 4);
	EXPECT_EQ(smcr_urgent_rx_told(&rx, 4), 5);
	EXPECT(smcr_urgent_rx_at_mark(&rx, 4));
	EXPECT_EQ(what(&rx, 4, 9, false, 5), 'n');
	EXPECT_EQ(smcr_urgent_rx_queued(&rx, 4, 9, false), 0);
	smcr_urgent_rx_passed(&rx, 5);
	EXPECT_EQ(rx.bits, 0);
	EXPECT_EQ(smcr_urgent_rx_told(&rx, 5), 5);
	EXPECT_EQ(what(&rx, 5, 9, false, 9), 'r');
}

/* Whether the byte is in line counts when it is read */
static void in_line(void)
{
	struct smcr_urgent_rx rx = {};

	EXPECT(smcr_urgent_rx_recv(&rx, PU, 5, 4, 'u', false));
	EXPECT(smcr_urgent_rx_at_mark(&rx, 4));
	EXPECT_EQ(smcr_urgent_rx_told(&rx, 4), 5);
	EXPECT_EQ(what(&rx, 4, 9, false, 5), 'n');
	EXPECT_EQ(what(&rx, 4, 9, true, 5), 'a');
	EXPECT_EQ(apart(&rx, 4, true), 'u');
	EXPECT_EQ(smcr_urgent_rx_queued(&rx, 4, 9, true), 5);
	smcr_urgent_rx_passed(&rx, 5);
	EXPECT_EQ(rx.bits, 0);
	EXPECT_EQ(smcr_urgent_rx_told(&rx, 5), 5);
}

static void one_signal(void)
{
	struct smcr_urgent_rx rx = {};

	EXPECT(smcr_urgent_rx_recv(&rx, P, 0, 0, 0, false));
	EXPECT_EQ(rx.bits, SMCR_URGENT_PENDING);
	EXPECT(!smcr_urgent_rx_recv(&rx, P, 4, 0, 0, false));
	EXPECT_EQ(what(&rx, 0, 4, false, 4), 'r');
	EXPECT(!smcr_urgent_rx_recv(&rx, PU, 5, 0, 'u', false));
	EXPECT(!(rx.bits & SMCR_URGENT_PENDING));
	/* A program that is still before this byte has no use for the next */
	EXPECT(!smcr_urgent_rx_recv(&rx, P, 5, 0, 0, false));
	EXPECT(!(rx.bits & SMCR_URGENT_PENDING));
	smcr_urgent_rx_passed(&rx, 5);
	EXPECT(smcr_urgent_rx_recv(&rx, P, 5, 5, 0, false));
	EXPECT(!smcr_urgent_rx_recv(&rx, 0, 5, 5, 0, false));
	EXPECT(!(rx.bits & SMCR_URGENT_PENDING));
	/* P came too early to count, so U signals */
	EXPECT(smcr_urgent_rx_recv(&rx, PU, 6, 5, 'v', false));
	EXPECT(!smcr_urgent_rx_recv(&rx, P, 8, 5, 0, false));
	EXPECT(smcr_urgent_rx_recv(&rx, PU, 9, 5, 'w', false));
}

static void repeated(void)
{
	struct smcr_urgent_rx rx = {};

	EXPECT(smcr_urgent_rx_recv(&rx, PU, 5, 0, 'u', false));
	rx.bits &= ~SMCR_URGENT_UNREAD;
	EXPECT(!smcr_urgent_rx_recv(&rx, PU, 5, 0, 'u', false));
	EXPECT(!(rx.bits & SMCR_URGENT_UNREAD));
	smcr_urgent_rx_passed(&rx, 5);
	EXPECT(!smcr_urgent_rx_recv(&rx, PU, 5, 5, 0, false));
	EXPECT_EQ(rx.bits, 0);
	/* The byte before was read before it became urgent */
	EXPECT(!smcr_urgent_rx_recv(&rx, PU, 9, 9, 0, false));
	EXPECT_EQ(rx.bits, 0);
	EXPECT_EQ(rx.mark, 9);
	EXPECT_EQ(smcr_urgent_rx_told(&rx, 9), 9);
	EXPECT_EQ(what(&rx, 9, 12, false, 12), 'r');
}

/* The program reads nothing: only the newest of three urgent bytes is left */
static void gap(void)
{
	struct smcr_urgent_rx rx = {};

	smcr_urgent_rx_recv(&rx, PU, 1, 0, 'a', false);
	EXPECT_EQ(smcr_urgent_rx_told(&rx, 0), 1);
	smcr_urgent_rx_recv(&rx, PU, 2, 0, 'b', false);
	EXPECT_EQ(smcr_urgent_rx_told(&rx, 0), 2);
	smcr_urgent_rx_recv(&rx, PU, 6, 0, 'c', false);
	EXPECT_EQ(smcr_urgent_rx_told(&rx, 0), 2);
	EXPECT_EQ(smcr_urgent_rx_from(&rx, 0), 2);
	EXPECT_EQ(what(&rx, 0, 6, false, 2), 'n');
	smcr_urgent_rx_passed(&rx, 2);
	EXPECT_EQ(what(&rx, 2, 6, false, 5), 'r');
	smcr_urgent_rx_passed(&rx, 5);
	EXPECT_EQ(rx.byte, 'c');
	EXPECT_EQ(smcr_urgent_rx_told(&rx, 5), 6);
	smcr_urgent_rx_passed(&rx, 6);
	EXPECT_EQ(rx.bits, 0);
}

/* SO_OOBINLINE is set when the first byte was taken, or when one was lost */
static void older(void)
{
	struct smcr_urgent_rx rx = {};

	smcr_urgent_rx_recv(&rx, PU, 1, 0, 'a', false);
	smcr_urgent_rx_recv(&rx, PU, 2, 0, 'b', false);
	rx.bits &= ~SMCR_URGENT_UNREAD;
	smcr_urgent_rx_recv(&rx, PU, 3, 0, 'c', true);
	EXPECT_EQ(smcr_urgent_rx_told(&rx, 0), 2);
	EXPECT_EQ(what(&rx, 0, 3, true, 1), 'n');
	smcr_urgent_rx_passed(&rx, 1);
	EXPECT(!smcr_urgent_rx_at_mark(&rx, 1));
	EXPECT_EQ(smcr_urgent_rx_queued(&rx, 1, 3, false), 1);
	/* It stays an ordinary byte if SO_OOBINLINE is cleared */
	EXPECT_EQ(what(&rx, 1, 3, false, 2), 'a');
	EXPECT_EQ(apart(&rx, 1, false), 'b');
	EXPECT_EQ(smcr_urgent_rx_told(&rx, 1), 2);
	smcr_urgent_rx_passed(&rx, 2);
	EXPECT_EQ(smcr_urgent_rx_told(&rx, 2), 3);
	EXPECT_EQ(apart(&rx, 2, true), 'c');
}

/* ---- two ends, and TCP ------------------------------------------------- */

#define RING	5

/* What TCP knows of an urgent byte (tcp_sock.urg_data) */
enum tcp_urg { URG_NONE, URG_NOT_YET, URG_VALID, URG_READ };

/**
 * struct tcp - a receiver of TCP that gets the same bytes, at the same time
 * @rcv_nxt: bytes that have come
 * @copied: bytes that the reader has passed
 * @seq: position of the urgent byte
 * @urg: what is known of it
 */
struct tcp {
	u64 rcv_nxt;
	u64 copied;
	u64 seq;
	enum tcp_urg urg;
};

/**
 * struct pair - two ends and the ring between them
 * @tx: send side
 * @rx: receive side
 * @tcp: what TCP would have at the place of the receive side
 * @ring: the receiver's element
 * @end: bytes that the program gave to the sender
 * @nxt: bytes written and announced
 * @acked: consumer position that the sender knows
 * @told: consumer position that the receiver may have told, the highest one
 * @cons: bytes that the reader has passed
 * @in_line: SO_OOBINLINE is set
 * @spare: there are several links
 * @cut: the link is silent, until the connection moves to another one
 */
struct pair {
	struct smcr_urgent_tx tx;
	struct smcr_urgent_rx rx;
	struct tcp tcp;
	u8 ring[RING];
	u64 end;
	u64 nxt;
	u64 acked;
	u64 told;
	u64 cons;
	bool in_line;
	bool spare;
	bool cut;
};

static u8 coded(u64 pos)
{
	return (u8)(pos * 167 + (pos >> 8) * 13);
}

/* A segment has an urgent pointer, which is the position of a byte. */
static void tcp_pointer(struct pair *p, u64 ptr)
{
	struct tcp *tcp = &p->tcp;

	if (tcp->copied > ptr || ptr < tcp->rcv_nxt ||
	    (tcp->urg && ptr <= tcp->seq))
		return;
	if (tcp->seq == tcp->copied && tcp->urg && !p->in_line &&
	    tcp->copied != tcp->rcv_nxt)
		tcp->copied++;
	tcp->urg = URG_NOT_YET;
	tcp->seq = ptr;
}

static void tcp_bytes(struct pair *p, u64 end)
{
	struct tcp *tcp = &p->tcp;

	tcp->rcv_nxt = end;
	if (tcp->urg == URG_NOT_YET && tcp->seq < end)
		tcp->urg = URG_VALID;
}

static u64 tcp_inq(const struct pair *p)
{
	const struct tcp *tcp = &p->tcp;

	if (p->in_line || !tcp->urg || tcp->seq < tcp->copied ||
	    tcp->seq >= tcp->rcv_nxt)
		return tcp->rcv_nxt - tcp->copied;
	return tcp->seq - tcp->copied;
}

/* recv(), without waiting; returns the bytes, which go to @out */
static u32 tcp_read(struct pair *p, u8 *out, u32 len, bool peek)
{
	struct tcp *tcp = &p->tcp;
	u64 pos = tcp->copied;
	u32 n = 0;

	while (n < len && pos < tcp->rcv_nxt) {
		bool mark = tcp->urg && tcp->seq == pos;

		if (mark && n)
			break;
		if (!mark || p->in_line)
			out[n++] = coded(pos);
		pos++;
		if (peek)
			continue;
		tcp->copied = pos;
		if (tcp->urg && pos > tcp->seq)
			tcp->urg = URG_NONE;
	}
	return n;
}

/* The same over RDMA */
static u32 rdma_read(struct pair *p, u8 *out, u32 len, bool peek)
{
	struct smcr_urgent_part part;
	u64 pos = p->cons;
	u32 n = 0;

	while (n < len && pos < p->nxt) {
		if (n && smcr_urgent_rx_at_mark(&p->rx, pos))
			break;
		smcr_urgent_rx_part(&p->rx, pos, p->nxt, p->in_line, &part);
		EXPECT(part.next > pos && part.next <= p->nxt);
		if (part.place == SMCR_URGENT_NOWHERE)
			pos = part.next;
		else if (part.place == SMCR_URGENT_APART)
			out[n++] = part.byte, pos++;
		else
			for (; pos < part.next && n < len; pos++)
				out[n++] = p->ring[pos % RING];
		if (peek)
			continue;
		p->cons = pos;
		smcr_urgent_rx_passed(&p->rx, pos);
	}
	return n;
}

static void read_both(struct pair *p, u32 len, bool peek)
{
	u8 got[2 * RING], want[2 * RING];
	u32 n = rdma_read(p, got, len, peek);

	EXPECT_EQ(n, tcp_read(p, want, len, peek));
	EXPECT_BYTES(got, want, n);
}

/* recv(MSG_OOB) */
static void take_both(struct pair *p)
{
	bool has = p->rx.bits & SMCR_URGENT_UNREAD && !p->in_line;

	EXPECT_EQ(has, p->tcp.urg == URG_VALID && !p->in_line);
	if (!has)
		return;
	EXPECT_EQ(p->rx.byte, coded(p->tcp.seq));
	p->rx.bits &= ~SMCR_URGENT_UNREAD;
	p->tcp.urg = URG_READ;
}

/* The receiver gets a message, and TCP a segment. TCP's pointer names the byte,
 * and P does not, but both come at the same time.
 */
static void deliver(struct pair *p, u16 flags)
{
	smcr_urgent_rx_recv(&p->rx, flags, p->nxt, p->cons,
			    p->ring[(p->nxt + RING - 1) % RING], p->in_line);
	if (flags & SMCR_CDC_U)
		tcp_pointer(p, p->nxt - 1);
	else if (p->rx.bits & SMCR_URGENT_PENDING && p->tx.next)
		tcp_pointer(p, p->tx.next - 1);
	tcp_bytes(p, p->nxt);
}

/* Write what the window and urgent data admit, and announce it. */
static void push(struct pair *p)
{
	struct smcr_tx_view view = {
		.peer_ring = { .len = RING },
		.queued = smcr_urgent_tx_limit(&p->tx, p->acked, p->nxt,
					       p->end),
		.sent = p->nxt,
		.peer_cons = p->acked,
		.urgent = p->tx.next,
		.spare = p->spare,
		.keep = true,
	};
	struct smcr_tx_plan plan;
	u16 flags;
	u64 pos;

	EXPECT(view.queued >= p->nxt && view.queued <= p->end);
	smcr_tx_plan(&view, &plan);
	for (pos = p->nxt; pos < plan.sent; pos++)
		p->ring[pos % RING] = coded(pos);
	p->nxt = plan.sent;
	flags = smcr_urgent_tx_flags(&p->tx, p->nxt, p->end, p->acked);
	smcr_urgent_tx_posted(&p->tx, p->nxt, flags);
	deliver(p, flags);
}

/* Both ends send until neither has news. */
static void settle(struct pair *p)
{
	u64 told = smcr_urgent_rx_told(&p->rx, p->cons);

	EXPECT(told >= p->told && told <= p->nxt);
	p->told = told;
	if (p->cut)
		return;
	do {
		p->acked = smcr_urgent_rx_told(&p->rx, p->cons);
		push(p);
	} while (p->acked != smcr_urgent_rx_told(&p->rx, p->cons));
	/* A reader that has passed all bytes does not stop the sender. */
	EXPECT(p->nxt == p->end || p->nxt > p->cons ||
	       (p->tx.n_open && p->end - p->nxt <= 2));
	/* An urgent byte that is next does not wait for the window. */
	EXPECT(p->tx.next != p->nxt + 1 || p->acked < p->tx.mark);
}

static void same_as_tcp(const struct pair *p)
{
	EXPECT_EQ(smcr_urgent_rx_from(&p->rx, p->cons), p->tcp.copied);
	EXPECT_EQ(smcr_urgent_rx_queued(&p->rx, p->cons, p->nxt, p->in_line),
		  tcp_inq(p));
	EXPECT_EQ(!!(p->rx.bits & SMCR_URGENT_UNREAD), p->tcp.urg == URG_VALID);
	EXPECT_EQ(smcr_urgent_rx_at_mark(&p->rx, p->cons),
		  p->tcp.urg && p->tcp.seq == p->tcp.copied);
}

enum {
	EV_SEND, EV_SEND_URGENT, EV_LONG_SEND, EV_FILL, EV_TAKE,
	EV_CHANGE_IN_LINE, EV_READ_ONE, EV_READ, EV_PEEK, EV_MOVE, N_EVENTS
};

static const char event_names[] = "sulftirRpm";

/* send(); the sender has room for two rings */
static void give(struct pair *p, u32 len, bool urgent)
{
	if (p->end + len > p->acked + 2 * RING)
		return;
	p->end += len;
	if (urgent)
		smcr_urgent_tx_set(&p->tx, p->end);
}

/* A send() with MSG_OOB gets a part of its bytes out, and then the rest. */
static void long_give(struct pair *p, u32 len)
{
	if (p->tx.n_open) {
		give(p, len, true);
		smcr_urgent_tx_end(&p->tx);
	} else {
		smcr_urgent_tx_begin(&p->tx);
		give(p, len, false);
	}
}

static void happen(struct pair *p, int event, u32 len)
{
	switch (event) {
	case EV_SEND:
	case EV_SEND_URGENT:
		give(p, len, event == EV_SEND_URGENT);
		break;
	case EV_LONG_SEND:
		long_give(p, len);
		break;
	case EV_FILL:
		if (p->end < p->acked + RING)
			give(p, (u32)(p->acked + RING - p->end), false);
		break;
	case EV_TAKE:
		take_both(p);
		break;
	case EV_CHANGE_IN_LINE:
		p->in_line = !p->in_line;
		break;
	case EV_READ_ONE:
		read_both(p, 1, false);
		break;
	case EV_READ:
		read_both(p, 2 * RING, false);
		break;
	case EV_PEEK:
		read_both(p, 2 * RING, true);
		break;
	case EV_MOVE:
		if (p->cut)
			smcr_urgent_tx_moved(&p->tx, p->acked);
		p->cut = !p->cut;
	}
	settle(p);
	same_as_tcp(p);
}

/* Try all orders of @left further events; @done are those before. */
static void orders(const struct pair *before, char *done, int left)
{
	unsigned int misses = tap_misses;
	struct pair p;
	int event;

	for (event = 0; event < N_EVENTS && tap_misses == misses; event++) {
		*done = event_names[event];
		p = *before;
		happen(&p, event, 1);
		if (tap_misses == misses && left > 1)
			orders(&p, done + 1, left - 1);
		else if (tap_misses != misses)
			done[1] = 0;
	}
}

static void every_order(void)
{
	char done[ORDERS + 2] = "";
	struct pair p = {};

	orders(&p, done, ORDERS);
	p.spare = true;
	if (!tap_misses)
		orders(&p, done, ORDERS);
	if (tap_misses)
		note("  events%s: %s", p.spare ? ", two links" : "", done);
}

static void random_stream(void)
{
	unsigned int i, all = steps(1000000);
	struct pair p = {};

	for (i = 0; i < all && !tap_misses; i++)
		happen(&p, (int)rnd_below(N_EVENTS), 1 + rnd_below(RING - 1));
}

static const struct fact facts[] = {
	{ "writes end at the urgent byte until it is consumed, as in Figure 20", open_window },
	{ "while the window is closed messages have P, as in Figure 21", closed_window },
	{ "messages of a long send have P before its last byte is known", long_send },
	{ "P is withdrawn if no byte was accepted", withdrawn },
	{ "a newer urgent byte moves the position, but one that was announced stays", newer_byte },
	{ "U is repeated once after a move", after_move },
	{ "an urgent byte is told as consumed when all before it is read", out_of_line },
	{ "a reader gets it in line, or not, as SO_OOBINLINE says then", in_line },
	{ "P and the U behind it make one signal", one_signal },
	{ "a U that is repeated or late gives the reader nothing, and is known", repeated },
	{ "urgent bytes that a newer one follows are dropped, and only those", gap },
	{ "one that a newer one follows is an ordinary byte in line", older },
	{ "a reader gets what TCP gives it in every order of events", every_order },
	{ "and in 10^6 random steps, and neither end hangs", random_stream },
};

PROVE(facts, NULL);
