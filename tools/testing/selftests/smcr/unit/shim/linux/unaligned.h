/* SPDX-License-Identifier: GPL-2.0 */
/* User-space stand-in for the kernel header of the same name. */
#ifndef _SHIM_LINUX_UNALIGNED_H
#define _SHIM_LINUX_UNALIGNED_H

#include <endian.h>
#include <linux/types.h>

#define cpu_to_be16(x)		htobe16(x)
#define cpu_to_be32(x)		htobe32(x)
#define cpu_to_be64(x)		htobe64(x)
#define be16_to_cpu(x)		be16toh(x)
#define be32_to_cpu(x)		be32toh(x)
#define be64_to_cpu(x)		be64toh(x)

static inline u32 get_unaligned_be24(const void *p)
{
	const u8 *b = p;

	return (u32)b[0] << 16 | (u32)b[1] << 8 | b[2];
}

static inline u32 get_unaligned_be32(const void *p)
{
	const u8 *b = p;

	return (u32)b[0] << 24 | get_unaligned_be24(b + 1);
}

static inline void put_unaligned_be24(u32 val, void *p)
{
	u8 *b = p;

	b[0] = (u8)(val >> 16);
	b[1] = (u8)(val >> 8);
	b[2] = (u8)val;
}

static inline void put_unaligned_be32(u32 val, void *p)
{
	u8 *b = p;

	b[0] = (u8)(val >> 24);
	put_unaligned_be24(val, b + 1);
}

#endif
