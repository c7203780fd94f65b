// SPDX-License-Identifier: GPL-2.0
/* Helpers of the functional test programs: kinds of socket, addresses, time. */
#define _GNU_SOURCE
#include "util.h"

#include <poll.h>
#include <stdatomic.h>
#include <arpa/inet.h>
#include <errno.h>
#include <netdb.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

int (*util_socket_hook)(int fd);

/* "fall" is an smcr socket that must fall back, which shows in a few replies. */
static const struct util_kind kinds[] = {
	{ "tcp4", AF_INET, 0, AF_INET },
	{ "tcp6", AF_INET6, 0, AF_INET6 },
	{ "smcr4", AF_SMCR, 0, AF_INET },
	{ "smcr6", AF_SMCR, 1, AF_INET6 },
	{ "fall4", AF_SMCR, 0, AF_INET },
	{ "fall6", AF_SMCR, 1, AF_INET6 },
	{ "inet4", AF_INET, IPPROTO_SMCR, AF_INET },
	{ "inet6", AF_INET6, IPPROTO_SMCR, AF_INET6 },
};

/* Set by any thread */
static atomic_bool wrong_bytes;

/**
 * util_wrong_bytes() - note that a received byte is wrong or missing
 */
void util_wrong_bytes(void)
{
	wrong_bytes = true;
}

/**
 * util_status() - get the exit status of this program
 * @ok: nothing failed
 *
 * Return: 0, 1, or UTIL_WRONG_BYTES
 */
int util_status(bool ok)
{
	if (ok)
		return 0;
	return wrong_bytes ? UTIL_WRONG_BYTES : 1;
}

/**
 * util_die() - print a message and end the program with status 2
 * @fmt: printf format
 */
void util_die(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fputc('\n', stderr);
	exit(2);
}

/**
 * util_wait_fd() - wait for an event of a socket
 * @fd: the socket
 * @events: as poll() has them
 *
 * Return: 0, or -1 with errno.
 */
int util_wait_fd(int fd, short events)
{
	struct pollfd pfd = { .fd = fd, .events = events };

	while (poll(&pfd, 1, -1) < 0)
		if (errno != EINTR)
			return -1;
	return 0;
}

/**
 * util_alloc() - allocate zeroed memory
 * @len: bytes
 *
 * Return: the memory, to be freed with free(); failure ends the program
 */
void *util_alloc(size_t len)
{
	void *p = calloc(1, len ? len : 1);

	if (!p)
		util_die("out of memory (%zu bytes)", len);
	return p;
}

/**
 * util_kind_find() - look up a kind of socket by its name
 * @name: tcp4, smcr4, inet4, fall4, or the same with 6
 *
 * Return: the kind; an unknown name ends the program
 */
const struct util_kind *util_kind_find(const char *name)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(kinds); i++)
		if (!strcmp(kinds[i].name, name))
			return &kinds[i];
	util_die("kind %s is unknown, try tcp4 smcr4 inet4 fall4 or with 6",
		 name);
}

/**
 * util_socket() - create a stream socket of a kind
 * @kind: from util_kind_find()
 * @type_flags: SOCK_NONBLOCK, SOCK_CLOEXEC or 0
 *
 * Return: the descriptor, or -1 with errno set
 */
int util_socket(const struct util_kind *kind, int type_flags)
{
	int fd = socket(kind->domain, SOCK_STREAM | type_flags,
			kind->protocol);

	if (fd >= 0 && util_socket_hook && util_socket_hook(fd)) {
		close(fd);
		return -1;
	}
	return fd;
}

/**
 * util_addr_parse() - parse an address
 * @addr: result
 * @family: AF_INET or AF_INET6
 * @host: numeric address; a link-local one includes its device, as fe80::1%eth0
 * @port: port in host byte order
 */
void util_addr_parse(union util_addr *addr, int family, const char *host,
		     unsigned int port)
{
	const struct addrinfo hints = {
		.ai_flags = AI_NUMERICHOST,
		.ai_family = family,
		.ai_socktype = SOCK_STREAM,
	};
	struct addrinfo *list;
	int err;

	memset(addr, 0, sizeof(*addr));
	err = getaddrinfo(host, NULL, &hints, &list);
	if (err)
		util_die("address %s: %s", host, gai_strerror(err));
	memcpy(addr, list->ai_addr, list->ai_addrlen);
	freeaddrinfo(list);
	if (family == AF_INET)
		addr->v4.sin_port = htons(port);
	else
		addr->v6.sin6_port = htons(port);
}

/**
 * util_addr_len() - get the length of an address
 * @addr: the address
 *
 * Return: bytes
 */
socklen_t util_addr_len(const union util_addr *addr)
{
	return addr->sa.sa_family == AF_INET6 ? sizeof(addr->v6) :
						sizeof(addr->v4);
}

/**
 * util_addr_port() - get the port of an address
 * @addr: the address
 *
 * Return: the port in host byte order
 */
unsigned int util_addr_port(const union util_addr *addr)
{
	return ntohs(addr->sa.sa_family == AF_INET6 ? addr->v6.sin6_port :
						      addr->v4.sin_port);
}

/**
 * util_addr_host() - format the host part of an address
 * @addr: the address
 * @buf: buffer for the text
 * @len: size of @buf
 */
void util_addr_host(const union util_addr *addr, char *buf, size_t len)
{
	const void *raw = addr->sa.sa_family == AF_INET6 ?
			  (const void *)&addr->v6.sin6_addr :
			  (const void *)&addr->v4.sin_addr;

	if (!inet_ntop(addr->sa.sa_family, raw, buf, len))
		snprintf(buf, len, "family-%d", addr->sa.sa_family);
}

/**
 * util_errno_name() - get the symbolic name of an error
 * @err: value of errno
 *
 * Return: its name, "0" for 0, "E?" if libc has none
 */
const char *util_errno_name(int err)
{
	const char *name = err ? strerrorname_np(err) : "0";

	return name ? name : "E?";
}

/**
 * util_now_ns() - get the monotonic time
 *
 * Return: nanoseconds
 */
__u64 util_now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000000000ULL + ts.tv_nsec;
}

/**
 * util_now_ms() - get the monotonic time
 *
 * Return: milliseconds
 */
__u64 util_now_ms(void)
{
	return util_now_ns() / 1000000;
}

/**
 * util_size_parse() - parse a size or count
 * @text: number with an optional suffix k, m or g (powers of 1024)
 *
 * Return: the number; invalid text ends the program
 */
__u64 util_size_parse(const char *text)
{
	__u64 n;
	char *end;

	n = strtoull(text, &end, 0);
	switch (*end) {
	case 'g':
		n <<= 10;
		fallthrough;
	case 'm':
		n <<= 10;
		fallthrough;
	case 'k':
		n <<= 10;
		end++;
		break;
	}
	if (end == text || *end)
		util_die("%s is not a size", text);
	return n;
}

/**
 * util_random() - get the next number of a repeatable sequence
 * @state: state of the sequence; the caller sets it to the seed
 *
 * Return: 32 random bits
 */
__u32 util_random(__u64 *state)
{
	__u64 z = *state += 0x9e3779b97f4a7c15ULL;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
	return z >> 32;
}
