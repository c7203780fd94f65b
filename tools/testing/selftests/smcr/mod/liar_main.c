// SPDX-License-Identifier: GPL-2.0
/*
 * A lying RDMA peer: this module makes smcr on its host violate the protocol.
 *
 * It is loaded beside smcr on one host, so that a test can send each violation
 * of RFC 7609 A.3 and A.4 to the honest smcr on the other host. It has two
 * ways: it sends messages of its own through smcr's functions on a queue pair of
 * the newest link group (liar_msg.c), and it changes bytes of smcr's own messages
 * on their way to the queue pair (liar_hook.c). This file has /proc/liar: its
 * commands, its text, and its mapping, whose page faults wait.
 *
 * Each write to /proc/liar is one command. Reading shows what this host knows
 * of its groups, in "name value" lines.
 *
 *   cdc PICK [KEY=VALUE]...	send a CDC message of a connection. PICK is 0
 *	for the oldest, 1 for the next, or -1 for the newest, -2 for the one
 *	before. Without keys the message is true, with no flags. The values of
 *	prod= cons= seq= token= pwrap= cwrap= are added to the true ones; those
 *	of poff= coff= flags= type= len= replace them; x= sends the message so
 *	many times; over=N sends it over the Nth ACTIVE link after that of the
 *	connection, in turn
 *   put PICK OFF HEX		write at an offset from the start of the peer's
 *	element, without announcing it
 *   elem PICK			from now on Accept and Confirm offer the element that
 *	this connection uses
 *   name QPN MAC GID		from now on Accept and Confirm name this end of a
 *	link
 *   llc COUNT HEX		send an LLC message of 44 bytes COUNT times
 *   raw HEX			SEND any bytes, up to 44
 *   imm HEX			RDMA write of no bytes with immediate data
 *   hook cdc|llc TYPE FLAGS SKIP COUNT [OFF=HEX|OFF^HEX]...
 *	of the messages with this first byte and with these bits in the fourth
 *	byte (R is 80), leave SKIP alone and then change COUNT: write HEX at
 *	OFF, or invert the bits of HEX there
 *   dup N			send each changed message N more times
 *   catch TYPE...		hide LLC replies of these types from smcr, which did
 *	not ask for them; reading shows the last one
 *   rkeys COUNT		send CONFIRM RKEY for RMBs that do not exist
 *   stall			from now on a thread that touches a page of this
 *	file's mapping waits in the fault, with the locks that it holds
 *   go			end these faults
 *   unhook			undo hook, dup, catch, elem and name
 *   via N			send llc, raw, imm and rkeys over the Nth ACTIVE link
 *	from now on, from 0, the first one
 *   fail N			have the Nth ACTIVE link fail on this host
 *   end [N]			end all groups of this host but the N oldest, without
 *	DELETE LINK
 *
 * Numbers are decimal or 0x..., bytes are hex digits.
 */
#include <linux/completion.h>
#include <linux/hex.h>
#include <linux/kprobes.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/proc_fs.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <net/net_namespace.h>

#include "lgr.h"
#include "liar.h"
#include "link.h"
#include "rmb.h"

/* Longest wait of a page fault, if the test ends without "go" */
#define STALL_MAX	(60 * HZ)

struct liar_smcr liar_smcr;

static const struct {
	const char *name;
	void **where;
} symbols[] = {
	{ "smcr_lgr_next", (void **)&liar_smcr.lgr_next },
	{ "smcr_lgr_put", (void **)&liar_smcr.lgr_put },
	{ "smcr_lgr_get", (void **)&liar_smcr.lgr_get },
	{ "smcr_lgr_terminate", (void **)&liar_smcr.lgr_terminate },
	{ "smcr_lgr_link", (void **)&liar_smcr.link_any },
	{ "smcr_lgr_link_at", (void **)&liar_smcr.link_at },
	{ "smcr_link_put", (void **)&liar_smcr.link_put },
	{ "smcr_link_fail", (void **)&liar_smcr.link_fail },
	{ "smcr_lgr_conn_next", (void **)&liar_smcr.conn_next },
	{ "smcr_conn_put", (void **)&liar_smcr.conn_put },
	{ "smcr_wr_post", (void **)&liar_smcr.wr_post },
	{ "smcr_wr_post_llc", (void **)&liar_smcr.wr_post_llc },
};

