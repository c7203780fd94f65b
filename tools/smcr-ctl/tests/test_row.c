// SPDX-License-Identifier: GPL-2.0
/*
 * The netlink decoder: it reads no byte beyond its input, whatever that is.
 *
 * Usage: test_row [SEED]
 */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <linux/netlink.h>
#include <linux/smcr.h>
#include <rdma/rdma_netlink.h>

#include "../nl.h"
#include "tap.h"

static struct value row[MAX_COLUMNS];

/* Decode a copy of exactly @len bytes: the sanitizer finds a read beyond. */
static int decode(const struct object *obj, const void *data, size_t len)
{
	void *copy = malloc(len ? len : 1);
	int err;

	memcpy(copy, data, len);
	err = nl_row_decode(obj, copy, len, row);
	free(copy);
	return err;
}

static size_t put(uint8_t *buf, size_t at, uint16_t type, const void *data,
		  size_t len)
{
	struct nlattr attr = {
		.nla_len = sizeof(attr) + len, .nla_type = type,
	};

	memset(buf + at, 0, NLA_ALIGN(attr.nla_len));
	memcpy(buf + at, &attr, sizeof(attr));
	memcpy(buf + at + sizeof(attr), data, len);
	return at + NLA_ALIGN(attr.nla_len);
}

static size_t sample(uint8_t *buf)
{
	uint64_t big = 1ULL << 40;
	uint32_t num = 5;
	uint8_t v6[16] = { 0xfd };
	size_t len = 0;

	len = put(buf, len, SMCR_A_CONN_CONN, &num, sizeof(num));
	len = put(buf, len, SMCR_A_CONN_LOCAL, v6, sizeof(v6));
	len = put(buf, len, 200, &num, sizeof(num));
	return put(buf, len, SMCR_A_CONN_TX_BYTES, &big, sizeof(big));
}

static void test_good(const struct object *conn)
{
	uint8_t buf[128];
	size_t len = sample(buf);
	int tx = column_find(conn, "tx-bytes");

	tap(!decode(conn, buf, len) && row[0].num == 5 &&
	    row[tx].num == 1ULL << 40 &&
	    !strcmp(row[column_find(conn, "local")].text, "fd00::"),
	    "row__known_and_unknown_attributes");
	tap(!decode(conn, buf, 0) && !row[0].set, "row__empty");
}

static void test_bad(const struct object *conn)
{
	uint8_t buf[128], bytes[8] = { 0 };
	size_t len = sample(buf), i;
	bool good = true;

	/* The last attribute says that it is longer than what is left of it. */
	for (i = 1; i <= 8; i++)
		good &= decode(conn, buf, len - i) == -22;
	tap(good, "row__truncated");
	buf[0] = 3;
	tap(decode(conn, buf, len) == -22, "row__attribute_too_short");
	len = put(buf, 0, SMCR_A_CONN_CONN, bytes, 3);
	tap(decode(conn, buf, len) == -22, "row__number_of_wrong_size");
	len = put(buf, 0, SMCR_A_CONN_LOCAL, bytes, 5);
	tap(decode(conn, buf, len) == -22, "row__address_of_wrong_size");
}

static bool flags_are(const struct object *device, uint32_t flags,
		      const char *text)
{
	uint8_t buf[16];
	size_t len = put(buf, 0, SMCR_A_DEVICE_GID_TYPES, &flags,
			 sizeof(flags));

	return !decode(device, buf, len) &&
	       !strcmp(row[column_find(device, "gid-types")].text, text);
}

static void test_flags(void)
{
	bool ambiguous;
	const struct object *device = object_find("device", &ambiguous);

	tap(flags_are(device, SMCR_NL_GID_TYPE_V2, "v2") &&
	    flags_are(device, 15, "v2,v2-link-local,v1,v1-link-local") &&
	    flags_are(device, 0, "0") &&
	    flags_are(device, 0x104, "v1,0x100") &&
	    flags_are(device, 0x80000000, "0x80000000"),
	    "row__flags_with_and_without_a_name");
}

static void test_rdma_port(void)
{
	uint8_t buf[32], state = 4;
	size_t len = put(buf, 0, RDMA_NLDEV_ATTR_PORT_STATE, &state, 1);
	int col = column_find(&rdma_port, "state");

	tap(!decode(&rdma_port, buf, len) && !strcmp(row[col].text, "active"),
	    "row__number_of_one_byte");
}

static void test_random(const struct object *conn, unsigned int seed)
{
	uint8_t buf[128];
	size_t len, i;
	int n;

	printf("# seed %u\n", seed);
	srandom(seed);
	for (n = 0; n < 200000; n++) {
		len = sample(buf);
		for (i = random() % 4; i; i--)
			buf[random() % len] = random();
		decode(conn, buf, random() % (len + 1));
	}
	tap(true, "row__random_damage");
}

int main(int argc, char **argv)
{
	bool ambiguous;
	const struct object *conn = object_find("conn", &ambiguous);

	test_good(conn);
	test_bad(conn);
	test_flags();
	test_rdma_port();
	test_random(conn, argc > 1 ? atoi(argv[1]) : time(NULL));
	return tap_end();
}
