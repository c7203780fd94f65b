/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Asking the kernel, and reading what it answers.
 */
#ifndef SMCR_CTL_NL_H
#define SMCR_CTL_NL_H

#include <stddef.h>
#include <stdint.h>

#include "schema.h"

#define NL_ERROR_LEN	512

struct mnl_socket;

/**
 * struct nl - connection to the smcr family
 * @sk: netlink socket
 * @family: number of the family
 * @seq: of the last request
 * @error: what went wrong, for people
 */
struct nl {
	struct mnl_socket *sk;
	uint16_t family;
	uint32_t seq;
	char error[NL_ERROR_LEN];
};

/* Called with each row; a value other than 0 ends the dump. */
typedef int (*nl_row_fn)(const struct object *obj, const struct value *row,
			 void *arg);

int nl_open(struct nl *nl);
void nl_close(struct nl *nl);
int nl_dump(struct nl *nl, const struct object *obj, uint32_t group,
	    nl_row_fn fn, void *arg);
int nl_row_decode(const struct object *obj, const void *attrs, size_t len,
		  struct value *row);

#endif
