/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Shared by the fuzz targets: the input as a stream of choices, and claims that
 * print a line and abort if they do not hold.
 */
#ifndef _SMCR_FUZZ_H
#define _SMCR_FUZZ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/**
 * struct fuzz - input not yet used
 * @pos: next byte
 * @left: number of bytes left
 *
 * Bytes that are taken beyond the end are zero.
 */
struct fuzz {
	const uint8_t *pos;
	size_t left;
};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
/* main() of smcr-ctl, renamed by Makefile */
int smcr_ctl_main(int argc, char **argv);

/* Without stdio, since a target may have replaced it */
static inline void fuzz_broken(const char *file, int line, const char *what)
{
	dprintf(STDERR_FILENO, "%s:%d: does not hold: %s\n", file, line, what);
	abort();
}

#define HOLDS(cond)							\
	do {								\
		if (!(cond))						\
			fuzz_broken(__FILE__, __LINE__, #cond);		\
	} while (0)

static inline void take(struct fuzz *in, void *out, size_t len)
{
	size_t n = len < in->left ? len : in->left;

	memset(out, 0, len);
	if (!n)
		return;
	memcpy(out, in->pos, n);
	in->pos += n;
	in->left -= n;
}

static inline uint8_t take8(struct fuzz *in)
{
	uint8_t val;

	take(in, &val, sizeof(val));
	return val;
}

static inline uint16_t take16(struct fuzz *in)
{
	uint16_t val;

	take(in, &val, sizeof(val));
	return val;
}

static inline uint32_t take32(struct fuzz *in)
{
	uint32_t val;

	take(in, &val, sizeof(val));
	return val;
}

static inline uint64_t take64(struct fuzz *in)
{
	uint64_t val;

	take(in, &val, sizeof(val));
	return val;
}

/* A number from 0 to n-1 */
static inline uint32_t take_below(struct fuzz *in, uint32_t n)
{
	return (n > 256 ? take16(in) : take8(in)) % n;
}

static inline bool take_bool(struct fuzz *in)
{
	return take8(in) & 1;
}

/* A copy in an allocation of its own size, so that the sanitizer sees a read
 * beyond it
 */
static inline uint8_t *exact(const void *data, size_t len)
{
	uint8_t *copy = malloc(len ? len : 1);

	if (!copy)
		abort();
	if (len)
		memcpy(copy, data, len);
	return copy;
}

#endif
