// SPDX-License-Identifier: GPL-2.0
/*
 * A lying RDMA peer: makes this host's smcr send what it never would.
 *
 * Loaded beside smcr on one host, so that the other, honest one can be shown
 * each violation of RFC 7609 A.3 and A.4. Two ways: messages of its own, sent
 * through smcr's functions on the queue pair of the newest link group; and
 * bytes of smcr's own messages changed on their way to the queue pair.
 *
 * /proc/liar takes one command a write and shows what this host knows of its
 * groups, "name value" a line.
 *
 *   cdc PICK [KEY=VALUE]...	a CDC message of the PICKth connection, oldest
 *	first from 0, or from -1 newest first. Without keys it says what the
 *	connection would. prod= cons= seq= token= pwrap= cwrap= are added,
 *	poff= coff= flags= type= len= x= (how often) are absolute
 *   put PICK OFF HEX		writes at that place of the peer's element, and
 *	does not announce it
 *   llc COUNT HEX		an LLC message of 44 bytes, COUNT times
 *   raw HEX			a SEND of any length up to 44 bytes
 *   imm HEX			an RDMA write of no bytes with immediate data
 *   hook cdc|llc TYPE FLAGS SKIP COUNT [OFF=HEX]...
 *	of the messages with that first byte, and with those bits in the fourth
 *	byte (R is 80), lets SKIP pass and changes COUNT
 *   dup N			each message changed goes out N times more
 *   catch TYPE		LLC replies of that type are kept from smcr, which did
 *	not ask for them, and the last one is shown
 *   rkeys COUNT		CONFIRM RKEY for RMBs that do not exist
 *   stall			from now on, whoever touches a page of a mapping of
 *	this file waits, with the locks he holds, for
 *   go
 *   unhook
 *   end			ends all groups here, without a word to the peer
 *
 * Numbers are decimal or 0x..., bytes are hex digits.
 */
#include <linux/completion.h>
#include <linux/delay.h>
#include <linux/hex.h>
#include <linux/kprobes.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/proc_fs.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <net/net_namespace.h>
#include <rdma/ib_verbs.h>

#include "conn.h"
#include "lgr.h"
#include "link.h"
#include "rmb.h"
#include "wr.h"

#define MAX_EDITS	8
/* No page is held back for longer, whatever becomes of the test. */
#define STALL_MAX	(60 * HZ)

/* smcr's functions; they are not exported, so they are looked up by name. */
static struct smcr_lgr *(*lgr_next)(struct net *net, struct smcr_lgr *prev);
static void (*lgr_put)(struct smcr_lgr *lgr);
static struct smcr_lgr *(*lgr_get)(struct smcr_lgr *lgr);
static void (*lgr_terminate)(struct smcr_lgr *lgr,
			     enum smcr_reset_reason reason, int err);
static struct smcr_conn *(*conn_next)(struct smcr_lgr *lgr, u32 *slot);
static void (*conn_put)(struct smcr_conn *conn);
static struct smcr_conn *(*conn_get)(struct smcr_conn *conn);
static int (*wr_post)(struct smcr_link *link, struct smcr_wr_batch *batch);
static int (*wr_post_llc)(struct smcr_link *link, const u8 *msg, u32 cookie);

static const struct {
	const char *name;
	void **where;
} symbols[] = {
	{ "smcr_lgr_next", (void **)&lgr_next },
	{ "smcr_lgr_put", (void **)&lgr_put },
	{ "smcr_lgr_get", (void **)&lgr_get },
	{ "smcr_lgr_terminate", (void **)&lgr_terminate },
	{ "smcr_lgr_conn_next", (void **)&conn_next },
	{ "smcr_conn_put", (void **)&conn_put },
	{ "smcr_conn_get", (void **)&conn_get },
	{ "smcr_wr_post", (void **)&wr_post },
	{ "smcr_wr_post_llc", (void **)&wr_post_llc },
};

/* One command at a time. */
static DEFINE_MUTEX(command_lock);

/**
 * struct edit - bytes to put into a message
 * @off: where
 * @len: how many
 * @bytes: which
 */
struct edit {
	u32	off;
	int	len;
	u8	bytes[SMCR_ROCE_MSG_LEN];
};

