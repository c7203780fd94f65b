// SPDX-License-Identifier: GPL-2.0
/*
 * The sysctls of net.smcr, per namespace.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/jiffies.h>
#include <linux/lockdep.h>
#include <linux/math64.h>
#include <linux/mutex.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/sysctl.h>
#include <net/tcp.h>

#include "absence.h"
#include "addr.h"
#include "gid.h"
#include "lgr.h"
#include "smcr.h"
#include "transparent.h"

#define EXCLUDE_LEN		512
#define EXCLUDE_DEFAULT		"iscsid,nbd-client,rpc.nfsd,usbip,usbipd"

/**
 * struct smcr_sysctl_names - value of net.smcr.transparent_exclude
 * @rcu: frees a replaced list; each write replaces the whole list
 * @list: program names, separated by commas or spaces
 */
struct smcr_sysctl_names {
	struct rcu_head	rcu;
	char		list[EXCLUDE_LEN];
};

/* Serialises writes of the four values of struct timing, which are checked
 * against each other, and of smcr_sysctl.exclude. Leaf lock, process context.
 */
static DEFINE_MUTEX(write_mutex);

/* Values that timing_ok() checks against each other */
struct timing {
	unsigned int qp_timeout;
	unsigned int qp_retry;
	unsigned int confirm_ms;
	unsigned int handshake_ms;
};

/* Time in milliseconds for which a queue pair retries before it reports a
 * failure: @retry retries after the first try, each with a timeout of
 * 4.096 us << @timeout (InfiniBand specification, Local ACK Timeout).
 */
static unsigned int qp_dead_ms(unsigned int timeout, unsigned int retry)
{
	return div_u64((u64)4096 * (1u << timeout) * (retry + 1), 1000000);
}

/* Lower bound of the client's wait for CONFIRM LINK (C.7). If the server's
 * queue pair fails, the server sends a Decline over TCP, and TCP may lose it
 * three times; the client must still wait when it arrives.
 */
static unsigned int confirm_floor_ms(const struct timing *t)
{
	unsigned int rto = jiffies_to_msecs(TCP_RTO_MIN);

	return qp_dead_ms(t->qp_timeout, t->qp_retry) + 3 * rto;
}

static unsigned int confirm_server_ms(unsigned int client_ms)
{
	return client_ms + client_ms / 2;
}

/* The client's wait for CONFIRM LINK must be longer than its lower bound, and
 * the deadline of the handshake later than the server's wait: a deadline before
 * its end would reset a connection that can still fall back to TCP.
 */
static bool timing_ok(const struct timing *t)
{
	return confirm_floor_ms(t) < t->confirm_ms &&
	       confirm_server_ms(t->confirm_ms) < t->handshake_ms;
}

static void timing_explain(const struct timing *t)
{
	if (confirm_floor_ms(t) >= t->confirm_ms)
		pr_warn_ratelimited("with qp_timeout %u and qp_retry %u, net.smcr.confirm_link_timeout_ms must be above %u; raise it first, or lower qp_timeout or qp_retry\n",
				    t->qp_timeout, t->qp_retry,
				    confirm_floor_ms(t));
	else
		pr_warn_ratelimited("with confirm_link_timeout_ms %u, net.smcr.handshake_timeout_ms must be above %u; raise it first, or lower confirm_link_timeout_ms\n",
				    t->confirm_ms,
				    confirm_server_ms(t->confirm_ms));
}

static struct ctl_table template[];
static struct smcr_sysctl *table_ctl(const struct ctl_table *table);

static struct smcr_net *table_sn(const struct ctl_table *table)
{
	return container_of(table_ctl(table), struct smcr_net, sysctl);
}

/* transparent.c owns the probe and stores the value when the probe is set. */
static int transparent_write(const struct ctl_table *table, int write,
			     void *buffer, size_t *lenp, loff_t *ppos)
{
	unsigned int val = READ_ONCE(*(unsigned int *)table->data);
	struct ctl_table tmp = *table;
	int err;

	tmp.data = &val;
	tmp.extra1 = SYSCTL_ZERO;
	tmp.extra2 = SYSCTL_ONE;
	err = proc_douintvec_minmax(&tmp, write, buffer, lenp, ppos);
	if (!err && write)
		err = smcr_transparent_set(table_sn(table)->net, val);
	return err;
}

