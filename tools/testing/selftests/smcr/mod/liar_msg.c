// SPDX-License-Identifier: GPL-2.0
/*
 * The liar's own messages: CDC messages that deviate from the connection's true
 * state, RDMA writes that no message announces, LLC messages and SENDs of any
 * bytes. They are sent through smcr's functions, or posted directly on its
 * queue pair.
 */
#include <linux/completion.h>
#include <linux/delay.h>
#include <linux/kernel.h>
#include <linux/mutex.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <rdma/ib_verbs.h>

#include "conn.h"
#include "lgr.h"
#include "liar.h"
#include "link.h"
#include "wr.h"

static struct smcr_conn *pick_conn(struct smcr_lgr *lgr, int pick)
{
	struct smcr_conn *conn, *best;
	u32 bound = pick < 0 ? U32_MAX : 0;
	u32 slot;

	do {
		slot = 0;
		best = NULL;
		while ((conn = liar_smcr.conn_next(lgr, &slot))) {
			bool in = pick < 0 ? conn->id < bound &&
				  (!best || conn->id > best->id) :
				  conn->id > bound &&
				  (!best || conn->id < best->id);

			if (in)
				swap(conn, best);
			if (conn)
				liar_smcr.conn_put(conn);
		}
		if (!best)
			return NULL;
		bound = best->id;
		if (pick == 0 || pick == -1)
			return best;
		liar_smcr.conn_put(best);
		pick += pick < 0 ? 1 : -1;
	} while (1);
}

/**
 * struct lie - a CDC message that deviates from the true one
 * @prod: added to the producer position
 * @cons: added to the consumer position
 * @seq: added to the next sequence number
 * @token: added to the peer's alert token
 * @pwrap: added to the producer cursor's wrap count
 * @cwrap: added to the consumer cursor's wrap count
 * @poff: offset of the producer cursor, or -1 for the true one
 * @coff: offset of the consumer cursor, or -1 for the true one
 * @flags: flags of the message
 * @type: first byte of the message
 * @len: length byte of the message
 * @x: how often the message is sent
 * @over: which link after that of the connection sends it
 */
struct lie {
	s64	prod;
	s64	cons;
	s64	seq;
	s64	token;
	s64	pwrap;
	s64	cwrap;
	s64	poff;
	s64	coff;
	s64	flags;
	s64	type;
	s64	len;
	s64	x;
	s64	over;
};

static int lie_parse(struct lie *lie, char *args)
{
	const struct {
		const char *key;
		s64 *value;
	} keys[] = {
		{ "prod", &lie->prod }, { "cons", &lie->cons },
		{ "seq", &lie->seq }, { "token", &lie->token },
		{ "pwrap", &lie->pwrap }, { "cwrap", &lie->cwrap },
		{ "poff", &lie->poff }, { "coff", &lie->coff },
		{ "flags", &lie->flags }, { "type", &lie->type },
		{ "len", &lie->len }, { "x", &lie->x },
		{ "over", &lie->over },
	};
	char *word, *value;
	int i;

	while ((word = strsep(&args, " "))) {
		if (!*word)
			continue;
		value = strchr(word, '=');
		if (!value)
			return -EINVAL;
		*value++ = 0;
		for (i = 0; i < ARRAY_SIZE(keys); i++)
			if (!strcmp(word, keys[i].key))
				break;
		if (i == ARRAY_SIZE(keys) ||
		    kstrtoll(value, 0, keys[i].value))
			return -EINVAL;
	}
	return 0;
}

