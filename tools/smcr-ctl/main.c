// SPDX-License-Identifier: GPL-2.0
/*
 * smcr-ctl: show what SMC-R sockets do on this host.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "args.h"
#include "monitor.h"
#include "nl.h"
#include "print.h"
#include "report.h"

#define EXIT_USAGE	2

/**
 * struct show - a dump that is being printed
 * @args: command line
 * @p: printer
 * @rows: number of rows printed so far
 */
struct show {
	const struct args *args;
	struct printer *p;
	unsigned int rows;
};

static void help_general(void)
{
	size_t i;

	printf("Usage: smcr-ctl [OPTIONS] [ OBJECT [ show [FILTER...] ] ]\n"
	       "       smcr-ctl OBJECT COMMAND ARGUMENT...\n"
	       "       smcr-ctl monitor [OBJECT...]\n"
	       "       smcr-ctl report [--anonymous]\n"
	       "       smcr-ctl [ OBJECT ] help\n\n"
	       "Show what SMC-R sockets do on this host. Without an object, show all objects.\n"
	       "\"monitor\" prints changes as they happen; its OBJECTs are device, linkgroup,\nlink and fallback.\n"
	       "\"report\" prints one text to send along with a bug report.\n\n"
	       "OBJECT (a unique prefix is enough):\n");
	for (i = 0; i < n_objects; i++)
		printf("  %-10s %s\n", objects[i].name, objects[i].help);
	printf("\nOBJECT COMMAND ARGUMENT...:\n");
	for (i = 0; i < n_commands; i++)
		printf("  %s %s %s\n      %s\n", commands[i].object,
		       commands[i].name, commands[i].usage, commands[i].help);
	printf("\nOPTIONS:\n");
	for (i = 0; i < n_options; i++)
		printf("  -%c, --%-9s %s\n", options[i].letter,
		       options[i].name, options[i].help);
	printf("\nA FILTER is a column and its value, as in the output.\n");
}

static void help_object(const struct object *obj)
{
	const struct column *col;
	size_t c;
	int i;

	printf("Usage: smcr-ctl %s show [%s] [COLUMN VALUE]...\n", obj->name,
	       obj->columns[obj->primary].key);
	for (c = 0; c < n_commands; c++)
		if (!strcmp(commands[c].object, obj->name))
			printf("       smcr-ctl %s %s %s\n", obj->name,
			       commands[c].name, commands[c].usage);
	printf("\nShow %s.\n\nCOLUMN:\n", obj->help);
	for (i = 0; obj->columns[i].key; i++) {
		col = &obj->columns[i];
		printf("  %s%s\n", col->key,
		       col->flags & COL_DETAIL ? "  (printed with -d)" : "");
	}
}

static bool row_passes(const struct args *args, const struct object *obj,
		       const struct value *row)
{
	unsigned int i;

	for (i = 0; i < args->n_filters; i++)
		if (!value_matches(obj, row, args->filters[i].column,
				   args->filters[i].value))
			return false;
	return true;
}

/* Text has a counter that is zero only with -d, or if there is a filter. */
static bool row_counts(const struct show *show, const struct object *obj,
		       const struct value *row)
{
	return !obj->counters || show->p->json || row[1].num ||
	       show->args->details || show->args->n_filters;
}

static int show_row(const struct object *obj, const struct value *row,
		    void *arg)
{
	struct show *show = arg;

	if (!row_passes(show->args, obj, row) || !row_counts(show, obj, row))
		return 0;
	show->rows++;
	print_row(show->p, obj, row);
	return 0;
}

/* Find the link group that a filter names, or 0. The kernel then dumps that
 * group only, and refuses the request if there is no such group.
 */
