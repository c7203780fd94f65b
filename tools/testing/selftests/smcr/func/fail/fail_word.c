// SPDX-License-Identifier: GPL-2.0
/*
 * Each 8-byte word of a stream names its connection, direction and position. The
 * last word has a bit of its own, so that the reader knows where the end of file
 * is right, without a length that both ends agree on.
 */
#include "fail.h"

#include <string.h>

#define INDEX_MASK	((1ULL << 46) - 1)

static __u64 word(const struct fail_dir *dir, __u64 index, bool end)
{
	return (__u64)(dir->conn & 0xFFFF) << 48 | (__u64)dir->down << 47 |
	       (__u64)end << 46 | (index & INDEX_MASK);
}

static __u8 byte(const struct fail_dir *dir, __u64 off, bool end)
{
	return word(dir, off >> 3, end) >> (8 * (off & 7));
}

/**
 * fail_fill() - produce the next bytes of a direction
 * @dir: the direction; does not advance
 * @buf: buffer for them
 * @len: their number
 */
void fail_fill(const struct fail_dir *dir, __u8 *buf, size_t len)
{
	__u64 off = dir->off;

	for (; len; len--)
		*buf++ = byte(dir, off++, false);
}

/**
 * fail_end_fill() - produce the last bytes of a direction
 * @dir: the direction; does not advance
 * @buf: buffer of 16 bytes
 *
 * Return: their number: the rest of the present word, and the last word.
 */
size_t fail_end_fill(const struct fail_dir *dir, __u8 *buf)
{
	size_t rest = -dir->off & 7;
	__u64 off = dir->off + rest;
	size_t i;

	fail_fill(dir, buf, rest);
	for (i = 0; i < 8; i++)
		buf[rest + i] = byte(dir, off + i, true);
	return rest + 8;
}

static bool complete(struct fail_dir *dir, const __u8 *part)
{
	__u64 index = (dir->off >> 3) - 1;
	__u64 got = 0;
	int i;

	for (i = 7; i >= 0; i--)
		got = got << 8 | part[i];
	if (got == word(dir, index, true))
		dir->end = true;
	return dir->end || got == word(dir, index, false);
}

/**
 * fail_word_check() - compare received bytes and advance
 * @dir: the direction
 * @buf: the bytes
 * @len: their number
 * @part: the bytes of the present word, 8 of them, from call to call
 *
 * A word is compared when it is complete; fail_part_check() compares the bytes
 * of an incomplete one.
 *
 * Return: true if they are the next ones. If not, @dir->off is behind the first
 * word that is wrong, or, with @dir->end, at the byte after the last.
 */
bool fail_word_check(struct fail_dir *dir, const __u8 *buf, size_t len,
		     __u8 *part)
{
	for (; len; len--) {
		if (dir->end)
			return false;
		part[dir->off & 7] = *buf++;
		dir->off++;
		if (!(dir->off & 7) && !complete(dir, part))
			return false;
	}
	return true;
}

/**
 * fail_part_check() - compare the bytes of an incomplete word
 * @dir: the direction
 * @part: the bytes
 *
 * Return: true if they begin the next word or the last one.
 */
bool fail_part_check(const struct fail_dir *dir, const __u8 *part)
{
	__u64 from = dir->off & ~7ULL;
	bool next = true;
	bool last = true;
	__u64 off;

	for (off = from; off < dir->off; off++) {
		next &= part[off & 7] == byte(dir, off, false);
		last &= part[off & 7] == byte(dir, off, true);
	}
	return next || last;
}
