// SPDX-License-Identifier: GPL-2.0
/*
 * Socket options: one table says which socket serves an option.
 *
 * At SOL_SOCKET an option that is not in the table goes to both sockets, the
 * outer one first, because getsockopt() reads that one; getsockopt() at
 * SOL_SOCKET never comes here. At every other level such an option goes to TCP,
 * but for SOL_SMCR, which has one option to read.
 *
 * TCP copies some values from and to the program while it holds its own sock
 * lock. Unless the socket is plain TCP, the outer sock lock is held then, so
 * that a work item that owns the outer lock never waits at the inner one for a
 * program's page (see smcr_sock_own()). Values that this file looks at are
 * copied before any lock is taken.
 */
#include <linux/in.h>
#include <linux/in6.h>
#include <linux/net.h>
#include <linux/sockptr.h>
#include <linux/tcp.h>
#include <net/sock.h>
#include <net/tcp.h>

#include "conn.h"
#include "fallback.h"
#include "inner.h"
#include "sock.h"
#include "tx.h"

enum opt_action {
	OPT_INNER,	/* TCP's only */
	OPT_OUTER,	/* ours only; SO_ZEROCOPY is TCP's in mode FALLBACK */
	OPT_BOTH,	/* generic code for the outer socket, then for TCP's */
	OPT_SNDBUF,	/* both, and it sizes our send space */
	OPT_RCVBUF,	/* both, and it sizes our RMB element */
	OPT_REUSEPORT,	/* both; generic code knows only IP families */
	OPT_NODELAY,	/* TCP's, and recorded here */
	OPT_CORK,	/* likewise; clearing it sends held bytes */
	OPT_TIMEOUT,	/* TCP's, and that of the RDMA connection */
	OPT_DEFER,	/* TCP's, and what TCP makes of it is recorded here */
	OPT_ASK,	/* TCP's; once set, only TCP can serve the program */
	OPT_ULP,	/* likewise; not on an RDMA connection */
	OPT_REPAIR,	/* likewise */
	OPT_PROTECT,	/* TCP's; refused once RDMA, unprotected, may be used */
	OPT_REFUSE,	/* refused: it would break the pair of sockets */
};

/**
 * struct opt_rule - how an option is served
 * @level: SOL_*
 * @name: option
 * @action: see above
 * @reason: OPT_ASK, OPT_ULP, OPT_REPAIR: why the socket then falls back to TCP
 * @min_len: OPT_ASK: sizeof(int) for an int whose zero means off, which is no
 *	reason to fall back; 0 for any other value
 */
struct opt_rule {
	int				level;
	int				name;
	enum opt_action			action;
	enum smcr_fallback_reason	reason;
	unsigned int			min_len;
};

