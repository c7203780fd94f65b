// SPDX-License-Identifier: GPL-2.0
/*
 * smcr-ctl report: the rows that it lists, leaves out and makes anonymous. The
 * last test makes a report of this host, with or without smcr.
 */
#include <stdlib.h>
#include <string.h>

#include <linux/smcr.h>

#include "../anon.h"
#include "../klog.h"
#include "../report.h"
#include "../rows.h"
#include "row.h"
#include "tap.h"

/* What begin()'s FILE received */
static char *got;
static size_t got_len;

static FILE *begin(void)
{
	free(got);
	got = NULL;
	return open_memstream(&got, &got_len);
}

static bool has(const char *text)
{
	return strstr(got, text);
}

static bool is(const char *want)
{
	if (!strcmp(got, want))
		return true;
	printf("# got:  %s\n# want: %s\n", got, want);
	return false;
}

static void use_conn(uint32_t num, uint32_t state)
{
	static const uint8_t local[] = { 10, 9, 0, 2 };
	static const uint8_t peer[] = { 10, 9, 0, 1 };

	use("conn");
	set_u32("conn", num);
	set_u32("state", state);
	set("local", local, sizeof(local));
	set_u32("local-port", 40000);
	set("peer", peer, sizeof(peer));
	set_u32("peer-port", 7600);
	set_u32("uid", 4711);
	set_u32("tx-size", 65532);
}

static void use_link(void)
{
	static const uint8_t mac[] = { 2, 0, 0, 0xab, 0, 1 };
	static const uint8_t gid[16] = {
		[10] = 0xff, [11] = 0xff, 10, 9, 0, 2
	};

	use("link");
	set_u32("link", 3);
	set_u32("state", SMCR_LINK_ACTIVE);
	set_u32("qpn", 4711);
	set("gid", gid, sizeof(gid));
	set("mac", mac, sizeof(mac));
	set("device", "enx020000AB0001", 15);
	set_u32("port", 1);
}

/* A report of @n connections; every third one is closed. */
static void report_conns(unsigned int n)
{
	struct rows rows = { .out = begin() };
	unsigned int i;

	for (i = 1; i <= n; i++) {
		use_conn(i, i % 3 ? SMCR_CONN_ACTIVE : SMCR_CONN_CLOSED);
		rows_add(obj, row, &rows);
	}
	rows_end(&rows, obj);
	fclose(rows.out);
}

static void test_bound(void)
{
	report_conns(ROWS_LISTED);
	tap(has("\nconn 50 ") && has("\n(50: 34 active, 16 closed)\n"),
	    "report__all_rows_up_to_the_bound");
	report_conns(60);
	tap(has("conn 50 ") && !has("conn 51 ") &&
	    has("(60: 40 active, 20 closed; only the first 50 are listed)\n"),
	    "report__counts_beyond_the_bound");
	tap(has("tx-size 65532") && !has("4711"),
	    "report__details_but_no_user_ids");
	report_conns(0);
	tap(is("(0)\n"), "report__no_rows");
}

static void report_row(struct anon *anon)
{
	struct rows rows = { .out = begin(), .anon = anon };

	rows_add(obj, row, &rows);
	rows_end(&rows, obj);
	fclose(rows.out);
}

static void test_rows(void)
{
	uint64_t num = 0;

	use_link();
	report_row(NULL);
	tap(has("gid ::ffff:10.9.0.2 mac 02:00:00:ab:00:01") && !has("4711"),
	    "report__no_queue_pair_numbers");
	row[column_find(obj, "gid")].set = false;
	row[column_find(obj, "mac")].set = false;
	report_row(NULL);
	tap(has("\n(GIDs, MACs and peer IDs need CAP_NET_ADMIN)\n"),
	    "report__missing_identities_are_said");
	use("stats");
	set("name", "ActiveOpens", 11);
	set("value", &num, sizeof(num));
	report_row(NULL);
	tap(is("(0)\n"), "report__no_counters_of_zero");
	num = 7;
	set("value", &num, sizeof(num));
	report_row(NULL);
	tap(is("ActiveOpens 7\n(1)\n"), "report__counters");
}