/**
 * struct hook - which of smcr's own messages to change, and how
 * @lock: protects all but @work
 * @active: there is something to do
 * @cdc: CDC messages, not LLC
 * @type: first byte of the message
 * @flags: bits of its fourth byte that must be set
 * @skip: matching messages to let pass
 * @count: messages to change then
 * @n_edits: entries of @edits
 * @edits: the changes
 * @hits: messages changed since the module was loaded
 * @dup: how often each is to be sent again
 * @again: the message to send again
 * @left: how often
 * @work: sends it
 */
static struct hook {
	spinlock_t		lock;
	bool			active;
	bool			cdc;
	u8			type;
	u8			flags;
	u32			skip;
	u32			count;
	u32			n_edits;
	struct edit		edits[MAX_EDITS];
	u32			hits;
	u32			dup;
	u8			again[SMCR_ROCE_MSG_LEN];
	u32			left;
	struct work_struct	work;
} hook;

/**
 * struct caught - replies that smcr shall not see
 * @type: LLC type, 0 for none
 * @count: replies seen
 * @msg: the last one
 */
static struct caught {
	u8			type;
	u32			count;
	u8			msg[SMCR_ROCE_MSG_LEN];
} caught;

/**
 * struct stall - a page that does not come
 * @go: ends the wait
 * @waiting: how many wait
 */
static struct stall {
	struct completion	go;
	atomic_t		waiting;
} stall;

/* The newest group that has a link, with a reference. */
static struct smcr_lgr *newest_group(void)
{
	struct smcr_lgr *lgr = NULL, *found = NULL;

	while ((lgr = lgr_next(&init_net, lgr))) {
		if (!READ_ONCE(lgr->links[0]))
			continue;
		if (found)
			lgr_put(found);
		found = lgr_get(lgr);
	}
	return found;
}

static struct smcr_conn *pick_conn(struct smcr_lgr *lgr, int pick)
{
	struct smcr_conn *conn, *best;
	u32 bound = pick < 0 ? U32_MAX : 0;
	u32 slot;

	do {
		slot = 0;
		best = NULL;
		while ((conn = conn_next(lgr, &slot))) {
			bool in = pick < 0 ? conn->id < bound &&
				  (!best || conn->id > best->id) :
				  conn->id > bound &&
				  (!best || conn->id < best->id);

			if (in)
				swap(conn, best);
			if (conn)
				conn_put(conn);
		}
		if (!best)
			return NULL;
		bound = best->id;
		if (pick == 0 || pick == -1)
			return best;
		conn_put(best);
		pick += pick < 0 ? 1 : -1;
	} while (1);
}

static int hex_bytes(const char *text, u8 *out, size_t max)
{
	size_t len = strlen(text) / 2;

	if (len > max || hex2bin(out, text, len))
		return -EINVAL;
	return len;
}

/**
 * struct lie - a CDC message that deviates from the truth
 * @prod: added to the producer position
 * @cons: added to the consumer position
 * @seq: added to the next sequence number
 * @token: added to the peer's alert token
 * @pwrap: added to the producer's wrap count
 * @cwrap: added to the consumer's
 * @poff: producer's offset, or -1 for the right one
 * @coff: consumer's, likewise
 * @flags: of the message
 * @type: its first byte
 * @len: its length byte
 * @x: how often it is sent
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

/* A sequence number that the peer will take is used up. */
static int lie_post(struct smcr_conn *conn, const struct lie *lie,
		    struct smcr_wr_batch *batch)
{
	int err;

	spin_lock_bh(&conn->lock);
	batch->conn = conn;
	batch->pos = conn->tx.nxt;
	lie_encode(conn, lie, batch->cdc);
	err = wr_post(conn->link, batch);
	if (!err && lie->seq >= 0 && lie->seq < S16_MAX && !lie->token)
		conn->tx.seq += lie->seq + 1;
	spin_unlock_bh(&conn->lock);
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

/* The message behind the write is stale, so that it announces nothing. */
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
	len = hex_bytes(args, bytes, sizeof(bytes));
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
	conn_put(conn);
	return err;
}

static int cmd_cdc(struct smcr_lgr *lgr, char *args)
{
	return with_conn(lgr, args, do_cdc);
}

static int cmd_put(struct smcr_lgr *lgr, char *args)
{
	return with_conn(lgr, args, do_put);
}