static void timing_get(const struct smcr_sysctl *ctl, struct timing *t)
{
	t->qp_timeout = READ_ONCE(ctl->qp_timeout);
	t->qp_retry = READ_ONCE(ctl->qp_retry);
	t->confirm_ms = READ_ONCE(ctl->confirm_link_timeout_ms);
	t->handshake_ms = READ_ONCE(ctl->handshake_timeout_ms);
}

static int timing_set(struct smcr_sysctl *ctl, unsigned int *field,
		      unsigned int val)
{
	struct timing t;

	lockdep_assert_held(&write_mutex);
	timing_get(ctl, &t);
	if (field == &ctl->qp_timeout)
		t.qp_timeout = val;
	else if (field == &ctl->qp_retry)
		t.qp_retry = val;
	else if (field == &ctl->confirm_link_timeout_ms)
		t.confirm_ms = val;
	else
		t.handshake_ms = val;
	if (!timing_ok(&t)) {
		timing_explain(&t);
		return -EINVAL;
	}
	WRITE_ONCE(*field, val);
	return 0;
}

/* Handler of qp_timeout, qp_retry, confirm_link_timeout_ms and
 * handshake_timeout_ms
 */
static int timing_write(const struct ctl_table *table, int write, void *buffer,
			size_t *lenp, loff_t *ppos)
{
	struct ctl_table tmp = *table;
	unsigned int val;
	int err;

	mutex_lock(&write_mutex);
	val = *(unsigned int *)table->data;
	tmp.data = &val;
	err = proc_douintvec_minmax(&tmp, write, buffer, lenp, ppos);
	if (!err && write)
		err = timing_set(table_ctl(table), table->data, val);
	mutex_unlock(&write_mutex);
	return err;
}

/* Handler of address_gone and address_gone_ms, which count for connections that
 * have stopped, too
 */
static int address_write(const struct ctl_table *table, int write,
			 void *buffer, size_t *lenp, loff_t *ppos)
{
	int err = proc_douintvec_minmax(table, write, buffer, lenp, ppos);

	if (!err && write)
		smcr_addr_kick(table_sn(table));
	return err;
}

/* Handler of test_link_interval_ms, lgr_linger_ms and rmb_linger_ms: the work
 * of a group may sleep for the old value, or for ever
 */
static int lgr_write(const struct ctl_table *table, int write,
		     void *buffer, size_t *lenp, loff_t *ppos)
{
	int err = proc_douintvec_minmax(table, write, buffer, lenp, ppos);

	if (!err && write)
		smcr_lgr_net_look(table_sn(table)->net);
	return err;
}

static int exclude_set(struct smcr_sysctl *ctl, const char *list)
{
	struct smcr_sysctl_names *new, *old;

	new = kzalloc(sizeof(*new), GFP_KERNEL);
	if (!new)
		return -ENOMEM;
	strscpy(new->list, list, sizeof(new->list));
	mutex_lock(&write_mutex);
	old = rcu_replace_pointer(ctl->exclude, new,
				  lockdep_is_held(&write_mutex));
	mutex_unlock(&write_mutex);
	if (old)
		kfree_rcu(old, rcu);
	return 0;
}

static int exclude_write(const struct ctl_table *table, int write,
			 void *buffer, size_t *lenp, loff_t *ppos)
{
	struct smcr_sysctl *ctl = table_ctl(table);
	struct ctl_table tmp = *table;
	int err;

	tmp.maxlen = EXCLUDE_LEN;
	tmp.data = kzalloc(EXCLUDE_LEN, GFP_KERNEL);
	if (!tmp.data)
		return -ENOMEM;
	rcu_read_lock();
	strscpy(tmp.data, rcu_dereference(ctl->exclude)->list, EXCLUDE_LEN);
	rcu_read_unlock();
	err = proc_dostring(&tmp, write, buffer, lenp, ppos);
	if (!err && write)
		err = exclude_set(ctl, tmp.data);
	kfree(tmp.data);
	return err;
}

