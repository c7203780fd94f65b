// SPDX-License-Identifier: GPL-2.0
/*
 * Tracepoints. The headers below have the lists of names that the tracepoints
 * print.
 */
#include "conn_state.h"
#include "genl_names.h"
#include "hs.h"
#include "lgr.h"
#include "link.h"

#define CREATE_TRACE_POINTS
#include <trace/events/smcr.h>
