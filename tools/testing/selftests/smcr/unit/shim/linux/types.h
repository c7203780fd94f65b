/* SPDX-License-Identifier: GPL-2.0 */
/* User-space stand-in for the kernel header of the same name. */
#ifndef _SHIM_LINUX_TYPES_H
#define _SHIM_LINUX_TYPES_H

#include <stdbool.h>
#include <stddef.h>

typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int u32;
typedef unsigned long long u64;
typedef signed char s8;
typedef signed short s16;
typedef signed int s32;
typedef signed long long s64;

typedef u32 __u32;
typedef u16 __be16;
typedef u32 __be32;
typedef u64 __be64;

#define ARRAY_SIZE(a)		(sizeof(a) / sizeof((a)[0]))

#ifndef __must_check
#define __must_check		__attribute__((__warn_unused_result__))
#endif

#endif
