// SPDX-License-Identifier: GPL-2.0
/*
 * CLC messages over the inner TCP socket, one at a time (RFC 7609 3.2, A.2).
 *
 * A reader takes the header of a message from the stream and, if the header is
 * valid, exactly the rest of the message. So the application's bytes after the
 * last CLC message, and all bytes after an invalid header, stay in TCP.
 */
#include <linux/net.h>
#include <linux/skbuff.h>
#include <linux/slab.h>
#include <linux/uio.h>
#include <net/sock.h>
#include <net/tcp.h>

#include "clc.h"
#include "inner.h"

/**
 * smcr_clc_init() - prepare for the first message
 * @clc: zeroed
 *
 * Context: any.
 */
void smcr_clc_init(struct smcr_clc *clc)
{
	clc->rx = clc->rx_inline;
}

/**
 * smcr_clc_free() - free the memory of a long message
 * @clc: CLC traffic; the received message is lost
 *
 * Context: any.
 */
void smcr_clc_free(struct smcr_clc *clc)
{
	if (clc->rx != clc->rx_inline)
		kfree(clc->rx);
	clc->rx = clc->rx_inline;
}

/**
 * smcr_clc_recv_next() - prepare for the next message
 * @clc: CLC traffic; its received message has been handled
 *
 * Context: process.
 */
void smcr_clc_recv_next(struct smcr_clc *clc)
{
	smcr_clc_free(clc);
	clc->rx_len = 0;
	memset(&clc->hdr, 0, sizeof(clc->hdr));
}

/* Return the number of bytes that the header, or else the message, still lacks.
 * After an invalid header, whose length stays 0, none are lacking.
 */
static u32 clc_missing(const struct smcr_clc *clc)
{
	if (clc->rx_len < SMCR_CLC_HDR_LEN)
		return SMCR_CLC_HDR_LEN - clc->rx_len;
	return clc->hdr.length > clc->rx_len ?
	       clc->hdr.length - clc->rx_len : 0;
}

static int clc_header(struct smcr_clc *clc)
{
	u8 *long_rx;

	if (smcr_clc_msg_header(clc->rx, SMCR_CLC_HDR_LEN, &clc->hdr))
		return -EPROTO;
	if (clc->hdr.length <= SMCR_CLC_RX_INLINE)
		return 0;
	/* The reader holds the lock of TCP's socket and may sleep. */
	long_rx = kmalloc(clc->hdr.length, GFP_KERNEL);
	if (!long_rx) {
		/* @rx has no room for more than the header. */
		memset(&clc->hdr, 0, sizeof(clc->hdr));
		return -ENOMEM;
	}
	memcpy(long_rx, clc->rx_inline, SMCR_CLC_HDR_LEN);
	clc->rx = long_rx;
	return 0;
}

/* Actor of tcp_read_sock(): takes exactly the missing bytes. TCP calls it again
 * for the rest of a segment, whatever desc->count is; only a return value of 0
 * ends the calls.
 */
static int clc_actor(read_descriptor_t *desc, struct sk_buff *skb,
		     unsigned int offset, size_t len)
{
	struct smcr_clc *clc = desc->arg.data;
	size_t used = 0;

	if (desc->error)
		return 0;
	while (used < len && clc_missing(clc)) {
		u32 part = min_t(size_t, len - used, clc_missing(clc));

		if (skb_copy_bits(skb, offset + used, clc->rx + clc->rx_len,
				  part)) {
			desc->error = -EFAULT;
			break;
		}
		clc->rx_len += part;
		used += part;
		if (clc->rx_len == SMCR_CLC_HDR_LEN && !clc->hdr.length)
			desc->error = clc_header(clc);
		if (desc->error)
			break;
	}
	desc->count = !desc->error && clc_missing(clc);
	return used;
}

/* Copy the first unread bytes, from several segments if need be. Return how
 * many have come.
 */
static u32 clc_head(const struct sock *sk, u8 *buf, u32 want)
{
	u32 seq = tcp_sk(sk)->copied_seq, at, part, len = 0;
	const struct sk_buff *skb;

	skb_queue_walk(&sk->sk_receive_queue, skb) {
		at = seq + len - TCP_SKB_CB(skb)->seq;
		if (at >= skb->len)
			continue;
		part = min(want - len, skb->len - at);
		if (skb_copy_bits(skb, at, buf + len, part))
			break;
		len += part;
		if (len == want)
			break;
	}
	return len;
}

/**
 * smcr_clc_look() - what are the first unread bytes of the peer?
 * @inner: TCP socket of which nothing was read
 *
 * No CLC message is sent as urgent data. An urgent byte is not in the stream,
 * and smcr_clc_recv() does not get past it.
 *
 * Context: any, its sock lock or slock held.
 * Return: enum smcr_clc_start.
 */
enum smcr_clc_start smcr_clc_look(const struct sock *inner)
{
	u8 buf[sizeof(__be32)];

