// SPDX-License-Identifier: GPL-2.0
/*
 * The wire between the virtual machines: an Ethernet switch over Unix
 * datagram sockets, one per virtual NIC, with learned addresses, faults on
 * command and a capture of each segment.
 *
 * usage: switch CAPTURE-DIR PORT...      PORT = NAME:SEGMENT:OURS:QEMU
 *
 * OURS is the path this program binds, QEMU the one it connects to. Commands
 * come on standard input, one a line, and each gets one line in return, "ok"
 * or "error TEXT":
 *
 *   fault FROM TO KEY VALUE...   set on the path from port FROM to port TO,
 *                                "*" for any. Keys: loss, dup, reorder and
 *                                corrupt in 1/1000 of packets; delay in us;
 *                                cut 0|1; drop N loses the next N packets;
 *                                only all|roce|tcp|other limits the faults to
 *                                one kind of packet
 *   clear                        no faults on any path
 *   seed N                       restart the fault generator
 *   count FROM TO                packets passed, lost, bytes passed
 *   flush                        captures are complete on the disk
 *
 * A capture holds the first SNAPLEN bytes of each packet and is started anew
 * at CAPTURE_MAX bytes, the older half being kept as NAME.old.pcap.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#define MAX_PORTS	32
#define MAX_PACKET	(68 * 1024)
#define MAC_SLOTS	64
#define SNAPLEN		256
#define CAPTURE_MAX	(32L << 20)
/* Bounds what a stopped machine can make this program hold. */
#define QUEUE_MAX	4096
#define BURST		32
#define REORDER_NS	(3 * 1000 * 1000ULL)

enum kind { KIND_ALL, KIND_ROCE, KIND_TCP, KIND_OTHER };

static const char * const kind_names[] = { "all", "roce", "tcp", "other" };

struct packet {
	struct packet *next;
	uint64_t due;
	uint32_t len;
	uint8_t data[];
};

/* Faults of one path, rates in 1/1000. */
struct path {
	unsigned int loss, dup, reorder, corrupt, cut;
	unsigned long drop;
	uint64_t delay_ns;
	enum kind only;
	unsigned long passed, lost, bytes;
};

struct port {
	const char *name;
	struct sockaddr_un peer;
	int fd;
	int segment;
	int connected;
	/* Sorted by due time. */
	struct packet *head, *tail;
	unsigned int queued;
};

struct mac_entry {
	uint8_t mac[6];
	int port;
};

struct capture {
	FILE *file;
	char path[200];
};

static struct path paths[MAX_PORTS][MAX_PORTS];
static struct mac_entry macs[MAC_SLOTS];
static struct capture captures[MAX_PORTS];
static struct port ports[MAX_PORTS];
static const char *capture_dir;
static uint64_t rng_state = 1;
static int num_ports;

static uint64_t now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000000000ULL + ts.tv_nsec;
}

/* xorshift64*: the same seed gives the same faults for the same packets. */
static uint32_t rng_next(void)
{
	rng_state ^= rng_state >> 12;
	rng_state ^= rng_state << 25;
	rng_state ^= rng_state >> 27;
	return (rng_state * 0x2545f4914f6cdd1dULL) >> 32;
}

static int hits(unsigned int per_mille)
{
	return per_mille && rng_next() % 1000 < per_mille;
}

static void capture_open(int segment)
{
	struct capture *cap = &captures[segment];
	const struct {
		uint32_t magic;
		uint16_t major, minor;
		uint32_t zone, sigfigs, snaplen, linktype;
	} head = { 0xa1b23c4d, 2, 4, 0, 0, SNAPLEN, 1 };
	char old[220];

	snprintf(cap->path, sizeof(cap->path), "%s/segment%d.pcap",
		 capture_dir, segment);
	if (cap->file) {
		fclose(cap->file);
		snprintf(old, sizeof(old), "%s/segment%d.old.pcap",
			 capture_dir, segment);
		rename(cap->path, old);
	}
	cap->file = fopen(cap->path, "w");
	if (cap->file)
		fwrite(&head, sizeof(head), 1, cap->file);
}

