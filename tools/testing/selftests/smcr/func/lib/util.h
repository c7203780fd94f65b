/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SMCR_FUNC_UTIL_H
#define SMCR_FUNC_UTIL_H

#include <netinet/in.h>
#include <stdbool.h>
#include <stddef.h>
#include <linux/types.h>
#include <stdint.h>
#include <stdnoreturn.h>
#include <sys/socket.h>

#define fallthrough	__attribute__((fallthrough))
#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))

#ifndef AF_SMCR
#define AF_SMCR		43
#endif
#ifndef IPPROTO_SMCR
#define IPPROTO_SMCR	257
#endif

/**
 * struct util_kind - one way to create a stream socket
 * @name: name on the command line
 * @domain: first argument of socket()
 * @protocol: third argument of socket()
 * @family: address family of bind() and connect()
 */
struct util_kind {
	const char *name;
	int domain;
	int protocol;
	int family;
};

/**
 * union util_addr - a socket address of either family
 * @sa: generic view
 * @v4: IPv4 view
 * @v6: IPv6 view
 * @ss: storage for any family
 */
union util_addr {
	struct sockaddr sa;
	struct sockaddr_in v4;
	struct sockaddr_in6 v6;
	struct sockaddr_storage ss;
};

/**
 * struct sha256 - running SHA-256
 * @state: chaining value
 * @len: bytes hashed so far
 * @buf: the incomplete block
 */
struct sha256 {
	__u32 state[8];
	__u64 len;
	__u8 buf[64];
};

#define SHA256_LEN	32

/* Exit status of a program to which a byte came that is wrong, or from which one
 * is missing at an orderly end. The bed never excuses it.
 */
#define UTIL_WRONG_BYTES	9

/* If set, util_socket() calls it on each new socket; returns 0, or -1 with errno. */
extern int (*util_socket_hook)(int fd);

const struct util_kind *util_kind_find(const char *name);
int util_socket(const struct util_kind *kind, int type_flags);
void util_addr_parse(union util_addr *addr, int family, const char *host,
		     unsigned int port);
socklen_t util_addr_len(const union util_addr *addr);
unsigned int util_addr_port(const union util_addr *addr);
void util_addr_host(const union util_addr *addr, char *buf, size_t len);
const char *util_errno_name(int err);
__u64 util_now_ms(void);
__u64 util_now_ns(void);
__u64 util_size_parse(const char *text);
__u32 util_random(__u64 *state);
int util_wait_fd(int fd, short events);
void *util_alloc(size_t len);
noreturn void util_die(const char *fmt, ...);
void util_wrong_bytes(void);
int util_status(bool ok);

void sha256_init(struct sha256 *ctx);
void sha256_update(struct sha256 *ctx, const void *data, size_t len);
void sha256_final(struct sha256 *ctx, __u8 digest[SHA256_LEN]);

#endif /* SMCR_FUNC_UTIL_H */
