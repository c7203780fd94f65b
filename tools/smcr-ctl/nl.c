// SPDX-License-Identifier: GPL-2.0
/*
 * Generic netlink and RDMA netlink through libmnl.
 */
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <libmnl/libmnl.h>
#include <linux/genetlink.h>
#include <linux/netlink.h>
#include <linux/smcr.h>
#include <rdma/rdma_netlink.h>

#include "nl.h"

/* The kernel's largest error number */
#define MAX_ERRNO	4095

static int column_of_attr(const struct object *obj, uint16_t attr)
{
	int i;

	for (i = 0; obj->columns[i].key; i++)
		if (obj->columns[i].attr == attr)
			return i;
	return -1;
}

/**
 * nl_row_decode() - decode the attributes of one row
 * @obj: object that the row belongs to
 * @attrs: attributes; the function trusts none of their lengths and values
 * @len: bytes of @attrs
 * @row: result: MAX_COLUMNS values, in the order of the columns
 *
 * The function skips attributes that it does not know: a newer kernel may
 * send them.
 *
 * Return: 0, or -EINVAL if an attribute is malformed.
 */
int nl_row_decode(const struct object *obj, const void *attrs, size_t len,
		  struct value *row)
{
	const unsigned char *pos = attrs;
	struct nlattr attr;
	size_t step;
	int col;

	memset(row, 0, MAX_COLUMNS * sizeof(*row));
	while (len >= sizeof(attr)) {
		memcpy(&attr, pos, sizeof(attr));
		if (attr.nla_len < sizeof(attr) || attr.nla_len > len)
			return -EINVAL;
		col = column_of_attr(obj, attr.nla_type & NLA_TYPE_MASK);
		if (col >= 0 &&
		    value_decode(&obj->columns[col], pos + sizeof(attr),
				 attr.nla_len - sizeof(attr), &row[col]))
			return -EINVAL;
		step = NLA_ALIGN(attr.nla_len);
		if (step >= len)
			return 0;
		pos += step;
		len -= step;
	}
	return len ? -EINVAL : 0;
}

/* Take the kernel's error message, if the answer has one. */
static void take_extack(struct nl *nl, const struct nlmsghdr *nlh,
			unsigned int skip)
{
	const struct nlattr *attr;

	if (!(nlh->nlmsg_flags & NLM_F_ACK_TLVS) ||
	    mnl_nlmsg_get_payload_len(nlh) < skip)
		return;
	mnl_attr_for_each(attr, nlh, skip)
		if (mnl_attr_get_type(attr) == NLMSGERR_ATTR_MSG &&
		    !mnl_attr_validate(attr, MNL_TYPE_NUL_STRING))
			snprintf(nl->error, sizeof(nl->error), "%s",
				 mnl_attr_get_str(attr));
}

static int fail(struct nl *nl, int err)
{
	if (!nl->error[0])
		snprintf(nl->error, sizeof(nl->error),
			 "netlink request failed: %s", strerror(err));
	return -err;
}

/* An error that is no negative errno makes the answer malformed. */
static int fail_as_told(struct nl *nl, int told)
{
	return fail(nl, told < 0 && told >= -MAX_ERRNO ? -told : EBADMSG);
}

/* Return: 0, or -errno with nl->error set. */
static int read_error(struct nl *nl, const struct nlmsghdr *nlh)
{
	const struct nlmsgerr *e = mnl_nlmsg_get_payload(nlh);
	unsigned int skip = sizeof(*e);

	if (mnl_nlmsg_get_payload_len(nlh) < sizeof(*e))
		return fail(nl, EBADMSG);
	if (!e->error)
		return 0;
	if (!(nlh->nlmsg_flags & NLM_F_CAPPED))
		skip += NLMSG_ALIGN(e->msg.nlmsg_len) - sizeof(e->msg);
	take_extack(nl, nlh, skip);
	return fail_as_told(nl, e->error);
}