static void capture_packet(int segment, const uint8_t *data, uint32_t len)
{
	struct capture *cap = &captures[segment];
	struct timespec ts;
	uint32_t head[4];

	if (!cap->file)
		return;
	if (ftell(cap->file) > CAPTURE_MAX)
		capture_open(segment);
	clock_gettime(CLOCK_REALTIME, &ts);
	head[0] = ts.tv_sec;
	head[1] = ts.tv_nsec;
	head[2] = len < SNAPLEN ? len : SNAPLEN;
	head[3] = len;
	fwrite(head, sizeof(head), 1, cap->file);
	fwrite(data, head[2], 1, cap->file);
}

static enum kind packet_kind(const uint8_t *p, uint32_t len)
{
	uint32_t off = 14, l4;
	uint16_t type;
	uint8_t proto;

	if (len < off)
		return KIND_OTHER;
	type = p[12] << 8 | p[13];
	if (type == 0x8100 && len >= 18) {
		type = p[16] << 8 | p[17];
		off = 18;
	}
	/* RoCEv1 has an Ethernet type of its own. */
	if (type == 0x8915)
		return KIND_ROCE;
	if (type == 0x0800 && len >= off + 20) {
		proto = p[off + 9];
		l4 = off + (p[off] & 15) * 4;
	} else if (type == 0x86dd && len >= off + 40) {
		proto = p[off + 6];
		l4 = off + 40;
	} else {
		return KIND_OTHER;
	}
	if (proto == 6)
		return KIND_TCP;
	if (proto == 17 && len >= l4 + 4 &&
	    (p[l4 + 2] << 8 | p[l4 + 3]) == 4791)
		return KIND_ROCE;
	return KIND_OTHER;
}

static void mac_learn(const uint8_t *mac, int port)
{
	static int next;
	int i;

	for (i = 0; i < MAC_SLOTS; i++) {
		if (!memcmp(macs[i].mac, mac, 6)) {
			macs[i].port = port;
			return;
		}
	}
	memcpy(macs[next].mac, mac, 6);
	macs[next].port = port;
	next = (next + 1) % MAC_SLOTS;
}

static int mac_find(const uint8_t *mac, int segment)
{
	int i;

	if (mac[0] & 1)
		return -1;
	for (i = 0; i < MAC_SLOTS; i++) {
		if (!memcmp(macs[i].mac, mac, 6) &&
		    ports[macs[i].port].segment == segment)
			return macs[i].port;
	}
	return -1;
}

static int port_connect(struct port *port)
{
	if (!port->connected &&
	    !connect(port->fd, (struct sockaddr *)&port->peer,
		     sizeof(port->peer)))
		port->connected = 1;
	return port->connected;
}

static void port_pop(struct port *port)
{
	struct packet *pkt = port->head;

	port->head = pkt->next;
	if (!port->head)
		port->tail = NULL;
	port->queued--;
	free(pkt);
}

/* Returns 0 when the receiver is full and POLLOUT has to be waited for. */
static int port_drain(struct port *port, uint64_t now)
{
	while (port->head && port->head->due <= now) {
		if (port_connect(port) &&
		    send(port->fd, port->head->data, port->head->len, 0) < 0) {
			if (errno == EAGAIN || errno == ENOBUFS)
				return 0;
			/* The machine is gone; it may come back. */
			port->connected = 0;
		}
		port_pop(port);
	}
	return 1;
}

static void port_queue(struct port *port, const uint8_t *data, uint32_t len,
		       uint64_t due, int corrupt)
{
	struct packet **at, *pkt;

	if (port->queued >= QUEUE_MAX)
		return;
	pkt = malloc(sizeof(*pkt) + len);
	if (!pkt)
		return;
	memcpy(pkt->data, data, len);
	pkt->len = len;
	pkt->due = due;
	if (corrupt && len > 15)
		pkt->data[14 + rng_next() % (len - 14)] ^= 1 << rng_next() % 8;

	if (!port->tail || port->tail->due <= due) {
		at = port->tail ? &port->tail->next : &port->head;
	} else {
		for (at = &port->head; (*at)->due <= due; at = &(*at)->next)
			;
	}
	pkt->next = *at;
	*at = pkt;
	if (!pkt->next)
		port->tail = pkt;
	port->queued++;
}

static int path_loses(struct path *path)
{
	if (path->cut)
		return 1;
	if (path->drop) {
		path->drop--;
		return 1;
	}
	return hits(path->loss);
}

