// SPDX-License-Identifier: GPL-2.0
/*
 * smcr-ctl [OPTIONS] [ OBJECT [ show [FILTER...] | help ] ]
 * smcr-ctl [OPTIONS] OBJECT COMMAND ARGUMENT...
 * smcr-ctl [OPTIONS] monitor [OBJECT...]
 * smcr-ctl [OPTIONS] report [OPTIONS]
 *
 * The parser neither prints nor allocates.
 */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "args.h"

/**
 * struct parser - state of the parser
 * @argv: words that are not parsed yet
 * @n: number of words in @argv
 * @out: result
 * @error: why the command line is refused, with the word in quotes
 * @error_len: size of @error
 */
struct parser {
	char *const *argv;
	int n;
	struct args *out;
	char *error;
	size_t error_len;
};

const struct option options[] = {
	{ "json", 'j', "print JSON", offsetof(struct args, json),
	  ACT_OVERVIEW },
	{ "pretty", 'p', "break and indent JSON",
	  offsetof(struct args, pretty), ACT_OVERVIEW },
	{ "details", 'd', "print all columns, and counters that are zero",
	  offsetof(struct args, details), ACT_OVERVIEW },
	{ "anonymous", 'a', "report: replace addresses by pseudonyms",
	  offsetof(struct args, anonymous), ACT_OVERVIEW },
	{ "version", 'V', "print the version", 0, ACT_VERSION },
	{ "help", 'h', "print this text", 0, ACT_HELP },
};

const size_t n_options = ARRAY_SIZE(options);

/* Store the error and return -1. This is a macro so that the compiler checks
 * the format.
 */
#define fail(p, ...) \
	(snprintf((p)->error, (p)->error_len, __VA_ARGS__), -1)

static const char *next(struct parser *p)
{
	if (!p->n)
		return NULL;
	p->n--;
	return *p->argv++;
}

static const struct option *long_option(const char *name)
{
	size_t i;

	for (i = 0; i < n_options; i++)
		if (!strcmp(options[i].name, name))
			return &options[i];
	return NULL;
}

static const struct option *short_option(char letter)
{
	size_t i;

	for (i = 0; i < n_options; i++)
		if (options[i].letter == letter)
			return &options[i];
	return NULL;
}

static void set_option(struct args *out, const struct option *opt)
{
	if (opt->action != ACT_OVERVIEW)
		out->action = opt->action;
	else
		*(bool *)((char *)out + opt->flag) = true;
}

static int unknown_option(struct parser *p, const char *word)
{
	return fail(p, "option \"%s\" is unknown, try smcr-ctl help", word);
}

static int parse_letters(struct parser *p, const char *letters)
{
	const struct option *opt;
	char word[] = "-?";

	for (; *letters; letters++) {
		opt = short_option(*letters);
		if (!opt) {
			if (isprint((unsigned char)*letters))
				word[1] = *letters;
			return unknown_option(p, word);
		}
		set_option(p->out, opt);
	}
	return 0;
}

static int parse_options(struct parser *p)
{
	const struct option *opt;
	const char *word;

	while (p->n && p->argv[0][0] == '-' && p->argv[0][1]) {
		word = next(p);
		if (word[1] != '-') {
			if (parse_letters(p, word + 1))
				return -1;
			continue;
		}
		opt = long_option(word + 2);
		if (!opt)
			return unknown_option(p, word);
		set_option(p->out, opt);
	}
	return 0;
}

static bool is_number(const char *word)
{
	return *word && strspn(word, "0123456789") == strlen(word);
}

static int check_enum(struct parser *p, const struct column *col,
		      const char *word)
{
	char list[ARGS_ERROR_LEN / 2] = "";
	size_t len = 0;
	int i;

	for (i = 0; col->names[i]; i++) {
		if (!strcmp(col->names[i], word))
			return 0;
		len += snprintf(list + len, sizeof(list) - len, "%s%s",
				i ? ", " : "", col->names[i]);
		if (len >= sizeof(list))
			break;
	}
	return fail(p, "\"%s\" is not a %s; use one of: %s", word, col->key,
		    list);
}

static int add_filter(struct parser *p, unsigned int column, const char *word)
{
	const struct column *col = &p->out->object->columns[column];

	if (p->out->n_filters == MAX_FILTERS)
		return fail(p, "there is no room for the filter \"%s\"", word);
	if (column_is_number(col) && !is_number(word))
		return fail(p, "\"%s\" is not a number; %s needs one", word,
			    col->key);
	if (col->type == COL_ENUM && check_enum(p, col, word))
		return -1;
	p->out->filters[p->out->n_filters].column = column;
	p->out->filters[p->out->n_filters].value = word;
	p->out->n_filters++;
	return 0;
}

static int unknown_word(struct parser *p, const char *word)
{
	const char *name = p->out->object->name;

	return fail(p, "\"%s\" is unknown, try smcr-ctl %s help", word, name);
}

/* [PRIMARY] [KEY VALUE]... */
static int filters(struct parser *p)
{
	const struct object *obj = p->out->object;
	const struct column *primary = &obj->columns[obj->primary];
	const char *word, *val;
	bool first = true;
	int col;

	for (; (word = next(p)); first = false) {
		col = column_find(obj, word);
		if (col < 0) {
			if (!first || (column_is_number(primary) &&
				       !is_number(word)))
				return unknown_word(p, word);
			if (add_filter(p, obj->primary, word))
				return -1;
			continue;
		}
		val = next(p);
		if (!val)
			return fail(p, "\"%s\" needs a value", word);
		if (add_filter(p, col, val))
			return -1;
	}
	return 0;
}