static int say(struct smcr_lgr *lgr, const u8 *msg)
{
	int err = -ENOLINK;

	mutex_lock(&lgr->mutex);
	if (lgr->links[0])
		err = wr_post_llc(lgr->links[0], msg, 0);
	mutex_unlock(&lgr->mutex);
	return err;
}

static int cmd_llc(struct smcr_lgr *lgr, char *args)
{
	char *word = strsep(&args, " ");
	u8 msg[SMCR_ROCE_MSG_LEN];
	u32 count;
	int err = 0;

	if (!word || !args || kstrtou32(word, 0, &count) ||
	    hex_bytes(args, msg, sizeof(msg)) != sizeof(msg))
		return -EINVAL;
	while (!err && count) {
		err = say(lgr, msg);
		if (!err)
			count--;
		if (err == -EAGAIN) {
			usleep_range(1000, 2000);
			err = 0;
		}
	}
	return err;
}

static int cmd_rkeys(struct smcr_lgr *lgr, char *args)
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
		err = say(lgr, msg);
		/* No faster than they are answered, or smcr's queue is full. */
		usleep_range(2000, 4000);
	}
	return err;
}

/**
 * struct own_wr - a work request that smcr does not know of
 * @cqe: names it in its completion
 * @done: it came
 */
struct own_wr {
	struct ib_cqe		cqe;
	struct completion	done;
};

static void own_done(struct ib_cq *cq, struct ib_wc *wc)
{
	complete(&container_of(wc->wr_cqe, struct own_wr, cqe)->done);
}

/* The group's mutex keeps its link from being drained before. */
static int own_post(struct smcr_lgr *lgr, struct ib_send_wr *wr)
{
	struct own_wr own = { .cqe.done = own_done };
	int err = -ENOLINK;

	init_completion(&own.done);
	wr->wr_cqe = &own.cqe;
	wr->send_flags |= IB_SEND_SIGNALED;
	mutex_lock(&lgr->mutex);
	if (lgr->links[0])
		err = ib_post_send(lgr->links[0]->qp, wr, NULL);
	if (!err)
		wait_for_completion(&own.done);
	mutex_unlock(&lgr->mutex);
	return err;
}

static int cmd_raw(struct smcr_lgr *lgr, char *args)
{
	u8 msg[SMCR_ROCE_MSG_LEN];
	struct ib_sge sge = { .addr = (uintptr_t)msg };
	struct ib_send_wr wr = {
		.opcode = IB_WR_SEND,
		.send_flags = IB_SEND_INLINE | IB_SEND_SOLICITED,
		.sg_list = &sge,
		.num_sge = 1,
	};
	int len = args ? hex_bytes(args, msg, sizeof(msg)) : -EINVAL;

	if (len <= 0)
		return -EINVAL;
	sge.length = len;
	return own_post(lgr, &wr);
}

static int cmd_imm(struct smcr_lgr *lgr, char *args)
{
	struct ib_rdma_wr wr = { .wr.opcode = IB_WR_RDMA_WRITE_WITH_IMM };
	u32 imm;

	if (!args || kstrtou32(args, 16, &imm))
		return -EINVAL;
	wr.wr.ex.imm_data = cpu_to_be32(imm);
	return own_post(lgr, &wr.wr);
}

static int cmd_end(struct smcr_lgr *lgr, char *args)
{
	struct smcr_lgr *cur = NULL;

	while ((cur = lgr_next(&init_net, cur)))
		lgr_terminate(cur, SMCR_RESET_LINK_DOWN, ECONNRESET);
	return 0;
}

static int edit_parse(struct edit *edit, char *word)
{
	char *value = strchr(word, '=');

	if (!value)
		return -EINVAL;
	*value++ = 0;
	edit->len = hex_bytes(value, edit->bytes, sizeof(edit->bytes));
	if (edit->len <= 0 || kstrtou32(word, 0, &edit->off) ||
	    edit->off + edit->len > SMCR_ROCE_MSG_LEN)
		return -EINVAL;
	return 0;
}

