/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What can be shown: objects and their columns. A column's key is the name of
 * the attribute in Documentation/netlink/specs/smcr.yaml; it is the key in
 * JSON, the word in the text and the word of a filter.
 */
#ifndef SMCR_CTL_SCHEMA_H
#define SMCR_CTL_SCHEMA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))

#define MAX_COLUMNS	24
#define VALUE_LEN	128
/* A value and the port behind it, in text */
#define VALUE_PORT_LEN	(2 * VALUE_LEN + 8)

/**
 * enum column_type - how an attribute is encoded, and how it looks
 * @COL_STRING: a name
 * @COL_U32: a number of 4 bytes
 * @COL_UINT: a number of 4 or 8 bytes
 * @COL_ENUM: a number of 1 or 4 bytes with a name
 * @COL_FLAGS: 4 bytes of flags with a name each
 * @COL_GID: 16 bytes, as an IPv6 address
 * @COL_ADDR: 4 or 16 bytes, an IP address; the port is the next column
 * @COL_MAC: 6 bytes
 * @COL_HEX: bytes
 */
enum column_type {
	COL_STRING,
	COL_U32,
	COL_UINT,
	COL_ENUM,
	COL_FLAGS,
	COL_GID,
	COL_ADDR,
	COL_MAC,
	COL_HEX,
};

/* struct column.flags */
#define COL_DETAIL	0x1	/* in the text only with -d */
#define COL_WITH_PORT	0x2	/* text shows the next column behind it */
#define COL_NO_REPORT	0x4	/* not in the text of "smcr-ctl report" */

/**
 * struct column - one attribute of an object
 * @key: its name
 * @attr: its number
 * @type: encoding
 * @flags: COL_DETAIL, COL_WITH_PORT, COL_NO_REPORT
 * @names: for COL_ENUM, indexed by the number, then NULL; for COL_FLAGS by the
 *	number of the bit
 */
struct column {
	const char *key;
	uint16_t attr;
	enum column_type type;
	unsigned int flags;
	const char *const *names;
};

/**
 * struct object - something that smcr-ctl shows
 * @name: on the command line
 * @title: heading in the overview
 * @help: a line for the help text
 * @cmd: enum smcr_cmd of its dump, or enum rdma_nldev_command
 * @only_attr: attribute that asks for the rows of one link group, or of one
 *	RDMA device; 0 if there is none
 * @primary: column that a filter value without a key means
 * @counters: each row is a counter, with a name and a value
 * @columns: in the order of display, ends with a NULL key
 */
struct object {
	const char *name;
	const char *title;
	const char *help;
	uint8_t cmd;
	uint16_t only_attr;
	unsigned int primary;
	bool counters;
	const struct column *columns;
};

/**
 * struct value - one decoded attribute
 * @set: the attribute was there
 * @num: its number, for COL_U32, COL_UINT and COL_ENUM
 * @text: how it looks
 */
struct value {
	bool set;
	uint64_t num;
	char text[VALUE_LEN];
};

extern const struct object objects[];
extern const size_t n_objects;

/* What the RDMA core knows of its devices, with or without smcr */
extern const struct object rdma_device;
extern const struct object rdma_port;

const struct object *object_find(const char *name, bool *ambiguous);
int column_find(const struct object *obj, const char *key);
bool column_is_number(const struct column *col);
int value_decode(const struct column *col, const void *data, size_t len,
		 struct value *out);
void value_with_port(const struct column *col, const struct value *val,
		     char *out, size_t len);
bool value_matches(const struct object *obj, const struct value *row,
		   unsigned int col, const char *wanted);

#endif
