// SPDX-License-Identifier: GPL-2.0
/*
 * The command line of smcr-ctl. The input is a list of words; a zero byte or
 * the end of the input ends each word.
 */
#include "args.h"
#include "fuzz.h"

#define MAX_WORDS	80

static bool word_fits(const struct column *col, const char *word)
{
	int i;

	if (col->type == COL_U32 || col->type == COL_UINT)
		return *word && strspn(word, "0123456789") == strlen(word);
	for (i = 0; col->type == COL_ENUM && col->names[i]; i++)
		if (!strcmp(col->names[i], word))
			return true;
	return col->type != COL_ENUM;
}

static void check_filters(const struct args *args)
{
	unsigned int i, columns = 0;

	HOLDS(!args->n_filters || args->object);
	HOLDS(!args->n_filters || args->action == ACT_SHOW || args->action == ACT_COMMAND);
	HOLDS((args->action == ACT_COMMAND) == !!args->command);
	HOLDS(args->n_filters <= MAX_FILTERS);
	while (args->object && args->object->columns[columns].key)
		columns++;
	for (i = 0; i < args->n_filters; i++) {
		HOLDS(args->filters[i].column < columns);
		HOLDS(word_fits(&args->object->columns[args->filters[i].column],
				args->filters[i].value));
	}
}

static bool same(const struct args *a, const struct args *b)
{
	unsigned int i;

	for (i = 0; i < a->n_filters && i < b->n_filters; i++)
		if (a->filters[i].column != b->filters[i].column ||
		    strcmp(a->filters[i].value, b->filters[i].value))
			return false;
	return a->action == b->action && a->object == b->object && a->json == b->json &&
	       a->pretty == b->pretty && a->details == b->details &&
	       a->anonymous == b->anonymous && a->command == b->command && a->kinds == b->kinds &&
	       a->n_filters == b->n_filters;
}

/* With each word written out in full the command line means the same */
static void check_again(const struct args *args)
{
	const char *word[2 * MAX_FILTERS + 8] = { "smcr-ctl" };
	char error[ARGS_ERROR_LEN];
	struct args again;
	unsigned int i;
	int n = 1;

	if (args->json)
		word[n++] = "--json";
	if (args->pretty)
		word[n++] = "--pretty";
	if (args->details)
		word[n++] = "--details";
	if (args->anonymous)
		word[n++] = "--anonymous";
	if (args->action == ACT_REPORT)
		word[n++] = "report";
	if (args->action == ACT_VERSION)
		word[n++] = "--version";
	if (args->action == ACT_HELP)
		word[n++] = "help";
	if (args->object)
		word[n++] = args->object->name;
	if (args->action == ACT_SHOW)
		word[n++] = "show";
	if (args->action == ACT_COMMAND)
		word[n++] = args->command->name;
	if (args->action == ACT_MONITOR)
		word[n++] = "monitor";
	for (i = 0; args->kinds && monitor_names[i]; i++)
		if (args->kinds != ~0U && args->kinds & 1U << i)
			word[n++] = monitor_names[i];
	for (i = 0; i < args->n_filters; i++) {
		word[n++] = args->object->columns[args->filters[i].column].key;
		word[n++] = args->filters[i].value;
	}
	HOLDS(!args_parse(n, (char *const *)word, &again, error, sizeof(error)));
	HOLDS(same(args, &again));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	size_t i, room = 1 + (size ? data[0] : 0) % ARGS_ERROR_LEN;
	char *text = malloc(size + 1), *argv[MAX_WORDS + 1];
	char *error = malloc(room);
	struct args args;
	int argc = 0;

	if (size)
		memcpy(text, data, size);
	text[size] = '\0';
	error[0] = '\0';
	for (i = 0; i < size && argc < MAX_WORDS; i += strlen(text + i) + 1)
		argv[argc++] = text + i;
	argv[argc] = NULL;
	if (args_parse(argc, argv, &args, error, room)) {
		HOLDS(memchr(error, '\0', room));
		HOLDS(room == 1 || error[0]);
	} else {
		HOLDS(!error[0]);
		check_filters(&args);
		check_again(&args);
	}
	free(error);
	free(text);
	return 0;
}
