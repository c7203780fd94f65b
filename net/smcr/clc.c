// SPDX-License-Identifier: GPL-2.0
/*
 * CLC messages over the inner TCP socket, one at a time (RFC 7609 3.2, A.2).
 *
 * A message is taken from the stream byte by byte as far as it goes: first the
 * header, and only when that is good exactly the rest. So bytes that are not
 * CLC, and the application's bytes behind the last message, stay in TCP.
 */
#include <linux/net.h>
#include <linux/skbuff.h>
#include <linux/slab.h>
#include <linux/uio.h>
#include <net/sock.h>
#include <net/tcp.h>

#include "clc.h"
#include "inner.h"

/**
 * smcr_clc_init() - prepare for the first message
 * @clc: zeroed
 *
 * Context: any.
 */
void smcr_clc_init(struct smcr_clc *clc)
{
	clc->rx = clc->rx_inline;
}

/**
 * smcr_clc_free() - let a long message go
 * @clc: not used any more, or prepared for the next message
 *
 * Context: any.
 */
void smcr_clc_free(struct smcr_clc *clc)
{
	if (clc->rx != clc->rx_inline)
		kfree(clc->rx);
	clc->rx = clc->rx_inline;
}

/**
 * smcr_clc_recv_next() - the message was used; expect another one
 * @clc: CLC traffic
 *
 * Context: process.
 */
void smcr_clc_recv_next(struct smcr_clc *clc)
{
	smcr_clc_free(clc);
	clc->rx_len = 0;
	memset(&clc->hdr, 0, sizeof(clc->hdr));
}

/* Bytes still missing of the header, or of the message; none behind a header
 * that is no good, whose length stays 0.
 */
static u32 clc_missing(const struct smcr_clc *clc)
{
	if (clc->rx_len < SMCR_CLC_HDR_LEN)
		return SMCR_CLC_HDR_LEN - clc->rx_len;
	return clc->hdr.length > clc->rx_len ?
	       clc->hdr.length - clc->rx_len : 0;
}

static int clc_header(struct smcr_clc *clc)
{
	u8 *long_rx;

	if (smcr_clc_msg_header(clc->rx, SMCR_CLC_HDR_LEN, &clc->hdr))
		return -EPROTO;
	if (clc->hdr.length <= SMCR_CLC_RX_INLINE)
		return 0;
	long_rx = kmalloc(clc->hdr.length, GFP_ATOMIC);
	if (!long_rx)
		return -ENOMEM;
	memcpy(long_rx, clc->rx_inline, SMCR_CLC_HDR_LEN);
	clc->rx = long_rx;
	return 0;
}

/* tcp_read_sock()'s actor: takes what is missing and no more. It is called
 * again for the rest of a segment, whatever desc->count says; only a return of
 * 0 ends that.
 */
static int clc_actor(read_descriptor_t *desc, struct sk_buff *skb,
		     unsigned int offset, size_t len)
{
	struct smcr_clc *clc = desc->arg.data;
	size_t used = 0;

	if (desc->error)
		return 0;
	while (used < len && clc_missing(clc)) {
		u32 part = min_t(size_t, len - used, clc_missing(clc));

		if (skb_copy_bits(skb, offset + used, clc->rx + clc->rx_len,
				  part)) {
			desc->error = -EFAULT;
			break;
		}
		clc->rx_len += part;
		used += part;
		if (clc->rx_len == SMCR_CLC_HDR_LEN && !clc->hdr.length)
			desc->error = clc_header(clc);
		if (desc->error)
			break;
	}
	desc->count = !desc->error && clc_missing(clc);
	return used;
}

/**
 * smcr_clc_recv() - take what has arrived of the message that is due
 * @inner: TCP socket
 * @clc: CLC traffic
 *
 * Context: process, outer sock lock held. Does not wait.
 * Return: 1 when the message is complete, 0 when more must come; -EPROTO for
 * what is no CLC message, -ECONNRESET when TCP has ended, -ENOMEM.
 */
int smcr_clc_recv(struct socket *inner, struct smcr_clc *clc)
{
	read_descriptor_t desc = { .arg.data = clc, .count = 1 };
	struct sock *sk = inner->sk;
	bool over;

	lock_sock(sk);
	tcp_read_sock(sk, &desc, clc_actor);
	over = sk->sk_err || sk->sk_shutdown & RCV_SHUTDOWN ||
	       sk->sk_state == TCP_CLOSE;
	release_sock(sk);
	if (desc.error)
		return desc.error;
	if (!clc_missing(clc))
		return 1;
	return over ? -ECONNRESET : 0;
}

/* TCP_CORK is for the program's bytes: a message must not wait 200 ms for more
 * of them. Whoever sets the option holds the outer sock lock too.
 */
static void pass_cork(struct sock *sk)
{
	bool corked;

	lock_sock(sk);
	corked = tcp_sk(sk)->nonagle & TCP_NAGLE_CORK;
	release_sock(sk);
	if (corked) {
		tcp_sock_set_cork(sk, false);
		tcp_sock_set_cork(sk, true);
	}
}

/**
 * smcr_clc_send() - give TCP what is left of the outgoing message
 * @inner: TCP socket
 * @clc: CLC traffic, with a message in @tx
 *
 * The peer's answer is answered in its turn, or is the last word.
 *
 * Context: process, outer sock lock held. Does not wait.
 * Return: 1 when all is with TCP, 0 when TCP has no room for now, -errno.
 */
int smcr_clc_send(struct socket *inner, struct smcr_clc *clc)
{
	struct msghdr msg = { .msg_flags = MSG_DONTWAIT | MSG_NOSIGNAL };
	struct kvec vec;
	int ret;

	smcr_inner_ack_later(inner);
	while (clc->tx_off < clc->tx_len) {
		vec.iov_base = clc->tx + clc->tx_off;
		vec.iov_len = clc->tx_len - clc->tx_off;
		ret = kernel_sendmsg(inner, &msg, &vec, 1, vec.iov_len);
		if (ret == -EAGAIN)
			return 0;
		if (ret < 0)
			return ret;
		clc->tx_off += ret;
	}
	clc->tx_len = 0;
	clc->tx_off = 0;
	pass_cork(inner->sk);
	return 1;
}
