/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Pseudonyms for IP addresses, GIDs, MAC addresses and peer IDs. An address has
 * the same pseudonym throughout one output. Pseudonyms are numbers in order of
 * appearance and not hashes, since a reader could hash all IPv4 addresses and
 * compare.
 */
#ifndef SMCR_CTL_ANON_H
#define SMCR_CTL_ANON_H

#include <stddef.h>
#include <stdio.h>

#include "schema.h"

/**
 * struct known - an address that has a pseudonym
 * @kind: first word of the pseudonym
 * @text: the address
 * @num: second word of the pseudonym
 */
struct known {
	const char *kind;
	char text[VALUE_LEN];
	unsigned int num;
};

/**
 * struct anon - the pseudonyms of one output
 * @list: addresses that appeared so far
 * @n: entries of @list
 */
struct anon {
	struct known *list;
	size_t n;
};

void anon_row(struct anon *anon, const struct object *obj, struct value *row);
void anon_text(struct anon *anon, FILE *out, const char *text);
void anon_free(struct anon *anon);

#endif
