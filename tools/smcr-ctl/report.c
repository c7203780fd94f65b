// SPDX-License-Identifier: GPL-2.0
/*
 * smcr-ctl report: sections with a heading each. A section that cannot be read
 * says why, and the next one follows.
 *
 * A report has no secrets. The kernel never sends memory keys, memory addresses
 * and alert tokens; the report leaves out queue pair numbers, inodes and user
 * IDs (COL_NO_REPORT), and the name of the host.
 */
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "anon.h"
#include "klog.h"
#include "nl.h"
#include "print.h"
#include "report.h"
#include "rows.h"

#define SYSCTL_DIR	"/proc/sys/net/smcr"
#define MODULE_DIR	"/sys/module/"
#define LINE_LEN	1024
#define PATH_LEN	512
#define LOG_LINES	50
#define MAX_DEVICES	64

/**
 * struct report - state of a report
 * @out: output
 * @anon: pseudonyms, or NULL to print addresses
 */
struct report {
	FILE *out;
	struct anon *anon;
};

static void pair(struct report *r, const char *key, const char *val)
{
	fprintf(r->out, "%s ", key);
	print_plain(r->out, val);
	fputc('\n', r->out);
}

static void pair_number(struct report *r, const char *key, long num)
{
	fprintf(r->out, "%s %ld\n", key, num);
}

/* Print why @what cannot be read; NULL means the section. Return: -1. */
static int unread(struct report *r, const char *what, const char *why)
{
	fprintf(r->out, "(%s%snot read: ", what ? what : "", what ? " " : "");
	print_plain(r->out, why);
	fputs(")\n", r->out);
	return -1;
}

/* Read the first line of a file. Return: 0 or -errno. */
static int read_line(const char *path, char *line, size_t len)
{
	FILE *in = fopen(path, "re");
	int err = 0;

	if (!in)
		return -errno;
	errno = 0;
	if (!fgets(line, len, in)) {
		err = -errno;
		line[0] = '\0';
	}
	line[strcspn(line, "\n")] = '\0';
	fclose(in);
	return err;
}

static void pair_file(struct report *r, const char *key, const char *path)
{
	char line[LINE_LEN];
	int err = read_line(path, line, sizeof(line));

	if (!err)
		pair(r, key, line);
	else if (err != -ENOENT)
		unread(r, key, strerror(-err));
}

static void print_date(struct report *r)
{
	time_t now = time(NULL);
	char date[64];
	struct tm tm;

	if (gmtime_r(&now, &tm) &&
	    strftime(date, sizeof(date), "%Y-%m-%d %H:%M:%S UTC", &tm))
		pair(r, "date", date);
}

/* Print the number of the namespace, and whether process 1 has the same. */
static void print_netns(struct report *r)
{
	struct stat own, first;

	if (stat("/proc/self/ns/net", &own)) {
		unread(r, "net-namespace", strerror(errno));
		return;
	}
	fprintf(r->out, "net-namespace %lu", (unsigned long)own.st_ino);
	if (stat("/proc/1/ns/net", &first))
		fputs(" (that of process 1 is not shown to this user)\n",
		      r->out);
	else if (own.st_ino == first.st_ino && own.st_dev == first.st_dev)
		fputs(" (that of process 1)\n", r->out);
	else
		fputs(" (not that of process 1)\n", r->out);
}

static int system_section(struct report *r)
{
	struct utsname name;

	print_date(r);
	pair(r, "smcr-ctl", VERSION);
	if (uname(&name))
		return unread(r, "kernel", strerror(errno));
	pair(r, "kernel", name.release);
	pair(r, "kernel-version", name.version);
	pair(r, "machine", name.machine);
	pair_number(r, "processors", sysconf(_SC_NPROCESSORS_ONLN));
	pair_number(r, "page-size", sysconf(_SC_PAGESIZE));
	pair_file(r, "tainted", "/proc/sys/kernel/tainted");
	print_netns(r);
	pair(r, "root", geteuid() ? "no" : "yes");
	return 0;
}

/* The build ID follows the header and the name "GNU" of an ELF note. */
static void print_build_id(struct report *r)
{
	FILE *in = fopen(MODULE_DIR "smcr/notes/.note.gnu.build-id", "re");
	unsigned char note[64];
	size_t len, i = 16;

	if (!in) {
		if (errno != ENOENT)
			unread(r, "build-id", strerror(errno));
		return;
	}
	len = fread(note, 1, sizeof(note), in);
	fclose(in);
	fputs("build-id ", r->out);
	for (; i < len; i++)
		fprintf(r->out, "%02x", note[i]);
	fputc('\n', r->out);
}

static int module_section(struct report *r)
{
	static const char *const facts[] = {
		"version", "srcversion", "initstate", "refcnt", "taint"
	};
	char path[PATH_LEN];
	bool loaded;
	size_t i;

	if (access(MODULE_DIR, X_OK))
		return unread(r, MODULE_DIR, strerror(errno));
	loaded = !access(MODULE_DIR "smcr", F_OK);
	pair(r, "smcr", loaded ? "loaded" : "not loaded");
	for (i = 0; loaded && i < ARRAY_SIZE(facts); i++) {
		snprintf(path, sizeof(path), MODULE_DIR "smcr/%s", facts[i]);
		pair_file(r, facts[i], path);
	}
	if (loaded)
		print_build_id(r);
	pair(r, "smc", access(MODULE_DIR "smc", F_OK) ? "not loaded" :
							"loaded");
	return 0;
}

