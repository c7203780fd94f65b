/* SPDX-License-Identifier: GPL-2.0 */
/* User-space stand-in for the kernel header of the same name. */
#ifndef _SHIM_LINUX_ATOMIC_H
#define _SHIM_LINUX_ATOMIC_H

#include <linux/types.h>

typedef struct {
	int counter;
} atomic_t;

static inline int atomic_read(const atomic_t *v)
{
	return v->counter;
}

static inline void atomic_add(int n, atomic_t *v)
{
	v->counter += n;
}

#endif /* _SHIM_LINUX_ATOMIC_H */
