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

static void json_string(struct printer *p, const char *s)
{
	fputc('"', p->out);
	for (; *s; s++) {
		if (*s == '"' || *s == '\\')
			fprintf(p->out, "\\%c", *s);
		else if ((unsigned char)*s < 0x20)
			fprintf(p->out, "\\u%04x", (unsigned char)*s);
		else
			fputc(*s, p->out);
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

/* What a terminal could take for a command is not shown as it is. */
static void text_string(struct printer *p, const char *s)
{
	for (; *s; s++)
		fputc((unsigned char)*s < 0x20 || *s == 0x7f ? '?' : *s,
		      p->out);
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
		text_string(p, val);
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

/* "rxe0/1", "10.0.0.1:80", "[fd09::1]:80" */
static void text_with_port(struct printer *p, const struct column *col,
			   const struct value *val)
{
	char both[2 * VALUE_LEN + 8];
	const char *fmt = "%s:%s";

	if (col->type == COL_STRING)
		fmt = "%s/%s";
	else if (strchr(val[0].text, ':'))
		fmt = "[%s]:%s";
	snprintf(both, sizeof(both), fmt, val[0].text, val[1].text);
	print_string(p, col->key, both);
}

static void json_row(struct printer *p, const struct object *obj,
		     const struct value *row)
{
	const struct column *col;
	int i;

	for (i = 0; obj->columns[i].key; i++) {
		col = &obj->columns[i];
		if (!row[i].set)
			continue;
		if (column_is_number(col))
			print_number(p, col->key, row[i].num);
		else
			print_string(p, col->key, row[i].text);
	}
}

static void text_row(struct printer *p, const struct object *obj,
		     const struct value *row)
{
	const struct column *col;
	int i;

	for (i = 0; obj->columns[i].key; i++) {
		col = &obj->columns[i];
		if (!row[i].set || (col->flags & COL_DETAIL && !p->details))
			continue;
		if (col->flags & COL_WITH_PORT && row[i + 1].set)
			text_with_port(p, col, &row[i++]);
		else
			print_string(p, col->key, row[i].text);
	}
}

/**
 * print_row() - one object's columns
 * @p: printer
 * @obj: what it is
 * @row: its values, in the order of the columns
 */
void print_row(struct printer *p, const struct object *obj,
	       const struct value *row)
{
	print_object_open(p);
	if (p->json)
		json_row(p, obj, row);
	else
		text_row(p, obj, row);
	print_object_close(p);
}