static int read_done(struct nl *nl, const struct nlmsghdr *nlh)
{
	const int *err = mnl_nlmsg_get_payload(nlh);

	if (mnl_nlmsg_get_payload_len(nlh) < sizeof(*err) || *err >= 0)
		return 0;
	take_extack(nl, nlh, sizeof(*err));
	return fail_as_told(nl, *err);
}

/* libmnl compares lengths as signed numbers: it accepts one of 2 GB. */
static bool message_ok(const struct nlmsghdr *nlh, int len)
{
	return mnl_nlmsg_ok(nlh, len) && nlh->nlmsg_len <= (uint32_t)len;
}

/* A buffer with the alignment of a netlink message */
union msg_buf {
	struct nlmsghdr hdr;
	char bytes[8192];
};

static struct nlmsghdr *request(struct nl *nl, char *buf, uint16_t type,
				uint8_t cmd, uint16_t flags)
{
	struct nlmsghdr *nlh = mnl_nlmsg_put_header(buf);
	struct genlmsghdr *gnlh;

	nlh->nlmsg_type = type;
	nlh->nlmsg_flags = NLM_F_REQUEST | flags;
	nlh->nlmsg_seq = ++nl->seq;
	if (!nl->header) {
		nlh->nlmsg_type += cmd;
		return nlh;
	}
	gnlh = mnl_nlmsg_put_extra_header(nlh, sizeof(*gnlh));
	gnlh->cmd = cmd;
	gnlh->version = SMCR_FAMILY_VERSION;
	return nlh;
}

/**
 * struct reader - consumer of a dump
 * @obj: object that is dumped; NULL if no row is expected
 * @fn: function to call with each row
 * @arg: argument of @fn
 */
struct reader {
	const struct object *obj;
	nl_row_fn fn;
	void *arg;
};

static int read_row(struct nl *nl, const struct nlmsghdr *nlh,
		    const struct reader *r)
{
	const size_t skip = MNL_ALIGN(nl->header);
	size_t len = mnl_nlmsg_get_payload_len(nlh);
	struct value row[MAX_COLUMNS];

	if (!r->obj || len < skip ||
	    nl_row_decode(r->obj,
			  (const char *)mnl_nlmsg_get_payload(nlh) + skip,
			  len - skip, row)) {
		snprintf(nl->error, sizeof(nl->error),
			 "cannot decode the kernel's answer; do the versions of smcr-ctl and the module match?");
		return -EBADMSG;
	}
	return r->fn(r->obj, row, r->arg);
}

/* Read all messages of one buffer.
 * Return: 1 if more follow, 0 at the end of the dump, or -errno.
 */
static int read_messages(struct nl *nl, const char *buf, size_t n,
			 const struct reader *r)
{
	const struct nlmsghdr *nlh = (const struct nlmsghdr *)buf;
	int len = n, err;

	for (; message_ok(nlh, len); nlh = mnl_nlmsg_next(nlh, &len)) {
		if (nlh->nlmsg_seq != nl->seq)
			continue;
		if (nlh->nlmsg_type == NLMSG_DONE)
			return read_done(nl, nlh);
		if (nlh->nlmsg_type == NLMSG_ERROR)
			return read_error(nl, nlh);
		if (nlh->nlmsg_type < NLMSG_MIN_TYPE)
			continue;
		err = read_row(nl, nlh, r);
		if (err)
			return err;
	}
	return 1;
}

static int talk(struct nl *nl, const struct nlmsghdr *nlh,
		const struct reader *r)
{
	const size_t size = 32768;
	char *buf = malloc(size);
	ssize_t n;
	int more;

	if (!buf)
		return fail(nl, ENOMEM);
	more = mnl_socket_sendto(nl->sk, nlh, nlh->nlmsg_len) < 0 ?
	       fail(nl, errno) : 1;
	while (more > 0) {
		n = mnl_socket_recvfrom(nl->sk, buf, size);
		more = n < 0 ? fail(nl, errno) : read_messages(nl, buf, n, r);
	}
	free(buf);
	return more;
}