static void forward(int from, int to, const uint8_t *data, uint32_t len,
		    enum kind kind, uint64_t now)
{
	static const struct path clean;
	struct path *path = &paths[from][to];
	const struct path *f = path;
	uint64_t due = now;

	if (path->only != KIND_ALL && path->only != kind) {
		f = &clean;
	} else if (path_loses(path)) {
		path->lost++;
		return;
	}
	path->passed++;
	path->bytes += len;
	due += f->delay_ns;
	if (hits(f->reorder))
		due += REORDER_NS;
	port_queue(&ports[to], data, len, due, hits(f->corrupt));
	if (hits(f->dup))
		port_queue(&ports[to], data, len, due, 0);
}

static void port_receive(int from)
{
	static uint8_t buf[MAX_PACKET];
	int segment = ports[from].segment;
	uint64_t now = now_ns();
	enum kind kind;
	int burst, i, to;
	ssize_t len;

	for (burst = 0; burst < BURST; burst++) {
		len = recv(ports[from].fd, buf, sizeof(buf), MSG_DONTWAIT);
		if (len < 0 && errno == ECONNREFUSED)
			ports[from].connected = 0;
		if (len < 14)
			return;
		capture_packet(segment, buf, len);
		mac_learn(buf + 6, from);
		kind = packet_kind(buf, len);
		to = mac_find(buf, segment);
		for (i = 0; i < num_ports; i++) {
			if (i != from && ports[i].segment == segment &&
			    (to < 0 || to == i))
				forward(from, i, buf, len, kind, now);
		}
	}
}

static int name_matches(const char *pattern, int port)
{
	return !strcmp(pattern, "*") || !strcmp(pattern, ports[port].name);
}

static const char *path_set(struct path *path, const char *key,
			    const char *value)
{
	unsigned long n = strtoul(value, NULL, 0);
	unsigned int i;

	if (!strcmp(key, "only")) {
		for (i = 0; i < sizeof(kind_names) / sizeof(*kind_names); i++) {
			if (!strcmp(value, kind_names[i])) {
				path->only = i;
				return NULL;
			}
		}
		return "unknown kind of packet";
	}
	if (!strcmp(key, "loss"))
		path->loss = n;
	else if (!strcmp(key, "dup"))
		path->dup = n;
	else if (!strcmp(key, "reorder"))
		path->reorder = n;
	else if (!strcmp(key, "corrupt"))
		path->corrupt = n;
	else if (!strcmp(key, "cut"))
		path->cut = n;
	else if (!strcmp(key, "drop"))
		path->drop = n;
	else if (!strcmp(key, "delay"))
		path->delay_ns = n * 1000;
	else
		return "unknown key";
	return NULL;
}

static const char *cmd_fault(char **words, int n)
{
	const char *error = NULL;
	int i, j, w, found = 0;

	if (n < 5 || n % 2 == 0)
		return "fault FROM TO KEY VALUE...";
	for (i = 0; i < num_ports; i++) {
		for (j = 0; j < num_ports; j++) {
			if (i == j || !name_matches(words[1], i) ||
			    !name_matches(words[2], j))
				continue;
			found = 1;
			for (w = 3; w < n && !error; w += 2)
				error = path_set(&paths[i][j], words[w],
						 words[w + 1]);
		}
	}
	return found ? error : "no such port";
}

static void cmd_clear(void)
{
	struct path *path, clean = {};
	int i, j;

	for (i = 0; i < num_ports; i++) {
		for (j = 0; j < num_ports; j++) {
			path = &paths[i][j];
			clean.passed = path->passed;
			clean.lost = path->lost;
			clean.bytes = path->bytes;
			*path = clean;
		}
	}
}

static void cmd_count(const char *from, const char *to)
{
	unsigned long passed = 0, lost = 0, bytes = 0;
	int i, j;

	for (i = 0; i < num_ports; i++) {
		for (j = 0; j < num_ports; j++) {
			if (!name_matches(from, i) || !name_matches(to, j))
				continue;
			passed += paths[i][j].passed;
			lost += paths[i][j].lost;
			bytes += paths[i][j].bytes;
		}
	}
	printf("ok passed %lu lost %lu bytes %lu\n", passed, lost, bytes);
}