static int asked_group(const struct args *args, uint32_t *group)
{
	unsigned long long num;
	unsigned int i;

	*group = 0;
	for (i = 0; i < args->n_filters; i++) {
		if (strcmp(args->object->columns[args->filters[i].column].key,
			   "linkgroup"))
			continue;
		errno = 0;
		num = strtoull(args->filters[i].value, NULL, 10);
		if (errno || !num || num > UINT32_MAX) {
			fprintf(stderr,
				"smcr-ctl: \"%s\" is not the number of a link group\n",
				args->filters[i].value);
			return -1;
		}
		*group = num;
	}
	return 0;
}

static int show_object(struct nl *nl, struct show *show,
		       const struct object *obj, uint32_t group,
		       const char *key)
{
	int err;

	print_array_open(show->p, key);
	err = nl_dump(nl, obj, group ? &group : NULL, show_row, show);
	print_array_close(show->p);
	return err;
}

static int overview(struct nl *nl, struct show *show)
{
	size_t i;
	int err = 0;

	print_array_open(show->p, NULL);
	if (show->p->json)
		print_object_open(show->p);
	for (i = 0; i < n_objects && !err; i++) {
		print_heading(show->p, objects[i].title);
		show->p->indent = 2;
		show->rows = 0;
		err = show_object(nl, show, &objects[i], 0, objects[i].name);
		if (!err && !show->rows)
			print_heading(show->p, "  none");
	}
	if (show->p->json)
		print_object_close(show->p);
	print_array_close(show->p);
	return err;
}

static int show_all(const struct args *args, struct nl *nl)
{
	struct printer p = {
		.out = stdout, .json = args->json, .pretty = args->pretty,
		.hidden = args->details ? 0 : COL_DETAIL,
	};
	struct show show = { .args = args, .p = &p };
	uint32_t group;

	if (!args->object)
		return overview(nl, &show);
	if (asked_group(args, &group))
		return -EINVAL;
	return show_object(nl, &show, args->object, group, NULL);
}

static int run_command(const struct args *args, struct nl *nl)
{
	struct nl_arg attrs[MAX_FILTERS];
	unsigned int i;

	for (i = 0; i < args->n_filters; i++) {
		attrs[i].col = &args->object->columns[args->filters[i].column];
		attrs[i].text = args->filters[i].value;
	}
	return nl_do(nl, args->command->cmd, attrs, args->n_filters);
}

static int exit_status(int err)
{
	if (fflush(stdout) || ferror(stdout)) {
		fprintf(stderr, "smcr-ctl: cannot write the output: %s\n",
			strerror(errno));
		return EXIT_FAILURE;
	}
	return err ? EXIT_FAILURE : EXIT_SUCCESS;
}

static int ask_kernel(const struct args *args)
{
	struct nl nl;
	int err;

	err = nl_open(&nl);
	if (!err && args->action == ACT_COMMAND)
		err = run_command(args, &nl);
	else if (!err && args->action == ACT_MONITOR)
		err = monitor(args, &nl);
	else if (!err)
		err = show_all(args, &nl);
	if (err && nl.error[0]) {
		fputs("smcr-ctl: ", stderr);
		print_plain(stderr, nl.error);
		fputc('\n', stderr);
	}
	nl_close(&nl);
	return exit_status(err);
}

int main(int argc, char **argv)
{
	char error[ARGS_ERROR_LEN];
	struct args args;

	if (args_parse(argc, argv, &args, error, sizeof(error))) {
		fprintf(stderr, "smcr-ctl: %s\n", error);
		return EXIT_USAGE;
	}
	switch (args.action) {
	case ACT_VERSION:
		printf("smcr-ctl %s\n", VERSION);
		return EXIT_SUCCESS;
	case ACT_HELP:
		if (args.object)
			help_object(args.object);
		else
			help_general();
		return EXIT_SUCCESS;
	case ACT_REPORT:
		return exit_status(report_print(stdout, args.anonymous));
	case ACT_OVERVIEW:
	case ACT_SHOW:
	case ACT_COMMAND:
	case ACT_MONITOR:
		break;
	}
	return ask_kernel(&args);
}