static void test_anon_rows(void)
{
	struct anon anon = { 0 };

	use_conn(1, SMCR_CONN_ACTIVE);
	report_row(&anon);
	tap(has("local address-1:40000 peer address-2:7600") && !has("10.9"),
	    "report__pseudonyms");
	use_link();
	report_row(&anon);
	tap(has("gid address-1 mac mac-1") && has("device enxmac-1/1"),
	    "report__one_pseudonym_an_address");
	report_row(NULL);
	tap(has("device enx020000AB0001/1"), "report__the_row_is_not_changed");
	anon_free(&anon);
}

static bool becomes(struct anon *anon, const char *text, const char *want)
{
	FILE *out = begin();

	anon_text(anon, out, text);
	fclose(out);
	return is(want);
}

static void test_anon_text(void)
{
	struct anon anon = { 0 };

	tap(becomes(&anon, "no RDMA between 10.9.0.1 here and fd09::2 of x",
		    "no RDMA between address-1 here and address-2 of x"),
	    "report__addresses_in_text");
	tap(becomes(&anon, "[fd09::2]:80, 10.9.0.1:80 and ::ffff:10.9.0.1.",
		    "[address-2]:80, address-1:80 and address-1."),
	    "report__addresses_beside_punctuation");
	tap(becomes(&anon, "0000:0000:0000:0000:0000:ffff:0a09:0001 (x)",
		    "address-1 (x)") &&
	    becomes(&anon, "FD09::2", "address-2"),
	    "report__other_spellings_of_an_address");
	tap(becomes(&anon, "of 02:00:00:00:00:0a: down, enx02000000000A: up",
		    "of mac-1: down, enxmac-1: up"),
	    "report__mac_addresses_in_text");
	tap(becomes(&anon, "[  1.23] smcr: 1.2.3 at 12:34:56 of face, ::, ::1",
		    "[  1.23] smcr: 1.2.3 at 12:34:56 of face, ::, ::1"),
	    "report__other_text_stays");
	tap(becomes(NULL, "10.9.0.1\033", "10.9.0.1?"),
	    "report__text_without_pseudonyms");
	anon_free(&anon);
}

static void test_log(void)
{
	char text[] = "<6>[    1.0] smcr: one\n<6>[    2.0] eth0: smcr: no\n"
		      "<4>smcr: two\n\n<4>[    3.0][  T12] net.smcr: three\n"
		      "<6>[    4.0] smcrx: no\n<6>[    5.0\n<\n"
		      "<4>[    6.0] net.smcr.transparent: four";
	const char *lines[3];

	tap(klog_filter(text, lines, 3) == 4 &&
	    !strcmp(lines[0], "smcr: two") &&
	    !strcmp(lines[1], "[    3.0][  T12] net.smcr: three") &&
	    !strcmp(lines[2], "[    6.0] net.smcr.transparent: four"),
	    "report__last_log_lines_of_smcr");
}

static void test_whole(bool anonymous)
{
	static const char *const titles[] = {
		"System", "Modules", "RDMA core", "Settings (net.smcr)",
		"Devices", "Link groups", "Links", "Connections",
		"Negative list", "PNET table", "Counters", "Kernel log",
	};
	FILE *out = begin();
	const char *at;
	bool good;
	size_t i;

	good = !report_print(out, anonymous);
	fclose(out);
	for (at = got, i = 0; at && i < ARRAY_SIZE(titles); i++) {
		at = strstr(at, "\n== ");
		good &= at && !strncmp(at + 4, titles[i], strlen(titles[i]));
		at = at ? at + 4 : NULL;
	}
	good &= at && !strstr(at, "\n== ");
	tap(good, anonymous ? "report__sections_anonymous" :
			      "report__sections");
}

int main(void)
{
	test_bound();
	test_rows();
	test_anon_rows();
	test_anon_text();
	test_log();
	test_whole(false);
	test_whole(true);
	free(got);
	return tap_end();
}