static const struct opt_rule rules[] = {
	{ SOL_SOCKET, SO_SNDBUF, OPT_SNDBUF },
	{ SOL_SOCKET, SO_SNDBUFFORCE, OPT_SNDBUF },
	{ SOL_SOCKET, SO_RCVBUF, OPT_RCVBUF },
	{ SOL_SOCKET, SO_RCVBUFFORCE, OPT_RCVBUF },
	{ SOL_SOCKET, SO_REUSEPORT, OPT_REUSEPORT },
	/* Filters apply to packets, which only TCP has */
	{ SOL_SOCKET, SO_ATTACH_FILTER, OPT_INNER },
	{ SOL_SOCKET, SO_ATTACH_BPF, OPT_INNER },
	{ SOL_SOCKET, SO_ATTACH_REUSEPORT_CBPF, OPT_INNER },
	{ SOL_SOCKET, SO_ATTACH_REUSEPORT_EBPF, OPT_INNER },
	{ SOL_SOCKET, SO_DETACH_FILTER, OPT_INNER },
	{ SOL_SOCKET, SO_DETACH_REUSEPORT_BPF, OPT_INNER },
	{ SOL_SOCKET, SO_LOCK_FILTER, OPT_INNER },
	/* On both sockets it would charge twice */
	{ SOL_SOCKET, SO_RESERVE_MEM, OPT_INNER },
	/* TCP gets it in mode FALLBACK: see smcr_fallback_lowat() */
	{ SOL_SOCKET, SO_RCVLOWAT, OPT_OUTER },
	{ SOL_SOCKET, SO_ZEROCOPY, OPT_OUTER },
	{ SOL_SOCKET, SO_PASSCRED, OPT_OUTER },
	{ SOL_SOCKET, SO_PASSPIDFD, OPT_OUTER },
	{ SOL_SOCKET, SO_PASSSEC, OPT_OUTER },

	{ SOL_TCP, TCP_NODELAY, OPT_NODELAY },
	{ SOL_TCP, TCP_CORK, OPT_CORK },
	{ SOL_TCP, TCP_USER_TIMEOUT, OPT_TIMEOUT },
	{ SOL_TCP, TCP_DEFER_ACCEPT, OPT_DEFER },
	{ SOL_TCP, TCP_ULP, OPT_ULP, SMCR_FALLBACK_ULP },
	{ SOL_TCP, TCP_REPAIR, OPT_REPAIR, SMCR_FALLBACK_REPAIR },
	{ SOL_TCP, TCP_FASTOPEN, OPT_ASK, SMCR_FALLBACK_FASTOPEN,
	  sizeof(int) },
	{ SOL_TCP, TCP_FASTOPEN_CONNECT, OPT_ASK, SMCR_FALLBACK_FASTOPEN,
	  sizeof(int) },
	{ SOL_TCP, TCP_FASTOPEN_KEY, OPT_ASK, SMCR_FALLBACK_FASTOPEN },
	{ SOL_TCP, TCP_FASTOPEN_NO_COOKIE, OPT_ASK, SMCR_FALLBACK_FASTOPEN,
	  sizeof(int) },
	/* Set earlier, they make the socket TCP: see smcr_fallback_check() */
	{ SOL_TCP, TCP_MD5SIG, OPT_PROTECT },
	{ SOL_TCP, TCP_MD5SIG_EXT, OPT_PROTECT },
#ifdef TCP_AO_ADD_KEY
	{ SOL_TCP, TCP_AO_ADD_KEY, OPT_PROTECT },
#endif
	{ SOL_IP, IP_IPSEC_POLICY, OPT_PROTECT },
	{ SOL_IP, IP_XFRM_POLICY, OPT_PROTECT },

#if IS_ENABLED(CONFIG_IPV6)
	{ SOL_IPV6, IPV6_IPSEC_POLICY, OPT_PROTECT },
	{ SOL_IPV6, IPV6_XFRM_POLICY, OPT_PROTECT },
	/* Turns TCP's socket into an IPv4 one, in place */
	{ SOL_IPV6, IPV6_ADDRFORM, OPT_REFUSE },
#endif
};

static const struct opt_rule *find_rule(int level, int name)
{
	static const struct opt_rule both = { .action = OPT_BOTH };
	static const struct opt_rule inner = { .action = OPT_INNER };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(rules); i++)
		if (rules[i].level == level && rules[i].name == name)
			return &rules[i];
	return level == SOL_SOCKET ? &both : &inner;
}

/* Take the outer sock lock before a call to TCP that may copy. Return: false,
 * without the lock, if the socket is plain TCP: that mode is final.
 */
static bool __must_check lock_for_tcp(struct sock *sk)
{
	if (smcr_sock_is_fallback(sk))
		return false;
	lock_sock(sk);
	if (!smcr_sock_is_fallback(sk))
		return true;
	release_sock(sk);
	return false;
}

static int set_inner_locked(struct sock *sk, int level, int name,
			    sockptr_t val, unsigned int len)
{
	struct socket *inner = smcr_sk(sk)->inner;

	/* Plain TCP needs no outer lock, and stays plain TCP */
	if (!smcr_sock_is_fallback(sk))
		sock_owned_by_me(sk);
	if (level == SOL_SOCKET)
		return sock_setsockopt(inner, level, name, val, len);
	return READ_ONCE(inner->ops)->setsockopt(inner, level, name, val, len);
}

