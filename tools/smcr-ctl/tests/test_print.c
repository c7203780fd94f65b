// SPDX-License-Identifier: GPL-2.0
/*
 * The print layer: text and JSON of the same rows.
 */
#include <stdlib.h>
#include <string.h>

#include <linux/smcr.h>

#include "../print.h"
#include "row.h"
#include "tap.h"

/* Print the row as a list of one and compare the output with @want. */
static bool prints(struct printer *p, const char *want)
{
	char *buf = NULL;
	size_t len = 0;
	bool same;

	p->out = open_memstream(&buf, &len);
	print_array_open(p, NULL);
	print_row(p, obj, row);
	print_array_close(p);
	fclose(p->out);
	same = !strcmp(buf, want);
	if (!same)
		printf("# got:  %s\n# want: %s\n", buf, want);
	free(buf);
	return same;
}

static void use_device(void)
{
	static const uint8_t mac[] = { 2, 0, 0, 0xab, 0, 1 };

	use("device");
	set("device", "rxe0", 5);
	set_u32("port", 1);
	set_u32("state", SMCR_NL_PORT_STATE_ACTIVE);
	set("mac", mac, sizeof(mac));
}

#define ESCAPED "a\\\"\\\\\\u000a"

static void test_text(void)
{
	struct printer p = { .hidden = COL_DETAIL }, detail = { 0 };

	use_device();
	tap(prints(&p, "device rxe0/1 state active\n"), "print__text");
	tap(prints(&detail,
		   "device rxe0/1 state active mac 02:00:00:ab:00:01\n"),
	    "print__text_details");
	use("device");
	set("device", "a\033b", 4);
	tap(prints(&p, "device a?b\n"), "print__text_no_control_characters");
	use("device");
	set("device", "\303\274\302\233\3771", 6);
	tap(prints(&p, "device \303\274??1\n"), "print__text_only_utf8");
}

static void test_json(void)
{
	struct printer p = { .json = true };
	struct printer pretty = { .json = true, .pretty = true };

	use_device();
	row[column_find(obj, "state")].set = false;
	row[column_find(obj, "mac")].set = false;
	tap(prints(&p,
		   "[{\"device\":\"rxe0\",\"port\":1}]\n"),
	    "print__json");
	use("device");
	set("device", "a\"\\\n", 5);
	tap(prints(&pretty,
		   "[\n\t{\n\t\t\"device\": \"" ESCAPED "\"\n\t}\n]\n"),
	    "print__json_pretty_and_escaped");
	use("device");
	set("device", "\303\274\355\240\200", 5);
	tap(prints(&(struct printer){ .json = true },
		   "[{\"device\":\"\303\274\\ufffd\\ufffd\\ufffd\"}]\n"),
	    "print__json_only_utf8");
	use("conn");
	set_u32("state", 99);
	tap(prints(&(struct printer){ .json = true },
		   "[{\"state\":\"99\"}]\n"), "print__number_without_name");
}

static void test_addresses(void)
{
	static const uint8_t v4[] = { 10, 9, 0, 1 };
	static const uint8_t v6[16] = { 0xfd, 9, [15] = 2 };
	static const uint8_t mapped[16] = {
		[10] = 0xff, [11] = 0xff, 10, 9, 0, 3
	};
	struct printer p = { 0 };

	use("conn");
	set("local", v4, sizeof(v4));
	set_u32("local-port", 80);
	set("peer", v6, sizeof(v6));
	set_u32("peer-port", 81);
	tap(prints(&p, "local 10.9.0.1:80 peer [fd09::2]:81\n"),
	    "print__addresses");
	tap(value_matches(obj, row, column_find(obj, "local"),
			  "10.9.0.1:80") &&
	    value_matches(obj, row, column_find(obj, "local"), "10.9.0.1") &&
	    value_matches(obj, row, column_find(obj, "peer"),
			  "[fd09::2]:81"), "print__shown_pairs_are_filters");
	tap(!value_matches(obj, row, column_find(obj, "local"),
			   "10.9.0.1:8") &&
	    !value_matches(obj, row, column_find(obj, "uid"), "0"),
	    "print__filters_that_do_not_match");
	set("local", mapped, sizeof(mapped));
	tap(value_matches(obj, row, column_find(obj, "local"),
			  "10.9.0.3:80"), "print__mapped_address_is_ipv4");
}

static void test_diagnosis(void)
{
	struct printer json = { .json = true };
	struct printer p = { 0 };

	obj = &events[3];
	memset(row, 0, sizeof(row));
	set_u32("diagnosis", 0x03070000);
	tap(prints(&p, "diagnosis subnet\n"), "print__diagnosis_is_a_word");
	tap(prints(&json, "[{\"diagnosis\":50790400}]\n"),
	    "print__diagnosis_is_a_number_in_json");
	set_u32("diagnosis", 0x03030007);
	tap(prints(&p, "diagnosis 0x03030007\n"),
	    "print__diagnosis_without_a_name");
}

int main(void)
{
	test_diagnosis();
	test_text();
	test_json();
	test_addresses();
	return tap_end();
}
