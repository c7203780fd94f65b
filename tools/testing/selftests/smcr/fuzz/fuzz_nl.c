// SPDX-License-Identifier: GPL-2.0
/*
 * The whole of smcr-ctl, including main(), with a kernel that replies with the
 * input. The output must be JSON if that was asked for, and must never have
 * control characters for a terminal.
 *
 * This file replaces the socket functions of libmnl; the rest of it is used.
 */
#include <errno.h>

#include <libmnl/libmnl.h>
#include <linux/genetlink.h>
#include <linux/smcr.h>

#include "args.h"
#include "fuzz.h"
#include "json.h"

#define FAMILY		30
#define MAX_MESSAGE	4096

/**
 * struct kernel - the kernel's end of the socket
 * @in: input for its replies
 * @seq: sequence number of the last request
 * @asked: number of requests so far
 * @open: number of open sockets
 */
static struct kernel {
	struct fuzz in;
	uint32_t seq;
	unsigned int asked;
	int open;
} kernel;

struct mnl_socket *mnl_socket_open(int bus)
{
	HOLDS(bus == NETLINK_GENERIC);
	kernel.open++;
	return (struct mnl_socket *)&kernel;
}

int mnl_socket_close(struct mnl_socket *nl)
{
	HOLDS(nl == (struct mnl_socket *)&kernel);
	kernel.open--;
	return 0;
}

int mnl_socket_setsockopt(const struct mnl_socket *nl, int type, void *buf, socklen_t len)
{
	HOLDS(nl == (struct mnl_socket *)&kernel && type && buf && len);
	return 0;
}

int mnl_socket_bind(struct mnl_socket *nl, unsigned int groups, pid_t pid)
{
	HOLDS(nl == (struct mnl_socket *)&kernel && !groups && pid == MNL_SOCKET_AUTOPID);
	return 0;
}

/* Check that the kernel would accept a request */
ssize_t mnl_socket_sendto(const struct mnl_socket *nl, const void *req, size_t len)
{
	const struct nlmsghdr *nlh = req;

	HOLDS(nl == (struct mnl_socket *)&kernel);
	HOLDS(mnl_nlmsg_ok(nlh, (int)len) && nlh->nlmsg_len == len);
	HOLDS(mnl_nlmsg_get_payload_len(nlh) >= sizeof(struct genlmsghdr));
	HOLDS(nlh->nlmsg_flags & NLM_F_REQUEST);
	HOLDS(kernel.asked ? nlh->nlmsg_type >= GENL_MIN_ID : nlh->nlmsg_type == GENL_ID_CTRL);
	kernel.seq = nlh->nlmsg_seq;
	kernel.asked++;
	return (ssize_t)len;
}

/* A valid reply about the netlink family */
static size_t say_family(char *buf)
{
	struct nlmsghdr *nlh = mnl_nlmsg_put_header(buf);
	struct nlattr *groups, *group;
	int i;

	nlh->nlmsg_type = GENL_ID_CTRL;
	nlh->nlmsg_seq = kernel.seq;
	mnl_nlmsg_put_extra_header(nlh, sizeof(struct genlmsghdr));
	mnl_attr_put_u16(nlh, CTRL_ATTR_FAMILY_ID, FAMILY);
	groups = mnl_attr_nest_start(nlh, CTRL_ATTR_MCAST_GROUPS);
	for (i = 0; monitor_names[i]; i++) {
		group = mnl_attr_nest_start(nlh, i + 1);
		mnl_attr_put_u32(nlh, CTRL_ATTR_MCAST_GRP_ID, i + 5);
		mnl_attr_put_strz(nlh, CTRL_ATTR_MCAST_GRP_NAME, monitor_names[i]);
		mnl_attr_nest_end(nlh, group);
	}
	mnl_attr_nest_end(nlh, groups);
	return nlh->nlmsg_len;
}

/* Attributes of any type and length; lengths that occur are more likely */
static void say_attrs(struct fuzz *in, struct nlmsghdr *nlh)
{
	static const uint8_t lens[] = { 4, 4, 8, 16, 6, 5 };
	uint8_t data[256], n = take8(in) % 24, type, kind;
	uint16_t len;

	while (n-- && in->left) {
		type = take8(in);
		kind = take8(in);
		len = kind < 0xC0 ? lens[kind % sizeof(lens)] : take8(in);
		take(in, data, len);
		if (kind & 0x20 && len >= 4)
			memset(data + 1, 0, 3);
		if (nlh->nlmsg_len + len + 8 > MAX_MESSAGE)
			return;
		mnl_attr_put(nlh, type & 0x1F, len, data);
	}
}

/* An error or the end of a dump, with an extack message */
static void say_error(struct fuzz *in, struct nlmsghdr *nlh, bool done)
{
	struct nlmsgerr *e;
	int *err;

	nlh->nlmsg_type = done ? NLMSG_DONE : NLMSG_ERROR;
	nlh->nlmsg_flags = take16(in);
	if (done) {
		err = mnl_nlmsg_put_extra_header(nlh, sizeof(*err));
		*err = (int)take32(in);
	} else {
		e = mnl_nlmsg_put_extra_header(nlh, sizeof(*e));
		e->error = (int)take32(in);
		e->msg.nlmsg_len = take32(in);
	}
	say_attrs(in, nlh);
}

