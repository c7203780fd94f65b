/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Tracepoints of SMC-R sockets. They identify objects by the numbers that
 * smcr-ctl shows, and sockets by the cookie that "ss -e" shows. They never print
 * keys, memory addresses or alert tokens.
 *
 * All arguments are plain integers. The names of states, events and steps are
 * those of the lists that also declare their enumerations.
 */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM smcr

#if !defined(_TRACE_SMCR_H) || defined(TRACE_HEADER_MULTI_READ)
#define _TRACE_SMCR_H

#include <linux/tracepoint.h>

/* perf and trace-cmd learn the values from these. Only trace.c, which has the
 * lists, reads this header more than once.
 */
#ifdef TRACE_HEADER_MULTI_READ
#define EM(value, name)		TRACE_DEFINE_ENUM(value);
SMCR_LINKGROUP_ROLE_NAMES(EM)
SMCR_HS_STEP_NAMES(EM)
SMCR_CONN_STATE_NAMES(EM)
SMCR_CONN_EVENT_NAMES(EM)
SMCR_LINKGROUP_STATE_NAMES(EM)
SMCR_LGR_EVENT_NAMES(EM)
SMCR_LINK_STATE_NAMES(EM)
SMCR_LINK_EVENT_NAMES(EM)
#undef EM
#endif

#define SMCR_SHOW(value, name)	{ value, name },

/* The last entry ends a list, whose other entries end in a comma. */
#define smcr_show(val, names)						\
	__print_symbolic(val, names(SMCR_SHOW) { -1, "unknown" })

#define smcr_show_role(val)     smcr_show(val, SMCR_LINKGROUP_ROLE_NAMES)
#define smcr_show_step(val)     smcr_show(val, SMCR_HS_STEP_NAMES)
#define smcr_show_conn_state(val)smcr_show(val, SMCR_CONN_STATE_NAMES)
#define smcr_show_conn_event(val)smcr_show(val, SMCR_CONN_EVENT_NAMES)
#define smcr_show_lgr_state(val)smcr_show(val, SMCR_LINKGROUP_STATE_NAMES)
#define smcr_show_lgr_event(val)smcr_show(val, SMCR_LGR_EVENT_NAMES)
#define smcr_show_link_state(val)smcr_show(val, SMCR_LINK_STATE_NAMES)
#define smcr_show_link_event(val)smcr_show(val, SMCR_LINK_EVENT_NAMES)

/* Flags of a CDC message (RFC 7609 A.4) */
#define smcr_show_cdc_flags(val)					\
	__print_flags(val, "",						\
		{ 0x8000, "B" },					\
		{ 0x4000, "P" },					\
		{ 0x2000, "U" },					\
		{ 0x1000, "R" },					\
		{ 0x0800, "F" },					\
		{ 0x0080, "D" },					\
		{ 0x0040, "C" },					\
		{ 0x0020, "A" })

/* Types of LLC messages (RFC 7609 A.3) */
#define smcr_show_llc_type(val)						\
	__print_symbolic(val,						\
		{ 1, "CONFIRM LINK" },					\
		{ 2, "ADD LINK" },					\
		{ 3, "ADD LINK CONTINUATION" },				\
		{ 4, "DELETE LINK" },					\
		{ 6, "CONFIRM RKEY" },					\
		{ 7, "TEST LINK" },					\
		{ 8, "CONFIRM RKEY CONTINUATION" },			\
		{ 9, "DELETE RKEY" })

TRACE_EVENT(smcr_handshake,
	TP_PROTO(u64 cookie, bool client, u32 step, int err),

	TP_ARGS(cookie, client, step, err),

	TP_STRUCT__entry(
		__field(u64, cookie)
		__field(u32, role)
		__field(u32, step)
		__field(int, err)
	),

	TP_fast_assign(
		__entry->cookie = cookie;
		__entry->role = client ? 0 : 1;
		__entry->step = step;
		__entry->err = err;
	),

	TP_printk("cookie=%llx role=%s step=%s err=%d", __entry->cookie,
		  smcr_show_role(__entry->role), smcr_show_step(__entry->step),
		  __entry->err)
);

