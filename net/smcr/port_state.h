/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What is known of a RoCE port, in 32 bits that cmpxchg() changes. Pure.
 *
 *   PORT_MTU	the port's active MTU, enum ib_mtu
 *   PORT_ASKED	the MTU, enum ib_mtu, for which the port was last asked in vain,
 *		or with PORT_WANTED is to be asked: a netdev may allow larger
 *		packets than its port sends
 *   PORT_ACTIVE the port is active
 *   PORT_TELL	listeners do not know of an event
 *   PORT_TIME	when a port that was not active was asked, as port_time()
 *   PORT_WANTED	a group waits for the port to be asked
 *   PORT_EVENTS count of events
 *
 * An event voids all but PORT_TELL, PORT_WANTED and PORT_EVENTS.
 */
#ifndef _SMCR_PORT_STATE_H
#define _SMCR_PORT_STATE_H

#include <linux/types.h>

#define PORT_MTU	0x0fu
#define PORT_ASKED	0xf0u
#define PORT_ACTIVE	0x100u
#define PORT_TELL	0x200u
#define PORT_TIME	0xfc00u
#define PORT_WANTED	0x10000u
#define PORT_EVENT	0x20000u
#define PORT_EVENTS	0xfffe0000u

#define PORT_ASKED_ONE	0x10u
#define PORT_TIME_ONE	0x400u
/* Values of PORT_TIME; 0 stands for never */
#define PORT_TIMES	63u

/* What an event leaves of a state */
static inline u32 port_void(u32 state)
{
	return ((state & PORT_EVENTS) + PORT_EVENT) | (state & PORT_WANTED) |
	       PORT_TELL;
}

static inline u32 port_time(u64 seconds)
{
	return (u32)(seconds % PORT_TIMES + 1) * PORT_TIME_ONE;
}

/* What an answer tells of a port: its MTU, whether it is active, for which MTU
 * it was asked, and when.
 */
static inline u32 port_answer(u32 mtu, bool active, u32 wanted, u64 seconds)
{
	u32 state = (mtu & PORT_MTU) | (wanted * PORT_ASKED_ONE & PORT_ASKED);

	return state | (active ? PORT_ACTIVE : port_time(seconds));
}

/* Is a port to be asked before it is used with an MTU? An event may be lost, so
 * a port that was not active is asked again, but once a second: some adapters
 * need a command of their firmware for it, and each handshake that finds the
 * port comes here.
 */
static inline bool port_must_ask(u32 state, u32 mtu, u64 seconds)
{
	if (!(state & PORT_ACTIVE))
		return (state & PORT_TIME) != port_time(seconds);
	return mtu > (state & PORT_MTU) &&
	       (state & PORT_WANTED ||
		mtu * PORT_ASKED_ONE > (state & PORT_ASKED));
}

/* Is nothing known of a port since its last event? */
static inline bool port_is_void(u32 state)
{
	return !(state & (PORT_ACTIVE | PORT_TIME));
}

/* Does the use of a port with an MTU depend on an answer that is due? Whether a
 * port that was not active has become so without an event is no such question.
 */
static inline bool port_is_open(u32 state, u32 mtu)
{
	return port_is_void(state) ||
	       (state & PORT_ACTIVE && port_must_ask(state, mtu, 0));
}

/* What becomes of the state if a port is to be asked, for this MTU. */
static inline u32 port_want(u32 state, u32 mtu)
{
	u32 wanted = mtu * PORT_ASKED_ONE;

	if (wanted > (state & PORT_ASKED))
		state = (state & ~PORT_ASKED) | wanted;
	return state | PORT_WANTED;
}

/* Is a port to be asked by the device's work? */
static inline bool port_due(u32 state, u64 seconds)
{
	return state & PORT_WANTED || port_must_ask(state, 0, seconds);
}

/* The MTU for which a port is asked: that of the asker, or of those who wait */
static inline u32 port_asked(u32 state, u32 mtu)
{
	u32 wanted = (state & PORT_ASKED) / PORT_ASKED_ONE;

	return state & PORT_WANTED && wanted > mtu ? wanted : mtu;
}

/* Do groups look again when this is the answer? They do also for a port that is
 * not active, if nothing was known of it.
 */
static inline bool port_is_news(u32 answer, u32 before)
{
	return before & PORT_WANTED &&
	       (answer & PORT_ACTIVE || port_is_void(before));
}

#endif /* _SMCR_PORT_STATE_H */