/**
 * nl_dump() - dump the rows of an object
 * @nl: netlink socket
 * @obj: object
 * @only: number of the link group, or of the RDMA device, whose rows to ask
 *	for; NULL for all rows
 * @fn: function to call with each row
 * @arg: argument of @fn
 *
 * Return: 0, the value of @fn that ended the dump, or -errno with nl->error
 * set.
 */
int nl_dump(struct nl *nl, const struct object *obj, const uint32_t *only,
	    nl_row_fn fn, void *arg)
{
	const struct reader r = { .obj = obj, .fn = fn, .arg = arg };
	union msg_buf buf;
	struct nlmsghdr *nlh;

	nl->error[0] = '\0';
	nlh = request(nl, buf.bytes, nl->type, obj->cmd, NLM_F_DUMP);
	if (only && obj->only_attr)
		mnl_attr_put_u32(nlh, obj->only_attr, *only);
	return talk(nl, nlh, &r);
}

/* Put "rxe0/1" as a device and its port. */
static int put_port(struct nl *nl, struct nlmsghdr *nlh,
		    const struct nl_arg *arg)
{
	const char *slash = strrchr(arg->text, '/');
	char dev[VALUE_LEN], *end = NULL;
	unsigned long num = 0;
	size_t len = slash ? slash - arg->text : 0;

	if (slash && slash[1] >= '0' && slash[1] <= '9') {
		errno = 0;
		num = strtoul(slash + 1, &end, 10);
	}
	if (!end || *end || errno || num > UINT32_MAX || len >= sizeof(dev)) {
		snprintf(nl->error, sizeof(nl->error),
			 "\"%.100s\" is not a device and its port, like rxe0/1",
			 arg->text);
		return -EINVAL;
	}
	memcpy(dev, arg->text, len);
	dev[len] = '\0';
	mnl_attr_put_strz(nlh, arg->col->attr, dev);
	mnl_attr_put_u32(nlh, arg->col[1].attr, num);
	return 0;
}

/* Return: 0, or -errno with nl->error set. */
static int put_arg(struct nl *nl, struct nlmsghdr *nlh,
		   const struct nl_arg *arg)
{
	bool fits = true;
	char *end;
	unsigned long long num;

	if (arg->col->flags & COL_WITH_PORT)
		return put_port(nl, nlh, arg);
	if (arg->col->type == COL_STRING) {
		fits = mnl_attr_put_strz_check(nlh, sizeof(union msg_buf),
					       arg->col->attr, arg->text);
	} else {
		errno = 0;
		num = strtoull(arg->text, &end, 10);
		fits = !errno && !*end && num <= UINT32_MAX;
		if (fits)
			mnl_attr_put_u32(nlh, arg->col->attr, num);
	}
	if (fits)
		return 0;
	snprintf(nl->error, sizeof(nl->error), "\"%.100s\" is too large for %s",
		 arg->text, arg->col->key);
	return -ERANGE;
}

/**
 * nl_do() - have the kernel do something
 * @nl: netlink socket
 * @cmd: enum smcr_cmd
 * @args: attributes of the request; few enough for a message
 * @n: entries of @args
 *
 * Return: 0, or -errno with nl->error set.
 */
int nl_do(struct nl *nl, uint8_t cmd, const struct nl_arg *args,
	  unsigned int n)
{
	const struct reader r = { 0 };
	union msg_buf buf;
	struct nlmsghdr *nlh;
	unsigned int i;
	int err;

	nl->error[0] = '\0';
	nlh = request(nl, buf.bytes, nl->type, cmd, NLM_F_ACK);
	for (i = 0; i < n; i++) {
		err = put_arg(nl, nlh, &args[i]);
		if (err)
			return err;
	}
	return talk(nl, nlh, &r);
}

