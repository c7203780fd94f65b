/* SPDX-License-Identifier: GPL-2.0 */
/* A row for tests, built from attributes as the kernel sends them */
#ifndef SMCR_CTL_ROW_H
#define SMCR_CTL_ROW_H

#include <stdlib.h>
#include <string.h>

#include "../schema.h"

static struct value row[MAX_COLUMNS];
static const struct object *obj;

/* Begin an empty row of the object @name. */
static inline void use(const char *name)
{
	bool ambiguous;

	obj = object_find(name, &ambiguous);
	memset(row, 0, sizeof(row));
}

static inline void set(const char *key, const void *data, size_t len)
{
	int col = column_find(obj, key);

	if (col < 0 || value_decode(&obj->columns[col], data, len, &row[col]))
		abort();
}

static inline void set_u32(const char *key, uint32_t val)
{
	set(key, &val, sizeof(val));
}

#endif
