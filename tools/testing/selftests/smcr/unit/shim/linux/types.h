/* SPDX-License-Identifier: GPL-2.0 */
/* User-space stand-in for the kernel header of the same name. */
#ifndef _SHIM_LINUX_TYPES_H
#define _SHIM_LINUX_TYPES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef uint64_t u64;
typedef int8_t s8;
typedef int16_t s16;
typedef int32_t s32;
typedef int64_t s64;

typedef u16 __be16;
typedef u32 __be32;
typedef u64 __be64;

#define __packed		__attribute__((__packed__))
#define __must_check		__attribute__((__warn_unused_result__))
#define fallthrough		__attribute__((__fallthrough__))

#define ARRAY_SIZE(a)		(sizeof(a) / sizeof((a)[0]))

#endif
