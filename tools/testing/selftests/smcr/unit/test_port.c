// SPDX-License-Identifier: GPL-2.0
/*
 * When a RoCE port is asked for its state (port_state.h), on a made-up clock.
 */
#include "tap.h"
#include "port_state.h"

enum { MTU_512 = 2, MTU_1024, MTU_2048, MTU_4096 };

static u64 now;

static void unknown(void)
{
	for (now = 0; now < 2 * PORT_TIMES; now++) {
		EXPECT(port_must_ask(0, MTU_512, now));
		EXPECT(port_must_ask(PORT_EVENT | PORT_TELL, MTU_512, now));
	}
}

static void active(void)
{
	u32 state = port_answer(MTU_2048, true, 0, now);

	EXPECT_EQ(state & PORT_MTU, MTU_2048);
	for (now = 0; now < 2 * PORT_TIMES; now++) {
		EXPECT(!port_must_ask(state, MTU_1024, now));
		EXPECT(!port_must_ask(state, MTU_2048, now));
	}
}

static void larger_netdev(void)
{
	u32 state = port_answer(MTU_1024, true, 0, now);

	EXPECT(port_must_ask(state, MTU_4096, now));
	state = port_answer(MTU_1024, true, MTU_2048, now);
	EXPECT(!port_must_ask(state, MTU_2048, now));
	EXPECT(port_must_ask(state, MTU_4096, now));
	state = port_answer(MTU_1024, true, MTU_4096, now);
	EXPECT_EQ(state & PORT_MTU, MTU_1024);
	EXPECT(!port_must_ask(state, MTU_4096, now + 1000));
	/* The netdev's MTU has changed */
	EXPECT(port_must_ask(state & ~PORT_ASKED, MTU_4096, now));
}

static void inactive(void)
{
	u32 state;

	for (now = 0; now < 2 * PORT_TIMES; now++) {
		state = port_answer(MTU_1024, false, MTU_4096, now);
		EXPECT(!(state & PORT_ACTIVE));
		EXPECT(!port_must_ask(state, MTU_4096, now));
		EXPECT(port_must_ask(state, MTU_4096, now + 1));
		EXPECT(port_must_ask(state, MTU_4096, now + PORT_TIMES - 1));
	}
}

static void wanted(void)
{
	u32 state = port_answer(MTU_1024, true, 0, now);

	EXPECT(!port_due(state, now) && !port_is_open(state, MTU_1024));
	EXPECT(port_is_open(state, MTU_2048));
	state = port_want(port_want(state, MTU_4096), MTU_2048);
	EXPECT(port_due(state, now));
	/* Nobody has the answer yet */
	EXPECT(port_must_ask(state, MTU_2048, now));
	EXPECT(port_is_open(state, MTU_4096));
	EXPECT_EQ(port_asked(state, 0), MTU_4096);
	EXPECT_EQ(port_asked(state & ~PORT_WANTED, 0), 0);
	EXPECT_EQ((state & PORT_ASKED) / PORT_ASKED_ONE, MTU_4096);
	EXPECT_EQ(state & PORT_MTU, MTU_1024);
	/* An event has the port asked anew, and it is still wanted */
	state = port_void(state | PORT_EVENTS);
	EXPECT_EQ(state, PORT_WANTED | PORT_TELL);
	EXPECT(port_due(port_void(0), now));
	/* The answer is the end of that */
	EXPECT(!port_due(port_answer(MTU_1024, false, 0, now), now));
	EXPECT(port_due(port_answer(MTU_1024, false, 0, now), now + 1));
}

static void news(void)
{
	u32 down = port_answer(MTU_4096, false, 0, now);
	u32 up = port_answer(MTU_1024, true, 0, now);
	u32 nothing = port_void(up);

	EXPECT(port_is_void(nothing) && port_is_open(nothing, 0));
	EXPECT(!port_is_void(down) && !port_is_open(down, MTU_4096));
	EXPECT(!port_is_news(up, down) && !port_is_news(up, nothing));
	EXPECT(port_is_news(up, port_want(down, 0)));
	EXPECT(port_is_news(up, port_want(up, MTU_4096)));
	EXPECT(port_is_news(down, port_want(nothing, 0)));
	/* Groups that look at a port that stays down do not look again */
	EXPECT(!port_is_news(down, port_want(down, 0)));
}

/* No part of the state runs into another one, whatever an adapter answers. */
static void apart(void)
{
	u32 mtu, wanted, state;

	EXPECT_EQ(PORT_MTU | PORT_ASKED | PORT_ACTIVE | PORT_TELL | PORT_TIME |
		  PORT_WANTED | PORT_EVENTS, 0xffffffffu);
	for (mtu = 0; mtu < 300; mtu++)
		for (wanted = 0; wanted <= MTU_4096; wanted++) {
			state = port_answer(mtu, mtu & 1, wanted, mtu);
			EXPECT(!(state & (PORT_TELL | PORT_WANTED |
					  PORT_EVENTS)));
			EXPECT_EQ((state & PORT_ASKED) / PORT_ASKED_ONE,
				  wanted);
		}
}

static const struct fact facts[] = {
	{ "a port of which nothing is known is asked", unknown },
	{ "an active port is not asked again", active },
	{ "a larger MTU of the netdev has the port asked once", larger_netdev },
	{ "a port that is down is asked once a second", inactive },
	{ "a port that is wanted is asked, whatever events come", wanted },
	{ "groups that wait for an answer look again if it may help", news },
	{ "no answer changes what is known of events", apart },
};

PROVE(facts, NULL);
