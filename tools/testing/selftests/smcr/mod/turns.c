// SPDX-License-Identifier: GPL-2.0
/*
 * This module watches whether connections that wait for send slots of a link
 * get their turn.
 *
 * /proc/turns shows "name value" lines, counted since the module was loaded:
 *
 *   waited	times that a connection began to wait
 *   overtaken	batches that another connection of the link posted during such
 *		a wait after its turn, that is, after it had posted 128 KB: a
 *		turn ends with a batch, which may be as long as the turn
 *   lost	calls that were not counted: too many connections, or a probe
 *		that was missed
 */
#include <linux/kprobes.h>
#include <linux/module.h>
#include <linux/proc_fs.h>
#include <linux/seq_file.h>
#include <linux/spinlock.h>

#include "share.h"
#include "wr.h"

#define TURNS_CONNS	64
#define TURNS_BYTES	(128u << 10)

/**
 * struct conn_turn - a connection that has posted a batch
 * @conn: the connection; only compared, since it may be freed
 * @link: its link; only compared
 * @waits: the connection is on the link's list of waiters
 * @posted: bytes that each connection has posted since then
 */
struct conn_turn {
	void	*conn;
	void	*link;
	bool	waits;
	u32	posted[TURNS_CONNS];
};

static struct conn_turn turns[TURNS_CONNS];
static unsigned long waited, overtaken, lost;
static DEFINE_SPINLOCK(turns_lock);

struct call {
	void	*link;
	void	*conn;
	u32	bytes;
};

static struct conn_turn *turn_of(void *conn, void *link)
{
	struct conn_turn *turn;

	lockdep_assert_held(&turns_lock);
	for (turn = turns; turn < turns + TURNS_CONNS; turn++) {
		if (turn->conn && turn->conn != conn)
			continue;
		turn->conn = conn;
		turn->link = link;
		return turn;
	}
	lost++;
	return NULL;
}

static void turn_posted(const struct conn_turn *turn, u32 bytes)
{
	struct conn_turn *other;
	u32 *posted;

	for (other = turns; other < turns + TURNS_CONNS; other++) {
		if (!other->waits || other == turn || other->link != turn->link)
			continue;
		posted = &other->posted[turn - turns];
		if (bytes > SMCR_SHARE_SMALL && *posted >= TURNS_BYTES)
			overtaken++;
		*posted += bytes;
	}
}

static void turn_waits(struct conn_turn *turn)
{
	if (turn->waits)
		return;
	turn->waits = true;
	memset(turn->posted, 0, sizeof(turn->posted));
	waited++;
}

/* int smcr_wr_post(struct smcr_link *, struct smcr_wr_batch *) */
static int enter_post(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	struct smcr_wr_batch *batch = (void *)regs_get_kernel_argument(regs, 1);
	struct call *call = (void *)ri->data;

	call->link = (void *)regs_get_kernel_argument(regs, 0);
	call->conn = batch->conn;
	call->bytes = batch->bytes;
	return 0;
}

static int leave_post(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	struct call *call = (void *)ri->data;
	int ret = regs_return_value(regs);
	struct conn_turn *turn;
	unsigned long irq;

	spin_lock_irqsave(&turns_lock, irq);
	turn = turn_of(call->conn, call->link);
	if (turn && ret == -EAGAIN)
		turn_waits(turn);
	else if (turn && !ret)
		turn_posted(turn, call->bytes);
	spin_unlock_irqrestore(&turns_lock, irq);
	return 0;
}

/* void smcr_conn_tx_ready(struct smcr_conn *) ends the wait of a connection */
static int on_ready(struct kprobe *kp, struct pt_regs *regs)
{
	void *conn = (void *)regs_get_kernel_argument(regs, 0);
	struct conn_turn *turn;
	unsigned long irq;

	spin_lock_irqsave(&turns_lock, irq);
	for (turn = turns; turn < turns + TURNS_CONNS; turn++)
		if (turn->conn == conn)
			turn->waits = false;
	spin_unlock_irqrestore(&turns_lock, irq);
	return 0;
}

static struct kretprobe post = {
	.kp.symbol_name	= "smcr_wr_post",
	.entry_handler	= enter_post,
	.handler	= leave_post,
	.data_size	= sizeof(struct call),
};

static struct kprobe ready = {
	.symbol_name	= "smcr_conn_tx_ready",
	.pre_handler	= on_ready,
};

static int turns_show(struct seq_file *seq, void *v)
{
	seq_printf(seq, "waited %lu\novertaken %lu\nlost %lu\n", waited,
		   overtaken, lost + post.nmissed + ready.nmissed);
	return 0;
}

static int __init turns_init(void)
{
	int err = register_kprobe(&ready);

	if (err)
		return err;
	err = register_kretprobe(&post);
	if (!err && !proc_create_single("turns", 0400, NULL, turns_show)) {
		unregister_kretprobe(&post);
		err = -ENOMEM;
	}
	if (err)
		unregister_kprobe(&ready);
	return err;
}

static void __exit turns_exit(void)
{
	remove_proc_entry("turns", NULL);
	unregister_kretprobe(&post);
	unregister_kprobe(&ready);
}

module_init(turns_init);
module_exit(turns_exit);
MODULE_DESCRIPTION("Test only: turns of connections at a send queue");
MODULE_LICENSE("GPL");
