// SPDX-License-Identifier: GPL-2.0
/* SHA-256 (FIPS 180-4), so that the tests do not need a library. */
#include "util.h"

#include <math.h>
#include <pthread.h>
#include <string.h>

static __u32 round_consts[64];
static __u32 first_state[8];
static pthread_once_t once = PTHREAD_ONCE_INIT;

/* The first 32 bits of the fractional part of @root. */
static __u32 fraction(long double root)
{
	return (__u32)((root - floorl(root)) * 4294967296.0L);
}

/* FIPS 180-4, 4.2.2 and 5.3.3: derive the constants from roots of primes. */
static void derive_consts(void)
{
	unsigned int prime = 2;
	unsigned int found = 0;
	unsigned int d;

	for (; found < 64; prime++) {
		for (d = 2; d * d <= prime && prime % d; d++)
			;
		if (d * d <= prime)
			continue;
		if (found < 8)
			first_state[found] = fraction(sqrtl(prime));
		round_consts[found++] = fraction(cbrtl(prime));
	}
}

static __u32 ror(__u32 x, int n)
{
	return x >> n | x << (32 - n);
}

static void expand(__u32 w[64], const __u8 *block)
{
	int i;

	for (i = 0; i < 16; i++)
		w[i] = (__u32)block[4 * i] << 24 | block[4 * i + 1] << 16 |
		       block[4 * i + 2] << 8 | block[4 * i + 3];
	for (; i < 64; i++) {
		__u32 a = w[i - 15];
		__u32 b = w[i - 2];

		w[i] = w[i - 16] + w[i - 7] +
		       (ror(a, 7) ^ ror(a, 18) ^ a >> 3) +
		       (ror(b, 17) ^ ror(b, 19) ^ b >> 10);
	}
}

static void compress(__u32 *state, const __u8 *block)
{
	__u32 w[64];
	__u32 v[8];
	int i;

	expand(w, block);
	memcpy(v, state, sizeof(v));
	for (i = 0; i < 64; i++) {
		__u32 e = v[4];
		__u32 a = v[0];
		__u32 t1 = v[7] + (ror(e, 6) ^ ror(e, 11) ^ ror(e, 25)) +
			      ((e & v[5]) ^ (~e & v[6])) + round_consts[i] +
			      w[i];
		__u32 t2 = (ror(a, 2) ^ ror(a, 13) ^ ror(a, 22)) +
			      ((a & v[1]) ^ (a & v[2]) ^ (v[1] & v[2]));

		memmove(v + 1, v, 7 * sizeof(v[0]));
		v[4] += t1;
		v[0] = t1 + t2;
	}
	for (i = 0; i < 8; i++)
		state[i] += v[i];
}

/**
 * sha256_init() - begin a digest
 * @ctx: the digest
 */
void sha256_init(struct sha256 *ctx)
{
	pthread_once(&once, derive_consts);
	memcpy(ctx->state, first_state, sizeof(first_state));
	ctx->len = 0;
}

/**
 * sha256_update() - add bytes to a digest
 * @ctx: the digest
 * @data: the bytes
 * @len: their number
 */
void sha256_update(struct sha256 *ctx, const void *data, size_t len)
{
	const __u8 *p = data;

	while (len) {
		size_t at = ctx->len % 64;
		size_t n = 64 - at < len ? 64 - at : len;

		if (n == 64) {
			compress(ctx->state, p);
		} else {
			memcpy(ctx->buf + at, p, n);
			if (at + n == 64)
				compress(ctx->state, ctx->buf);
		}
		ctx->len += n;
		p += n;
		len -= n;
	}
}

/**
 * sha256_final() - complete a digest
 * @ctx: the digest; must not be used afterwards
 * @digest: result
 */
void sha256_final(struct sha256 *ctx, __u8 digest[SHA256_LEN])
{
	static const __u8 pad[64] = { 0x80 };
	__u64 bits = ctx->len * 8;
	__u8 be[8];
	int i;

	for (i = 0; i < 8; i++)
		be[i] = bits >> (56 - 8 * i);
	sha256_update(ctx, pad, 1 + (119 - ctx->len % 64) % 64);
	sha256_update(ctx, be, sizeof(be));
	for (i = 0; i < SHA256_LEN; i++)
		digest[i] = ctx->state[i / 4] >> (24 - 8 * (i % 4));
}
