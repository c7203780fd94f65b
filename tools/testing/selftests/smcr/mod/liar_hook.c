// SPDX-License-Identifier: GPL-2.0
/*
 * Changes to smcr's own messages: bytes of chosen messages are changed before
 * smcr posts them, an element that is in use is offered again, and replies that
 * smcr did not ask for are hidden from it. This file does it in probes of the
 * functions that the messages pass.
 */
#include <linux/kernel.h>
#include <linux/kprobes.h>
#include <linux/seq_file.h>
#include <linux/spinlock.h>
#include <linux/string.h>
#include <linux/workqueue.h>

#include "clc_msg.h"
#include "liar.h"
#include "wr.h"

#define MAX_EDITS	8
#define MAX_CAUGHT	4

/**
 * struct edit - a change to bytes of a message
 * @off: offset of the first byte
 * @len: number of bytes
 * @flip: invert the bits that are set in @bytes, so that they differ from what
 *	smcr wrote, whatever that was; otherwise write @bytes
 * @bytes: the bits or the new bytes
 */
struct edit {
	u32	off;
	int	len;
	bool	flip;
	u8	bytes[SMCR_ROCE_MSG_LEN];
};

/**
 * struct hook - which of smcr's own messages to change, and how
 * @lock: protects all fields but @work
 * @active: messages are to be changed
 * @cdc: change CDC messages; otherwise LLC messages
 * @type: first byte of the messages to change
 * @flags: bits of the fourth byte that must be set
 * @skip: number of matching messages to leave alone first
 * @count: number of messages to change after these
 * @n_edits: entries of @edits
 * @edits: the changes
 * @hits: messages changed since the module was loaded
 * @dup: how often each changed message is sent again
 * @again: the message to send again
 * @left: how often to send @again
 * @work: sends @again
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
 * struct caught - replies that are hidden from smcr
 * @types: LLC types of the replies to hide, or 0
 * @count: replies hidden
 * @msg: the last one
 */
static struct caught {
	u8			types[MAX_CAUGHT];
	u32			count;
	u8			msg[SMCR_ROCE_MSG_LEN];
} caught;

/* The element that Accept and Confirm name; 0: that of their connection */
static u8 offered;

/**
 * struct end - the end of a link that Accept and Confirm name
 * @set: they name this one; otherwise that of their connection
 * @qpn: number of its queue pair
 * @mac: MAC address of its port
 * @gid: GID of its port
 */
static struct end {
	bool			set;
	u32			qpn;
	u8			mac[SMCR_MAC_LEN];
	u8			gid[SMCR_GID_LEN];
} end;