static const unsigned int min_mem = SMCR_RMBE_SIZE_MIN;
static const unsigned int max_rmem = SMCR_RMBE_SIZE_MAX;
static const unsigned int max_wmem = 16 * 1024 * 1024;
static const unsigned int min_qp_timeout = 8, max_qp_timeout = 21;
/* Some devices retry without end if the value is 7. */
static const unsigned int max_retry = 6;
static const unsigned int min_ms = 100, max_ms = 3600 * 1000;
static const unsigned int max_gid_kind = SMCR_GID_KINDS - 1;
static const unsigned int max_absence = SMCR_ABSENCE_MODES - 1;
static const unsigned int max_traffic_class = 255;
/* Ethernet has 8 priorities. */
static const unsigned int max_service_level = 7;
static const unsigned int max_count = 1 << 20;
static const unsigned int max_conns = 65535;

#define ENTRY(field, handler, min, max) {			\
	.procname	= #field,				\
	.data		= (void *)offsetof(struct smcr_sysctl, field), \
	.maxlen		= sizeof_field(struct smcr_sysctl, field), \
	.mode		= 0644,					\
	.proc_handler	= handler,				\
	.extra1		= (void *)(min),			\
	.extra2		= (void *)(max),			\
}

#define UINT(field, min, max)	ENTRY(field, proc_douintvec_minmax, min, max)

/* .data is an offset in struct smcr_sysctl here, and an address in the copy of
 * each namespace.
 */
static struct ctl_table template[] = {
	ENTRY(transparent, transparent_write, NULL, NULL),
	UINT(transparent_mptcp, SYSCTL_ZERO, SYSCTL_ONE),
	UINT(loopback, SYSCTL_ZERO, SYSCTL_ONE),
	UINT(strict_subnet, SYSCTL_ZERO, SYSCTL_ONE),
	UINT(on_link_only, SYSCTL_ZERO, SYSCTL_ONE),
	UINT(rmem, &min_mem, &max_rmem),
	UINT(wmem, &min_mem, &max_wmem),
	ENTRY(qp_timeout, timing_write, &min_qp_timeout, &max_qp_timeout),
	ENTRY(qp_retry, timing_write, SYSCTL_ONE, &max_retry),
	UINT(rnr_retry, SYSCTL_ONE, &max_retry),
	UINT(gid_kind, SYSCTL_ZERO, &max_gid_kind),
	UINT(traffic_class, SYSCTL_ZERO, &max_traffic_class),
	UINT(service_level, SYSCTL_ZERO, &max_service_level),
	ENTRY(handshake_timeout_ms, timing_write, &min_ms, &max_ms),
	ENTRY(confirm_link_timeout_ms, timing_write, &min_ms, &max_ms),
	UINT(llc_timeout_ms, &min_ms, &max_ms),
	ENTRY(test_link_interval_ms, lgr_write, SYSCTL_ZERO, &max_ms),
	UINT(tcp_probe_ms, SYSCTL_ZERO, &max_ms),
	UINT(tcp_reset_ends, SYSCTL_ZERO, SYSCTL_ONE),
	UINT(link_retry_min_ms, &min_ms, &max_ms),
	UINT(link_retry_max_ms, &min_ms, &max_ms),
	ENTRY(lgr_linger_ms, lgr_write, SYSCTL_ZERO, &max_ms),
	ENTRY(rmb_linger_ms, lgr_write, SYSCTL_ZERO, &max_ms),
	UINT(close_timeout_ms, &min_ms, &max_ms),
	UINT(unproven_eof, SYSCTL_ZERO, SYSCTL_ONE),
	UINT(abort_timeout_ms, &min_ms, &max_ms),
	UINT(orphan_timeout_ms, &min_ms, &max_ms),
	ENTRY(address_gone, address_write, SYSCTL_ZERO, &max_absence),
	ENTRY(address_gone_ms, address_write, SYSCTL_ZERO, &max_ms),
	UINT(negative_ms, SYSCTL_ZERO, &max_ms),
	UINT(negative_max_ms, SYSCTL_ZERO, &max_ms),
	{
		.procname	= "transparent_exclude",
		.data		= (void *)offsetof(struct smcr_sysctl, exclude),
		.maxlen		= EXCLUDE_LEN,
		.mode		= 0644,
		.proc_handler	= exclude_write,
	},
	UINT(max_handshakes, SYSCTL_ONE, &max_count),
	UINT(max_handshakes_per_source, SYSCTL_ONE, &max_count),
	UINT(max_lgrs, SYSCTL_ZERO, &max_count),
	UINT(max_qps, SYSCTL_ZERO, &max_count),
	UINT(max_conns_per_lgr, SYSCTL_ONE, &max_conns),
	UINT(max_orphans, SYSCTL_ZERO, &max_count),
	ENTRY(max_rmb_bytes, proc_doulongvec_minmax, NULL, NULL),
	ENTRY(max_send_bytes, proc_doulongvec_minmax, NULL, NULL),
};

