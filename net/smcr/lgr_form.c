// SPDX-License-Identifier: GPL-2.0
/*
 * What a first contact makes (RFC 7609 3.5.1): the first link and RMB of a
 * group; and the queue pairs of further links (3.5.5.1).
 *
 * An adapter that is out of order may take seconds or minutes to create or
 * connect a queue pair, or to allocate a memory region. The work of a handshake
 * holds the sock lock and has a deadline, until which it can fall back to TCP.
 * So the handshake only asks for these calls, and the group's RMB work makes
 * them in two parts, each of which a step of the handshake waits for:
 *
 *   smcr_lgr_form_begin()    creates link and RMB for Accept or Confirm to
 *                            name; smcr_lgr_formed() has the result
 *   smcr_lgr_form_connect()  connects the link and registers the RMB;
 *                            smcr_lgr_rmb_ready() becomes true. If that is not
 *                            possible, the link fails, and the group ends
 *
 * A handshake that does not wait any longer gives the group up, and so does a
 * first part that fails. The group may thus have ended when a call returns:
 * it refuses a link or RMB that comes then, and what was made is destroyed.
 *
 * The group's work has to answer the peer's LLC messages in time, so it does
 * not make such calls either. A further link joins its group before it has a
 * queue pair, and the RMB work builds it, and connects it as soon as the peer's
 * end is known (SMCR_LGR_T_NEW_LINK).
 */
#include "lgr.h"
#include "lgr_form.h"
#include "lgr_links.h"
#include "lgr_mem.h"
#include "mib.h"

/**
 * smcr_lgr_form_begin() - have the first link and RMB of a group made
 * @lgr: a FORMING group
 * @port: local port of the link
 * @elem_size: bytes of an element of the RMB
 *
 * The group's handshakes are woken when smcr_lgr_formed() has a result.
 *
 * Context: process.
 */
void smcr_lgr_form_begin(struct smcr_lgr *lgr, const struct smcr_port *port,
			 u32 elem_size)
{
	struct smcr_lgr_form *form = &lgr->form;

	form->port = *port;
	smcr_ib_dev_hold(port->dev);
	form->elem_size = elem_size;
	smcr_lgr_kick(lgr, SMCR_LGR_T_FORM);
}

/**
 * smcr_lgr_formed() - get the result of smcr_lgr_form_begin()
 * @lgr: the group
 *
 * Context: any.
 * Return: 0 if the group has its first link and RMB; -EINPROGRESS if they are
 * being made; -ESHUTDOWN if the group ends; or why one cannot be made: -EMFILE
 * at the limit of queue pairs, an errno of smcr_link_build(), or one of the
 * RMB.
 */
int smcr_lgr_formed(const struct smcr_lgr *lgr)
{
	/* Pairs with form_make(): the caller uses the link and the RMB */
	int result = smp_load_acquire(&lgr->form.result);

	if (result && result != -EINPROGRESS)
		return result;
	return smcr_lgr_state(lgr) == SMCR_LGR_FORMING ? result : -ESHUTDOWN;
}

/**
 * smcr_lgr_form_connect() - have a link connected, and its RMBs registered
 * @link: a link of a group, in INIT
 * @peer: remote end of the link, checked by the codec
 *
 * The group's work hears of the registrations, and in a first contact its
 * handshakes do. If the link cannot be connected, it fails.
 *
 * Context: process.
 */
void smcr_lgr_form_connect(struct smcr_link *link,
			   const struct smcr_link_peer *peer)
{
	smcr_link_set_peer(link, peer);
	smcr_lgr_kick(link->lgr, SMCR_LGR_T_NEW_LINK);
}

/* If the group has been given up already, the adapter need not work. */
static int form_link_and_rmb(struct smcr_lgr *lgr)
{
	const struct smcr_lgr_form *form = &lgr->form;
	int err;

	if (smcr_lgr_state(lgr) != SMCR_LGR_FORMING)
		return -ESHUTDOWN;
	err = smcr_lgr_link_first(lgr, &form->port);
	if (err)
		return err;
	smcr_mib_inc(lgr->net, SMCR_MIB_FIRSTCONTACTS);
	return smcr_lgr_rmb_first(lgr, form->elem_size);
}

static void form_make(struct smcr_lgr *lgr)
{
	struct smcr_lgr_form *form = &lgr->form;
	int err = form_link_and_rmb(lgr);

	smcr_ib_port_drop(&form->port);
	/* Pairs with smcr_lgr_formed() */
	smp_store_release(&form->result, err);
	if (err)
		smcr_lgr_give_up(lgr);
	smcr_lgr_wake(lgr);
}

/**
 * smcr_lgr_form_work() - make what a first contact has asked for
 * @lgr: the group
 *
 * Context: the RMB work; calls the device.
 */
void smcr_lgr_form_work(struct smcr_lgr *lgr)
{
	if (test_and_clear_bit(SMCR_LGR_T_FORM, &lgr->todo))
		form_make(lgr);
}

static void link_up(struct smcr_link *link)
{
	int err = 0;

	if (smcr_link_state(link) != SMCR_LINK_INIT)
		return;
	if (!link->built)
		err = smcr_link_build(link);
	/* Pairs with smcr_link_set_peer() */
	if (!err && smp_load_acquire(&link->peer.qpn))
		err = smcr_link_connect(link);
	if (err)
		smcr_link_fail(link, err);
}

/**
 * smcr_lgr_form_links() - build and connect links, as far as their peers are
 *	known
 * @lgr: the group
 *
 * Context: the RMB work; calls the device.
 */
void smcr_lgr_form_links(struct smcr_lgr *lgr)
{
	struct smcr_lgr_links links;
	unsigned int i;

	smcr_lgr_links_get(lgr, SMCR_LINK_INIT, &links);
	for (i = 0; i < links.n; i++)
		link_up(links.link[i]);
	smcr_lgr_links_put(&links);
}
