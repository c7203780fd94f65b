/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Lines that smcr wrote to the kernel log.
 */
#ifndef SMCR_CTL_KLOG_H
#define SMCR_CTL_KLOG_H

#include <stddef.h>

char *klog_read(void);
const char *klog_smcr(const char *line);
size_t klog_filter(char *text, const char **lines, size_t max);

#endif