static int hook_numbers(char **args)
{
	char *kind = strsep(args, " "), *type = strsep(args, " ");
	char *flags = strsep(args, " "), *skip = strsep(args, " ");
	char *count = strsep(args, " ");

	if (!count || kstrtou8(type, 16, &hook.type) ||
	    kstrtou8(flags, 16, &hook.flags) || kstrtou32(skip, 0, &hook.skip) ||
	    kstrtou32(count, 0, &hook.count))
		return -EINVAL;
	hook.cdc = !strcmp(kind, "cdc");
	return 0;
}

static int cmd_hook(struct smcr_lgr *lgr, char *args)
{
	char *word;
	int err;

	spin_lock_bh(&hook.lock);
	hook.active = false;
	hook.n_edits = 0;
	err = hook_numbers(&args);
	while (!err && (word = strsep(&args, " "))) {
		if (hook.n_edits == MAX_EDITS)
			err = -E2BIG;
		else
			err = edit_parse(&hook.edits[hook.n_edits++], word);
	}
	hook.active = !err;
	spin_unlock_bh(&hook.lock);
	return err;
}

static int cmd_catch(struct smcr_lgr *lgr, char *args)
{
	caught.count = 0;
	return args ? kstrtou8(args, 16, &caught.type) : -EINVAL;
}

static int cmd_dup(struct smcr_lgr *lgr, char *args)
{
	return args ? kstrtou32(args, 0, &hook.dup) : -EINVAL;
}

static int cmd_stall(struct smcr_lgr *lgr, char *args)
{
	reinit_completion(&stall.go);
	return 0;
}

static int cmd_go(struct smcr_lgr *lgr, char *args)
{
	complete_all(&stall.go);
	return 0;
}

static int cmd_unhook(struct smcr_lgr *lgr, char *args)
{
	spin_lock_bh(&hook.lock);
	hook.active = false;
	hook.dup = 0;
	spin_unlock_bh(&hook.lock);
	caught.type = 0;
	return 0;
}

static void hook_again(struct work_struct *work)
{
	struct smcr_lgr *lgr = newest_group();
	u8 msg[SMCR_ROCE_MSG_LEN];
	u32 left;

	spin_lock_bh(&hook.lock);
	memcpy(msg, hook.again, sizeof(msg));
	left = hook.left;
	hook.left = 0;
	spin_unlock_bh(&hook.lock);
	if (!lgr)
		return;
	while (left--)
		say(lgr, msg);
	lgr_put(lgr);
}

static void hook_message(u8 *msg, bool cdc)
{
	unsigned long irq;
	u32 i;

	spin_lock_irqsave(&hook.lock, irq);
	if (!hook.active || hook.cdc != cdc || msg[0] != hook.type ||
	    (msg[3] & hook.flags) != hook.flags)
		goto out;
	if (hook.skip) {
		hook.skip--;
		goto out;
	}
	if (!--hook.count)
		hook.active = false;
	for (i = 0; i < hook.n_edits; i++)
		memcpy(msg + hook.edits[i].off, hook.edits[i].bytes,
		       hook.edits[i].len);
	hook.hits++;
	if (hook.dup) {
		memcpy(hook.again, msg, sizeof(hook.again));
		hook.left = hook.dup;
		schedule_work(&hook.work);
	}
out:
	spin_unlock_irqrestore(&hook.lock, irq);
}

static int on_post(struct kprobe *kp, struct pt_regs *regs)
{
	struct smcr_wr_batch *batch;

	batch = (void *)regs_get_kernel_argument(regs, 1);
	hook_message(batch->cdc, true);
	return 0;
}

static int on_post_llc(struct kprobe *kp, struct pt_regs *regs)
{
	hook_message((u8 *)regs_get_kernel_argument(regs, 1), false);
	return 0;
}

/* An optional opcode that nobody knows: smcr drops it. */
static int on_recv_llc(struct kprobe *kp, struct pt_regs *regs)
{
	struct smcr_wr_recv *recv;

	recv = (void *)regs_get_kernel_argument(regs, 0);
	if (!caught.type || recv->msg[0] != caught.type ||
	    !(recv->msg[3] & SMCR_LLC_F_REPLY))
		return 0;
	memcpy(caught.msg, recv->msg, sizeof(caught.msg));
	recv->msg[0] = SMCR_LLC_CLASS_OPTIONAL;
	caught.count++;
	return 0;
}

static struct kprobe probe_post = {
	.symbol_name = "smcr_wr_post",
	.pre_handler = on_post,
};