static void lie_encode(const struct smcr_conn *conn, const struct lie *lie,
		       u8 *buf)
{
	struct smcr_wire_cdc *w = (void *)buf;
	struct smcr_cursor prod, cons;

	prod = smcr_cursor_from_pos(&conn->tx.ring, conn->tx.nxt + lie->prod);
	cons = smcr_cursor_from_pos(&conn->rx.ring, conn->rx.cons + lie->cons);
	memset(w, 0, sizeof(*w));
	w->type = lie->type;
	w->length = lie->len;
	w->seq = cpu_to_be16(conn->tx.seq + 1 + lie->seq);
	w->alert_token = cpu_to_be32(conn->peer_token + lie->token);
	w->prod_wrap = cpu_to_be16(prod.wrap + lie->pwrap);
	w->prod = cpu_to_be32(lie->poff < 0 ? prod.off : lie->poff);
	w->cons_wrap = cpu_to_be16(cons.wrap + lie->cwrap);
	w->cons = cpu_to_be32(lie->coff < 0 ? cons.off : lie->coff);
	w->flags = cpu_to_be16(lie->flags);
}

/* Find the link over which to post. Return: the link with a reference, or NULL.
 */
static struct smcr_link *lie_link(struct smcr_conn *conn, int over)
{
	u8 slot = conn->link->slot;
	struct smcr_link *link;
	int i;

	lockdep_assert_held(&conn->lock);
	if (!over)
		return liar_smcr.link_at(conn->lgr, slot);
	for (i = 1; i < SMCR_MAX_LINKS; i++) {
		link = liar_smcr.link_at(conn->lgr,
					 (slot + i) % SMCR_MAX_LINKS);
		if (!link)
			continue;
		if (smcr_link_state(link) == SMCR_LINK_ACTIVE && !--over)
			return link;
		liar_smcr.link_put(link);
	}
	return NULL;
}

/* Post a lie. If the peer will accept its sequence number, the connection
 * continues after that number. F has none of its own.
 */
static int lie_post(struct smcr_conn *conn, const struct lie *lie,
		    struct smcr_wr_batch *batch)
{
	struct smcr_link *link;
	int err;

	spin_lock_bh(&conn->lock);
	link = lie_link(conn, lie->over);
	if (!link) {
		spin_unlock_bh(&conn->lock);
		return -ENOLINK;
	}
	batch->conn = conn;
	batch->pos = conn->tx.nxt;
	batch->seq = conn->tx.seq;
	batch->message = true;
	batch->counts = true;
	lie_encode(conn, lie, batch->cdc);
	err = liar_smcr.wr_post(link, batch);
	if (!err && lie->seq >= 0 && lie->seq < S16_MAX && !lie->token &&
	    !(lie->flags & SMCR_CDC_F))
		conn->tx.seq += lie->seq + 1;
	spin_unlock_bh(&conn->lock);
	liar_smcr.link_put(link);
	return err;
}

static int do_cdc(struct smcr_conn *conn, char *args)
{
	struct lie lie = {
		.poff = -1,
		.coff = -1,
		.type = SMCR_CDC_TYPE,
		.len = SMCR_ROCE_MSG_LEN,
		.x = 1,
	};
	struct smcr_wr_batch *batch;
	int err = lie_parse(&lie, args);

	if (err)
		return err;
	batch = kzalloc(sizeof(*batch), GFP_KERNEL);
	if (!batch)
		return -ENOMEM;
	while (!err && lie.x--)
		err = lie_post(conn, &lie, batch);
	kfree(batch);
	return err;
}

/* Write, with a CDC message behind that has an old sequence number, so that the
 * peer drops it.
 */
static int do_put(struct smcr_conn *conn, char *args)
{
	struct lie lie = {
		.poff = -1,
		.coff = -1,
		.seq = -1,
		.type = SMCR_CDC_TYPE,
		.len = SMCR_ROCE_MSG_LEN,
	};
	struct smcr_wr_batch *batch;
	u8 bytes[32];
	char *word;
	int len, err;
	u32 off;

	word = strsep(&args, " ");
	if (!word || !args || kstrtou32(word, 0, &off))
		return -EINVAL;
	len = liar_hex_bytes(args, bytes, sizeof(bytes));
	if (len <= 0 || len > conn->link->max_inline)
		return -EINVAL;
	batch = kzalloc(sizeof(*batch), GFP_KERNEL);
	if (!batch)
		return -ENOMEM;
	batch->n_writes = 1;
	batch->writes[0].raddr = conn->tx.raddr + off;
	batch->writes[0].rkey = conn->tx.rkey;
	batch->writes[0].n_sge = 1;
	batch->writes[0].sge[0].vaddr = bytes;
	batch->writes[0].sge[0].len = len;
	err = lie_post(conn, &lie, batch);
	kfree(batch);
	return err;
}