static int set_inner(struct sock *sk, int level, int name, sockptr_t val,
		     unsigned int len)
{
	bool locked = lock_for_tcp(sk);
	int err;

	err = set_inner_locked(sk, level, name, val, len);
	if (locked)
		release_sock(sk);
	return err;
}

/* What the socket asks TCP to protect would not be protected over RDMA. */
static int set_protect(struct sock *sk, int level, int name, sockptr_t val,
		       unsigned int len)
{
	bool locked = lock_for_tcp(sk);
	int err;

	if (smcr_sk(sk)->mode == SMCR_MODE_HANDSHAKE)
		err = -EALREADY;
	else if (smcr_sk(sk)->mode == SMCR_MODE_RDMA)
		err = -EISCONN;
	else
		err = set_inner_locked(sk, level, name, val, len);
	if (locked)
		release_sock(sk);
	return err;
}

static int __must_check read_int(sockptr_t val, unsigned int len, int *out)
{
	*out = 0;
	if (len < sizeof(*out))
		return -EINVAL;
	return copy_from_sockptr(out, val, sizeof(*out)) ? -EFAULT : 0;
}

/* getsockopt() reads the flag of the outer socket. */
static int set_zerocopy_tcp(struct sock *sk, sockptr_t val, unsigned int len)
{
	int err, on;

	err = set_inner(sk, SOL_SOCKET, SO_ZEROCOPY, val, len) ? :
	      read_int(val, len, &on);
	if (err)
		return err;
	lock_sock(sk);
	sock_valbool_flag(sk, SOCK_ZEROCOPY, on);
	release_sock(sk);
	return 0;
}

static int set_outer(struct socket *sock, int level, int name, sockptr_t val,
		     unsigned int len)
{
	if (smcr_sock_is_fallback(sock->sk) && name == SO_ZEROCOPY)
		return set_zerocopy_tcp(sock->sk, val, len);
	return sock_setsockopt(sock, level, name, val, len);
}

static int set_both(struct socket *sock, int level, int name, sockptr_t val,
		    unsigned int len)
{
	int err = sock_setsockopt(sock, level, name, val, len);

	return err ? : set_inner(sock->sk, level, name, val, len);
}

static int set_sndbuf(struct socket *sock, int level, int name, sockptr_t val,
		      unsigned int len)
{
	int err = set_both(sock, level, name, val, len);
	struct sock *sk = sock->sk;
	struct smcr_conn *conn;

	if (err)
		return err;
	WRITE_ONCE(smcr_sk(sk)->sndbuf_set, true);
	lock_sock(sk);
	conn = smcr_sk(sk)->conn;
	if (conn)
		smcr_tx_space_resize(conn, sk->sk_sndbuf / 2);
	release_sock(sk);
	return 0;
}

static int set_rcvbuf(struct socket *sock, int level, int name, sockptr_t val,
		      unsigned int len)
{
	int err = set_both(sock, level, name, val, len);

	if (!err)
		WRITE_ONCE(smcr_sk(sock->sk)->rcvbuf_set, true);
	return err;
}

static int set_reuseport(struct sock *sk, sockptr_t val, unsigned int len)
{
	int err, on;

	err = set_inner(sk, SOL_SOCKET, SO_REUSEPORT, val, len) ? :
	      read_int(val, len, &on);
	if (err)
		return err;
	/* A bit field, which SO_REUSEADDR shares and sets under the lock */
	lock_sock(sk);
	sk->sk_reuseport = !!on;
	release_sock(sk);
	return 0;
}

/* Let TCP check and set a value that has been copied already. */
static int set_int(struct sock *sk, int name, int val, unsigned int len)
{
	sock_owned_by_me(sk);
	return set_inner_locked(sk, SOL_TCP, name, KERNEL_SOCKPTR(&val), len);
}

