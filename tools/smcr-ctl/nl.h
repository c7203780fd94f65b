/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Netlink requests and their answers.
 */
#ifndef SMCR_CTL_NL_H
#define SMCR_CTL_NL_H

#include <stddef.h>
#include <stdint.h>

#include "schema.h"

#define NL_ERROR_LEN	512
#define MAX_KINDS	8

struct mnl_socket;

/**
 * struct nl - netlink socket to the smcr family or to the RDMA core
 * @sk: socket
 * @type: message type of a request; the RDMA core's without the command
 * @header: bytes between the netlink header and the attributes: those of the
 *	generic netlink header, or 0 with the RDMA core
 * @seq: sequence number of the last request
 * @groups: numbers of the multicast groups, by index of monitor_names; 0 for
 *	those that the kernel does not have
 * @error: error message, empty if there is none
 */
struct nl {
	struct mnl_socket *sk;
	uint16_t type;
	size_t header;
	uint32_t seq;
	uint32_t groups[MAX_KINDS];
	char error[NL_ERROR_LEN];
};

/**
 * struct nl_arg - attribute of a request
 * @col: its column, of COL_U32 or COL_STRING; with COL_WITH_PORT, @text has the
 *	port, too
 * @text: its value
 */
struct nl_arg {
	const struct column *col;
	const char *text;
};

/* nl_dump() calls this with each row. A value other than 0 ends the dump. */
typedef int (*nl_row_fn)(const struct object *obj, const struct value *row,
			 void *arg);

/* nl_monitor() calls this with each notification. A value other than 0 ends it.
 */
typedef int (*nl_event_fn)(const struct object *event, const struct value *row,
			   void *arg);

int nl_open(struct nl *nl);
int nl_join(struct nl *nl, unsigned int kinds);
int nl_monitor(struct nl *nl, nl_event_fn fn, void *arg);
int nl_open_rdma(struct nl *nl);
void nl_close(struct nl *nl);
int nl_dump(struct nl *nl, const struct object *obj, const uint32_t *only,
	    nl_row_fn fn, void *arg);
int nl_do(struct nl *nl, uint8_t cmd, const struct nl_arg *args,
	  unsigned int n);
int nl_row_decode(const struct object *obj, const void *attrs, size_t len,
		  struct value *row);

#endif
