// SPDX-License-Identifier: GPL-2.0
/*
 * The inner TCP socket while RDMA carries the bytes: TCP is idle, and is probed
 * (tcp_watch.c).
 *
 * A probe is that of TCP's keepalive: an ACK whose sequence number is one too
 * low. The peer's TCP answers it, whatever runs above, and what lies on the way
 * sees that the connection lives. TCP's own timer is no help: what it does, and
 * that it ends the connection, follows from values that belong to the program
 * (SO_KEEPALIVE, TCP_KEEPIDLE, TCP_KEEPINTVL, TCP_KEEPCNT, TCP_USER_TIMEOUT),
 * and no function of TCP that a module may call sends such a segment. But
 * __tcp_send_ack() takes the sequence number from snd_nxt, which nobody else
 * reads while this file owns the sock lock: a segment that comes meanwhile
 * waits in the backlog.
 *
 * The port. A RST closes TCP's socket while the connection may go on. TCP
 * would then give the port of a client away, and a new connection could have
 * the same addresses and ports as this one, which programs take for its name.
 * So the inner socket keeps the port while it is in mode RDMA, as if the
 * program had bound it; it is given back when TCP ends in another way, or when
 * the connection ends. A closed socket is not in TCP's table of connections, so
 * connect() must not share its port with others either. Nothing undoes that as
 * long as anybody has the port, and a RST may be no more than the first sign of
 * a connection's end, before A. So it is done when the connection is known to
 * go on; until then, that connect() chooses just this port for just this peer
 * is left to chance.
 */
#include <linux/jiffies.h>
#include <linux/tcp.h>
#include <net/inet_hashtables.h>
#include <net/sock.h>
#include <net/tcp.h>

#include "inner.h"
#include "sock.h"

/* Some kernels have a third argument, for flags of the header. */
typedef void (*send_ack_plain)(struct sock *sk, u32 rcv_nxt);
typedef void (*send_ack_flags)(struct sock *sk, u32 rcv_nxt, u16 flags);

static void send_ack(struct sock *inner)
{
	u32 rcv_nxt = tcp_sk(inner)->rcv_nxt;
	void *func = __tcp_send_ack;

	if (__same_type(&__tcp_send_ack, send_ack_plain))
		((send_ack_plain)func)(inner, rcv_nxt);
	else
		((send_ack_flags)func)(inner, rcv_nxt, 0);
}

/* TCP repeats what is not acknowledged by itself. */
static bool has_unacked(const struct sock *inner)
{
	return tcp_sk(inner)->packets_out || !tcp_write_queue_empty(inner);
}

/**
 * smcr_inner_heard() - when has TCP heard something from the peer?
 * @sk: outer socket in mode RDMA
 * @heard: result: jiffies of the last segment
 *
 * Context: process, outer sock lock held.
 * Return: false if TCP is not open in both directions.
 */
bool smcr_inner_heard(const struct sock *sk, unsigned long *heard)
{
	struct socket *sock = smcr_sk(sk)->inner;
	bool open;

	sock_owned_by_me(sk);
	if (!sock)
		return false;
	lock_sock(sock->sk);
	open = sock->sk->sk_state == TCP_ESTABLISHED;
	*heard = jiffies - keepalive_time_elapsed(tcp_sk(sock->sk));
	release_sock(sock->sk);
	return open;
}

/**
 * smcr_inner_probe() - ask the peer's TCP for a sign of life
 * @sk: outer socket in mode RDMA whose inner one was not released
 *
 * Context: process, outer sock lock held.
 * Return: true if a probe was sent.
 */
bool smcr_inner_probe(const struct sock *sk)
{
	struct sock *inner = smcr_sk(sk)->inner->sk;
	struct tcp_sock *tp = tcp_sk(inner);
	bool probe;

	sock_owned_by_me(sk);
	lock_sock(inner);
	probe = inner->sk_state == TCP_ESTABLISHED && !has_unacked(inner);
	if (probe) {
		WRITE_ONCE(tp->snd_nxt, tp->snd_nxt - 1);
		send_ack(inner);
		WRITE_ONCE(tp->snd_nxt, tp->snd_nxt + 1);
	}
	release_sock(inner);
	return probe;
}

