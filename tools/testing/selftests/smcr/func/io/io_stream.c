// SPDX-License-Identifier: GPL-2.0
/*
 * Position-coded streams: each 8-byte word contains its connection, direction and
 * position, so that the receiver detects a byte that is lost, duplicated, misplaced
 * or from another connection.
 */
#define _GNU_SOURCE
#include "io.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static __u64 coded_word(const struct io_dir *dir, __u64 index)
{
	return (__u64)dir->job->conn << 48 | (__u64)dir->down << 47 |
	       (index & ((1ULL << 47) - 1));
}

static __u64 stream_len(const struct io_dir *dir)
{
	return dir->total + (dir->job->flags & IO_F_SHA ? SHA256_LEN : 0);
}

/**
 * io_dir_init() - initialize a direction
 * @dir: the direction
 * @job: the job; must outlive @dir
 * @fd: socket
 * @down: true for server to client
 */
void io_dir_init(struct io_dir *dir, const struct io_job *job, int fd,
		 bool down)
{
	memset(dir, 0, sizeof(*dir));
	dir->job = job;
	dir->fd = fd;
	dir->down = down;
	dir->total = down ? job->down : job->up;
	dir->rnd = job->seed ^ ((__u64)job->conn << 1 | down);
	dir->file = -1;
	dir->pipe[0] = -1;
	dir->pipe[1] = -1;
	sha256_init(&dir->sha);
}

/**
 * io_dir_release() - release the file and pipe of a direction, not its socket
 * @dir: the direction
 */
void io_dir_release(struct io_dir *dir)
{
	if (dir->file >= 0)
		close(dir->file);
	if (dir->pipe[0] >= 0) {
		close(dir->pipe[0]);
		close(dir->pipe[1]);
	}
}

/**
 * io_dir_left() - get the number of bytes still to move
 * @dir: the direction
 *
 * Return: bytes, including the digest
 */
__u64 io_dir_left(const struct io_dir *dir)
{
	return stream_len(dir) - dir->off;
}

/**
 * io_dir_size() - choose the size of the next call
 * @dir: the direction
 * @most: requested size
 *
 * Return: bytes, at least 1
 */
size_t io_dir_size(struct io_dir *dir, __u32 most)
{
	if (dir->job->flags & IO_F_RANDOM)
		return 1 + util_random(&dir->rnd) % most;
	return most;
}

static void coded_fill(const struct io_dir *dir, __u64 off, __u8 *p,
		       size_t len)
{
	__u64 word;

	for (; len && (off & 7 || len < 8); off++, len--) {
		word = coded_word(dir, off >> 3);
		*p++ = word >> (8 * (off & 7));
	}
	for (; len >= 8; off += 8, len -= 8, p += 8) {
		word = coded_word(dir, off >> 3);
		memcpy(p, &word, 8);
	}
	if (len)
		coded_fill(dir, off, p, len);
}

static void take_digest(struct io_dir *dir, const void *buf, size_t len)
{
	if (!(dir->job->flags & IO_F_SHA) || dir->off >= dir->total)
		return;
	sha256_update(&dir->sha, buf, len);
	if (dir->off + len == dir->total)
		sha256_final(&dir->sha, dir->digest);
}

/**
 * io_dir_produce() - produce the next bytes to send
 * @dir: the direction; does not advance
 * @buf: buffer for them
 * @len: size of @buf, not 0
 *
 * Return: bytes produced; fewer than @len just before the digest and the end
 */
size_t io_dir_produce(struct io_dir *dir, void *buf, size_t len)
{
	__u64 limit = dir->off < dir->total ? dir->total : stream_len(dir);

	if (!dir->total && !dir->off && dir->job->flags & IO_F_SHA) {
		struct sha256 empty = dir->sha;

		sha256_final(&empty, dir->digest);
	}
	if (len > limit - dir->off)
		len = limit - dir->off;
	if (dir->off < dir->total)
		coded_fill(dir, dir->off, buf, len);
	else
		memcpy(buf, dir->digest + (dir->off - dir->total), len);
	return len;
}

/**
 * io_dir_sent() - advance a direction
 * @dir: the direction
 * @buf: the bytes from io_dir_produce()
 * @len: number of them that were moved
 */
void io_dir_sent(struct io_dir *dir, const void *buf, size_t len)
{
	take_digest(dir, buf, len);
	dir->off += len;
}

static bool report_bad(struct io_dir *dir, const __u8 *got,
		       const __u8 *want, size_t len)
{
	size_t i = 0;

	while (i < len && got[i] == want[i])
		i++;
	fprintf(stderr, "conn %u %s: byte %llu is %02x, expected %02x\n",
		dir->job->conn, dir->down ? "down" : "up",
		(dir->off + i), i < len ? got[i] : 0,
		i < len ? want[i] : 0);
	dir->bad = true;
	util_wrong_bytes();
	return false;
}

/**
 * io_dir_check() - compare received bytes and advance the direction
 * @dir: the direction
 * @buf: the bytes
 * @len: their number
 *
 * Return: true if they are the next ones of the stream, false after a message
 */
bool io_dir_check(struct io_dir *dir, const void *buf, size_t len)
{
	const __u8 *p = buf;
	__u8 want[4096];

	while (len) {
		size_t n = len < sizeof(want) ? len : sizeof(want);

		if (dir->off == stream_len(dir)) {
			fprintf(stderr, "conn %u %s: bytes after the last\n",
				dir->job->conn, dir->down ? "down" : "up");
			dir->bad = true;
			util_wrong_bytes();
			return false;
		}
		n = io_dir_produce(dir, want, n);
		if (memcmp(p, want, n))
			return report_bad(dir, p, want, n);
		io_dir_sent(dir, p, n);
		p += n;
		len -= n;
	}
	return true;
}

/**
 * io_dir_done() - judge a direction that has ended
 * @dir: the direction
 * @what: "send" or "receive", for the message
 *
 * A direction with neither an end nor an error was abandoned because the other
 * direction failed.
 *
 * Return: true if all bytes moved without an error, or if the flags of the job
 * forgive what happened
 */
bool io_dir_done(const struct io_dir *dir, const char *what)
{
	bool whole = dir->off == stream_len(dir) && !dir->err;

	if (dir->bad)
		return false;
	if (whole || dir->job->flags & IO_F_CUT)
		return true;
	if (dir->job->flags & IO_F_ERRNO && (dir->err || !dir->ended))
		return true;
	if (dir->ended && !dir->err)
		util_wrong_bytes();
	fprintf(stderr, "conn %u %s: %s ended at %llu of %llu: %s\n",
		dir->job->conn, dir->down ? "down" : "up", what,
		dir->off,
		stream_len(dir),
		dir->err ? util_errno_name(dir->err) : "end of file");
	return false;
}

/**
 * io_err_forgiven() - decide whether an error is a failure
 * @flags: enum io_flag
 * @err: errno; ENODATA for an early end of file, EILSEQ for a wrong byte
 *
 * Return: true if the flags forgive the error
 */
bool io_err_forgiven(__u32 flags, int err)
{
	if (err == EILSEQ)
		return false;
	return flags & IO_F_CUT || (flags & IO_F_ERRNO && err != ENODATA);
}