static int set_nodelay(struct sock *sk, int name, sockptr_t val,
		       unsigned int len)
{
	int err, on;

	err = read_int(val, len, &on);
	if (err)
		return err;
	lock_sock(sk);
	err = set_int(sk, name, on, len);
	if (err)
		goto out;
	WRITE_ONCE(smcr_sk(sk)->nodelay, on);
	/* As with TCP, what was held back is sent now, also under TCP_CORK,
	 * which holds back what follows
	 */
	if (on && smcr_sk(sk)->mode == SMCR_MODE_RDMA)
		smcr_tx_uncork(sk);
out:
	release_sock(sk);
	return err;
}

static int set_cork(struct sock *sk, int name, sockptr_t val,
		    unsigned int len)
{
	int err, on;

	err = read_int(val, len, &on);
	if (err)
		return err;
	/* A handshake clears TCP's cork and sets it again */
	lock_sock(sk);
	err = set_int(sk, name, on, len);
	if (err)
		goto out;
	WRITE_ONCE(smcr_sk(sk)->cork, on);
	if (!on && smcr_sk(sk)->mode == SMCR_MODE_RDMA)
		smcr_tx_uncork(sk);
out:
	release_sock(sk);
	return err;
}

static int set_user_timeout(struct sock *sk, int name, sockptr_t val,
			    unsigned int len)
{
	struct smcr_conn *conn;
	int err, msecs;

	err = read_int(val, len, &msecs);
	if (err)
		return err;
	lock_sock(sk);
	err = set_int(sk, name, msecs, len);
	conn = smcr_sk(sk)->conn;
	if (!err && conn)
		smcr_tx_set_user_timeout(conn, msecs);
	release_sock(sk);
	return err;
}

/* TCP counts in SYN-ACKs that it repeats. Return the time of @n of them. */
static unsigned long syn_ack_time(unsigned int n)
{
	unsigned long time = 0, timeout = TCP_TIMEOUT_INIT;

	for (; n; n--) {
		time += timeout;
		timeout = min_t(unsigned long, 2 * timeout, TCP_RTO_MAX);
	}
	return time;
}

static int set_defer(struct sock *sk, int name, sockptr_t val,
		     unsigned int len)
{
	const struct request_sock_queue *queue;
	int err, time;

	err = read_int(val, len, &time);
	if (err)
		return err;
	queue = &inet_csk(smcr_sk(sk)->inner->sk)->icsk_accept_queue;
	lock_sock(sk);
	err = set_int(sk, name, time, len);
	if (!err)
		WRITE_ONCE(smcr_sk(sk)->defer,
			   syn_ack_time(READ_ONCE(queue->rskq_defer_accept)));
	release_sock(sk);
	return err;
}

/**
 * union asked_value - the value of an option that only TCP can serve
 * @num: most options
 * @name: TCP_ULP
 * @key: TCP_FASTOPEN_KEY
 */
union asked_value {
	int	num;
	char	name[TCP_ULP_NAME_MAX];
	u8	key[TCP_FASTOPEN_KEY_BUF_LENGTH];
};

/* Copy as much as TCP reads; TCP itself rejects a bad length. */
static int __must_check read_asked(const struct opt_rule *rule, sockptr_t val,
				   unsigned int len, union asked_value *out)
{
	long err;

	memset(out, 0, sizeof(*out));
	if (rule->action == OPT_ULP) {
		len = min_t(unsigned int, len, sizeof(out->name) - 1);
		err = len ? strncpy_from_sockptr(out->name, val, len) : 0;
		return min(err, 0L);
	}
	len = min_t(unsigned int, len, rule->name == TCP_FASTOPEN_KEY ?
		    sizeof(out->key) : sizeof(out->num));
	return copy_from_sockptr(out, val, len) ? -EFAULT : 0;
}

static bool is_off(const struct opt_rule *rule, const union asked_value *val)
{
	return rule->min_len && !val->num;
}