static int visible(const struct dirent *entry)
{
	return entry->d_name[0] != '.';
}

static int sysctl_section(struct report *r)
{
	struct dirent **entries;
	char path[PATH_LEN];
	int i, n;

	n = scandir(SYSCTL_DIR, &entries, visible, alphasort);
	if (n < 0)
		return unread(r, SYSCTL_DIR, strerror(errno));
	for (i = 0; i < n; i++) {
		snprintf(path, sizeof(path), SYSCTL_DIR "/%s",
			 entries[i]->d_name);
		pair_file(r, entries[i]->d_name, path);
		free(entries[i]);
	}
	free(entries);
	return 0;
}

/**
 * struct devices - RDMA devices, to dump their ports afterwards
 * @rows: rows of the devices
 * @index: index of each device in the RDMA core
 * @n: entries of @index
 */
struct devices {
	struct rows rows;
	uint32_t index[MAX_DEVICES];
	unsigned int n;
};

static int add_device(const struct object *obj, const struct value *row,
		      void *arg)
{
	struct devices *devices = arg;
	int col = column_find(obj, "index");

	if (devices->n < MAX_DEVICES && row[col].set)
		devices->index[devices->n++] = row[col].num;
	return rows_add(obj, row, &devices->rows);
}

/* The second dump fails if its device is removed after the first one. */
static int print_rdma(struct report *r, struct nl *nl)
{
	struct devices devices = {
		.rows = { .out = r->out, .anon = r->anon },
	};
	struct rows ports = { .out = r->out, .anon = r->anon };
	unsigned int i;
	int err;

	err = nl_dump(nl, &rdma_device, NULL, add_device, &devices);
	if (err)
		return err;
	rows_end(&devices.rows, &rdma_device);
	for (i = 0; i < devices.n && !err; i++)
		err = nl_dump(nl, &rdma_port, &devices.index[i], rows_add,
			      &ports);
	if (!err)
		rows_end(&ports, &rdma_port);
	return err;
}

static int rdma_section(struct report *r)
{
	struct nl nl;
	int err;

	err = nl_open_rdma(&nl);
	if (!err)
		err = print_rdma(r, &nl);
	if (err)
		err = unread(r, NULL, nl.error);
	nl_close(&nl);
	return err;
}

static int object_section(struct report *r, const struct object *obj)
{
	struct rows rows = { .out = r->out, .anon = r->anon };
	struct nl nl;
	int err;

	err = nl_open(&nl);
	if (!err)
		err = nl_dump(&nl, obj, NULL, rows_add, &rows);
	if (err)
		err = unread(r, NULL, nl.error);
	else
		rows_end(&rows, obj);
	nl_close(&nl);
	return err;
}

static int log_section(struct report *r)
{
	const char *lines[LOG_LINES];
	char *text = klog_read();
	size_t i, n;

	if (!text)
		return unread(r, NULL, strerror(errno));
	n = klog_filter(text, lines, LOG_LINES);
	for (i = 0; i < n && i < LOG_LINES; i++) {
		anon_text(r->anon, r->out, lines[i]);
		fputc('\n', r->out);
	}
	fprintf(r->out, "(%zu", n);
	if (n > LOG_LINES)
		fprintf(r->out, "; only the last %d are listed", LOG_LINES);
	fputs(")\n", r->out);
	free(text);
	return 0;
}

static void heading(struct report *r, const char *title)
{
	fprintf(r->out, "\n== %s\n", title);
}

static int all_sections(struct report *r)
{
	static const struct {
		const char *title;
		int (*print)(struct report *r);
	} sections[] = {
		{ "System", system_section },
		{ "Modules", module_section },
		{ "RDMA core", rdma_section },
		{ "Settings (net.smcr)", sysctl_section },
	};
	unsigned int good = 0;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(sections); i++) {
		heading(r, sections[i].title);
		good += !sections[i].print(r);
	}
	for (i = 0; i < n_objects; i++) {
		heading(r, objects[i].title);
		good += !object_section(r, &objects[i]);
	}
	heading(r, "Kernel log");
	good += !log_section(r);
	return good ? 0 : -EIO;
}

/**
 * report_print() - print a report
 * @out: output
 * @anonymous: print pseudonyms instead of addresses
 *
 * Return: 0, or -EIO if no section could be read.
 */
int report_print(FILE *out, bool anonymous)
{
	struct anon anon = { 0 };
	struct report r = { .out = out, .anon = anonymous ? &anon : NULL };
	int err;

	fputs("smcr-ctl report: please read it before you send it.\n", out);
	fputs(anonymous ? "Pseudonyms stand for addresses.\n" :
			  "It has IP addresses; --anonymous replaces them.\n",
	      out);
	err = all_sections(&r);
	anon_free(&anon);
	return err;
}
