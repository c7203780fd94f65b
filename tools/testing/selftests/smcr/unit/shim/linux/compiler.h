/* SPDX-License-Identifier: GPL-2.0 */
/* Stand-in for the kernel's header: the tests have one thread. */
#ifndef _SHIM_LINUX_COMPILER_H
#define _SHIM_LINUX_COMPILER_H

#define READ_ONCE(x)		(x)
#define WRITE_ONCE(x, val)	((x) = (val))

#endif
