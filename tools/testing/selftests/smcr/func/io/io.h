/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SMCR_FUNC_IO_H
#define SMCR_FUNC_IO_H

#include "util.h"

#define IO_MAGIC	0x736d6372696f3031ULL
#define IO_CHUNK	0x100000	/* largest single send or receive */

enum io_mode {
	IO_STREAM,	/* bytes in both directions at once, then end of file */
	IO_HALF,	/* all bytes up, shutdown(), then all bytes down */
	IO_RR,		/* requests, each with its response, one by one */
	IO_BYTE,	/* one byte up, one byte down */
	IO_QUIT,	/* end the server */
};

enum io_flag {
	IO_F_SHA = 1,		/* a SHA-256 digest follows the bytes of each direction */
	IO_F_EPOLL = 2,		/* non-blocking, level-triggered */
	IO_F_EDGE = 4,		/* with IO_F_EPOLL: edge-triggered */
	IO_F_RANDOM = 8,	/* random sizes from 1 to the requested one */
	IO_F_CUT = 16,		/* an early end of any kind is no failure */
	IO_F_ERRNO = 32,	/* an errno is no failure, an early end of file is */
};

enum io_send_via {
	IO_SEND_WRITE, IO_SEND_SEND, IO_SEND_WRITEV, IO_SEND_SENDMSG,
	IO_SEND_SENDMMSG, IO_SEND_MORE, IO_SEND_DONTWAIT, IO_SEND_SENDFILE,
	IO_SEND_SPLICE, IO_SEND_COUNT,
};

enum io_recv_via {
	IO_RECV_READ, IO_RECV_RECV, IO_RECV_READV, IO_RECV_RECVMSG,
	IO_RECV_RECVMMSG, IO_RECV_PEEK, IO_RECV_WAITALL, IO_RECV_DONTWAIT,
	IO_RECV_SPLICE, IO_RECV_COUNT,
};

/**
 * struct io_job - what a connection does
 * @magic: IO_MAGIC
 * @up: bytes from client to server; for IO_RR, bytes per message
 * @down: bytes from server to client; for IO_RR, number of messages
 * @seed: start of the random sizes
 * @conn: number of the connection
 * @wsize: bytes per send
 * @rsize: bytes per receive
 * @delay_us: pause of the server's reader after each receive
 * @mode: enum io_mode
 * @flags: of enum io_flag
 * @send_via: enum io_send_via, for both ends
 * @recv_via: enum io_recv_via, for both ends
 *
 * The client sends it as the first bytes of a connection, in host byte order.
 */
struct io_job {
	__u64 magic;
	__u64 up;
	__u64 down;
	__u64 seed;
	__u32 conn;
	__u32 wsize;
	__u32 rsize;
	__u32 delay_us;
	__u32 mode;
	__u32 flags;
	__u32 send_via;
	__u32 recv_via;
};

/**
 * struct io_dir - one direction of one connection
 * @job: the job of the connection
 * @fd: socket
 * @down: true for server to client
 * @off: bytes moved so far, including the digest
 * @total: bytes of the stream without its digest
 * @sha: running digest of the bytes moved
 * @digest: digest of the whole stream, valid once @off == @total
 * @rnd: random state for the sizes
 * @file: memory file for sendfile(), or -1
 * @pipe: pipe for splice(), or -1
 * @ended: end of file received or sent
 * @err: errno that ended it, or 0
 * @bad: a received byte is not the one that was sent
 */
struct io_dir {
	const struct io_job *job;
	int fd;
	bool down;
	__u64 off;
	__u64 total;
	struct sha256 sha;
	__u8 digest[SHA256_LEN];
	__u64 rnd;
	int file;
	int pipe[2];
	bool ended;
	int err;
	bool bad;
};

/* io_stream.c: the bytes of a stream */
void io_dir_init(struct io_dir *dir, const struct io_job *job, int fd,
		 bool down);
void io_dir_release(struct io_dir *dir);
__u64 io_dir_left(const struct io_dir *dir);
size_t io_dir_size(struct io_dir *dir, __u32 most);
size_t io_dir_produce(struct io_dir *dir, void *buf, size_t len);
void io_dir_sent(struct io_dir *dir, const void *buf, size_t len);
bool io_dir_check(struct io_dir *dir, const void *buf, size_t len);
bool io_dir_done(const struct io_dir *dir, const char *what);
bool io_err_forgiven(__u32 flags, int err);

/* io_via.c: the calls that move them */
int io_send_via_find(const char *name);
int io_recv_via_find(const char *name);
ssize_t io_send_some(struct io_dir *dir, const void *buf, size_t len);
ssize_t io_recv_some(struct io_dir *dir, void *buf, size_t len);

/* io_run.c: a connection from its job to its end */
int io_full_write(int fd, const void *buf, size_t len);
int io_full_read(int fd, void *buf, size_t len);
bool io_run(int fd, const struct io_job *job, bool server);
bool io_many(const union util_addr *addr, const struct util_kind *kind,
	     const struct io_job *job, unsigned int count);

/* io_server.c */
int io_listen(const struct util_kind *kind, const union util_addr *addr,
	      int backlog);
int io_serve(int lfd, __u32 flags);

/* io_early.c: socket options that force TCP */
void io_early_use(const char *name, const union util_addr *peer);

#endif /* SMCR_FUNC_IO_H */
