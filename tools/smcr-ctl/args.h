/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The command line.
 */
#ifndef SMCR_CTL_ARGS_H
#define SMCR_CTL_ARGS_H

#include <stdbool.h>
#include <stddef.h>

#include "schema.h"

#define MAX_FILTERS	MAX_COLUMNS
#define ARGS_ERROR_LEN	512

/* What is to be done. */
enum action {
	ACT_OVERVIEW,
	ACT_SHOW,
	ACT_REPORT,
	ACT_HELP,
	ACT_VERSION,
};

/**
 * struct option - a word that begins with a dash
 * @name: behind two dashes
 * @letter: behind one dash
 * @help: a line for the help text
 * @flag: offset of the bool in struct args that it sets
 * @action: what it asks for instead, or ACT_OVERVIEW if it sets @flag
 */
struct option {
	const char *name;
	char letter;
	const char *help;
	size_t flag;
	enum action action;
};

/**
 * struct filter - show only rows whose column looks like this
 * @column: index of the column
 * @value: from the command line
 */
struct filter {
	unsigned int column;
	const char *value;
};

/**
 * struct args - a command line that was understood
 * @action: what to do
 * @object: what to show, or to help with; NULL: everything
 * @json: JSON instead of text
 * @pretty: JSON for people
 * @details: columns of lesser interest too
 * @anonymous: pseudonyms instead of addresses in a report
 * @filters: all must match
 * @n_filters: entries of @filters
 */
struct args {
	enum action action;
	const struct object *object;
	bool json;
	bool pretty;
	bool details;
	bool anonymous;
	struct filter filters[MAX_FILTERS];
	unsigned int n_filters;
};

extern const struct option options[];
extern const size_t n_options;

int args_parse(int argc, char *const *argv, struct args *out, char *error,
	       size_t error_len);

#endif