static struct kprobe probe_post_llc = {
	.symbol_name = "smcr_wr_post_llc",
	.pre_handler = on_post_llc,
};

static struct kprobe probe_recv_llc = {
	.symbol_name = "smcr_llc_recv",
	.pre_handler = on_recv_llc,
};

static struct kprobe *probes[] = {
	&probe_post, &probe_post_llc, &probe_recv_llc,
};

static const struct {
	const char *name;
	int (*run)(struct smcr_lgr *lgr, char *args);
	bool group;
} commands[] = {
	{ "cdc", cmd_cdc, true },
	{ "put", cmd_put, true },
	{ "llc", cmd_llc, true },
	{ "raw", cmd_raw, true },
	{ "imm", cmd_imm, true },
	{ "hook", cmd_hook, false },
	{ "dup", cmd_dup, false },
	{ "catch", cmd_catch, false },
	{ "rkeys", cmd_rkeys, true },
	{ "stall", cmd_stall, false },
	{ "go", cmd_go, false },
	{ "unhook", cmd_unhook, false },
	{ "end", cmd_end, false },
};

static int command(char *line)
{
	struct smcr_lgr *lgr = NULL;
	char *name = strsep(&line, " ");
	int i, err;

	for (i = 0; i < ARRAY_SIZE(commands); i++)
		if (!strcmp(name, commands[i].name))
			break;
	if (i == ARRAY_SIZE(commands))
		return -EINVAL;
	if (commands[i].group) {
		lgr = newest_group();
		if (!lgr)
			return -ENOLINK;
	}
	err = commands[i].run(lgr, line);
	if (lgr)
		lgr_put(lgr);
	return err;
}

static ssize_t liar_write(struct file *file, const char __user *from,
			  size_t len, loff_t *pos)
{
	char *line;
	int err;

	line = memdup_user_nul(from, min_t(size_t, len, PAGE_SIZE - 1));
	if (IS_ERR(line))
		return PTR_ERR(line);
	mutex_lock(&command_lock);
	err = command(strim(line));
	mutex_unlock(&command_lock);
	kfree(line);
	return err ? err : len;
}

/**
 * struct memory - what all RMBs of this host hold
 * @rmbs: RMBs
 * @elems: elements by state
 * @stale: bytes of free elements that are not zero, eye catchers aside
 */
struct memory {
	u32	rmbs;
	u32	elems[SMCR_RMBE_QUARANTINE + 1];
	u32	stale;
};

static u32 stale_bytes(const struct smcr_rmb *rmb, u32 i)
{
	const u8 *p = rmb->vaddr + (size_t)i * rmb->elem_size;
	const u8 *end = p + rmb->elem_size;
	u32 n = 0;

	for (p += SMCR_RMBE_EYE_LEN; (p = memchr_inv(p, 0, end - p)); p++)
		n++;
	return n;
}

static void memory_add(struct smcr_lgr *lgr, struct memory *mem)
{
	struct smcr_rmb *rmb;
	u32 i;

	mutex_lock(&lgr->mutex);
	list_for_each_entry(rmb, &lgr->rmbs, list) {
		mem->rmbs++;
		for (i = 0; i < rmb->n_elems; i++) {
			mem->elems[READ_ONCE(rmb->elems[i].state)]++;
			if (rmb->elems[i].state == SMCR_RMBE_FREE)
				mem->stale += stale_bytes(rmb, i);
		}
	}
	mutex_unlock(&lgr->mutex);
}

static void show_group(struct seq_file *seq, struct smcr_lgr *lgr)
{
	struct smcr_rmb *rmb;
	struct smcr_link *link;
	int i, n = 0;

	mutex_lock(&lgr->mutex);
	seq_printf(seq, "role %d\nstate %d\ndialect %d\nconns %u\n", lgr->role,
		   lgr->state, lgr->dialect, lgr->n_conns);
	link = lgr->links[0];
	if (link)
		seq_printf(seq, "link %02x\nqpn %06x\npeer_qpn %06x\n",
			   link->num, link->qpn, link->peer.qpn);
	list_for_each_entry(rmb, &lgr->rmbs, list) {
		seq_printf(seq, "rmb%d %08x%016llx\n", n++,
			   rmb->maps[0].rkey, rmb->maps[0].iova);
	}
	n = 0;
	for (i = 1; i <= SMCR_MAX_RMBS; i++) {
		struct smcr_rtoken *rt = lgr->rtokens->slot[i];

		if (rt)
			seq_printf(seq, "peer%d %08x%016llx\n", n++,
				   rt->rkey[0], rt->vaddr[0]);
	}
	seq_printf(seq, "peers %d\n", n);
	mutex_unlock(&lgr->mutex);
}

