/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Link groups of two hosts over simulated queue pairs. Each host runs the real
 * files that make up the LLC half of net/smcr (lgr.c, lgr_grow.c, lgr_links.c,
 * lgr_mem.c, llc*.c and the pure files below them); what is here stands for the
 * files below those (link.c, wr*.c, rmb.c, ib*.c), for the adapters and for the
 * network.
 *
 * All state is in one static structure, so a run is a function of its seed.
 */
#ifndef _SMCR_LSIM_H
#define _SMCR_LSIM_H

#include <setjmp.h>
#include <stdio.h>

#include "lgr.h"
#include "lgr_links.h"
#include "lgr_policy.h"
#include "mib.h"
#include "rmb.h"
#include "rnd.h"

/* The -b option replaces one rule by a mistake, see lsim_bug.c */
enum lsim_mistake {
	LBUG_NONE, LBUG_TWO_FLOWS, LBUG_RKEY_YES, LBUG_KEYS_STAY, LBUG_NUM_AGAIN, LBUG_OLD_SET,
	LBUG_MISCOUNT, NR_LBUGS,
};

#define MAX_PORTS	8
#define MAX_QPS		64
#define QP_MSGS		64
#define MAX_WORKS	64
#define MAX_KEYS	32768
#define MAX_HELD	320
#define PROGRAM_HELD	48	/* programs of a seed use no more */
#define PENDING_REGS	32
#define NEGATIVE_MAX	200000	/* net.smcr.negative_max_ms */
#define SERVER		0
#define CLIENT		1

/**
 * struct llc_wr - an LLC message in a send queue
 * @buf: the message
 * @cookie: for smcr_llc_sent()
 * @probe: a full packet goes before it
 */
struct llc_wr {
	u8 buf[SMCR_ROCE_MSG_LEN];
	u32 cookie;
	bool probe;
};

/**
 * struct ib_qp - a queue pair
 * @used: it exists
 * @rts: it was connected
 * @err: it takes and sends nothing any more
 * @host: its host
 * @port: its port
 * @peer_port: port of the peer's queue pair
 * @link: its link; NULL once it is destroyed, when packets may still arrive
 * @dead_at: with @err or without @link: when its last packet has died
 * @num: its number
 * @peer_num: number of the peer's queue pair
 * @wr: send queue; the counters below are modulo QP_MSGS
 * @posted: messages posted
 * @landed: of these, received by the peer
 * @acked: acknowledged
 * @moved: when the last message was acknowledged or the first one posted
 * @reg: registrations under way
 * @nr_regs: entries of @reg
 * @asked: requests received that were not answered, by type
 */
struct ib_qp {
	bool used, rts, err;
	u8 host, port, peer_port;
	struct smcr_link *link;
	unsigned long dead_at;
	u32 num, peer_num;
	struct llc_wr wr[QP_MSGS];
	u32 posted, landed, acked;
	unsigned long moved;
	struct smcr_wr_reg *reg[PENDING_REGS];
	u8 nr_regs;
	u32 asked[16];
};

/**
 * struct key - a key that an adapter has made
 * @qp: number of the queue pair that it is for
 * @rmb: number of the RMB
 * @host: the host
 * @vaddr: address of the RMB
 */
struct key {
	u32 qp;
	u32 rmb;
	u8 host;
	u64 vaddr;
};

/* An element that a program uses */
struct held {
	struct smcr_rmb *rmb;
	u8 idx;
};

/**
 * struct port - a port of a host, with an adapter of its own
 * @there: the adapter exists
 * @up: it is active
 * @dev: the adapter
 */
struct port {
	bool there, up;
	struct smcr_ibdev dev;
};

/**
 * struct lhost - a host
 * @net: its namespace
 * @sn: what net/smcr keeps in it
 * @lgr: its link group, with the reference of the handshake; NULL once freed
 * @listed: the group is on the namespace's list
 * @nr_ports: ports that it has
 * @port: the ports
 * @stalled: its works do not run before this time
 * @inside: its RMB work is inside the adapter until this time
 * @held: elements that programs use
 * @nr_held: entries of @held
 * @mib: counters
 * @hole: full packets that it sends are lost
 * @probes: probes posted
 * @listed_mtu: MTU code of the last link that has lost long packets
 * @sent: LLC messages posted, by type and R flag
 * @last: the last one of each kind
 */
struct lhost {
	struct net net;
	struct smcr_net sn;
	struct smcr_lgr *lgr;
	bool listed;
	u8 nr_ports;
	struct port port[MAX_PORTS];
	unsigned long stalled;
	unsigned long inside;
	struct held held[MAX_HELD];
	u16 nr_held;
	u64 mib[SMCR_MIB_MAX];
	bool hole;
	u32 probes;
	u8 listed_mtu;
	u32 sent[16][2];
	struct smcr_llc_msg last[16][2];
};

