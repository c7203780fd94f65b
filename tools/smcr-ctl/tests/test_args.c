// SPDX-License-Identifier: GPL-2.0
/*
 * The command line: results of the parser, and its error messages.
 */
#include <stdlib.h>
#include <string.h>

#include "../args.h"
#include "tap.h"

static char error[ARGS_ERROR_LEN];
static struct args args;
static char words[256];

/* Split @line at spaces and parse the words. */
static int parse(const char *line)
{
	char *argv[64] = { "smcr-ctl" };
	int argc = 1;
	char *word;

	snprintf(words, sizeof(words), "%s", line);
	for (word = strtok(words, " "); word; word = strtok(NULL, " "))
		argv[argc++] = word;
	error[0] = '\0';
	return args_parse(argc, argv, &args, error, sizeof(error));
}

static bool is_show(const char *line, const char *object, unsigned int filters)
{
	return !parse(line) && args.action == ACT_SHOW && args.object &&
	       !strcmp(args.object->name, object) && args.n_filters == filters;
}

static bool filter_is(unsigned int i, const char *key, const char *value)
{
	const struct column *cols = args.object->columns;

	return i < args.n_filters &&
	       !strcmp(cols[args.filters[i].column].key, key) &&
	       !strcmp(args.filters[i].value, value);
}

static bool refused(const char *line, const char *with)
{
	return parse(line) == -1 && strstr(error, with);
}

static void test_actions(void)
{
	tap(!parse("") && args.action == ACT_OVERVIEW,
	    "args__no_words_is_overview");
	tap(!parse("-jp") && args.json && args.pretty &&
	    args.action == ACT_OVERVIEW, "args__options_joined");
	tap(!parse("--json --details") && args.json && args.details,
	    "args__long_options");
	tap(!parse("-V") && args.action == ACT_VERSION, "args__version");
	tap(!parse("-h") && args.action == ACT_HELP, "args__help_option");
	tap(!parse("help") && args.action == ACT_HELP && !args.object,
	    "args__help");
	tap(!parse("help conn") && args.action == ACT_HELP && args.object,
	    "args__help_object");
	tap(!parse("conn help") && args.action == ACT_HELP && args.object,
	    "args__object_help");
}

static bool is_command(const char *line, const char *name, unsigned int n)
{
	return !parse(line) && args.action == ACT_COMMAND && args.command &&
	       !strcmp(args.command->name, name) && args.n_filters == n;
}

static void test_commands(void)
{
	tap(is_command("linkgroup terminate 3", "terminate", 1) &&
	    filter_is(0, "linkgroup", "3"), "args__terminate");
	tap(is_command("conn abort 7", "abort", 1) &&
	    filter_is(0, "conn", "7"), "args__abort");
	tap(refused("conn abort", "usage: smcr-ctl conn abort CONN"),
	    "args__abort_what");
	tap(refused("conn abort 7 linkgroup 1", "no argument \"linkgroup\""),
	    "args__abort_in_group");
	tap(is_command("link del 2 linkgroup 1", "del", 2) &&
	    filter_is(0, "link", "2") && filter_is(1, "linkgroup", "1"),
	    "args__del");
	tap(is_command("pnet add lan netdev eth0", "add", 2) &&
	    filter_is(0, "name", "lan") && filter_is(1, "netdev", "eth0"),
	    "args__pnet_add");
	tap(is_command("pnet del lan device rxe0/1", "del", 2) &&
	    filter_is(1, "device", "rxe0/1"), "args__pnet_del");
	tap(is_command("pnet flush", "flush", 0), "args__pnet_flush");
	tap(refused("pnet flush lan", "\"lan\" is unknown"),
	    "args__pnet_flush_one");
	tap(refused("pnet add netdev eth0", "usage"), "args__pnet_add_no_name");
	tap(refused("link del", "usage: smcr-ctl link del LINK"),
	    "args__del_what");
	tap(refused("link del linkgroup 1", "usage"), "args__del_no_link");
	tap(refused("link del 2 link 3", "twice"), "args__argument_twice");
	tap(refused("link del 2 state active", "no argument \"state\""),
	    "args__argument_of_show");
	tap(refused("link del x", "\"x\" is unknown"), "args__del_no_number");
	tap(refused("conn del 2", "\"del\" is unknown"),
	    "args__command_of_another_object");
	tap(refused("-a link del 2", "--anonymous"), "args__anonymous_command");
}

