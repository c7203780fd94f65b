// SPDX-License-Identifier: GPL-2.0
/*
 * Tracepoints, and checks that their lists of names match the enumerations.
 */
#include <linux/build_bug.h>

#include "conn_state.h"
#include "hs.h"
#include "lgr.h"
#include "link.h"
#include "smcr.h"

#define CREATE_TRACE_POINTS
#include <trace/events/smcr.h>

static_assert(SMCR_CLIENT == 0 && SMCR_SERVER == 1);
static_assert(SMCR_HS_TCP == 0 && SMCR_HS_DECLINE == 8 && SMCR_HS_DONE == 9);
static_assert(SMCR_CONN_INIT == 0 && SMCR_CONN_CLOSED == 10);
static_assert(SMCR_CONN_PEER_ABORT_WAIT == 8);
static_assert(SMCR_CONN_EV_ESTABLISHED == 0 && SMCR_CONN_EV_LINK_LOST == 12);
static_assert(SMCR_CONN_EV_LOCAL_ABORT == 9);
static_assert(SMCR_LGR_FORMING == 0 && SMCR_LGR_DEAD == 3);
static_assert(SMCR_LGR_EV_READY == 0 && SMCR_LGR_EV_DEAD == 2);
static_assert(SMCR_LINK_INIT == 0 && SMCR_LINK_DEAD == 4);
static_assert(SMCR_LINK_EV_CONNECTED == 0 && SMCR_LINK_EV_DRAINED == 3);
