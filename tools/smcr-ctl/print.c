// SPDX-License-Identifier: GPL-2.0
/*
 * Text: one row a line, "key value" pairs, so that a pair can be used as a
 * filter. JSON: the same keys, all columns, plain units.
 */
#include <inttypes.h>
#include <string.h>

#include "print.h"

static void json_newline(struct printer *p)
{
	unsigned int i;

	if (!p->pretty)
		return;
	fputc('\n', p->out);
	for (i = 0; i < p->depth; i++)
		fputc('\t', p->out);
}

/*
 * The character at @s, in UTF-8 (RFC 3629). Names come from whoever named the
 * device, so they may be anything. Return: its bytes, or 0 if it is none.
 */
static size_t utf8_char(const char *s, uint32_t *point)
{
	static const uint32_t least[] = { 0, 0, 0x80, 0x800, 0x10000 };
	const unsigned char *u = (const unsigned char *)s;
	size_t len = 1, i;

	*point = u[0];
	if (u[0] < 0x80)
		return 1;
	if (u[0] < 0xc0 || u[0] >= 0xf8)
		return 0;
	while (u[0] & 0x80 >> len)
		len++;
	*point &= 0x7f >> len;
	for (i = 1; i < len; i++) {
		if ((u[i] & 0xc0) != 0x80)
			return 0;
		*point = *point << 6 | (u[i] & 0x3f);
	}
	if (*point < least[len] || *point > 0x10ffff ||
	    (*point >= 0xd800 && *point < 0xe000))
		return 0;
	return len;
}

static void json_string(struct printer *p, const char *s)
{
	uint32_t point;
	size_t len;

	fputc('"', p->out);
	for (; *s; s += len ? len : 1) {
		len = utf8_char(s, &point);
		if (!len)
			fputs("\\ufffd", p->out);
		else if (point == '"' || point == '\\')
			fprintf(p->out, "\\%c", *s);
		else if (point < 0x20)
			fprintf(p->out, "\\u%04x", (unsigned int)point);
		else
			fwrite(s, 1, len, p->out);
	}
	fputc('"', p->out);
}

/* What stands before each element: comma, new line, key */
static void json_next(struct printer *p, const char *key)
{
	if (p->more)
		fputc(',', p->out);
	if (p->depth)
		json_newline(p);
	if (key) {
		json_string(p, key);
		fputs(p->pretty ? ": " : ":", p->out);
	}
	p->more = true;
}

static void json_open(struct printer *p, const char *key, char bracket)
{
	json_next(p, key);
	fputc(bracket, p->out);
	p->depth++;
	p->more = false;
}

static void json_close(struct printer *p, char bracket)
{
	bool empty = !p->more;

	p->depth--;
	if (!empty)
		json_newline(p);
	fputc(bracket, p->out);
	p->more = true;
	if (!p->depth)
		fputc('\n', p->out);
}

static void text_next(struct printer *p, const char *key)
{
	unsigned int i;

	if (p->more)
		fputc(' ', p->out);
	else
		for (i = 0; i < p->indent; i++)
			fputc(' ', p->out);
	if (key)
		fprintf(p->out, "%s ", key);
	p->more = true;
}

/**
 * print_plain() - text from elsewhere, for a terminal
 * @out: where to
 * @s: the text
 *
 * What a terminal could take for a command is not shown as it is.
 */
void print_plain(FILE *out, const char *s)
{
	uint32_t point;
	size_t len;

	for (; *s; s += len ? len : 1) {
		len = utf8_char(s, &point);
		if (!len || point < 0x20 || (point >= 0x7f && point < 0xa0))
			fputc('?', out);
		else
			fwrite(s, 1, len, out);
	}
}

/**
 * print_array_open() - begin a list
 * @p: printer
 * @key: its key in JSON if it is inside an object, or NULL
 */
void print_array_open(struct printer *p, const char *key)
{
	if (p->json)
		json_open(p, key, '[');
}

/**
 * print_array_close() - end a list
 * @p: printer
 */
void print_array_close(struct printer *p)
{
	if (p->json)
		json_close(p, ']');
}

/**
 * print_object_open() - begin a row
 * @p: printer
 */
void print_object_open(struct printer *p)
{
	if (p->json)
		json_open(p, NULL, '{');
	else
		p->more = false;
}

/**
 * print_object_close() - end a row
 * @p: printer
 */
void print_object_close(struct printer *p)
{
	if (p->json)
		json_close(p, '}');
	else if (p->more)
		fputc('\n', p->out);
}

/**
 * print_heading() - a line above rows, in text only
 * @p: printer
 * @title: the line
 */
void print_heading(struct printer *p, const char *title)
{
	if (!p->json)
		fprintf(p->out, "%s\n", title);
}

/**
 * print_string() - a pair with a string
 * @p: printer, inside a row
 * @key: the key; NULL in text: the value alone
 * @val: the value
 */
void print_string(struct printer *p, const char *key, const char *val)
{
	if (p->json) {
		json_next(p, key);
		json_string(p, val);
	} else {
		text_next(p, key);
		print_plain(p->out, val);
	}
}

/**
 * print_number() - a pair with a number
 * @p: printer, inside a row
 * @key: the key; NULL in text: the value alone
 * @val: the value
 */
void print_number(struct printer *p, const char *key, uint64_t val)
{
	if (p->json)
		json_next(p, key);
	else
		text_next(p, key);
	fprintf(p->out, "%" PRIu64, val);
}

static bool column_shown(const struct printer *p, const struct column *col,
			 const struct value *val)
{
	return val->set && (p->json || !(col->flags & p->hidden));
}

/**
 * print_row() - print the columns of one object
 * @p: printer
 * @obj: what it is
 * @row: its values, in the order of the columns
 *
 * JSON has all columns. Text leaves out those that @p hides, joins a port to
 * the column before it, and has no keys in a counter's row, as in
 * /proc/net/smcr_stat.
 */
void print_row(struct printer *p, const struct object *obj,
	       const struct value *row)
{
	bool bare = obj->counters && !p->json;
	const struct column *col;
	char both[VALUE_PORT_LEN];
	const char *key;
	int i;

	print_object_open(p);
	for (i = 0; obj->columns[i].key; i++) {
		col = &obj->columns[i];
		if (!column_shown(p, col, &row[i]))
			continue;
		key = bare ? NULL : col->key;
		if (column_is_number(col)) {
			print_number(p, key, row[i].num);
		} else if (!p->json && col->flags & COL_WITH_PORT &&
			   row[i + 1].set) {
			value_with_port(col, &row[i++], both, sizeof(both));
			print_string(p, key, both);
		} else {
			print_string(p, key, row[i].text);
		}
	}
	print_object_close(p);
}
