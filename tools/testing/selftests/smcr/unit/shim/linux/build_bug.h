/* SPDX-License-Identifier: GPL-2.0 */
/* User-space stand-in for the kernel header of the same name. */
#ifndef _SHIM_LINUX_BUILD_BUG_H
#define _SHIM_LINUX_BUILD_BUG_H

#include <assert.h>

#undef static_assert
#define static_assert(cond)	_Static_assert(cond, #cond)

#endif
