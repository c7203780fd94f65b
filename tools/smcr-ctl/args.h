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

/* What a command line asks for */
enum action {
	ACT_OVERVIEW,
	ACT_SHOW,
	ACT_COMMAND,
	ACT_MONITOR,
	ACT_REPORT,
	ACT_HELP,
	ACT_VERSION,
};

/**
 * struct option - an option of the command line
 * @name: long form, without the two dashes
 * @letter: short form, without the dash
 * @help: line of the help text
 * @flag: offset in struct args of the bool that the option sets
 * @action: action that the option asks for; ACT_OVERVIEW if it sets @flag
 */
struct option {
	const char *name;
	char letter;
	const char *help;
	size_t flag;
	enum action action;
};

/**
 * struct filter - condition that a row must meet to be shown
 * @column: index of the column
 * @value: value that the column must have, from the command line
 */
struct filter {
	unsigned int column;
	const char *value;
};

/**
 * struct args - a parsed command line
 * @action: what to do
 * @object: object to show or to explain; NULL means all objects
 * @command: what to do to @object, for ACT_COMMAND
 * @kinds: bits of the kinds of notifications to print, by index of
 *	monitor_names
 * @json: print JSON instead of text
 * @pretty: break and indent JSON
 * @details: print the columns of COL_DETAIL and counters that are zero
 * @anonymous: print pseudonyms instead of addresses in a report
 * @filters: conditions that a row must meet, all of them; or the arguments of
 *	@command
 * @n_filters: entries of @filters
 */
struct args {
	enum action action;
	const struct object *object;
	const struct command *command;
	unsigned int kinds;
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