TRACE_EVENT(smcr_fallback,
	TP_PROTO(u64 cookie, u32 reason, u32 diagnosis),

	TP_ARGS(cookie, reason, diagnosis),

	TP_STRUCT__entry(
		__field(u64, cookie)
		__field(u32, reason)
		__field(u32, diagnosis)
		__string(name, smcr_fallback_name(reason))
	),

	TP_fast_assign(
		__entry->cookie = cookie;
		__entry->reason = reason;
		__entry->diagnosis = diagnosis;
		__assign_str(name);
	),

	TP_printk("cookie=%llx reason=%s diagnosis=0x%08x", __entry->cookie,
		  __get_str(name), __entry->diagnosis)
);

TRACE_EVENT(smcr_reset,
	TP_PROTO(u32 linkgroup, u32 conn, u32 reason),

	TP_ARGS(linkgroup, conn, reason),

	TP_STRUCT__entry(
		__field(u32, linkgroup)
		__field(u32, conn)
		__field(u32, reason)
		__string(name, smcr_reset_name(reason))
	),

	TP_fast_assign(
		__entry->linkgroup = linkgroup;
		__entry->conn = conn;
		__entry->reason = reason;
		__assign_str(name);
	),

	TP_printk("linkgroup=%u conn=%u reason=%s", __entry->linkgroup,
		  __entry->conn, __get_str(name))
);

TRACE_EVENT(smcr_conn_state,
	TP_PROTO(u32 linkgroup, u32 conn, u32 old, u32 event, u32 new),

	TP_ARGS(linkgroup, conn, old, event, new),

	TP_STRUCT__entry(
		__field(u32, linkgroup)
		__field(u32, conn)
		__field(u32, old)
		__field(u32, event)
		__field(u32, new)
	),

	TP_fast_assign(
		__entry->linkgroup = linkgroup;
		__entry->conn = conn;
		__entry->old = old;
		__entry->event = event;
		__entry->new = new;
	),

	TP_printk("linkgroup=%u conn=%u %s --%s--> %s", __entry->linkgroup,
		  __entry->conn, smcr_show_conn_state(__entry->old),
		  smcr_show_conn_event(__entry->event),
		  smcr_show_conn_state(__entry->new))
);

TRACE_EVENT(smcr_conn_move,
	TP_PROTO(u32 linkgroup, u32 conn, u32 from, u32 to, u64 una, u64 nxt),

	TP_ARGS(linkgroup, conn, from, to, una, nxt),

	TP_STRUCT__entry(
		__field(u32, linkgroup)
		__field(u32, conn)
		__field(u32, from)
		__field(u32, to)
		__field(u64, una)
		__field(u64, nxt)
	),

	TP_fast_assign(
		__entry->linkgroup = linkgroup;
		__entry->conn = conn;
		__entry->from = from;
		__entry->to = to;
		__entry->una = una;
		__entry->nxt = nxt;
	),

	TP_printk("linkgroup=%u conn=%u link %u -> %u, unconfirmed bytes %llu to %llu",
		  __entry->linkgroup, __entry->conn, __entry->from, __entry->to,
		  __entry->una, __entry->nxt)
);

TRACE_EVENT(smcr_lgr_state,
	TP_PROTO(u32 linkgroup, u32 role, u32 old, u32 event, u32 new),

	TP_ARGS(linkgroup, role, old, event, new),

	TP_STRUCT__entry(
		__field(u32, linkgroup)
		__field(u32, role)
		__field(u32, old)
		__field(u32, event)
		__field(u32, new)
	),

	TP_fast_assign(
		__entry->linkgroup = linkgroup;
		__entry->role = role;
		__entry->old = old;
		__entry->event = event;
		__entry->new = new;
	),

	TP_printk("linkgroup=%u role=%s %s --%s--> %s", __entry->linkgroup,
		  smcr_show_role(__entry->role),
		  smcr_show_lgr_state(__entry->old),
		  smcr_show_lgr_event(__entry->event),
		  smcr_show_lgr_state(__entry->new))
);