/* Take the number of a multicast group if smcr-ctl knows its name. */
static void take_group(struct nl *nl, const struct nlattr *group)
{
	const struct nlattr *attr;
	const char *name = NULL;
	uint32_t id = 0;
	int i;

	mnl_attr_for_each_nested(attr, group) {
		if (mnl_attr_get_type(attr) == CTRL_ATTR_MCAST_GRP_ID &&
		    !mnl_attr_validate(attr, MNL_TYPE_U32))
			id = mnl_attr_get_u32(attr);
		if (mnl_attr_get_type(attr) == CTRL_ATTR_MCAST_GRP_NAME &&
		    !mnl_attr_validate(attr, MNL_TYPE_NUL_STRING))
			name = mnl_attr_get_str(attr);
	}
	for (i = 0; name && i < MAX_KINDS && monitor_names[i]; i++)
		if (!strcmp(monitor_names[i], name))
			nl->groups[i] = id;
}

static int take_family(struct nl *nl, const struct nlmsghdr *nlh)
{
	const struct nlattr *attr, *group;

	mnl_attr_for_each(attr, nlh, sizeof(struct genlmsghdr)) {
		if (mnl_attr_get_type(attr) == CTRL_ATTR_FAMILY_ID &&
		    !mnl_attr_validate(attr, MNL_TYPE_U16))
			nl->type = mnl_attr_get_u16(attr);
		if (mnl_attr_get_type(attr) == CTRL_ATTR_MCAST_GROUPS)
			mnl_attr_for_each_nested(group, attr)
				take_group(nl, group);
	}
	return nl->type >= GENL_MIN_ID ? 0 : fail(nl, EBADMSG);
}

static int find_family(struct nl *nl)
{
	union msg_buf buf;
	struct nlmsghdr *nlh;
	ssize_t n;
	int err;

	nlh = request(nl, buf.bytes, GENL_ID_CTRL, CTRL_CMD_GETFAMILY, 0);
	mnl_attr_put_strz(nlh, CTRL_ATTR_FAMILY_NAME, SMCR_FAMILY_NAME);
	if (mnl_socket_sendto(nl->sk, nlh, nlh->nlmsg_len) < 0)
		return fail(nl, errno);
	n = mnl_socket_recvfrom(nl->sk, buf.bytes, sizeof(buf.bytes));
	if (n < 0)
		return fail(nl, errno);
	nlh = &buf.hdr;
	if (!message_ok(nlh, n) || nlh->nlmsg_seq != nl->seq)
		return fail(nl, EBADMSG);
	if (nlh->nlmsg_type != NLMSG_ERROR)
		return take_family(nl, nlh);
	err = read_error(nl, nlh);
	if (err == -ENOENT)
		snprintf(nl->error, sizeof(nl->error),
			 "the module smcr is not loaded; load it with \"modprobe smcr\"");
	return err ? err : fail(nl, EBADMSG);
}

static int open_bus(struct nl *nl, int bus)
{
	int one = 1;

	memset(nl, 0, sizeof(*nl));
	nl->sk = mnl_socket_open(bus);
	if (!nl->sk)
		return fail(nl, errno);
	/* Without it, which old kernels lack, errors have no message. */
	mnl_socket_setsockopt(nl->sk, NETLINK_EXT_ACK, &one, sizeof(one));
	if (mnl_socket_bind(nl->sk, 0, MNL_SOCKET_AUTOPID) < 0)
		return fail(nl, errno);
	return 0;
}

/**
 * nl_open() - open a netlink socket to the smcr family
 * @nl: netlink socket; nl_close() closes it also on error
 *
 * Return: 0, or -errno with nl->error set.
 */
int nl_open(struct nl *nl)
{
	int err = open_bus(nl, NETLINK_GENERIC);

	if (err)
		return err;
	nl->header = sizeof(struct genlmsghdr);
	return find_family(nl);
}

