// SPDX-License-Identifier: GPL-2.0
/*
 * smcr-ctl monitor: one line, or one JSON object, for each notification.
 */
#include <errno.h>
#include <stdio.h>
#include <time.h>

#include "monitor.h"
#include "print.h"

/* Format the time as "2026-11-22T14:03:07.215Z". */
static void stamp(char *text, size_t len)
{
	struct timespec now;
	struct tm tm;
	size_t n;

	clock_gettime(CLOCK_REALTIME, &now);
	gmtime_r(&now.tv_sec, &tm);
	n = strftime(text, len, "%Y-%m-%dT%H:%M:%S", &tm);
	snprintf(text + n, len - n, ".%03ldZ", now.tv_nsec / 1000000);
}

static int show_event(const struct object *event, const struct value *row,
		      void *arg)
{
	struct printer *p = arg;
	char now[64];

	if (!event) {
		fprintf(stderr,
			"smcr-ctl: notifications were lost, as they came faster than they could be printed\n");
		return 0;
	}
	stamp(now, sizeof(now));
	p->more = false;
	print_object_open(p);
	print_string(p, p->json ? "time" : NULL, now);
	print_string(p, p->json ? "event" : NULL, event->name);
	print_columns(p, event, row);
	print_object_close(p);
	/* A reader that has gone ends the monitor. */
	return fflush(p->out) ? -errno : 0;
}

/**
 * monitor() - print notifications until there is an error or a signal
 * @args: command line
 * @nl: netlink socket of nl_open()
 *
 * Return: -errno.
 */
int monitor(const struct args *args, struct nl *nl)
{
	struct printer p = {
		.out = stdout, .json = args->json, .pretty = args->pretty,
		.hidden = args->details ? 0 : COL_DETAIL,
	};
	int err = nl_join(nl, args->kinds);

	return err ? err : nl_monitor(nl, show_event, &p);
}
