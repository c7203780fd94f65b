// SPDX-License-Identifier: GPL-2.0
/*
 * The watch over the local address of a connection (absence.c), on a made-up
 * clock and host.
 */
#include "tap.h"
#include "absence.h"

#define GRACE	500

static struct smcr_absence a;
static struct smcr_absence_view v;

/* The clock wraps soon. */
static void begin(enum smcr_absence_state state)
{
	memset(&a, 0, sizeof(a));
	a.state = state;
	v.mode = SMCR_ABSENCE_STOP;
	v.grace = GRACE;
	v.now = 0ul - GRACE / 2;
}

static enum smcr_absence_step look(enum smcr_absence_found found)
{
	return smcr_absence_look(&a, found, &v);
}

#define FINDS(what, step) EXPECT_EQ(look(SMCR_ABSENCE_ ## what), \
				    SMCR_ABSENCE_ ## step)

static void stays(void)
{
	begin(SMCR_ABSENCE_HERE);
	FINDS(FOUND, NOTHING);
	v.now += 10 * GRACE;
	FINDS(FOUND, NOTHING);
	EXPECT_EQ(a.state, SMCR_ABSENCE_HERE);
}

static void foreign(void)
{
	begin(SMCR_ABSENCE_FOREIGN);
	FINDS(MISSED, NOTHING);
	v.now += 10 * GRACE;
	FINDS(MISSED, NOTHING);
	FINDS(FOUND, NOTHING);
	v.mode = SMCR_ABSENCE_END;
	FINDS(MISSED, NOTHING);
	EXPECT_EQ(a.state, SMCR_ABSENCE_FOREIGN);
}

static void leaves(void)
{
	begin(SMCR_ABSENCE_HERE);
	FINDS(MISSED, LATER);
	EXPECT_EQ(smcr_absence_rest(&a, &v), GRACE);
	v.now += GRACE - 1;
	FINDS(MISSED, LATER);
	EXPECT_EQ(smcr_absence_rest(&a, &v), 1);
	v.now++;
	FINDS(MISSED, PAUSE);
	v.now += GRACE;
	FINDS(MISSED, NOTHING);
	FINDS(FOUND, RESUME);
	FINDS(FOUND, NOTHING);
}

static void returns_in_time(void)
{
	begin(SMCR_ABSENCE_HERE);
	FINDS(MISSED, LATER);
	v.now += GRACE - 1;
	FINDS(FOUND, NOTHING);
	v.now += GRACE;
	FINDS(MISSED, LATER);
	EXPECT_EQ(smcr_absence_rest(&a, &v), GRACE);
}

static void without_grace(void)
{
	begin(SMCR_ABSENCE_HERE);
	v.grace = 0;
	FINDS(MISSED, PAUSE);
	FINDS(FOUND, RESUME);
}

static void unsure(void)
{
	begin(SMCR_ABSENCE_HERE);
	FINDS(UNSURE, NOTHING);
	EXPECT_EQ(a.state, SMCR_ABSENCE_HERE);
	FINDS(MISSED, LATER);
	v.now += 2 * GRACE;
	FINDS(UNSURE, NOTHING);
	EXPECT_EQ(a.state, SMCR_ABSENCE_GONE);
	FINDS(MISSED, PAUSE);
	FINDS(UNSURE, NOTHING);
	EXPECT_EQ(a.state, SMCR_ABSENCE_AWAY);
	FINDS(FOUND, RESUME);
}

static void ends(void)
{
	begin(SMCR_ABSENCE_HERE);
	v.mode = SMCR_ABSENCE_END;
	FINDS(UNSURE, NOTHING);
	FINDS(MISSED, RESET);
	FINDS(MISSED, NOTHING);
	FINDS(FOUND, NOTHING);
}

static void new_setting(void)
{
	begin(SMCR_ABSENCE_HERE);
	v.mode = SMCR_ABSENCE_IGNORE;
	FINDS(MISSED, NOTHING);
	EXPECT_EQ(a.state, SMCR_ABSENCE_HERE);
	v.mode = SMCR_ABSENCE_STOP;
	v.grace = 0;
	FINDS(MISSED, PAUSE);
	v.mode = SMCR_ABSENCE_IGNORE;
	FINDS(MISSED, RESUME);
	v.mode = SMCR_ABSENCE_STOP;
	FINDS(MISSED, PAUSE);
	v.mode = SMCR_ABSENCE_END;
	FINDS(MISSED, RESET);
}

/* The sums are tcp_retries2's in ip-sysctl.rst. */
static void patience(void)
{
	EXPECT_EQ(smcr_absence_patience_ms(0), 200);
	EXPECT_EQ(smcr_absence_patience_ms(3), 3000);
	EXPECT_EQ(smcr_absence_patience_ms(8), 102200);
	EXPECT_EQ(smcr_absence_patience_ms(9), 204600);
	EXPECT_EQ(smcr_absence_patience_ms(10), 324600);
	EXPECT_EQ(smcr_absence_patience_ms(15), 924600);
	EXPECT_EQ(smcr_absence_patience_ms(255), 29724600);
}

static void limit(void)
{
	/* Not away */
	EXPECT_EQ(smcr_absence_limit(0, 0, true, false), 0);
	EXPECT_EQ(smcr_absence_limit(30, 0, true, false), 30);
	EXPECT_EQ(smcr_absence_limit(30, 0, false, false), 0);
	/* Away */
	EXPECT_EQ(smcr_absence_limit(0, 900, false, false), 0);
	EXPECT_EQ(smcr_absence_limit(0, 900, true, false), 900);
	EXPECT_EQ(smcr_absence_limit(0, 900, false, true), 900);
	EXPECT_EQ(smcr_absence_limit(30, 900, true, false), 30);
	EXPECT_EQ(smcr_absence_limit(30, 900, true, true), 30);
	EXPECT_EQ(smcr_absence_limit(30, 900, false, true), 900);
}

static const struct fact facts[] = {
	{ "nothing follows while the address is here", stays },
	{ "an address that was never here is left alone", foreign },
	{ "an address that has gone stops the connection", leaves },
	{ "one that returns before does not, and gets the whole grace again",
	  returns_in_time },
	{ "without a grace the connection stops at once", without_grace },
	{ "nothing changes while IPv6 is not sure", unsure },
	{ "the connection ends at once where the setting says so", ends },
	{ "a new setting counts for connections that have stopped",
	  new_setting },
	{ "TCP's time of retransmissions", patience },
	{ "TCP_USER_TIMEOUT is about what this host sends", limit },
};

PROVE(facts, NULL);
