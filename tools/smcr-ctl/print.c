// SPDX-License-Identifier: GPL-2.0
/*
 * Text has one row on each line, as "key value" pairs that can be used as
 * filters. JSON has the same keys, all columns, and numbers in plain units.
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
 * Decode the UTF-8 character at @s (RFC 3629). The name of a device may be any
 * bytes. Return: the character's length, or 0 if it is malformed.
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

/* Print what precedes an element: comma, new line, key. */
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
 * print_plain() - print untrusted text to a terminal
 * @out: output
 * @s: the text
 *
 * Control characters and malformed UTF-8 become "?", so that a terminal does
 * not take them for commands.
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
 * @key: key of the list in JSON if it is inside an object, or NULL
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
 * print_heading() - print a line above rows; JSON has none
 * @p: printer
 * @title: the line
 */
void print_heading(struct printer *p, const char *title)
{
	if (!p->json)
		fprintf(p->out, "%s\n", title);
}

/**
 * print_string() - print a pair of a key and a string
 * @p: printer, inside a row
 * @key: the key; NULL prints the value alone, in text only
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
 * print_number() - print a pair of a key and a number
 * @p: printer, inside a row
 * @key: the key; NULL prints the value alone, in text only
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
 * print_columns() - print the columns of a row
 * @p: printer, inside a row
 * @obj: object that the row belongs to
 * @row: values, in the order of the columns
 *
 * JSON has all columns. Text leaves out the columns that @p hides, joins a
 * port to the column before it, and prints a counter without keys, as
 * /proc/net/smcr_stat does.
 */
void print_columns(struct printer *p, const struct object *obj,
		   const struct value *row)
{
	bool bare = obj->counters && !p->json;
	const struct column *col;
	char both[VALUE_PORT_LEN];
	const char *key;
	int i;

	for (i = 0; obj->columns[i].key; i++) {
		col = &obj->columns[i];
		if (!column_shown(p, col, &row[i]))
			continue;
		key = bare ? NULL : col->key;
		if (column_is_number(col) ||
		    (p->json && col->type == COL_DIAG)) {
			print_number(p, key, row[i].num);
		} else if (!p->json && col->flags & COL_WITH_PORT &&
			   row[i + 1].set) {
			value_with_port(col, &row[i++], both, sizeof(both));
			print_string(p, key, both);
		} else {
			print_string(p, key, row[i].text);
		}
	}
}

/**
 * print_row() - print one row
 * @p: printer
 * @obj: object that the row belongs to
 * @row: values, in the order of the columns
 */
void print_row(struct printer *p, const struct object *obj,
	       const struct value *row)
{
	print_object_open(p);
	print_columns(p, obj, row);
	print_object_close(p);
}