static void test_monitor(void)
{
	tap(!parse("monitor") && args.action == ACT_MONITOR &&
	    args.kinds == ~0U, "args__monitor_all");
	tap(!parse("-j monitor link fallback") && args.json &&
	    args.kinds == (1U << 2 | 1U << 3), "args__monitor_some");
	tap(refused("monitor conn", "\"conn\" cannot be monitored"),
	    "args__monitor_unknown");
	tap(!parse("monitor help") && args.action == ACT_HELP,
	    "args__monitor_help");
}

static void test_objects(void)
{
	tap(is_show("conn", "conn", 0), "args__show_is_default");
	tap(is_show("linkgroup show", "linkgroup", 0), "args__show");
	tap(is_show("d", "device", 0), "args__unique_beginning");
	tap(is_show("link", "link", 0), "args__full_name_beats_beginning");
	tap(refused("lin", "ambiguous"), "args__ambiguous_beginning");
	tap(refused("foo", "\"foo\" is unknown"), "args__unknown_object");
	tap(refused("conn sho", "\"sho\" is unknown"),
	    "args__command_in_full");
	tap(refused("-x", "\"-x\" is unknown"), "args__unknown_option");
	tap(refused("--foo", "\"--foo\" is unknown"),
	    "args__unknown_long_option");
}

static void test_filters(void)
{
	tap(is_show("conn show state active", "conn", 1) &&
	    filter_is(0, "state", "active"), "args__filter");
	tap(is_show("linkgroup show 3 role client", "linkgroup", 2) &&
	    filter_is(0, "linkgroup", "3") && filter_is(1, "role", "client"),
	    "args__first_value_alone");
	tap(is_show("link show 2", "link", 1) && filter_is(0, "link", "2"),
	    "args__link_number_alone");
	tap(is_show("device show rxe0/1", "device", 1) &&
	    filter_is(0, "device", "rxe0/1"), "args__device_and_port");
	tap(refused("conn show state", "\"state\" needs a value"),
	    "args__filter_without_value");
	tap(refused("conn show state foo", "\"foo\" is not a state"),
	    "args__filter_bad_name");
	tap(refused("conn show foo bar", "\"foo\" is unknown"),
	    "args__filter_unknown");
	tap(refused("conn show rx-bytes 1x", "\"1x\" is not a number"),
	    "args__filter_bad_number");
	tap(refused("conn show 1 2", "\"2\" is unknown"),
	    "args__second_value_alone");
}

static void test_report(void)
{
	tap(!parse("report") && args.action == ACT_REPORT && !args.anonymous,
	    "args__report");
	tap(!parse("report --anonymous") && args.action == ACT_REPORT &&
	    args.anonymous && !parse("-a report") &&
	    args.action == ACT_REPORT && args.anonymous,
	    "args__report_anonymous");
	tap(!parse("report help") && args.action == ACT_HELP &&
	    !parse("help report") && args.action == ACT_HELP &&
	    !parse("report -h") && args.action == ACT_HELP,
	    "args__report_help");
	tap(refused("report -j", "remove --json") &&
	    refused("-j report", "remove --json"), "args__report_is_text");
	tap(refused("report conn", "\"conn\" is unknown") &&
	    refused("repor", "\"repor\" is unknown"),
	    "args__report_alone_and_in_full");
	tap(refused("-a", "needs the command report") &&
	    refused("-a conn", "needs the command report"),
	    "args__anonymous_needs_report");
}

static void test_limits(void)
{
	char line[256] = "conn show";
	unsigned int i;

	for (i = 0; i <= MAX_FILTERS; i++)
		strcat(line, " conn 1");
	tap(parse(line) == -1, "args__too_many_filters");
	tap(!args_parse(0, NULL, &args, error, sizeof(error)),
	    "args__no_program_name");
	memset(line, 'x', sizeof(line) - 1);
	line[sizeof(line) - 1] = '\0';
	tap(refused(line, "unknown"), "args__long_word");
}

int main(void)
{
	test_actions();
	test_objects();
	test_commands();
	test_monitor();
	test_filters();
	test_report();
	test_limits();
	return tap_end();
}
