/* SPDX-License-Identifier: GPL-2.0 */
/*
 * smcr-ctl report: a text to send along with a bug report.
 */
#ifndef SMCR_CTL_REPORT_H
#define SMCR_CTL_REPORT_H

#include <stdbool.h>
#include <stdio.h>

/* The Makefile defines it, from dkms.conf; tests do not */
#ifndef VERSION
#define VERSION "unknown"
#endif

int report_print(FILE *out, bool anonymous);

#endif