static int liar_show(struct seq_file *seq, void *v)
{
	struct smcr_lgr *lgr = NULL;
	struct memory mem = {};
	u32 groups = 0;

	while ((lgr = lgr_next(&init_net, lgr))) {
		groups++;
		memory_add(lgr, &mem);
	}
	lgr = newest_group();
	if (lgr) {
		show_group(seq, lgr);
		lgr_put(lgr);
	}
	seq_printf(seq, "groups %u\nrmbs %u\nfree %u\nused %u\ndirty %u\n",
		   groups, mem.rmbs, mem.elems[SMCR_RMBE_FREE],
		   mem.elems[SMCR_RMBE_USED], mem.elems[SMCR_RMBE_DIRTY]);
	seq_printf(seq, "quarantine %u\nstale %u\nhits %u\n",
		   mem.elems[SMCR_RMBE_QUARANTINE], mem.stale, hook.hits);
	seq_printf(seq, "stalled %d\n", atomic_read(&stall.waiting));
	seq_printf(seq, "replies %u\nreply %*phN\n", caught.count,
		   (int)sizeof(caught.msg), caught.msg);
	return 0;
}

static vm_fault_t stall_fault(struct vm_fault *vmf)
{
	long left;

	atomic_inc(&stall.waiting);
	left = wait_for_completion_killable_timeout(&stall.go, STALL_MAX);
	atomic_dec(&stall.waiting);
	if (left <= 0)
		return VM_FAULT_SIGBUS;
	vmf->page = alloc_page(GFP_KERNEL | __GFP_ZERO);
	return vmf->page ? 0 : VM_FAULT_OOM;
}

static const struct vm_operations_struct stall_ops = {
	.fault = stall_fault,
};

static int liar_mmap(struct file *file, struct vm_area_struct *vma)
{
	vma->vm_ops = &stall_ops;
	return 0;
}

static int liar_open(struct inode *inode, struct file *file)
{
	return single_open(file, liar_show, NULL);
}

static const struct proc_ops liar_ops = {
	.proc_open	= liar_open,
	.proc_read	= seq_read,
	.proc_lseek	= seq_lseek,
	.proc_write	= liar_write,
	.proc_mmap	= liar_mmap,
	.proc_release	= single_release,
};

/* kallsyms_lookup_name() itself is not exported, but a probe finds it. */
static int find_symbols(void)
{
	struct kprobe kp = { .symbol_name = "kallsyms_lookup_name" };
	unsigned long (*lookup)(const char *name);
	int i, err;

	err = register_kprobe(&kp);
	if (err)
		return err;
	lookup = (void *)kp.addr;
	unregister_kprobe(&kp);
	for (i = 0; i < ARRAY_SIZE(symbols); i++) {
		*symbols[i].where = (void *)lookup(symbols[i].name);
		if (!*symbols[i].where)
			return -ENOENT;
	}
	return 0;
}

static int __init liar_init(void)
{
	int err = find_symbols();

	if (err)
		return err;
	spin_lock_init(&hook.lock);
	init_completion(&stall.go);
	INIT_WORK(&hook.work, hook_again);
	err = register_kprobes(probes, ARRAY_SIZE(probes));
	if (err)
		return err;
	if (!proc_create("liar", 0600, NULL, &liar_ops)) {
		unregister_kprobes(probes, ARRAY_SIZE(probes));
		return -ENOMEM;
	}
	return 0;
}

static void __exit liar_exit(void)
{
	remove_proc_entry("liar", NULL);
	unregister_kprobes(probes, ARRAY_SIZE(probes));
	cancel_work_sync(&hook.work);
}

module_init(liar_init);
module_exit(liar_exit);
MODULE_DESCRIPTION("Test only: a lying SMC-R peer");
MODULE_LICENSE("GPL");