struct lsim {
	u64 rnd;
	bool trace;
	u8 bug;
	u8 cur;			/* the host whose event runs */
	bool rails;		/* port n reaches port n only */
	bool calm;		/* only queue pairs fail, one at a time */
	bool faulty;		/* memory is short, and adapters refuse requests */
	u8 poor[2];		/* ports of a host that cannot have queue pairs */
	u32 woken;		/* handshakes that a group has woken */
	u8 max_regs;		/* registrations for which a queue pair has room */
	bool honest;		/* no scenario sends a made-up message */
	unsigned long retry;	/* time after which a queue pair gives up */
	unsigned long down_at;	/* when a path went down last */
	u32 late;		/* time for which packets of a dead one live */
	u32 qps;
	u32 keys;
	u32 rmbs;
	long allocs;
	u8 nums[256 / 8];	/* link numbers given since they were exhausted */
	bool cut[MAX_PORTS][MAX_PORTS];
	bool roce_only;		/* a path that is cut passes ARP */
	struct ib_qp qp[MAX_QPS];
	struct smcr_llc_msg first_rkey[2];	/* for a mistake, by host */
	struct work_struct *work[MAX_WORKS];
	u8 nr_works;
	struct key key[MAX_KEYS];
	struct lhost host[2];
	/* For scenarios: look at each message; false keeps it in the queue */
	bool (*gate)(const struct ib_qp *qp, const struct smcr_llc_msg *msg);
	/* The same when it arrives; true: the receiver ignores it */
	bool (*ignores)(const struct ib_qp *qp, const struct smcr_llc_msg *msg);
	/* The same when it is posted, and may change it */
	void (*tamper)(const struct ib_qp *qp, struct smcr_llc_msg *msg);
	/* For scenarios: what happens while memory of a size is allocated */
	void (*in_alloc)(size_t size);
	jmp_buf failed;
};

extern struct lsim lsim;
extern u64 lsim_links, lsim_msgs, lsim_steps, lsim_refused, lsim_ends, lsim_retries, lsim_conts;

_Noreturn void lsim_broken(const char *file, int line, const char *what);

#define HOLDS(cond)	do { if (!(cond)) lsim_broken(__FILE__, __LINE__, #cond); } while (0)
#define TRACE(fmt, ...)							\
	do {								\
		if (lsim.trace)						\
			printf("# %7lu " fmt "\n", jiffies, ##__VA_ARGS__); \
	} while (0)

static inline u32 rnd_below(u32 n)
{
	return rnd_next(&lsim.rnd, n);
}

static inline bool one_in(u32 n)
{
	return !rnd_below(n);
}

/* Does an allocation or a request to an adapter fail? */
static inline bool bad_luck(void)
{
	return lsim.faulty && one_in(12);
}

static inline const char *host_name(u8 host)
{
	return host == SERVER ? "server" : "client";
}

/* Is a group there and not DEAD? */
static inline bool host_alive(const struct lhost *h)
{
	return h->lgr && smcr_lgr_state(h->lgr) != SMCR_LGR_DEAD;
}

/* lsim_krn.c: works, memory, clock */
bool works_run_one(u8 host);
bool works_due(u8 host);
void works_run_others(u8 host);
unsigned long works_next(u8 host);
void works_run_due(u8 host);

/* lsim_fabric.c: queue pairs and paths */
struct ib_qp *qp_new(u8 host, u8 port, struct smcr_link *link);
struct ib_qp *qp_peer(const struct ib_qp *qp);
bool qp_land(struct ib_qp *qp);
bool qp_ack(struct ib_qp *qp);
bool qp_regs(struct ib_qp *qp);
void qp_fail(struct ib_qp *qp, int err);
void qp_stop(struct ib_qp *qp);
void qp_retries(void);
const char *msg_text(const struct smcr_llc_msg *msg);
bool path_up(u8 server_port, u8 client_port);
unsigned long fabric_next(void);
void port_gid(u8 host, u8 port, u8 *gid);
u8 port_of_gid(const u8 *gid);
void port_set(u8 host, u8 port, bool up);
void port_remove(u8 host, u8 port);

/* lsim_host.c: groups */
void group_start(void);
void group_enter(void);
void group_leave(u8 host);
int elem_take(u8 host, u32 size);
void elem_return(u8 host, u16 i);
void elems_return(u8 host);

/* lsim_check.c: invariants */
void check_sent(struct ib_qp *qp, const struct smcr_llc_msg *msg);
void check_probe(struct ib_qp *qp, const struct smcr_llc_msg *msg,
		 const struct smcr_wr_probe *probe);
void check_step(void);
const char *check_rest(void);
bool group_grown(void);
void tell_rest(void);

/* lsim_main.c */
void sim_reset(u64 seed);
bool sim_event(void);
bool sim_skip(unsigned long most);
void sim_pass(unsigned long ms);
void sim_settle(void);
bool both_dead(void);
void sim_close(u8 host);

/* lsim_case.c */
int cases_run(const char *only, bool trace);

#endif