static void obey(char *line)
{
	const char *error = NULL;
	char *words[32], *w;
	int n = 0;

	for (w = strtok(line, " \t"); w && n < 32; w = strtok(NULL, " \t"))
		words[n++] = w;
	if (n && !strcmp(words[0], "fault")) {
		error = cmd_fault(words, n);
	} else if (n && !strcmp(words[0], "clear")) {
		cmd_clear();
	} else if (n == 2 && !strcmp(words[0], "seed")) {
		rng_state = strtoull(words[1], NULL, 0) * 2 + 1;
	} else if (n == 3 && !strcmp(words[0], "count")) {
		cmd_count(words[1], words[2]);
		return;
	} else if (n == 1 && !strcmp(words[0], "flush")) {
		for (n = 0; n < MAX_PORTS; n++)
			if (captures[n].file)
				fflush(captures[n].file);
	} else {
		error = "unknown command";
	}
	printf(error ? "error %s\n" : "ok\n", error);
}

static void read_commands(void)
{
	static char buf[4096];
	static size_t used;
	ssize_t len;
	char *end;

	len = read(STDIN_FILENO, buf + used, sizeof(buf) - 1 - used);
	if (len <= 0)
		exit(0);
	used += len;
	buf[used] = 0;
	while ((end = strchr(buf, '\n'))) {
		*end = 0;
		obey(buf);
		used -= end + 1 - buf;
		memmove(buf, end + 1, used + 1);
	}
	if (used == sizeof(buf) - 1)
		used = 0;
}

static int add_port(char *spec)
{
	struct sockaddr_un ours = { .sun_family = AF_UNIX };
	struct port *port = &ports[num_ports];
	char *segment, *path, *peer;
	int size = 4 << 20;

	port->name = strtok(spec, ":");
	segment = strtok(NULL, ":");
	path = strtok(NULL, ":");
	peer = strtok(NULL, ":");
	if (!peer || num_ports == MAX_PORTS)
		return -1;
	port->segment = atoi(segment);
	if (port->segment < 0 || port->segment >= MAX_PORTS)
		return -1;
	snprintf(ours.sun_path, sizeof(ours.sun_path), "%s", path);
	port->peer.sun_family = AF_UNIX;
	snprintf(port->peer.sun_path, sizeof(port->peer.sun_path), "%s", peer);
	port->fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK, 0);
	setsockopt(port->fd, SOL_SOCKET, SO_SNDBUF, &size, sizeof(size));
	unlink(path);
	if (port->fd < 0 ||
	    bind(port->fd, (struct sockaddr *)&ours, sizeof(ours))) {
		perror(path);
		return -1;
	}
	if (!captures[port->segment].file)
		capture_open(port->segment);
	num_ports++;
	return 0;
}

/* How long poll() may sleep: until the first delayed packet is due. */
static void next_due(struct timespec *ts)
{
	uint64_t now = now_ns(), wait = 1000000000ULL;
	int i;

	for (i = 0; i < num_ports; i++) {
		struct packet *pkt = ports[i].head;

		if (pkt && pkt->due > now && pkt->due - now < wait)
			wait = pkt->due - now;
	}
	ts->tv_sec = wait / 1000000000ULL;
	ts->tv_nsec = wait % 1000000000ULL;
}

int main(int argc, char **argv)
{
	struct pollfd fds[MAX_PORTS + 1];
	struct timespec ts;
	int i;

	if (argc < 3)
		return 2;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	signal(SIGPIPE, SIG_IGN);
	setvbuf(stdout, NULL, _IOLBF, 0);
	capture_dir = argv[1];
	for (i = 2; i < argc; i++) {
		if (add_port(argv[i]))
			return 1;
	}
	puts("ok");

	for (;;) {
		for (i = 0; i < num_ports; i++) {
			fds[i].fd = ports[i].fd;
			fds[i].events = POLLIN;
			if (!port_drain(&ports[i], now_ns()))
				fds[i].events |= POLLOUT;
		}
		fds[num_ports].fd = STDIN_FILENO;
		fds[num_ports].events = POLLIN;
		next_due(&ts);
		if (ppoll(fds, num_ports + 1, &ts, NULL) < 0 && errno != EINTR)
			return 1;
		for (i = 0; i < num_ports; i++) {
			if (fds[i].revents & ~POLLOUT)
				port_receive(i);
		}
		if (fds[num_ports].revents)
			read_commands();
	}
}
