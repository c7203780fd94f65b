/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Objects and their columns. The key of a column is the name of its attribute
 * in Documentation/netlink/specs/smcr.yaml; JSON, text and filters use it.
 */
#ifndef SMCR_CTL_SCHEMA_H
#define SMCR_CTL_SCHEMA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))

#define MAX_COLUMNS	24
#define VALUE_LEN	128
/* Size of a value and its port as text */
#define VALUE_PORT_LEN	(2 * VALUE_LEN + 8)

/**
 * enum column_type - encoding and format of an attribute
 * @COL_STRING: string
 * @COL_U32: number of 4 bytes
 * @COL_UINT: number of 4 or 8 bytes
 * @COL_ENUM: number of 1 or 4 bytes whose values have names
 * @COL_FLAGS: 4 bytes of flags that have names
 * @COL_GID: GID of 16 bytes, printed as an IPv6 address
 * @COL_ADDR: IP address of 4 or 16 bytes; the next column is the port
 * @COL_MAC: MAC address
 * @COL_HEX: bytes, printed as hexadecimal digits
 * @COL_DIAG: number of 4 bytes, the diagnosis of a Decline; text has its name
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
	COL_DIAG,
};

/* struct column.flags */
#define COL_DETAIL	0x1	/* text has it only with -d */
#define COL_WITH_PORT	0x2	/* text joins the next column to it */
#define COL_NO_REPORT	0x4	/* a report does not have it */

/**
 * struct column - one attribute of an object
 * @key: name of the attribute
 * @attr: number of the attribute
 * @type: encoding and format
 * @flags: COL_DETAIL, COL_WITH_PORT, COL_NO_REPORT
 * @names: names of the values of COL_ENUM or of the bits of COL_FLAGS, up to a
 *	NULL
 */
struct column {
	const char *key;
	uint16_t attr;
	enum column_type type;
	unsigned int flags;
	const char *const *names;
};

/**
 * struct object - a kind of row that smcr-ctl prints
 * @name: name on the command line
 * @title: heading in the overview and in a report
 * @help: line of the help text
 * @cmd: command of the dump: enum smcr_cmd or enum rdma_nldev_command
 * @only_attr: attribute that asks for the rows of one link group, or of one
 *	RDMA device; 0 if there is none
 * @primary: column that a filter value without a key refers to
 * @counters: each row is a counter, with a name and a value
 * @columns: columns in the order of the output, up to a NULL key
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
 * struct command - something that smcr-ctl does to an object
 * @object: name of the object
 * @name: name on the command line
 * @help: line of the help text
 * @cmd: enum smcr_cmd
 * @usage: its arguments: columns and their values, as of a filter. The first
 *	one, the primary column, must be given. Empty if it has none
 */
struct command {
	const char *object;
	const char *name;
	const char *help;
	uint8_t cmd;
	const char *usage;
};

/**
 * struct value - one decoded attribute
 * @set: the row has the attribute
 * @num: number, for COL_U32, COL_UINT, COL_ENUM, COL_FLAGS and COL_DIAG
 * @text: the value as text
 */
struct value {
	bool set;
	uint64_t num;
	char text[VALUE_LEN];
};

extern const struct object objects[];
extern const size_t n_objects;
/* Notifications; their names are those of the multicast groups, but for the
 * last one, which comes over all of them.
 */
extern const struct object events[];
extern const size_t n_events;
/* Names of the multicast groups, up to a NULL */
extern const char *const monitor_names[];
extern const struct command commands[];
extern const size_t n_commands;

/* Devices and ports of the RDMA core, which it knows without smcr, too */
extern const struct object rdma_device;
extern const struct object rdma_port;

const struct object *object_find(const char *name, bool *ambiguous);
const struct command *command_find(const struct object *obj, const char *name);
int column_find(const struct object *obj, const char *key);
bool column_is_number(const struct column *col);
int value_decode(const struct column *col, const void *data, size_t len,
		 struct value *out);
void value_with_port(const struct column *col, const struct value *val,
		     char *out, size_t len);
bool value_matches(const struct object *obj, const struct value *row,
		   unsigned int col, const char *wanted);

#endif
