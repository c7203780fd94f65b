// SPDX-License-Identifier: GPL-2.0
/*
 * The SMC-R option of TCP's SYNs (RFC 7609 3.1).
 *
 * A kernel with CONFIG_SMC sends the option and looks for it:
 *
 *   syn_smc		the SYNs and SYN-ACKs that a socket sends have the
 *			option; of an accepted child: its SYN-ACK had it
 *   rx_opt.smc_ok	the SYN or SYN-ACK that a client has got had it
 *   smc_hs_congested	a SYN-ACK of a listener leaves it out if this function
 *			says so
 *
 * This file alone uses these fields, so all else is the same on a kernel
 * without CONFIG_SMC, where the module itself would have to write the option
 * into TCP's segments and look for it.
 *
 * Whether the SYN of a client that is on its way has the option is another
 * question than whether the next one will. TCP's field answers only the second
 * one, so the client's handshake keeps what it has done (hs.c).
 */
#include <linux/tcp.h>
#include <net/sock.h>

#include "option.h"

#if !IS_ENABLED(CONFIG_SMC)
#error "smcr needs CONFIG_SMC=m or y: it brings TCP's hooks for the option"
#endif

/**
 * smcr_option_offer() - let a client's SYNs have the option
 * @inner: TCP socket that is about to connect
 *
 * Without CONFIG_SMC, this would note the offer and give the socket operations
 * that look at the SYN-ACK; an output hook would write the option into its
 * SYNs.
 *
 * Context: process, outer sock lock held, so that no one else starts TCP. A
 * socket in TCP_CLOSE sends no SYN, so the inner sock lock is not needed.
 */
void smcr_option_offer(struct sock *inner)
{
	tcp_sk(inner)->syn_smc = 1;
}

/**
 * smcr_option_answer() - let SYNs with the option be answered with it, or not
 * @inner: TCP socket that is about to listen, or listens; or a child that is
 *	new
 * @congested: returns true if the SYN that TCP handles gets no option; called
 *	in softirq, inside an RCU section. NULL: a child, which is a copy of
 *	its listener, answers no SYN; whether it has agreed does not change
 *
 * Without CONFIG_SMC, this would have TCP keep each SYN. The listener's
 * conn_request() would ask @congested and overwrite the option of a SYN that
 * gets none; an output hook would write it into the SYN-ACKs to those that
 * still have one. For a child there would be nothing to do.
 *
 * Context: process, outer sock lock held, which covers the fields of a
 * listener, and TCP reads them without a lock; or softirq, @inner a child that
 * has been locked since it was made.
 */
void smcr_option_answer(struct sock *inner,
			bool (*congested)(const struct sock *inner))
{
	if (congested)
		tcp_sk(inner)->syn_smc = 1;
	tcp_sk(inner)->smc_hs_congested = congested;
}

/**
 * smcr_option_accepted() - has the server's SYN or SYN-ACK had the option?
 * @inner: TCP socket of a client that has offered it, no longer in TCP_SYN_SENT
 *
 * A client follows the SYN-ACK, whatever its own last SYN was like, so this
 * does not depend on smcr_option_withdraw().
 *
 * Without CONFIG_SMC, this would be what the socket's operations have seen in
 * the SYN-ACK, which TCP shows them before it reports the connection.
 *
 * Context: any. TCP sets the field before it changes the state, so no lock is
 * needed.
 * Return: true if it had.
 */
bool smcr_option_accepted(const struct sock *inner)
{
	return tcp_sk(inner)->rx_opt.smc_ok;
}

/**
 * smcr_option_child_agreed() - have a child's SYN and SYN-ACK had the option?
 * @inner: accepted TCP socket, not withdrawn yet
 *
 * Without CONFIG_SMC, this would look for the option in the SYN that TCP has
 * kept, and free that unless the program wants it.
 *
 * Context: process, @inner a child that nobody else has. TCP sets the field
 * before it queues the child.
 * Return: true if both had.
 */
bool smcr_option_child_agreed(const struct sock *inner)
{
	return tcp_sk(inner)->syn_smc;
}

/**
 * smcr_option_withdraw() - let no further SYN or SYN-ACK have the option
 * @inner: TCP socket of a client whose next SYN goes without it, or of a
 *	connection or listener that is plain TCP from now on
 *
 * Segments that were sent keep it, so the peer may still have got it.
 *
 * Without CONFIG_SMC, this would take the note of the offer back. A listener
 * would have to answer the SYNs that it has agreed to as before: their clients
 * have the SYN-ACK, or will have an equal one.
 *
 * Context: any, inner sock lock or slock held: the field shares a byte with
 * others.
 */
void smcr_option_withdraw(struct sock *inner)
{
	tcp_sk(inner)->syn_smc = 0;
}
