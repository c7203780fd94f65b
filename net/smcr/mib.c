// SPDX-License-Identifier: GPL-2.0
/*
 * Counters, and the names of fallback and reset reasons.
 */
#include <linux/proc_fs.h>
#include <linux/seq_file.h>
#include <net/net_namespace.h>

#include "smcr.h"

static const char * const mib_names[SMCR_MIB_MAX] = {
#define MIB_FIELD(field, name, doc)		[SMCR_MIB_##field] = #name,
#define MIB_REASON(reason, field, name, str)	[SMCR_MIB_##field] = #name,
	SMCR_MIB_LIST(MIB_FIELD, MIB_REASON, MIB_REASON)
#undef MIB_FIELD
#undef MIB_REASON
};

#define FALLBACK_MIB(reason, field, name, str) \
	[SMCR_FALLBACK_##reason] = SMCR_MIB_##field,
#define FALLBACK_NAME(reason, field, name, str) \
	[SMCR_FALLBACK_##reason] = str,
#define RESET_MIB(reason, field, name, str) \
	[SMCR_RESET_##reason] = SMCR_MIB_##field,
#define RESET_NAME(reason, field, name, str) \
	[SMCR_RESET_##reason] = str,

static const u8 fallback_mib[SMCR_FALLBACK_MAX + 1] = {
	SMCR_FALLBACK_LIST(FALLBACK_MIB)
};

static const char * const fallback_names[SMCR_FALLBACK_MAX + 1] = {
	[SMCR_FALLBACK_NONE] = "none",
	SMCR_FALLBACK_LIST(FALLBACK_NAME)
};

static const u8 reset_mib[SMCR_RESET_MAX + 1] = {
	SMCR_RESET_LIST(RESET_MIB)
};

static const char * const reset_names[SMCR_RESET_MAX + 1] = {
	[SMCR_RESET_NONE] = "none",
	SMCR_RESET_LIST(RESET_NAME)
};

static_assert(SMCR_MIB_MAX <= U8_MAX);

/**
 * smcr_mib_add() - add to a counter
 * @net: namespace of the socket or link group
 * @field: which counter
 * @n: what to add
 *
 * Context: any but NMI.
 */
void smcr_mib_add(const struct net *net, enum smcr_mib field, u64 n)
{
	smcr_mib_count(smcr_pernet(net)->mib, field, n);
}

/**
 * smcr_mib_fallback() - count a connection that fell back to TCP
 * @net: its namespace
 * @reason: why; counted in the sum and by reason
 *
 * Context: any but NMI.
 */
void smcr_mib_fallback(const struct net *net, enum smcr_fallback_reason reason)
{
	smcr_mib_inc(net, SMCR_MIB_FALLBACKS);
	if (reason > SMCR_FALLBACK_NONE && reason <= SMCR_FALLBACK_MAX)
		smcr_mib_inc(net, fallback_mib[reason]);
}

/**
 * smcr_mib_reset() - count a connection that was reset
 * @net: its namespace
 * @reason: why; counted in the sum and by reason
 *
 * Context: any but NMI.
 */
void smcr_mib_reset(const struct net *net, enum smcr_reset_reason reason)
{
	smcr_mib_inc(net, SMCR_MIB_ABORTS);
	if (reason > SMCR_RESET_NONE && reason <= SMCR_RESET_MAX)
		smcr_mib_inc(net, reset_mib[reason]);
}

static u64 read_cpu(const struct smcr_mib_cpu *cpu, enum smcr_mib field)
{
	unsigned int start;
	u64 val;

	do {
		start = u64_stats_fetch_begin(&cpu->syncp);
		val = u64_stats_read(&cpu->val[field]);
	} while (u64_stats_fetch_retry(&cpu->syncp, start));
	return val;
}

/**
 * smcr_mib_read() - read a counter, summed over all CPUs
 * @net: namespace
 * @field: which counter
 *
 * The values of two counters need not be consistent with each other.
 *
 * Context: any.
 * Return: the value.
 */
u64 smcr_mib_read(const struct net *net, enum smcr_mib field)
{
	u64 sum = 0;
	int cpu;

	for_each_possible_cpu(cpu)
		sum += read_cpu(per_cpu_ptr(smcr_pernet(net)->mib, cpu), field);
	return sum;
}

/**
 * smcr_mib_name() - get the name of a counter
 * @field: which counter
 *
 * Return: the name in /proc/net/smcr_stat.
 */
const char *smcr_mib_name(enum smcr_mib field)
{
	return mib_names[field];
}

/**
 * smcr_fallback_name() - get the name of a fallback reason, as in smcr-ctl
 * @reason: any value
 *
 * Return: the name, or "unknown".
 */
const char *smcr_fallback_name(enum smcr_fallback_reason reason)
{
	if ((unsigned int)reason > SMCR_FALLBACK_MAX)
		return "unknown";
	return fallback_names[reason];
}

/**
 * smcr_reset_name() - get the name of a reset reason, as in smcr-ctl
 * @reason: any value
 *
 * Return: the name, or "unknown".
 */
const char *smcr_reset_name(enum smcr_reset_reason reason)
{
	if ((unsigned int)reason > SMCR_RESET_MAX)
		return "unknown";
	return reset_names[reason];
}

static int stat_show(struct seq_file *seq, void *v)
{
	struct net *net = seq->private;
	int i;

	for (i = 0; i < SMCR_MIB_MAX; i++)
		seq_printf(seq, "%s %llu\n", mib_names[i],
			   smcr_mib_read(net, i));
	return 0;
}

/**
 * smcr_mib_init() - set up a namespace's counters and /proc/net/smcr_stat
 * @net: the namespace; its struct smcr_net exists
 *
 * Context: process, namespace init, before the first use of a counter.
 * Return: 0 or -ENOMEM.
 */
int smcr_mib_init(struct net *net)
{
	struct smcr_net *sn = smcr_pernet(net);
	int cpu;

	sn->mib = alloc_percpu(struct smcr_mib_cpu);
	if (!sn->mib)
		return -ENOMEM;
	for_each_possible_cpu(cpu)
		u64_stats_init(&per_cpu_ptr(sn->mib, cpu)->syncp);
	if (IS_ENABLED(CONFIG_PROC_FS) &&
	    !proc_create_net_single("smcr_stat", 0444, net->proc_net,
				    stat_show, NULL)) {
		free_percpu(sn->mib);
		return -ENOMEM;
	}
	return 0;
}

/**
 * smcr_mib_exit() - undo smcr_mib_init()
 * @net: the namespace, whose counters are no longer used
 *
 * Context: process, namespace exit.
 */
void smcr_mib_exit(struct net *net)
{
	remove_proc_entry("smcr_stat", net->proc_net);
	free_percpu(smcr_pernet(net)->mib);
}