/* Serialises the commands. */
static DEFINE_MUTEX(command_lock);

/* Which ACTIVE link carries LLC messages, from "via" */
static int via;

/**
 * struct stall - page faults that wait
 * @go: ends the wait
 * @waiting: number of threads that wait
 */
static struct stall {
	struct completion	go;
	atomic_t		waiting;
} stall;

/**
 * liar_newest_group() - find the newest group that has a link
 *
 * Context: process context.
 * Return: the group, with a reference, or NULL.
 */
struct smcr_lgr *liar_newest_group(void)
{
	struct smcr_lgr *lgr = NULL, *found = NULL;
	struct smcr_link *link;

	while ((lgr = liar_smcr.lgr_next(&init_net, lgr))) {
		link = liar_smcr.link_any(lgr);
		if (!link)
			continue;
		liar_smcr.link_put(link);
		if (found)
			liar_smcr.lgr_put(found);
		found = liar_smcr.lgr_get(lgr);
	}
	return found;
}

/**
 * liar_link() - find an ACTIVE link of a group
 * @lgr: the group
 * @nth: its place among them, from 0
 *
 * Context: any but hard irq.
 * Return: the link with a reference, or NULL.
 */
struct smcr_link *liar_link(struct smcr_lgr *lgr, int nth)
{
	struct smcr_link *link;
	int slot;

	for (slot = 0; slot < SMCR_MAX_LINKS; slot++) {
		link = liar_smcr.link_at(lgr, slot);
		if (!link)
			continue;
		if (smcr_link_state(link) == SMCR_LINK_ACTIVE && !nth--)
			return link;
		liar_smcr.link_put(link);
	}
	return NULL;
}

/**
 * liar_link_via() - select the link for an LLC message of the liar
 * @lgr: the group
 *
 * Context: any but hard irq.
 * Return: the link of "via", or else any link, with a reference; or NULL.
 */
struct smcr_link *liar_link_via(struct smcr_lgr *lgr)
{
	struct smcr_link *link = liar_link(lgr, via);

	return link ? link : liar_smcr.link_any(lgr);
}

/**
 * liar_hex_bytes() - convert hex digits to bytes
 * @text: the digits
 * @out: receives the bytes
 * @max: size of @out
 *
 * Context: any.
 * Return: the number of bytes, or -EINVAL.
 */
int liar_hex_bytes(const char *text, u8 *out, size_t max)
{
	size_t len = strlen(text) / 2;

	if (len > max || hex2bin(out, text, len))
		return -EINVAL;
	return len;
}

static int cmd_end(struct smcr_lgr *lgr, char *args)
{
	struct smcr_lgr *cur = NULL;
	u32 spared = 0;

	if (args && kstrtou32(args, 0, &spared))
		return -EINVAL;
	while ((cur = liar_smcr.lgr_next(&init_net, cur))) {
		if (spared)
			spared--;
		else
			liar_smcr.lgr_terminate(cur, SMCR_RESET_LINK_DOWN,
						ECONNRESET);
	}
	return 0;
}

static int cmd_via(struct smcr_lgr *lgr, char *args)
{
	return args ? kstrtoint(args, 0, &via) : -EINVAL;
}

