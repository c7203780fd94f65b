/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The print layer: the same calls print text or JSON.
 */
#ifndef SMCR_CTL_PRINT_H
#define SMCR_CTL_PRINT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "schema.h"

/**
 * struct printer - state of the output
 * @out: output
 * @json: print JSON instead of text
 * @pretty: break and indent JSON
 * @hidden: flags of the columns that text leaves out
 * @depth: number of open arrays and objects
 * @more: the current array, object or line has an element already
 * @indent: spaces before each row of text
 */
struct printer {
	FILE *out;
	bool json;
	bool pretty;
	unsigned int hidden;
	unsigned int depth;
	bool more;
	unsigned int indent;
};

void print_plain(FILE *out, const char *s);
void print_array_open(struct printer *p, const char *key);
void print_array_close(struct printer *p);
void print_object_open(struct printer *p);
void print_object_close(struct printer *p);
void print_heading(struct printer *p, const char *title);
void print_string(struct printer *p, const char *key, const char *val);
void print_number(struct printer *p, const char *key, uint64_t val);
void print_columns(struct printer *p, const struct object *obj,
		   const struct value *row);
void print_row(struct printer *p, const struct object *obj,
	       const struct value *row);

#endif