/* Find the values to which an entry belongs. The entries of a namespace have
 * the same procname pointers as the template.
 */
static struct smcr_sysctl *table_ctl(const struct ctl_table *table)
{
	int i;

	for (i = 0; i < ARRAY_SIZE(template); i++)
		if (template[i].procname == table->procname)
			break;
	return table->data - (unsigned long)template[i].data;
}

static const struct smcr_sysctl defaults = {
	.on_link_only			= 1,
	.rmem				= 128 * 1024,
	.wmem				= 128 * 1024,
	.qp_timeout			= 14,
	.qp_retry			= 6,
	.rnr_retry			= 6,
	.handshake_timeout_ms		= 8000,
	.confirm_link_timeout_ms	= 4000,
	.llc_timeout_ms			= 2000,
	.test_link_interval_ms		= 30000,
	.tcp_probe_ms			= 60000,
	.link_retry_min_ms		= 1000,
	.link_retry_max_ms		= 60000,
	.lgr_linger_ms			= 600000,
	.rmb_linger_ms			= 60000,
	.close_timeout_ms		= 60000,
	.abort_timeout_ms		= 5000,
	.orphan_timeout_ms		= 120000,
	.address_gone			= 1,
	.address_gone_ms		= 5000,
	.negative_ms			= 30000,
	.negative_max_ms		= 600000,
	.max_handshakes			= 1024,
	.max_handshakes_per_source	= 256,
	.max_lgrs			= 1024,
	.max_qps			= 2048,
	.max_conns_per_lgr		= 4096,
	.max_orphans			= 4096,
	.max_rmb_bytes			= 256UL << 20,
	.max_send_bytes			= 256UL << 20,
};

/* Test whether an entry is a limit. The limits protect memory of the whole
 * host, so a user namespace other than the initial one can read them but not
 * write them.
 */
static bool is_limit(const struct ctl_table *entry)
{
	return (unsigned long)entry->data >=
	       offsetof(struct smcr_sysctl, max_handshakes);
}

static struct ctl_table *table_make(struct net *net)
{
	struct smcr_sysctl *ctl = &smcr_pernet(net)->sysctl;
	struct ctl_table *table;
	int i;

	table = kmemdup(template, sizeof(template), GFP_KERNEL);
	if (!table)
		return NULL;
	for (i = 0; i < ARRAY_SIZE(template); i++) {
		if (is_limit(&template[i]) && net->user_ns != &init_user_ns)
			table[i].mode = 0444;
		table[i].data = (void *)ctl + (unsigned long)template[i].data;
	}
	return table;
}

/**
 * smcr_sysctl_net_init() - set a namespace's defaults and register its table
 * @net: the namespace; its struct smcr_net exists
 *
 * Context: process, namespace init.
 * Return: 0; -ENOMEM; -EINVAL if timing_ok() refuses the defaults.
 */