static int cmd_fail(struct smcr_lgr *lgr, char *args)
{
	struct smcr_link *link;
	int nth;

	if (!args || kstrtoint(args, 0, &nth))
		return -EINVAL;
	link = liar_link(lgr, nth);
	if (!link)
		return -ENOLINK;
	liar_smcr.link_fail(link, -EPROTO);
	liar_smcr.link_put(link);
	return 0;
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

static const struct {
	const char *name;
	int (*run)(struct smcr_lgr *lgr, char *args);
	bool group;
} commands[] = {
	{ "cdc", liar_msg_cdc, true },
	{ "put", liar_msg_put, true },
	{ "elem", liar_msg_elem, true },
	{ "llc", liar_msg_llc, true },
	{ "raw", liar_msg_raw, true },
	{ "imm", liar_msg_imm, true },
	{ "hook", liar_hook_set, false },
	{ "dup", liar_hook_dup, false },
	{ "name", liar_hook_name, false },
	{ "catch", liar_hook_catch, false },
	{ "rkeys", liar_msg_rkeys, true },
	{ "stall", cmd_stall, false },
	{ "go", cmd_go, false },
	{ "unhook", liar_hook_clear, false },
	{ "via", cmd_via, false },
	{ "fail", cmd_fail, true },
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
		lgr = liar_newest_group();
		if (!lgr)
			return -ENOLINK;
	}
	err = commands[i].run(lgr, line);
	if (lgr)
		liar_smcr.lgr_put(lgr);
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
 * struct memory - contents of all RMBs of this host
 * @rmbs: number of RMBs
 * @elems: number of elements by state
 * @stale: bytes of free elements that are not zero, without eye catchers
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

/* Show a link, and the keys of both hosts' RMBs on it. Names end in @tag. The
 * group's mutex is held.
 */
static void show_link(struct seq_file *seq, struct smcr_lgr *lgr,
		      const struct smcr_link *link, const char *tag)
{
	const struct smcr_rmb_map *map;
	struct smcr_rtoken *rt;
	struct smcr_rmb *rmb;
	int i, n = 0;

	seq_printf(seq, "link%s %02x\nqpn%s %06x\npeer_qpn%s %06x\n", tag,
		   link->num, tag, link->qpn, tag, link->peer.qpn);
	list_for_each_entry(rmb, &lgr->rmbs, list) {
		map = &rmb->maps[link->slot];
		seq_printf(seq, "rmb%d%s %08x%016llx\n", n++, tag, map->rkey,
			   map->iova);
	}
	n = 0;
	for (i = 1; i <= SMCR_MAX_RMBS; i++) {
		rt = lgr->rtokens->slot[i];
		if (rt)
			seq_printf(seq, "peer%d%s %08x%016llx\n", n++, tag,
				   rt->rkey[link->slot],
				   rt->vaddr[link->slot]);
	}
	seq_printf(seq, "peers%s %d\n", tag, n);
}

/* Names of the second link and its keys end in "b", of the third in "c". */
static void show_group(struct seq_file *seq, struct smcr_lgr *lgr)
{
	struct smcr_link *link;
	char tag[2] = "";
	int n = 0;

	mutex_lock(&lgr->mutex);
	seq_printf(seq, "role %d\nstate %d\ndialect %d\nconns %u\n", lgr->role,
		   lgr->state, lgr->dialect, lgr->n_conns);
	seq_printf(seq, "step %d\n", lgr->llc.flow.step);
	while ((link = liar_link(lgr, n))) {
		tag[0] = n ? 'a' + n : 0;
		n++;
		show_link(seq, lgr, link, tag);
		liar_smcr.link_put(link);
	}
	seq_printf(seq, "links %d\n", n);
	mutex_unlock(&lgr->mutex);
}

static int liar_show(struct seq_file *seq, void *v)
{
	struct smcr_lgr *lgr = NULL;
	struct memory mem = {};
	u32 groups = 0;

	while ((lgr = liar_smcr.lgr_next(&init_net, lgr))) {
		groups++;
		memory_add(lgr, &mem);
	}
	lgr = liar_newest_group();
	if (lgr) {
		show_group(seq, lgr);
		liar_smcr.lgr_put(lgr);
	}
	seq_printf(seq, "groups %u\nrmbs %u\nfree %u\nused %u\ndirty %u\n",
		   groups, mem.rmbs, mem.elems[SMCR_RMBE_FREE],
		   mem.elems[SMCR_RMBE_USED], mem.elems[SMCR_RMBE_DIRTY]);
	seq_printf(seq, "quarantine %u\nstale %u\nhits %u\n",
		   mem.elems[SMCR_RMBE_QUARANTINE], mem.stale,
		   liar_hook_hits());
	seq_printf(seq, "stalled %d\n", atomic_read(&stall.waiting));
	liar_hook_show_caught(seq);
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

/* kallsyms_lookup_name() is not exported, but a probe finds its address. */
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
	init_completion(&stall.go);
	err = liar_hook_init();
	if (err)
		return err;
	if (!proc_create("liar", 0600, NULL, &liar_ops)) {
		liar_hook_exit();
		return -ENOMEM;
	}
	return 0;
}

static void __exit liar_exit(void)
{
	remove_proc_entry("liar", NULL);
	liar_hook_exit();
}

module_init(liar_init);
module_exit(liar_exit);
MODULE_DESCRIPTION("Test only: a lying SMC-R peer");
MODULE_LICENSE("GPL");