/* Refuse some options that only TCP can serve once RDMA may be in use. */
static int ask_allowed(enum smcr_sock_mode mode, enum opt_action action)
{
	if (mode != SMCR_MODE_HANDSHAKE && mode != SMCR_MODE_RDMA)
		return 0;
	switch (action) {
	case OPT_ULP:
		/* As TCP without the ULP's module, or not connected yet */
		return mode == SMCR_MODE_RDMA ? -ENOENT : -ENOTCONN;
	case OPT_REPAIR:
		return -EPERM;
	default:
		return 0;
	}
}

/* Set the option under the lock, so that connect() and listen() either see it
 * or come first.
 *
 * Some kernels' own SMC has a ULP "smc", which gives the file of TCP's socket
 * to a new one. Here TCP has that file on loan, so this ULP does not exist.
 */
static int set_asked(struct sock *sk, const struct opt_rule *rule,
		     sockptr_t val, unsigned int len)
{
	union asked_value copy;
	int err;

	err = read_asked(rule, val, len, &copy);
	if (err)
		return err;
	if (rule->action == OPT_ULP && !strcmp(copy.name, "smc"))
		return -ENOENT;
	lock_sock(sk);
	err = ask_allowed(smcr_sk(sk)->mode, rule->action) ? :
	      set_inner_locked(sk, rule->level, rule->name,
			       KERNEL_SOCKPTR(&copy), len);
	if (!err && smcr_sk(sk)->mode == SMCR_MODE_INIT &&
	    !is_off(rule, &copy))
		smcr_sk(sk)->fallback_asked = rule->reason;
	release_sock(sk);
	return err;
}

/**
 * smcr_sockopt_set() - serve setsockopt()
 * @sock: outer socket
 * @level: SOL_*
 * @optname: option
 * @optval: value, in user or kernel memory
 * @optlen: its bytes
 *
 * Context: process.
 * Return: 0 or -errno, as TCP would return except where the table refuses.
 */
int smcr_sockopt_set(struct socket *sock, int level, int optname,
		     sockptr_t optval, unsigned int optlen)
{
	const struct opt_rule *rule = find_rule(level, optname);
	struct sock *sk = sock->sk;

	switch (rule->action) {
	case OPT_INNER:
		return set_inner(sk, level, optname, optval, optlen);
	case OPT_OUTER:
		return set_outer(sock, level, optname, optval, optlen);
	case OPT_BOTH:
		return set_both(sock, level, optname, optval, optlen);
	case OPT_SNDBUF:
		return set_sndbuf(sock, level, optname, optval, optlen);
	case OPT_RCVBUF:
		return set_rcvbuf(sock, level, optname, optval, optlen);
	case OPT_REUSEPORT:
		return set_reuseport(sk, optval, optlen);
	case OPT_NODELAY:
		return set_nodelay(sk, optname, optval, optlen);
	case OPT_CORK:
		return set_cork(sk, optname, optval, optlen);
	case OPT_TIMEOUT:
		return set_user_timeout(sk, optname, optval, optlen);
	case OPT_DEFER:
		return set_defer(sk, optname, optval, optlen);
	case OPT_ASK:
	case OPT_ULP:
	case OPT_REPAIR:
		return set_asked(sk, rule, optval, optlen);
	case OPT_PROTECT:
		return set_protect(sk, level, optname, optval, optlen);
	case OPT_REFUSE:
		break;
	}
	return -ENOPROTOOPT;
}

static void fill_info(struct sock *sk, struct smcr_info *info)
{
	const struct smcr_sock *smcr = smcr_sk(sk);

	memset(info, 0, sizeof(*info));
	lock_sock(sk);
	if (smcr->mode == SMCR_MODE_FALLBACK) {
		info->carrier = SMCR_CARRIER_TCP;
		info->fallback = smcr->fallback;
	} else if (smcr->mode == SMCR_MODE_RDMA) {
		info->carrier = SMCR_CARRIER_RDMA;
		if (smcr->conn)
			info->reset = READ_ONCE(smcr->conn->reset_reason);
	}
	release_sock(sk);
}

/* A program that was compiled with a shorter struct gets the beginning of it,
 * and an older module fills less than a newer program asks for.
 */