static int parse_object(struct parser *p, const char *word)
{
	bool ambiguous;

	p->out->object = object_find(word, &ambiguous);
	if (ambiguous)
		return fail(p, "object \"%s\" is ambiguous, try smcr-ctl help",
			    word);
	if (!p->out->object)
		return fail(p, "object \"%s\" is unknown, try smcr-ctl help",
			    word);
	return 0;
}

static int parse_help(struct parser *p)
{
	p->out->action = ACT_HELP;
	p->out->kinds = 0;
	if (p->n)
		return fail(p, "\"%s\" is unexpected after help", p->argv[0]);
	return 0;
}

/* A report has no filters, so its options may also follow the word. */
static int parse_report(struct parser *p)
{
	const char *word;

	p->out->action = ACT_REPORT;
	if (parse_options(p))
		return -1;
	if (p->out->action != ACT_REPORT)
		return 0;
	word = next(p);
	if (word && !strcmp(word, "help"))
		return parse_help(p);
	if (word)
		return fail(p, "\"%s\" is unknown, try smcr-ctl help", word);
	if (p->out->json)
		return fail(p, "report prints text only; remove --json");
	return 0;
}

static int kind_find(const char *word)
{
	int i;

	for (i = 0; monitor_names[i]; i++)
		if (!strcmp(monitor_names[i], word))
			return i;
	return -1;
}

/* Without an object, print all kinds. */
static int parse_monitor(struct parser *p)
{
	const char *word;
	int kind;

	p->out->action = ACT_MONITOR;
	while ((word = next(p))) {
		if (!strcmp(word, "help"))
			return parse_help(p);
		kind = kind_find(word);
		if (kind < 0)
			return fail(p, "\"%s\" cannot be monitored, try %s",
				    word, "smcr-ctl help");
		p->out->kinds |= 1U << kind;
	}
	if (!p->out->kinds)
		p->out->kinds = ~0U;
	return 0;
}

/* An argument may be given once, and the one without a key must be given. */
static int parse_arguments(struct parser *p)
{
	const struct args *out = p->out;
	const struct object *obj = out->object;
	unsigned int i, seen = 0;
	const char *key;

	if (!out->command->usage[0] && p->n)
		return unknown_word(p, p->argv[0]);
	if (filters(p))
		return -1;
	for (i = 0; i < out->n_filters; i++) {
		key = obj->columns[out->filters[i].column].key;
		if (out->filters[i].column != obj->primary &&
		    !strstr(out->command->usage, key))
			return fail(p, "%s %s has no argument \"%s\"",
				    obj->name, out->command->name, key);
		if (seen & 1U << out->filters[i].column)
			return fail(p, "%s is given twice", key);
		seen |= 1U << out->filters[i].column;
	}
	if (out->command->usage[0] && !(seen & 1U << obj->primary))
		return fail(p, "usage: smcr-ctl %s %s %s", obj->name,
			    out->command->name, out->command->usage);
	return 0;
}

static int parse_command(struct parser *p, const char *word)
{
	if (!strcmp(word, "help"))
		return parse_help(p);
	if (!strcmp(word, "show"))
		return filters(p);
	p->out->command = command_find(p->out->object, word);
	if (!p->out->command)
		return unknown_word(p, word);
	p->out->action = ACT_COMMAND;
	return parse_arguments(p);
}

static int parse_words(struct parser *p, const char *word)
{
	if (!strcmp(word, "help")) {
		p->out->action = ACT_HELP;
		word = next(p);
		return word && strcmp(word, "report") &&
		       strcmp(word, "monitor") ? parse_object(p, word) : 0;
	}
	if (!strcmp(word, "report"))
		return parse_report(p);
	if (!strcmp(word, "monitor"))
		return parse_monitor(p);
	if (parse_object(p, word))
		return -1;
	p->out->action = ACT_SHOW;
	word = next(p);
	return word ? parse_command(p, word) : 0;
}

/**
 * args_parse() - parse a command line
 * @argc: number of words, the program's name included
 * @argv: the words; @out keeps pointers to them
 * @out: result
 * @error: buffer for the error message
 * @error_len: size of @error
 *
 * Return: 0, or -1 with @error set.
 */
int args_parse(int argc, char *const *argv, struct args *out, char *error,
	       size_t error_len)
{
	struct parser p = {
		.argv = argv + (argc > 0), .n = argc > 0 ? argc - 1 : 0,
		.out = out, .error = error, .error_len = error_len,
	};
	const char *word;

	memset(out, 0, sizeof(*out));
	if (parse_options(&p))
		return -1;
	word = out->action == ACT_OVERVIEW ? next(&p) : NULL;
	if (word && parse_words(&p, word))
		return -1;
	if (out->anonymous &&
	    (out->action == ACT_OVERVIEW || out->action == ACT_SHOW ||
	     out->action == ACT_COMMAND || out->action == ACT_MONITOR))
		return fail(&p, "--anonymous needs the command report");
	return 0;
}
