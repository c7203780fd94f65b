/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Counters of a namespace: one set per CPU, free running, never reset.
 */
#ifndef _SMCR_MIB_H
#define _SMCR_MIB_H

#include <linux/percpu.h>
#include <linux/types.h>
#include <linux/u64_stats_sync.h>
#include <uapi/linux/smcr.h>

#include "mib_list.h"

struct net;

/**
 * enum smcr_mib - the counters; see mib_list.h
 * @SMCR_MIB_MAX: number of counters
 */
enum smcr_mib {
#define SMCR_MIB_FIELD(field, name, doc)		SMCR_MIB_##field,
#define SMCR_MIB_REASON(reason, field, name, str)	SMCR_MIB_##field,
	/* private: */
	SMCR_MIB_LIST(SMCR_MIB_FIELD, SMCR_MIB_REASON, SMCR_MIB_REASON)
	/* public: */
	SMCR_MIB_MAX
#undef SMCR_MIB_FIELD
#undef SMCR_MIB_REASON
};

/**
 * struct smcr_mib_cpu - counters of one CPU
 * @syncp: lets a 32-bit reader see whole values
 * @val: indexed by enum smcr_mib
 */
struct smcr_mib_cpu {
	struct u64_stats_sync	syncp;
	u64_stats_t		val[SMCR_MIB_MAX];
};

int __must_check smcr_mib_init(struct net *net);
void smcr_mib_exit(struct net *net);

void smcr_mib_add(const struct net *net, enum smcr_mib field, u64 n);
void smcr_mib_fallback(const struct net *net,
		       enum smcr_fallback_reason reason);
void smcr_mib_reset(const struct net *net, enum smcr_reset_reason reason);
u64 smcr_mib_read(const struct net *net, enum smcr_mib field);

const char *smcr_mib_name(enum smcr_mib field);
const char *smcr_fallback_name(enum smcr_fallback_reason reason);
const char *smcr_reset_name(enum smcr_reset_reason reason);

/**
 * smcr_mib_count() - add to a counter, without looking up its namespace
 * @mib: counters of the namespace; the data path has them in smcr_lgr.mib,
 *	since the lookup costs more than the addition
 * @field: which counter
 * @n: what to add
 *
 * On 32-bit machines interrupts are off during the addition, since a softirq
 * may interrupt the addition of a process.
 *
 * Context: any but NMI.
 */
static inline void smcr_mib_count(struct smcr_mib_cpu __percpu *mib,
				  enum smcr_mib field, u64 n)
{
	struct smcr_mib_cpu *cpu = get_cpu_ptr(mib);
	unsigned long flags;

	flags = u64_stats_update_begin_irqsave(&cpu->syncp);
	u64_stats_add(&cpu->val[field], n);
	u64_stats_update_end_irqrestore(&cpu->syncp, flags);
	put_cpu_ptr(mib);
}

/**
 * smcr_mib_inc() - add 1 to a counter
 * @net: namespace of the socket or link group
 * @field: which counter
 *
 * Context: any but NMI.
 */
static inline void smcr_mib_inc(const struct net *net, enum smcr_mib field)
{
	smcr_mib_add(net, field, 1);
}

#endif /* _SMCR_MIB_H */