static size_t say_built(struct fuzz *in, char *buf, uint8_t how)
{
	struct nlmsghdr *nlh = mnl_nlmsg_put_header(buf);
	struct genlmsghdr *gnlh;

	nlh->nlmsg_type = FAMILY;
	nlh->nlmsg_seq = kernel.seq;
	if (how & 1) {
		say_error(in, nlh, how & 2);
	} else {
		gnlh = mnl_nlmsg_put_extra_header(nlh, sizeof(*gnlh));
		gnlh->cmd = SMCR_CMD_DEVICE_NTF + (how >> 1) % 5;
		say_attrs(in, nlh);
	}
	return nlh->nlmsg_len;
}

/* Raw bytes; for some the header is repaired, so that smcr-ctl reads them */
static size_t say_raw(struct fuzz *in, char *buf, uint8_t how)
{
	struct nlmsghdr *nlh = (struct nlmsghdr *)buf;
	size_t len = take8(in) * 2 + (how & 1);

	take(in, buf, len);
	if (len < sizeof(*nlh))
		return len;
	if (how & 2)
		nlh->nlmsg_seq = kernel.seq;
	if (how & 4)
		nlh->nlmsg_len = (uint32_t)len;
	return len;
}

ssize_t mnl_socket_recvfrom(const struct mnl_socket *nl, void *buf, size_t size)
{
	char *said = calloc(1, MAX_MESSAGE);
	size_t len = 0, one;
	uint8_t how = 0;

	HOLDS(nl == (struct mnl_socket *)&kernel && kernel.asked);
	while (kernel.in.left) {
		how = take8(&kernel.in);
		if (kernel.asked == 1 && how & 0x80)
			one = say_family(said);
		else if (how & 0x40)
			one = say_raw(&kernel.in, said, how);
		else
			one = say_built(&kernel.in, said, how);
		if (len + MNL_ALIGN(one) > size)
			break;
		memcpy((char *)buf + len, said, one);
		memset((char *)buf + len + one, 0, MNL_ALIGN(one) - one);
		len += how & 8 ? MNL_ALIGN(one) : one;
		if (!(how & 8))
			break;
	}
	free(said);
	if (len)
		return (ssize_t)len;
	errno = how & 0x10 ? ENOSPC : EINTR;
	return -1;
}

/* Command lines that differ in what is read and printed */
static int choose_args(struct fuzz *in, char **argv)
{
	static char *const objects[] = {
		NULL, "device", "linkgroup", "link", "conn", "stats", "monitor"
	};
	static char *const filters[][2] = {
		{ "linkgroup", "1" }, { "state", "active" }, { "peer", "10.0.0.1:80" },
		{ "device", "rxe0/1" }, { "name", "f" }, { "linkgroup", "99999999999" },
		{ "local", "[::1]:0" }, { "rx-bytes", "0" },
	};
	uint8_t options = take8(in), filter = take8(in);
	char *object = objects[take8(in) % 7];
	int argc = 0;

	argv[argc++] = "smcr-ctl";
	if (options & 3)
		argv[argc++] = "-j";
	if (options & 4 && (!object || strcmp(object, "monitor")))
		argv[argc++] = "-p";
	if (options & 8)
		argv[argc++] = "-d";
	if (object)
		argv[argc++] = object;
	if (object && filter & 0x80 && strcmp(object, "monitor")) {
		argv[argc++] = "show";
		argv[argc++] = filters[filter % 8][0];
		argv[argc++] = filters[filter % 8][1];
	}
	argv[argc] = NULL;
	return argc;
}

/* Is this printable UTF-8 in lines, without C0 and C1 controls and without
 * incomplete characters?
 */
static bool harmless(const char *s)
{
	while (s && *s) {
		if (*s == 0x7F || (*s == '\xC2' && (unsigned char)s[1] < 0xA0))
			return false;
		s = *s == '\n' ? s + 1 : json_char(s);
	}
	return s;
}

/* Is each line JSON? */
static bool json_lines(char *s)
{
	char *end, next;
	bool valid;

	for (; *s; s = end) {
		end = strchr(s, '\n');
		if (!end++)
			return false;
		next = *end;
		*end = '\0';
		valid = json_valid(s);
		*end = next;
		if (!valid)
			return false;
	}
	return true;
}

static void check_output(int argc, char **argv, int status, char *out, size_t len)
{
	char error[ARGS_ERROR_LEN];
	struct args args;

	HOLDS(strlen(out) == len);
	if (args_parse(argc, argv, &args, error, sizeof(error))) {
		HOLDS(status == 2 && !len);
		return;
	}
	HOLDS(status == EXIT_SUCCESS || status == EXIT_FAILURE);
	if (args.json && args.action == ACT_MONITOR)
		HOLDS(json_lines(out));
	else if (args.json)
		HOLDS(len ? json_valid(out) : status);
	else
		HOLDS(harmless(out) && (!len || out[len - 1] == '\n'));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	FILE *real_out = stdout, *real_err = stderr;
	size_t out_len, err_len;
	char *argv[12], *out, *err;
	int argc, status;

	memset(&kernel, 0, sizeof(kernel));
	kernel.in = (struct fuzz){ data, size };
	argc = choose_args(&kernel.in, argv);
	stdout = open_memstream(&out, &out_len);
	stderr = open_memstream(&err, &err_len);
	status = smcr_ctl_main(argc, argv);
	fclose(stdout);
	fclose(stderr);
	stdout = real_out;
	stderr = real_err;
	HOLDS(!kernel.open);
	HOLDS(status == EXIT_SUCCESS || err_len);
	HOLDS(harmless(err));
	check_output(argc, argv, status, out, out_len);
	free(out);
	free(err);
	return 0;
}