	sock_owned_by_me(inner);
	if (tcp_sk(inner)->urg_data)
		return SMCR_CLC_START_OTHER;
	return smcr_clc_msg_start(buf, clc_head(inner, buf, sizeof(buf)));
}

/**
 * smcr_clc_peek() - look at the first bytes of the peer, without taking them
 * @inner: TCP socket of which nothing was read
 * @fin: result: nothing follows these bytes
 *
 * Context: process, outer sock lock held. Does not wait for the peer.
 * Return: what the bytes are; SMCR_CLC_START_WHOLE, too, if TCP has failed
 * before that was clear, for smcr_clc_recv() to report.
 */
enum smcr_clc_start smcr_clc_peek(struct socket *inner, bool *fin)
{
	struct sock *sk = inner->sk;
	enum smcr_clc_start start;
	bool failed;

	lock_sock(sk);
	start = smcr_clc_look(sk);
	failed = sk->sk_state == TCP_CLOSE;
	*fin = sk->sk_shutdown & RCV_SHUTDOWN;
	release_sock(sk);
	if (failed && start != SMCR_CLC_START_OTHER)
		return SMCR_CLC_START_WHOLE;
	return start;
}

/**
 * smcr_clc_recv() - read as much of the next message as has arrived
 * @inner: TCP socket
 * @clc: CLC traffic
 *
 * Context: process, outer sock lock held. Does not wait for the peer.
 * Return: 1 if the message is complete, 0 if more bytes must come; -EPROTO if
 * the bytes are no CLC message, -ENODATA if a FIN has come in place of a
 * message, -ECONNRESET if TCP has ended otherwise, -ENOMEM, -EFAULT.
 */
int smcr_clc_recv(struct socket *inner, struct smcr_clc *clc)
{
	read_descriptor_t desc = { .arg.data = clc, .count = 1 };
	struct sock *sk = inner->sk;
	bool failed, fin;

	lock_sock(sk);
	tcp_read_sock(sk, &desc, clc_actor);
	failed = sk->sk_state == TCP_CLOSE;
	fin = sk->sk_shutdown & RCV_SHUTDOWN;
	release_sock(sk);
	if (desc.error)
		return desc.error;
	if (!clc_missing(clc))
		return 1;
	if (failed || (fin && clc->rx_len))
		return -ECONNRESET;
	return fin ? -ENODATA : 0;
}

/* TCP_CORK is meant for the program's bytes. Send a message at once instead of
 * leaving it corked for up to 200 ms. setsockopt(TCP_CORK) takes the outer sock
 * lock, so the option does not change here.
 */
static void pass_cork(struct sock *sk)
{
	bool corked;

	lock_sock(sk);
	corked = tcp_sk(sk)->nonagle & TCP_NAGLE_CORK;
	release_sock(sk);
	if (corked) {
		tcp_sock_set_cork(sk, false);
		tcp_sock_set_cork(sk, true);
	}
}

/**
 * struct clc_control - control message that asks for no time of transmission
 * @hdr: its header
 * @flags: bits of SOF_TIMESTAMPING_TX_*: none, whatever the program has set
 *
 * The program would get these times in its queue of errors, for bytes that it
 * has not sent.
 */
struct clc_control {
	struct cmsghdr	hdr;
	u32		flags;
};

static const struct clc_control no_times = {
	.hdr.cmsg_len	= CMSG_LEN(sizeof(u32)),
	.hdr.cmsg_level	= SOL_SOCKET,
	.hdr.cmsg_type	= SO_TIMESTAMPING_OLD,
};

static_assert(offsetof(struct clc_control, flags) == CMSG_LEN(0));

/**
 * smcr_clc_send() - send the rest of the outgoing message
 * @inner: TCP socket
 * @clc: CLC traffic, with a message in @tx
 *
 * TCP delays the acknowledgment of the peer's answer, so that the next CLC
 * message or the application's first bytes carry it.
 *
 * Context: process, outer sock lock held. Does not wait for the peer.
 * Return: 1 if TCP has all of it, 0 if TCP has no room for now, -errno.
 */
int smcr_clc_send(struct socket *inner, struct smcr_clc *clc)
{
	struct msghdr msg = { .msg_flags = MSG_DONTWAIT | MSG_NOSIGNAL };
	struct clc_control control = no_times;
	struct kvec vec;
	int ret;

	smcr_inner_ack_later(inner);
	msg.msg_control = &control;
	msg.msg_controllen = sizeof(control);
	while (clc->tx_off < clc->tx_len) {
		vec.iov_base = clc->tx + clc->tx_off;
		vec.iov_len = clc->tx_len - clc->tx_off;
		ret = kernel_sendmsg(inner, &msg, &vec, 1, vec.iov_len);
		if (ret == -EAGAIN)
			return 0;
		if (ret < 0)
			return ret;
		clc->tx_off += ret;
	}
	clc->tx_len = 0;
	clc->tx_off = 0;
	pass_cork(inner->sk);
	return 1;
}