/**
 * smcr_inner_hold_port() - TCP keeps its port, also when it is reset
 * @sk: outer socket, about to be in mode RDMA
 *
 * Context: process, outer sock lock held.
 */
void smcr_inner_hold_port(struct sock *sk)
{
	struct sock *inner = smcr_sk(sk)->inner->sk;

	sock_owned_by_me(sk);
	lock_sock(inner);
	if (inner->sk_state != TCP_CLOSE &&
	    !(inner->sk_userlocks & SOCK_BINDPORT_LOCK)) {
		inner->sk_userlocks |= SOCK_BINDPORT_LOCK;
		smcr_sk(sk)->port_held = true;
	}
	release_sock(inner);
}

/* From now on TCP gives the port back when it closes, or it does so now. */
static void free_port(struct sock *sk, struct sock *inner)
{
	if (!smcr_sk(sk)->port_held)
		return;
	smcr_sk(sk)->port_held = false;
	inner->sk_userlocks &= ~SOCK_BINDPORT_LOCK;
	if (inner->sk_state == TCP_CLOSE && inet_csk(inner)->icsk_bind_hash)
		inet_put_port(inner);
}

/**
 * smcr_inner_reserve_port() - let no connect() choose the port
 * @sk: outer socket whose connection goes on without TCP
 *
 * Others that connect() has given the port keep it.
 *
 * Context: process, outer sock lock held.
 */
void smcr_inner_reserve_port(struct sock *sk)
{
	struct sock *inner = smcr_sk(sk)->inner->sk;
	struct net *net = sock_net(inner);
	struct inet_hashinfo *hinfo = net->ipv4.tcp_death_row.hashinfo;
	struct inet_bind_hashbucket *head;
	struct inet_bind_bucket *tb;

	sock_owned_by_me(sk);
	lock_sock(inner);
	head = &hinfo->bhash[inet_bhashfn(net, inet_sk(inner)->inet_num,
					  hinfo->bhash_size)];
	spin_lock_bh(&head->lock);
	tb = inet_csk(inner)->icsk_bind_hash;
	if (tb && tb->fastreuse < 0)
		tb->fastreuse = 0;
	spin_unlock_bh(&head->lock);
	release_sock(inner);
}

/**
 * smcr_inner_free_port() - undo smcr_inner_hold_port()
 * @sk: outer socket whose inner one was not released
 *
 * Context: process, outer sock lock held.
 */
void smcr_inner_free_port(struct sock *sk)
{
	struct sock *inner = smcr_sk(sk)->inner->sk;

	lock_sock(inner);
	free_port(sk, inner);
	release_sock(inner);
}

/**
 * smcr_inner_closed() - TCP has got a FIN, or has ended
 * @sk: outer socket in mode RDMA
 * @inner: its TCP socket
 *
 * Context: any, inner sock lock or slock held if TCP has ended.
 */
void smcr_inner_closed(struct sock *sk, struct sock *inner)
{
	int err = READ_ONCE(inner->sk_err);

	if (READ_ONCE(inner->sk_state) == TCP_CLOSE &&
	    (!err || err == ECONNABORTED))
		free_port(sk, inner);
}

/**
 * smcr_inner_shutdown() - end the TCP connection with FIN
 * @sk: outer socket whose inner one was not released
 *
 * TCP goes on to receive, so that RCV_SHUTDOWN shows the peer's FIN alone: it
 * proves that the peer has written its last byte.
 *
 * Context: process, outer sock lock held.
 */
void smcr_inner_shutdown(struct sock *sk)
{
	smcr_inner_free_port(sk);
	kernel_sock_shutdown(smcr_sk(sk)->inner, SHUT_WR);
}
