/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Positions in the receive rings of a connection's two elements.
 *
 * The module keeps a position as a 64-bit count of payload bytes since the
 * start of the connection. Only this file and cdc_msg.c deal with the wire's
 * pair of wrap count and cursor (RFC 7609, A.4).
 *
 *	element   |eye |<------------- len ------------------>|
 *	offset    0    origin          ^                      origin + len
 *	                               origin + pos % len
 */
#ifndef _SMCR_CURSOR_H
#define _SMCR_CURSOR_H

#include <linux/errno.h>
#include <linux/math64.h>
#include <linux/types.h>

#include "wire.h"

/**
 * struct smcr_ring - the part of an RMB element that carries payload
 * @len: bytes of payload that it holds
 * @origin: offset of its first byte in the element: 4 (RFC dialect) or 0
 *	(Linux dialect)
 */
struct smcr_ring {
	u32 len;
	u32 origin;
};

/**
 * struct smcr_cursor - a position in wire form, in host byte order
 * @off: offset in the element, origin <= @off < origin + len
 * @wrap: number of times the ring has wrapped, modulo 2^16
 */
struct smcr_cursor {
	u32 off;
	u16 wrap;
};

/**
 * smcr_cursor_ring() - get the geometry of an element
 * @size: bytes of the element, eye catcher included
 * @dialect: dialect of the link group
 *
 * Return: the ring in the element.
 */
static inline struct smcr_ring smcr_cursor_ring(u32 size,
						enum smcr_dialect dialect)
{
	u32 origin = smcr_dialect_origin(dialect);

	return (struct smcr_ring){ .len = size - origin, .origin = origin };
}

/**
 * smcr_cursor_offset() - convert a position to an offset in the element
 * @ring: geometry
 * @pos: position of the byte
 *
 * Return: offset from the start of the element.
 */
static inline u32 smcr_cursor_offset(const struct smcr_ring *ring, u64 pos)
{
	u32 rem;

	div_u64_rem(pos, ring->len, &rem);
	return ring->origin + rem;
}

/**
 * smcr_cursor_contig() - count the bytes from a position to the element's end
 * @ring: geometry
 * @pos: position of the first byte
 *
 * Return: bytes, at least 1.
 */
static inline u32 smcr_cursor_contig(const struct smcr_ring *ring, u64 pos)
{
	return ring->origin + ring->len - smcr_cursor_offset(ring, pos);
}

/**
 * smcr_cursor_from_pos() - convert a position to its wire form
 * @ring: geometry
 * @pos: the position
 *
 * Return: wrap count and offset for a CDC message.
 */
static inline struct smcr_cursor
smcr_cursor_from_pos(const struct smcr_ring *ring, u64 pos)
{
	struct smcr_cursor cur;
	u32 rem;

	cur.wrap = (u16)div_u64_rem(pos, ring->len, &rem);
	cur.off = ring->origin + rem;
	return cur;
}

/**
 * smcr_cursor_to_pos() - convert a received cursor to a position
 * @ring: geometry
 * @cur: cursor from the wire, not trusted
 * @old: position of the last accepted cursor of the same kind
 * @pos: result, untouched on error
 *
 * One message moves a cursor by at most the length of the ring, so it raises
 * the wrap count by at most one.
 *
 * Return: 0, or -ERANGE if @cur lies outside the ring, behind @old, or more
 * than a ring ahead of it.
 */
static inline int smcr_cursor_to_pos(const struct smcr_ring *ring,
				     struct smcr_cursor cur, u64 old, u64 *pos)
{
	u32 rem, off;
	u64 turns, new;
	u16 wraps;

	if (cur.off < ring->origin || cur.off - ring->origin >= ring->len)
		return -ERANGE;
	off = cur.off - ring->origin;
	turns = div_u64_rem(old, ring->len, &rem);
	wraps = (u16)(cur.wrap - (u16)turns);
	if (wraps > 1)
		return -ERANGE;
	new = old - rem + (u64)wraps * ring->len + off;
	if (new < old || new - old > ring->len)
		return -ERANGE;
	*pos = new;
	return 0;
}

/**
 * smcr_cursor_window() - count the bytes that may still be written to a ring
 * @ring: geometry
 * @prod: position up to which the ring was written
 * @cons: position up to which it was read, @prod - len <= @cons <= @prod
 *
 * Return: bytes, 0 when the ring is full.
 */
static inline u32 smcr_cursor_window(const struct smcr_ring *ring,
				     u64 prod, u64 cons)
{
	return ring->len - (u32)(prod - cons);
}

/**
 * smcr_seq_diff() - compare two CDC sequence numbers (A.4)
 * @a: one number
 * @b: the other
 *
 * Return: @a - @b in 16-bit serial number arithmetic: > 0 if @a is newer.
 */
static inline s16 smcr_seq_diff(u16 a, u16 b)
{
	return (s16)(u16)(a - b);
}

#endif /* _SMCR_CURSOR_H */
