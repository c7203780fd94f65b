// SPDX-License-Identifier: GPL-2.0
/*
 * rows_add() prints each row at once, so that the report has the rows of a dump
 * that fails later. The sums therefore follow the rows.
 */
#include <string.h>

#include "print.h"
#include "rows.h"

/* The kernel sends these attributes to a caller with CAP_NET_ADMIN only. A
 * destination in the negative list has none, so the list proves nothing.
 */
static bool has_identity(const struct object *obj, const struct value *row)
{
	enum column_type type;
	bool wanted = false;
	int i;

	if (!strcmp(obj->name, "negative"))
		return true;
	for (i = 0; obj->columns[i].key; i++) {
		type = obj->columns[i].type;
		if (type != COL_GID && type != COL_MAC && type != COL_HEX)
			continue;
		if (row[i].set)
			return true;
		wanted = true;
	}
	return !wanted;
}

static void count_state(struct rows *rows, const struct object *obj,
			const struct value *row)
{
	int col = column_find(obj, "state");

	if (col >= 0 && row[col].set && row[col].num < ROWS_STATES)
		rows->states[row[col].num]++;
}

static void list_row(struct rows *rows, const struct object *obj,
		     const struct value *row)
{
	struct printer p = { .out = rows->out, .hidden = COL_NO_REPORT };
	struct value copy[MAX_COLUMNS];

	if (rows->anon) {
		memcpy(copy, row, sizeof(copy));
		anon_row(rows->anon, obj, copy);
		row = copy;
	}
	print_row(&p, obj, row);
}

/**
 * rows_add() - add one row to a report
 * @obj: object that the row belongs to
 * @row: MAX_COLUMNS values
 * @arg: struct rows
 *
 * The report lists all counters that are not zero, and the first ROWS_LISTED
 * rows of other objects. This function is an nl_row_fn.
 *
 * Return: 0.
 */
int rows_add(const struct object *obj, const struct value *row, void *arg)
{
	struct rows *rows = arg;

	if (obj->counters && !row[1].num)
		return 0;
	rows->identified |= has_identity(obj, row);
	count_state(rows, obj, row);
	if (obj->counters || rows->total < ROWS_LISTED)
		list_row(rows, obj, row);
	rows->total++;
	return 0;
}

static void print_states(const struct rows *rows, const struct object *obj)
{
	int col = column_find(obj, "state"), i;
	const char *sep = ": ";

	for (i = 0; col >= 0 && i < ROWS_STATES &&
	     obj->columns[col].names[i]; i++) {
		if (!rows->states[i])
			continue;
		fprintf(rows->out, "%s%lu %s", sep, rows->states[i],
			obj->columns[col].names[i]);
		sep = ", ";
	}
}

/**
 * rows_end() - print the sums after the last row
 * @rows: rows
 * @obj: object that they belong to
 */
void rows_end(const struct rows *rows, const struct object *obj)
{
	fprintf(rows->out, "(%lu", rows->total);
	print_states(rows, obj);
	if (rows->total > ROWS_LISTED && !obj->counters)
		fprintf(rows->out, "; only the first %d are listed",
			ROWS_LISTED);
	fputs(")\n", rows->out);
	if (rows->total && !rows->identified)
		fputs("(GIDs, MACs and peer IDs need CAP_NET_ADMIN)\n",
		      rows->out);
}
