/* SPDX-License-Identifier: GPL-2.0 */
/*
 * smcr-ctl monitor
 */
#ifndef SMCR_CTL_MONITOR_H
#define SMCR_CTL_MONITOR_H

#include "args.h"
#include "nl.h"

int monitor(const struct args *args, struct nl *nl);

#endif