static int edit_parse(struct edit *edit, char *word)
{
	char *value = strpbrk(word, "=^");

	if (!value)
		return -EINVAL;
	edit->flip = *value == '^';
	*value++ = 0;
	edit->len = liar_hex_bytes(value, edit->bytes, sizeof(edit->bytes));
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

/**
 * liar_hook_set() - change messages that smcr sends from now on
 * @lgr: unused
 * @args: cdc|llc TYPE FLAGS SKIP COUNT [OFF=HEX|OFF^HEX]..., see the top of
 *	liar_main.c
 *
 * Replaces the changes set before. If @args are wrong, no message is changed.
 *
 * Context: process context, takes the hook's lock.
 * Return: 0, -E2BIG for too many changes, or -EINVAL.
 */
int liar_hook_set(struct smcr_lgr *lgr, char *args)
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

/**
 * liar_hook_catch() - hide LLC replies of some types from smcr
 * @lgr: unused
 * @args: TYPE..., at most MAX_CAUGHT
 *
 * Context: process context.
 * Return: 0, or -errno if @args are wrong.
 */
int liar_hook_catch(struct smcr_lgr *lgr, char *args)
{
	u8 types[MAX_CAUGHT] = {};
	int err = args ? 0 : -EINVAL;
	u32 n = 0;
	char *word;

	while (!err && (word = strsep(&args, " ")))
		err = n < MAX_CAUGHT ? kstrtou8(word, 16, &types[n++]) :
				       -E2BIG;
	caught.count = 0;
	if (!err)
		memcpy(caught.types, types, sizeof(types));
	return err;
}

/**
 * liar_hook_dup() - send each changed message several times
 * @lgr: unused
 * @args: N, how often it is sent in addition to the first time
 *
 * Context: process context.
 * Return: 0, or -errno if @args are wrong.
 */
int liar_hook_dup(struct smcr_lgr *lgr, char *args)
{
	return args ? kstrtou32(args, 0, &hook.dup) : -EINVAL;
}

/**
 * liar_hook_offer() - offer an element in each Accept and Confirm from now on
 * @idx: its index in the RMB of the connection that is being made
 *
 * Context: any.
 */
void liar_hook_offer(u8 idx)
{
	WRITE_ONCE(offered, idx);
}

/**
 * liar_hook_name() - name an end of a link in each Accept and Confirm from now on
 * @lgr: unused
 * @args: QPN MAC GID
 *
 * Context: process context.
 * Return: 0, or -EINVAL.
 */
int liar_hook_name(struct smcr_lgr *lgr, char *args)
{
	char *qpn = strsep(&args, " "), *mac = strsep(&args, " ");
	char *gid = strsep(&args, " ");

	if (!gid || kstrtou32(qpn, 16, &end.qpn) ||
	    liar_hex_bytes(mac, end.mac, SMCR_MAC_LEN) != SMCR_MAC_LEN ||
	    liar_hex_bytes(gid, end.gid, SMCR_GID_LEN) != SMCR_GID_LEN)
		return -EINVAL;
	/* Pairs with on_accept() */
	smp_store_release(&end.set, true);
	return 0;
}

/**
 * liar_hook_clear() - let all messages pass unchanged
 * @lgr: unused
 * @args: unused
 *
 * Context: process context, takes the hook's lock.
 * Return: 0.
 */
int liar_hook_clear(struct smcr_lgr *lgr, char *args)
{
	spin_lock_bh(&hook.lock);
	hook.active = false;
	hook.dup = 0;
	spin_unlock_bh(&hook.lock);
	memset(caught.types, 0, sizeof(caught.types));
	WRITE_ONCE(offered, 0);
	WRITE_ONCE(end.set, false);
	return 0;
}

static void hook_again(struct work_struct *work)
{
	struct smcr_lgr *lgr = liar_newest_group();
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
		liar_msg_say(lgr, msg);
	liar_smcr.lgr_put(lgr);
}

static void edit_apply(const struct edit *edit, u8 *msg)
{
	u8 *to = msg + edit->off;
	int i;

	for (i = 0; i < edit->len; i++)
		to[i] = edit->bytes[i] ^ (edit->flip ? to[i] : 0);
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
		edit_apply(&hook.edits[i], msg);
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

/* Hide a reply: give it an unknown optional opcode, so that smcr drops it. */
static int on_recv_llc(struct kprobe *kp, struct pt_regs *regs)
{
	struct smcr_wr_recv *recv;

	recv = (void *)regs_get_kernel_argument(regs, 0);
	if (!recv->msg[0] || !(recv->msg[3] & SMCR_LLC_F_REPLY) ||
	    !memchr(caught.types, recv->msg[0], MAX_CAUGHT))
		return 0;
	memcpy(caught.msg, recv->msg, sizeof(caught.msg));
	recv->msg[0] = SMCR_LLC_CLASS_OPTIONAL;
	caught.count++;
	return 0;
}

static int on_accept(struct kprobe *kp, struct pt_regs *regs)
{
	struct smcr_clc_accept *msg;
	u8 idx = READ_ONCE(offered);
	bool other;

	/* Pairs with liar_hook_name() */
	other = smp_load_acquire(&end.set);
	msg = (void *)regs_get_kernel_argument(regs, 2);
	if (idx)
		msg->rmbe_idx = idx;
	if (other) {
		msg->qpn = end.qpn;
		memcpy(msg->mac, end.mac, SMCR_MAC_LEN);
		memcpy(msg->gid, end.gid, SMCR_GID_LEN);
	}
	hook.hits += idx || other;
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

static struct kprobe probe_accept = {
	.symbol_name = "smcr_clc_accept_encode",
	.pre_handler = on_accept,
};

static struct kprobe *probes[] = {
	&probe_post, &probe_post_llc, &probe_recv_llc, &probe_accept,
};

/**
 * liar_hook_hits() - number of messages that were changed
 *
 * Context: any.
 * Return: the number since the module was loaded.
 */
u32 liar_hook_hits(void)
{
	return hook.hits;
}

/**
 * liar_hook_show_caught() - show the replies that were hidden from smcr
 * @seq: where to print
 *
 * Context: process context.
 */
void liar_hook_show_caught(struct seq_file *seq)
{
	seq_printf(seq, "replies %u\nreply %*phN\n", caught.count,
		   (int)sizeof(caught.msg), caught.msg);
}

/**
 * liar_hook_init() - register the probes; no message is changed yet
 *
 * Context: process context; smcr's functions have been looked up.
 * Return: 0 or -errno.
 */
int liar_hook_init(void)
{
	spin_lock_init(&hook.lock);
	INIT_WORK(&hook.work, hook_again);
	return register_kprobes(probes, ARRAY_SIZE(probes));
}

/**
 * liar_hook_exit() - unregister the probes and cancel their work
 *
 * Context: process context, may sleep.
 */
void liar_hook_exit(void)
{
	unregister_kprobes(probes, ARRAY_SIZE(probes));
	cancel_work_sync(&hook.work);
}