static int with_conn(struct smcr_lgr *lgr, char *args,
		     int (*act)(struct smcr_conn *conn, char *args))
{
	struct smcr_conn *conn;
	char *word = strsep(&args, " ");
	int pick, err;

	if (!word || kstrtoint(word, 0, &pick))
		return -EINVAL;
	conn = pick_conn(lgr, pick);
	if (!conn)
		return -ENOENT;
	err = act(conn, args);
	liar_smcr.conn_put(conn);
	return err;
}

/**
 * liar_msg_cdc() - send a CDC message that lies
 * @lgr: group of the connection
 * @args: PICK [KEY=VALUE]..., see the top of liar_main.c
 *
 * Context: process context, may sleep.
 * Return: 0, or -errno if the command is wrong, there is no such connection, or
 * smcr does not post the message.
 */
int liar_msg_cdc(struct smcr_lgr *lgr, char *args)
{
	return with_conn(lgr, args, do_cdc);
}

/**
 * liar_msg_put() - write into the peer's element without announcing it
 * @lgr: group of the connection
 * @args: PICK OFF HEX
 *
 * Context: process context, may sleep.
 * Return: 0, or -errno if the command is wrong, there is no such connection, or
 * smcr does not post the write.
 */
int liar_msg_put(struct smcr_lgr *lgr, char *args)
{
	return with_conn(lgr, args, do_put);
}

static int do_elem(struct smcr_conn *conn, char *args)
{
	liar_hook_offer(conn->rx.idx);
	return 0;
}

/**
 * liar_msg_elem() - offer the element of a connection to others as well
 * @lgr: group of the connection
 * @args: PICK
 *
 * Context: process context, may sleep.
 * Return: 0, or -errno if the command is wrong or there is no such connection.
 */
int liar_msg_elem(struct smcr_lgr *lgr, char *args)
{
	return args ? with_conn(lgr, args, do_elem) : -EINVAL;
}

/**
 * liar_msg_say() - send one LLC message
 * @lgr: group; liar_link_via() selects its link that sends it
 * @msg: its 44 bytes
 *
 * Context: process context, takes the group's mutex.
 * Return: 0, -ENOLINK without a link, -EAGAIN while the send queue is full, or
 * another error of smcr_wr_post_llc().
 */
int liar_msg_say(struct smcr_lgr *lgr, const u8 *msg)
{
	struct smcr_link *link;
	int err;

	mutex_lock(&lgr->mutex);
	link = liar_link_via(lgr);
	err = link ? liar_smcr.wr_post_llc(link, msg, 0, NULL) :
		     -ENOLINK;
	mutex_unlock(&lgr->mutex);
	if (link)
		liar_smcr.link_put(link);
	return err;
}

/**
 * liar_msg_llc() - send an LLC message many times
 * @lgr: group; liar_link_via() selects its link that sends it
 * @args: COUNT HEX
 *
 * Context: process context, sleeps while the send queue is full.
 * Return: 0, or -errno if the command is wrong or a message is not posted.
 */
int liar_msg_llc(struct smcr_lgr *lgr, char *args)
{
	char *word = strsep(&args, " ");
	u8 msg[SMCR_ROCE_MSG_LEN];
	u32 count;
	int err = 0;

	if (!word || !args || kstrtou32(word, 0, &count) ||
	    liar_hex_bytes(args, msg, sizeof(msg)) != sizeof(msg))
		return -EINVAL;
	while (!err && count) {
		err = liar_msg_say(lgr, msg);
		if (!err)
			count--;
		if (err == -EAGAIN) {
			usleep_range(1000, 2000);
			err = 0;
		}
	}
	return err;
}