static int put_struct(const void *val, int size, char __user *optval,
		      int __user *optlen)
{
	int len;

	if (get_user(len, optlen))
		return -EFAULT;
	if (len < 0)
		return -EINVAL;
	len = min(len, size);
	if (put_user(len, optlen) || copy_to_user(optval, val, len))
		return -EFAULT;
	return 0;
}

static int get_info(struct sock *sk, char __user *optval, int __user *optlen)
{
	struct smcr_info info;

	fill_info(sk, &info);
	return put_struct(&info, sizeof(info), optval, optlen);
}

/* TCP_INFO of a listener has the length of its queue in tcpi_unacked. TCP
 * counts a child only until smcr_listen_work() takes it, so those that wait in
 * our own queue are added: the backlog bounds the same sum (see inner_ops.c). A
 * child in a handshake is in neither queue, as one is not in TCP's before TCP's
 * handshake is done. Neither count is locked, so a child on its way from one
 * queue to the other may be missing.
 */
static int get_listener_info(struct sock *sk, char __user *optval,
			     int __user *optlen)
{
	struct sock *inner = smcr_sk(sk)->inner->sk;
	struct tcp_info info;

	tcp_get_info(inner, &info);
	/* It may just have ended */
	if (info.tcpi_state == TCP_LISTEN)
		info.tcpi_unacked += READ_ONCE(smcr_sk(sk)->accept_len);
	return put_struct(&info, sizeof(info), optval, optlen);
}

/* TCP_ZEROCOPY_RECEIVE while fallback.c holds the first bytes: what TCP says if
 * there are none.
 */
static int get_zerocopy_none(char __user *optval, int __user *optlen)
{
	struct tcp_zerocopy_receive __user *zc = (void __user *)optval;
	int len;

	if (get_user(len, optlen))
		return -EFAULT;
	if (len < (int)offsetofend(struct tcp_zerocopy_receive, length))
		return -EINVAL;
	if (put_user(0, &zc->length))
		return -EFAULT;
	if (len >= (int)offsetofend(struct tcp_zerocopy_receive,
				    recv_skip_hint) &&
	    put_user(0, &zc->recv_skip_hint))
		return -EFAULT;
	if (len >= (int)offsetofend(struct tcp_zerocopy_receive,
				    copybuf_len) &&
	    put_user(0, &zc->copybuf_len))
		return -EFAULT;
	return 0;
}

/**
 * smcr_sockopt_get() - serve getsockopt() at every level but SOL_SOCKET
 * @sock: outer socket
 * @level: SOL_*
 * @optname: option
 * @optval: user address of the value
 * @optlen: user address of its length
 *
 * Context: process.
 * Return: 0 or -errno.
 */
int smcr_sockopt_get(struct socket *sock, int level, int optname,
		     char __user *optval, int __user *optlen)
{
	struct socket *inner = smcr_sk(sock->sk)->inner;
	struct sock *sk = sock->sk;
	bool locked;
	int err;

	if (level == SOL_SMCR)
		return optname == SMCR_INFO ? get_info(sk, optval, optlen) :
					      -ENOPROTOOPT;
	if (level == SOL_TCP && optname == TCP_INFO &&
	    smcr_sock_mode(sk) == SMCR_MODE_LISTEN)
		return get_listener_info(sk, optval, optlen);
	/* The bytes in TCP's queue are not the program's */
	if (level == SOL_TCP && optname == TCP_ZEROCOPY_RECEIVE &&
	    !smcr_sock_is_fallback(sk))
		return -EOPNOTSUPP;
	if (level == SOL_TCP && optname == TCP_ZEROCOPY_RECEIVE &&
	    smcr_fallback_holds(sk))
		return get_zerocopy_none(optval, optlen);
	locked = lock_for_tcp(sk);
	err = READ_ONCE(inner->ops)->getsockopt(inner, level, optname, optval,
						optlen);
	if (locked)
		release_sock(sk);
	return err;
}
