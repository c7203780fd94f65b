/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The rows of one object in a report: it lists the first ones, and counts all
 * of them by state.
 */
#ifndef SMCR_CTL_ROWS_H
#define SMCR_CTL_ROWS_H

#include <stdbool.h>
#include <stdio.h>

#include "anon.h"
#include "schema.h"

#define ROWS_LISTED	50
#define ROWS_STATES	16

/**
 * struct rows - rows of one object
 * @out: output
 * @anon: pseudonyms, or NULL to print addresses
 * @total: number of rows so far, without counters that are zero
 * @states: number of rows in each state
 * @identified: a row had a GID, a MAC address or a peer ID, or is of an object
 *	that has none
 */
struct rows {
	FILE *out;
	struct anon *anon;
	unsigned long total;
	unsigned long states[ROWS_STATES];
	bool identified;
};

int rows_add(const struct object *obj, const struct value *row, void *arg);
void rows_end(const struct rows *rows, const struct object *obj);

#endif