int smcr_sysctl_net_init(struct net *net)
{
	struct smcr_net *sn = smcr_pernet(net);
	struct ctl_table *table;
	struct timing t;
	int err;

	sn->sysctl = defaults;
	timing_get(&sn->sysctl, &t);
	if (WARN_ON(!timing_ok(&t)))
		return -EINVAL;
	err = exclude_set(&sn->sysctl, EXCLUDE_DEFAULT);
	if (err)
		return err;
	table = table_make(net);
	if (!table)
		goto out_exclude;
	sn->sysctl_hdr = register_net_sysctl_sz(net, "net/smcr", table,
						ARRAY_SIZE(template));
	if (sn->sysctl_hdr)
		return 0;
	kfree(table);
out_exclude:
	kfree(rcu_dereference_protected(sn->sysctl.exclude, true));
	return -ENOMEM;
}

/**
 * smcr_sysctl_net_exit() - undo smcr_sysctl_net_init()
 * @net: the namespace; no socket of it is left
 *
 * An open file of the table can be written until the table is unregistered, so
 * transparent mode ends only after that.
 *
 * Context: process, namespace exit.
 */
void smcr_sysctl_net_exit(struct net *net)
{
	struct smcr_net *sn = smcr_pernet(net);
	const struct ctl_table *table = sn->sysctl_hdr->ctl_table_arg;

	unregister_net_sysctl_table(sn->sysctl_hdr);
	smcr_transparent_set(net, 0);
	kfree(table);
	kfree_rcu(rcu_dereference_protected(sn->sysctl.exclude, true), rcu);
}

static bool name_is(const char *name, size_t len, const char *comm)
{
	/* task_struct.comm has the first 15 characters of a program's name. */
	len = min_t(size_t, len, TASK_COMM_LEN - 1);
	return len && !strncmp(name, comm, len) && !comm[len];
}

/**
 * smcr_sysctl_excluded() - test whether transparent mode excludes a program
 * @net: namespace of the program
 * @comm: its name, the task_struct.comm of its thread group leader
 *
 * Context: any; takes no lock.
 * Return: true if net.smcr.transparent_exclude lists it.
 */
bool smcr_sysctl_excluded(const struct net *net, const char *comm)
{
	const char *name;
	bool found = false;
	size_t len;

	rcu_read_lock();
	name = rcu_dereference(smcr_pernet(net)->sysctl.exclude)->list;
	while (*name && !found) {
		len = strcspn(name, ", ");
		found = name_is(name, len, comm);
		name += len;
		name += strspn(name, ", ");
	}
	rcu_read_unlock();
	return found;
}

/**
 * smcr_sysctl_qp_dead_time() - get the longest time a queue pair can retry
 * @net: namespace
 *
 * The specification lets devices wait up to four times the configured timeout
 * for each try. The peer is assumed to use the same values.
 *
 * Context: any.
 * Return: jiffies.
 */
unsigned long smcr_sysctl_qp_dead_time(const struct net *net)
{
	struct timing t;

	timing_get(&smcr_pernet(net)->sysctl, &t);
	return 4 * msecs_to_jiffies(qp_dead_ms(t.qp_timeout, t.qp_retry));
}

/**
 * smcr_sysctl_qp_repeat_ms() - get the time to retransmit a lost packet
 * @net: namespace
 *
 * This is the time of two tries, so that one retransmission may be lost, too.
 * The peer is assumed to use the same value.
 *
 * Context: any.
 * Return: milliseconds.
 */
unsigned int smcr_sysctl_qp_repeat_ms(const struct net *net)
{
	return qp_dead_ms(READ_ONCE(smcr_pernet(net)->sysctl.qp_timeout), 1);
}

/**
 * smcr_sysctl_confirm_server_ms() - get the server's wait for CONFIRM LINK
 * @net: namespace
 *
 * The server waits for the reply half as long again as the client waits for the
 * request, so that the client's Decline reaches a waiting server (RFC 7609
 * C.7).
 *
 * Context: any.
 * Return: milliseconds.
 */
unsigned int smcr_sysctl_confirm_server_ms(const struct net *net)
{
	const struct smcr_sysctl *ctl = &smcr_pernet(net)->sysctl;

	return confirm_server_ms(READ_ONCE(ctl->confirm_link_timeout_ms));
}
