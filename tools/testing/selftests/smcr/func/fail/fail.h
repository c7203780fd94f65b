/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SMCR_FUNC_FAIL_H
#define SMCR_FUNC_FAIL_H

#include <pthread.h>

#include "util.h"

#define FAIL_MAGIC	0x736d63726661696cULL
#define FAIL_CONNS	256		/* most connections of one program */
#define FAIL_BUF	0x10000		/* largest single send or receive */
#define FAIL_PENDING	(192 * 1024)	/* more than a ring, accepted at once */
#define FAIL_FINAL	(48 * 1024)	/* fits into a ring */

/**
 * enum fail_shape - what happens on a connection
 * @FAIL_STREAM: paced bytes both ways
 * @FAIL_HALF: the leader ends its direction after some bytes; the other goes on
 * @FAIL_CLOSING: the leader writes more than the peer's ring holds, and closes;
 *	its peer reads nothing before "go"
 * @FAIL_WINDOW: both ends write until they block, and read nothing before "go"
 * @FAIL_SENDFILE: like @FAIL_STREAM, with sendfile()
 * @FAIL_RR: the leader sends requests, each of which has a response of its size
 * @FAIL_IDLE: like @FAIL_RR, but the first request follows "go"
 * @FAIL_ENDED: the leader ends its direction, and its peer, which knows that,
 *	reads nothing before "go"
 * @FAIL_GONE: likewise, and the leader has closed its socket
 * @FAIL_SHAPES: number of shapes
 */
enum fail_shape {
	FAIL_STREAM,
	FAIL_HALF,
	FAIL_CLOSING,
	FAIL_WINDOW,
	FAIL_SENDFILE,
	FAIL_RR,
	FAIL_IDLE,
	FAIL_ENDED,
	FAIL_GONE,
	FAIL_SHAPES,
};

/**
 * enum fail_lie - what the client's writer does wrong on connection 0 at "stop"
 * @FAIL_LIE_NOT: nothing
 * @FAIL_LIE_FLIP: it changes one bit
 * @FAIL_LIE_SKIP: it leaves out a word
 * @FAIL_LIE_TWICE: it sends a word twice
 * @FAIL_LIE_OTHER: it sends a word of another connection
 * @FAIL_LIE_EARLY: it ends without the last word
 * @FAIL_LIE_MORE: it sends a byte after the last word
 * @FAIL_LIE_RESET: it resets the connection
 * @FAIL_LIE_HANG: it does not end
 */
enum fail_lie {
	FAIL_LIE_NOT,
	FAIL_LIE_FLIP,
	FAIL_LIE_SKIP,
	FAIL_LIE_TWICE,
	FAIL_LIE_OTHER,
	FAIL_LIE_EARLY,
	FAIL_LIE_MORE,
	FAIL_LIE_RESET,
	FAIL_LIE_HANG,
};

/**
 * struct fail_hello - first bytes of a connection, from the client
 * @magic: FAIL_MAGIC
 * @seed: start of the random numbers
 * @conn: number of the connection, part of each word
 * @index: the same, from 0
 * @shape: enum fail_shape
 * @client_leads: the client is the leader
 * @pace_ms: mean time between two sends
 * @size: largest send
 */
struct fail_hello {
	__u64 magic;
	__u64 seed;
	__u32 conn;
	__u32 index;
	__u32 shape;
	__u32 client_leads;
	__u32 pace_ms;
	__u32 size;
};

/**
 * struct fail_dir - one direction of a connection, at one end
 * @conn: number of the connection
 * @down: from server to client
 * @end: the last word was sent or has come
 * @off: bytes sent or received
 */
struct fail_dir {
	__u32 conn;
	bool down;
	bool end;
	__u64 off;
};

/**
 * struct fail_conn - a connection
 * @hello: what it does
 * @lock: protects the following members, but not @fd, @tx.off and @rnd_*
 * @wake: a member has changed, or a command has come
 * @fd: socket
 * @server: this end is the server
 * @leads: this end is the leader
 * @polls: this end waits in poll(), not in send() and recv()
 * @running: threads of this end that have not ended
 * @tx: direction that this end sends; @tx.off belongs to the writer
 * @rx: direction that this end receives
 * @tx_ready: the writer has come to the state that its shape describes
 * @rx_ready: likewise the reader
 * @over: the reader has ended
 * @final: the peer's end of its direction has come, so no byte may be lost
 * @eof: the reader has seen the end of file
 * @bad: a byte is wrong, or follows the last one
 * @tx_err: errno that ended the writer, or 0
 * @rx_err: errno that ended the reader, or 0
 * @came: bytes have come since the last "mark" or "watch"
 * @last_ns: time of the last received byte
 * @gap_ns: longest time without a byte since the last "mark"
 * @rnd_tx: random state of the writer
 * @rnd_rx: random state of the reader
 */
struct fail_conn {
	struct fail_hello hello;
	pthread_mutex_t lock;
	pthread_cond_t wake;
	int fd;
	bool server;
	bool leads;
	bool polls;
	int running;
	struct fail_dir tx;
	struct fail_dir rx;
	bool tx_ready;
	bool rx_ready;
	bool over;
	bool final;
	bool eof;
	bool bad;
	int tx_err;
	int rx_err;
	bool came;
	__u64 last_ns;
	__u64 gap_ns;
	__u64 rnd_tx;
	__u64 rnd_rx;
};

/* fail_word.c: the bytes */
void fail_fill(const struct fail_dir *dir, __u8 *buf, size_t len);
size_t fail_end_fill(const struct fail_dir *dir, __u8 *buf);
bool fail_word_check(struct fail_dir *dir, const __u8 *buf, size_t len,
		     __u8 *part);
bool fail_part_check(const struct fail_dir *dir, const __u8 *part);

/* fail_run.c: a connection */
extern const char *const fail_shape_names[FAIL_SHAPES];
void fail_conn_init(struct fail_conn *conn, int fd, bool server);
bool fail_conn_writes(const struct fail_conn *conn);
bool fail_conn_reads(const struct fail_conn *conn);
bool fail_conn_flows(const struct fail_conn *conn);
void *fail_writer(void *arg);
void *fail_reader(void *arg);

/* fail_load.c: the program */
bool fail_going(void);
bool fail_stopping(void);
enum fail_lie fail_lie_of(const struct fail_conn *conn);
void fail_ended(struct fail_conn *conn);

/* fail_tell.c: commands */
extern struct fail_conn fail_conns[FAIL_CONNS];
bool fail_command(const char *name, char *reply, size_t len);
void fail_listen(const char *path);
void fail_unlisten(const char *path);
int fail_tell(const char *path, const char *name);

#endif /* SMCR_FUNC_FAIL_H */