/**
 * liar_msg_rkeys() - announce RMBs that do not exist
 * @lgr: group; liar_link_via() selects its link that sends the messages
 * @args: COUNT
 *
 * Context: process context, sleeps after each message.
 * Return: 0, or -errno if the command is wrong or a message is not posted.
 */
int liar_msg_rkeys(struct smcr_lgr *lgr, char *args)
{
	u8 msg[SMCR_ROCE_MSG_LEN] = {};
	struct smcr_wire_confirm_rkey *w = (void *)msg;
	u32 count, i;
	int err = 0;

	if (!args || kstrtou32(args, 0, &count))
		return -EINVAL;
	w->hdr.type = SMCR_LLC_CONFIRM_RKEY;
	w->hdr.length = SMCR_ROCE_MSG_LEN;
	for (i = 0; !err && i < count; i++) {
		w->rkey = cpu_to_be32(0xfeed0000 + i);
		w->vaddr = cpu_to_be64((u64)i << 32);
		err = liar_msg_say(lgr, msg);
		/* Wait for the reply, or smcr's queue becomes full. */
		usleep_range(2000, 4000);
	}
	return err;
}

/**
 * struct own_wr - a work request that smcr does not know of
 * @cqe: names it in its completion
 * @done: completed by its completion
 */
struct own_wr {
	struct ib_cqe		cqe;
	struct completion	done;
};

static void own_done(struct ib_cq *cq, struct ib_wc *wc)
{
	complete(&container_of(wc->wr_cqe, struct own_wr, cqe)->done);
}

/* Post a request and wait for its completion. The group's mutex, held
 * meanwhile, keeps the link from being drained.
 */
static int own_post(struct smcr_lgr *lgr, struct ib_send_wr *wr)
{
	struct own_wr own = { .cqe.done = own_done };
	struct smcr_link *link;
	int err = -ENOLINK;

	init_completion(&own.done);
	wr->wr_cqe = &own.cqe;
	wr->send_flags |= IB_SEND_SIGNALED;
	mutex_lock(&lgr->mutex);
	link = liar_link_via(lgr);
	if (link)
		err = ib_post_send(link->qp, wr, NULL);
	if (!err)
		wait_for_completion(&own.done);
	mutex_unlock(&lgr->mutex);
	if (link)
		liar_smcr.link_put(link);
	return err;
}

/**
 * liar_msg_raw() - SEND any bytes, up to the length of a message
 * @lgr: group; liar_link_via() selects its link that sends them
 * @args: HEX
 *
 * Context: process context, sleeps until the SEND is complete.
 * Return: 0, or -errno if the command is wrong or the SEND is not posted.
 */
int liar_msg_raw(struct smcr_lgr *lgr, char *args)
{
	u8 msg[SMCR_ROCE_MSG_LEN];
	struct ib_sge sge = { .addr = (uintptr_t)msg };
	struct ib_send_wr wr = {
		.opcode = IB_WR_SEND,
		.send_flags = IB_SEND_INLINE | IB_SEND_SOLICITED,
		.sg_list = &sge,
		.num_sge = 1,
	};
	int len = args ? liar_hex_bytes(args, msg, sizeof(msg)) : -EINVAL;

	if (len <= 0)
		return -EINVAL;
	sge.length = len;
	return own_post(lgr, &wr);
}

/**
 * liar_msg_imm() - RDMA write of no bytes with immediate data
 * @lgr: group; liar_link_via() selects its link that sends it
 * @args: HEX, the immediate data
 *
 * Context: process context, sleeps until the write is complete.
 * Return: 0, or -errno if the command is wrong or the write is not posted.
 */
int liar_msg_imm(struct smcr_lgr *lgr, char *args)
{
	struct ib_rdma_wr wr = { .wr.opcode = IB_WR_RDMA_WRITE_WITH_IMM };
	u32 imm;

	if (!args || kstrtou32(args, 16, &imm))
		return -EINVAL;
	wr.wr.ex.imm_data = cpu_to_be32(imm);
	return own_post(lgr, &wr.wr);
}