/**
 * nl_join() - receive notifications
 * @nl: netlink socket of nl_open()
 * @kinds: bits by index of monitor_names; bits beyond them are ignored
 *
 * Return: 0, or -errno with nl->error set.
 */
int nl_join(struct nl *nl, unsigned int kinds)
{
	int i;

	for (i = 0; monitor_names[i]; i++) {
		if (!(kinds & 1U << i))
			continue;
		if (!nl->groups[i]) {
			snprintf(nl->error, sizeof(nl->error),
				 "the module has no notifications of kind \"%s\"; do the versions of smcr-ctl and the module match?",
				 monitor_names[i]);
			return -ENOENT;
		}
		if (mnl_socket_setsockopt(nl->sk, NETLINK_ADD_MEMBERSHIP,
					  &nl->groups[i],
					  sizeof(nl->groups[i])) < 0)
			return fail(nl, errno);
	}
	return 0;
}

static const struct object *event_find(uint8_t cmd)
{
	size_t i;

	for (i = 0; i < n_events; i++)
		if (events[i].cmd == cmd)
			return &events[i];
	return NULL;
}

/* A newer kernel may send notifications that smcr-ctl does not know. */
static int read_event(struct nl *nl, const struct nlmsghdr *nlh, nl_event_fn fn,
		      void *arg)
{
	const struct genlmsghdr *gnlh = mnl_nlmsg_get_payload(nlh);
	struct reader r = { .fn = fn, .arg = arg };

	if (nlh->nlmsg_type != nl->type ||
	    mnl_nlmsg_get_payload_len(nlh) < sizeof(*gnlh))
		return 0;
	r.obj = event_find(gnlh->cmd);
	return r.obj ? read_row(nl, nlh, &r) : 0;
}

static int read_events(struct nl *nl, const char *buf, size_t n, nl_event_fn fn,
		       void *arg)
{
	const struct nlmsghdr *nlh = (const struct nlmsghdr *)buf;
	int len = n, err = 0;

	for (; !err && message_ok(nlh, len); nlh = mnl_nlmsg_next(nlh, &len))
		err = read_event(nl, nlh, fn, arg);
	return err;
}

/**
 * nl_monitor() - receive notifications until @fn has enough
 * @nl: netlink socket after nl_join()
 * @fn: function to call with each notification; with a NULL event if some were
 *	lost, because they came faster than they were read
 * @arg: argument of @fn
 *
 * Return: the value of @fn that ended it, or -errno with nl->error set.
 */
int nl_monitor(struct nl *nl, nl_event_fn fn, void *arg)
{
	union msg_buf buf;
	ssize_t n;
	int err = 0;

	while (!err) {
		n = mnl_socket_recvfrom(nl->sk, buf.bytes, sizeof(buf.bytes));
		if (n > 0)
			err = read_events(nl, buf.bytes, n, fn, arg);
		else if (n < 0 && errno == ENOBUFS)
			err = fn(NULL, NULL, arg);
		else
			err = fail(nl, n < 0 ? errno : EBADMSG);
	}
	return err;
}

/**
 * nl_open_rdma() - open a netlink socket to the RDMA core
 * @nl: netlink socket; nl_close() closes it also on error
 *
 * Return: 0, or -errno with nl->error set.
 */
int nl_open_rdma(struct nl *nl)
{
	int err = open_bus(nl, NETLINK_RDMA);

	if (err == -EPROTONOSUPPORT)
		snprintf(nl->error, sizeof(nl->error),
			 "the module ib_core is not loaded; without it there are no RDMA devices");
	nl->type = RDMA_NL_GET_TYPE(RDMA_NL_NLDEV, 0);
	return err;
}

/**
 * nl_close() - close a netlink socket
 * @nl: netlink socket
 */
void nl_close(struct nl *nl)
{
	if (nl->sk)
		mnl_socket_close(nl->sk);
	nl->sk = NULL;
}
