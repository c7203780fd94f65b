/* SPDX-License-Identifier: GPL-2.0 */
/* User-space stand-in for the kernel header of the same name. */
#ifndef _SHIM_LINUX_MINMAX_H
#define _SHIM_LINUX_MINMAX_H

#define min_t(type, a, b)					\
	({							\
		type a_ = (a);					\
		type b_ = (b);					\
								\
		a_ < b_ ? a_ : b_;				\
	})

#define max_t(type, a, b)					\
	({							\
		type a_ = (a);					\
		type b_ = (b);					\
								\
		a_ > b_ ? a_ : b_;				\
	})

#endif