TRACE_EVENT(smcr_link_state,
	TP_PROTO(u32 linkgroup, u32 link, u32 old, u32 event, u32 new),

	TP_ARGS(linkgroup, link, old, event, new),

	TP_STRUCT__entry(
		__field(u32, linkgroup)
		__field(u32, link)
		__field(u32, old)
		__field(u32, event)
		__field(u32, new)
	),

	TP_fast_assign(
		__entry->linkgroup = linkgroup;
		__entry->link = link;
		__entry->old = old;
		__entry->event = event;
		__entry->new = new;
	),

	TP_printk("linkgroup=%u link=%u %s --%s--> %s", __entry->linkgroup,
		  __entry->link, smcr_show_link_state(__entry->old),
		  smcr_show_link_event(__entry->event),
		  smcr_show_link_state(__entry->new))
);

/* Cursors are printed as absolute positions: bytes since the connection began.
 */
DECLARE_EVENT_CLASS(smcr_cdc,
	TP_PROTO(u32 linkgroup, u32 conn, u32 seq, u64 prod, u64 cons,
		 u32 flags),

	TP_ARGS(linkgroup, conn, seq, prod, cons, flags),

	TP_STRUCT__entry(
		__field(u32, linkgroup)
		__field(u32, conn)
		__field(u32, seq)
		__field(u64, prod)
		__field(u64, cons)
		__field(u32, flags)
	),

	TP_fast_assign(
		__entry->linkgroup = linkgroup;
		__entry->conn = conn;
		__entry->seq = seq;
		__entry->prod = prod;
		__entry->cons = cons;
		__entry->flags = flags;
	),

	TP_printk("linkgroup=%u conn=%u seq=%u prod=%llu cons=%llu flags=%s",
		  __entry->linkgroup, __entry->conn, __entry->seq,
		  __entry->prod, __entry->cons,
		  smcr_show_cdc_flags(__entry->flags))
);

DEFINE_EVENT(smcr_cdc, smcr_cdc_tx,
	TP_PROTO(u32 linkgroup, u32 conn, u32 seq, u64 prod, u64 cons,
		 u32 flags),
	TP_ARGS(linkgroup, conn, seq, prod, cons, flags)
);

DEFINE_EVENT(smcr_cdc, smcr_cdc_rx,
	TP_PROTO(u32 linkgroup, u32 conn, u32 seq, u64 prod, u64 cons,
		 u32 flags),
	TP_ARGS(linkgroup, conn, seq, prod, cons, flags)
);

DECLARE_EVENT_CLASS(smcr_llc,
	TP_PROTO(u32 linkgroup, u32 link, u32 type, bool reply),

	TP_ARGS(linkgroup, link, type, reply),

	TP_STRUCT__entry(
		__field(u32, linkgroup)
		__field(u32, link)
		__field(u32, type)
		__field(bool, reply)
	),

	TP_fast_assign(
		__entry->linkgroup = linkgroup;
		__entry->link = link;
		__entry->type = type;
		__entry->reply = reply;
	),

	TP_printk("linkgroup=%u link=%u %s %s", __entry->linkgroup,
		  __entry->link, smcr_show_llc_type(__entry->type),
		  __entry->reply ? "reply" : "request")
);

DEFINE_EVENT(smcr_llc, smcr_llc_tx,
	TP_PROTO(u32 linkgroup, u32 link, u32 type, bool reply),
	TP_ARGS(linkgroup, link, type, reply)
);

DEFINE_EVENT(smcr_llc, smcr_llc_rx,
	TP_PROTO(u32 linkgroup, u32 link, u32 type, bool reply),
	TP_ARGS(linkgroup, link, type, reply)
);

#endif /* _TRACE_SMCR_H */

#include <trace/define_trace.h>
