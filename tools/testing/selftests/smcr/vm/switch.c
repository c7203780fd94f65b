// SPDX-License-Identifier: GPL-2.0
/*
 * The network between the virtual machines: an Ethernet switch over Unix
 * datagram sockets, one per virtual NIC. It learns MAC addresses, injects
 * faults on command and captures the packets of each segment.
 *
 * usage: switch CAPTURE-DIR PORT...      PORT = NAME:SEGMENT:OURS:QEMU
 *
 * OURS is the path that this program binds, QEMU the one it connects to. It
 * reads commands from standard input, one per line, and answers each with one
 * line, "ok", "ok RESULT" or "error TEXT":
 *
 *   fault FROM TO KEY VALUE...   set faults on the path from port FROM to port
 *                                TO, "*" for any. Keys: loss, dup, reorder and
 *                                corrupt in 1/1000 of packets; delay in us;
 *                                cut 0|1; drop N loses the next N packets;
 *                                longer N loses packets of more than N bytes,
 *                                Ethernet's header included, 0 for none;
 *                                only all|roce|tcp|other limits the faults to
 *                                one kind of packet
 *   clear                        remove all faults and picks, and let all
 *                                messages pass
 *   stop N [FROM TO KIND]        pass N more messages, then drop all packets, or
 *                                those of that kind on that path. A message is
 *                                a TCP packet with SYN, FIN or payload, or a
 *                                RoCE packet other than an acknowledgment
 *   stopped                      yes or no: have the N messages passed?
 *   inject FROM TO rst|fin|data|urgent
 *                                send a packet into each TCP connection seen on
 *                                that path, as its sender and in sequence; data
 *                                is two bytes, and urgent as well, the first of
 *                                which is urgent. Returns the number of packets
 *   pick PORT N FAULT [US]       treat the Nth packet (from 1) of TCP connections
 *                                with this port badly, both directions counted:
 *                                lost; twice; late: US later; swapped: after
 *                                the next one of its sender; held: it and all
 *                                that its sender sends in the next US come at
 *                                the end of that time
 *   picked PORT                  return how many of them have come
 *   forget                       forget the TCP connections seen so far
 *   seed N                       restart the fault generator
 *   count FROM TO                return packets passed, packets lost, bytes
 *                                passed
 *   flush                        write the captures out to their files
 *   record FILE                  from now on, write all packets of all segments
 *                                to FILE, too; "record -" ends that
 *
 * A capture holds the first SNAPLEN bytes of each packet. At CAPTURE_MAX bytes
 * it is renamed to NAME.old.pcap, replacing the previous one, and a new one is
 * started.
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
/* Limits the packets queued for a virtual machine that does not read. */
#define QUEUE_MAX	4096
#define BURST		32
#define MAX_FLOWS	512
#define MAX_PICKS	16
#define FLOW_HEAD	(14 + 60 + 60)
#define TCP_FIN		1
#define TCP_SYN		2
#define TCP_RST		4
#define TCP_PSH		8
#define TCP_ACK		16
#define TCP_URG		32
#define RC_ACKNOWLEDGE	17
#define REORDER_NS	(3 * 1000 * 1000ULL)

enum kind { KIND_ALL, KIND_ROCE, KIND_TCP, KIND_OTHER };

static const char * const kind_names[] = { "all", "roce", "tcp", "other" };

struct packet {
	struct packet *next;
	uint64_t due;
	uint32_t len;
	uint8_t data[];
};

/* Faults and counters of one path; rates in 1/1000. */
struct path {
	unsigned int loss, dup, reorder, corrupt, cut;
	unsigned long drop, longer;
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
	/* Queued packets, sorted by due time. */
	struct packet *head, *tail;
	unsigned int queued;
};

/* One direction of a TCP connection: the headers of its last packet. */
struct flow {
	int from, to;
	unsigned int l3, l4, len;
	/* The next sequence number. */
	uint32_t next;
	uint8_t head[FLOW_HEAD];
};

enum pick_fault { PICK_LOST, PICK_TWICE, PICK_LATE, PICK_SWAPPED, PICK_HELD };

static const char * const pick_names[] = {
	"lost", "twice", "late", "swapped", "held"
};

/* The "pick" command. */
struct pick {
	int tcp_port;
	unsigned long nth, seen;
	enum pick_fault fault;
	uint64_t ns;
	/* The sender of the Nth packet, and until when its packets are held. */
	int from;
	uint64_t until;
	/* A swapped packet that waits for the next one, or NULL. */
	uint8_t *waits;
	uint32_t waits_len;
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
/* The file of the "record" command, or NULL. */
static FILE *record;
static struct port ports[MAX_PORTS];
static const char *capture_dir;
static uint64_t rng_state = 1;
static int num_ports;
static struct flow flows[MAX_FLOWS];
static int num_flows;
static struct pick picks[MAX_PICKS];
static int num_picks;
/* The "stop" command: messages that still pass (-1 for all), then the paths
 * and the kind of packet that are dropped.
 */
static struct {
	long after;
	char stops[MAX_PORTS][MAX_PORTS];
	enum kind kind;
} stop = { .after = -1 };

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

static void pcap_head(FILE *file, uint32_t snaplen)
{
	const struct {
		uint32_t magic;
		uint16_t major, minor;
		uint32_t zone, sigfigs, snaplen, linktype;
	} head = { 0xa1b23c4d, 2, 4, 0, 0, snaplen, 1 };

	fwrite(&head, sizeof(head), 1, file);
}

static void pcap_packet(FILE *file, const uint8_t *data, uint32_t len,
			uint32_t snaplen)
{
	struct timespec ts;
	uint32_t head[4];

	clock_gettime(CLOCK_REALTIME, &ts);
	head[0] = ts.tv_sec;
	head[1] = ts.tv_nsec;
	head[2] = len < snaplen ? len : snaplen;
	head[3] = len;
	fwrite(head, sizeof(head), 1, file);
	fwrite(data, head[2], 1, file);
}

static void capture_open(int segment)
{
	struct capture *cap = &captures[segment];
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
		pcap_head(cap->file, SNAPLEN);
}

static void capture_packet(int segment, const uint8_t *data, uint32_t len)
{
	struct capture *cap = &captures[segment];

	if (record)
		pcap_packet(record, data, len, MAX_PACKET);
	if (!cap->file)
		return;
	if (ftell(cap->file) > CAPTURE_MAX)
		capture_open(segment);
	pcap_packet(cap->file, data, len, SNAPLEN);
}

static const char *cmd_record(const char *path)
{
	if (record)
		fclose(record);
	record = NULL;
	if (!strcmp(path, "-"))
		return NULL;
	record = fopen(path, "w");
	if (!record)
		return "cannot write this file";
	pcap_head(record, MAX_PACKET);
	return NULL;
}

/* Classify a packet; also returns the offsets of its network and transport
 * headers, 0 if it has none.
 */
static enum kind packet_kind(const uint8_t *p, uint32_t len, unsigned int *l3,
			     unsigned int *l4)
{
	uint32_t off = 14;
	uint16_t type;
	uint8_t proto;

	*l3 = 0;
	*l4 = 0;
	if (len < off)
		return KIND_OTHER;
	type = p[12] << 8 | p[13];
	if (type == 0x8100 && len >= 18) {
		type = p[16] << 8 | p[17];
		off = 18;
	}
	/* RoCEv1 has its own Ethernet type. */
	if (type == 0x8915)
		return KIND_ROCE;
	*l3 = off;
	if (type == 0x0800 && len >= off + 20) {
		proto = p[off + 9];
		*l4 = off + (p[off] & 15) * 4;
	} else if (type == 0x86dd && len >= off + 40) {
		proto = p[off + 6];
		*l4 = off + 40;
	} else {
		return KIND_OTHER;
	}
	if (proto == 6 && len >= *l4 + 20)
		return KIND_TCP;
	if (proto == 17 && len >= *l4 + 9 &&
	    (p[*l4 + 2] << 8 | p[*l4 + 3]) == 4791)
		return KIND_ROCE;
	return KIND_OTHER;
}

static uint32_t be32(const uint8_t *p)
{
	return (uint32_t)p[0] << 24 | p[1] << 16 | p[2] << 8 | p[3];
}

static void put_be32(uint8_t *p, uint32_t n)
{
	p[0] = n >> 24;
	p[1] = n >> 16;
	p[2] = n >> 8;
	p[3] = n;
}

/* TCP payload length, from the IP length: Ethernet may pad the packet. */
static uint32_t tcp_payload(const uint8_t *p, unsigned int l3, unsigned int l4)
{
	uint32_t total;

	if (p[l3] >> 4 == 4)
		total = p[l3 + 2] << 8 | p[l3 + 3];
	else
		total = 40 + (p[l3 + 4] << 8 | p[l3 + 5]);
	return total - (l4 - l3) - (p[l4 + 12] >> 4) * 4;
}

static int is_message(const uint8_t *p, enum kind kind, unsigned int l3,
		      unsigned int l4)
{
	if (kind == KIND_TCP)
		return p[l4 + 13] & (TCP_SYN | TCP_FIN) ||
		       tcp_payload(p, l3, l4);
	/* Soft-RoCE sends RoCEv2: the BTH follows the UDP header. */
	return kind == KIND_ROCE && l4 && (p[l4 + 8] & 31) != RC_ACKNOWLEDGE;
}

static int same_flow(const struct flow *flow, const uint8_t *p,
		     unsigned int l3, unsigned int l4)
{
	unsigned int at = p[l3] >> 4 == 4 ? 12 : 8;
	unsigned int len = p[l3] >> 4 == 4 ? 8 : 32;

	return flow->l3 == l3 && flow->l4 == l4 &&
	       !memcmp(flow->head + l3 + at, p + l3 + at, len) &&
	       !memcmp(flow->head + l4, p + l4, 4);
}

static void flow_note(int from, int to, const uint8_t *p, unsigned int l3,
		      unsigned int l4)
{
	struct flow *flow;

	if (l4 + 20 > FLOW_HEAD)
		return;
	for (flow = flows; flow < flows + num_flows; flow++)
		if (flow->from == from && flow->to == to &&
		    same_flow(flow, p, l3, l4))
			break;
	if (flow == flows + MAX_FLOWS)
		return;
	if (flow == flows + num_flows)
		num_flows++;
	flow->from = from;
	flow->to = to;
	flow->l3 = l3;
	flow->l4 = l4;
	flow->len = l4 + 20;
	flow->next = be32(p + l4 + 4) + tcp_payload(p, l3, l4) +
		     !!(p[l4 + 13] & (TCP_SYN | TCP_FIN));
	memcpy(flow->head, p, flow->len);
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

/* Return 0 if the receiver is full and the caller has to wait for POLLOUT. */
static int port_drain(struct port *port, uint64_t now)
{
	while (port->head && port->head->due <= now) {
		if (port_connect(port) &&
		    send(port->fd, port->head->data, port->head->len, 0) < 0) {
			if (errno == EAGAIN || errno == ENOBUFS)
				return 0;
			/* The machine has closed its socket; it may reconnect. */
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

static int path_loses(struct path *path, uint32_t len)
{
	if (path->cut || (path->longer && len > path->longer))
		return 1;
	if (path->drop) {
		path->drop--;
		return 1;
	}
	return hits(path->loss);
}

static int has_stopped(int from, int to, enum kind kind)
{
	return !stop.after && stop.stops[from][to] &&
	       (stop.kind == KIND_ALL || stop.kind == kind);
}

/* Find the pick that counts a packet, or NULL. */
static struct pick *pick_of(const uint8_t *p, enum kind kind, unsigned int l4)
{
	struct pick *pick;

	if (kind != KIND_TCP)
		return NULL;
	for (pick = picks; pick < picks + num_picks; pick++)
		if ((p[l4] << 8 | p[l4 + 1]) == pick->tcp_port ||
		    (p[l4 + 2] << 8 | p[l4 + 3]) == pick->tcp_port)
			return pick;
	return NULL;
}

/* Treat a packet as its pick says: return how often it is forwarded now, and
 * add to the time when that is due.
 */
static int pick_apply(struct pick *pick, int from, const uint8_t *data,
		      uint32_t len, uint64_t now, uint64_t *due)
{
	int is_nth = ++pick->seen == pick->nth;

	if (is_nth)
		pick->from = from;
	if (pick->fault == PICK_HELD) {
		if (is_nth)
			pick->until = now + pick->ns;
		if (pick->until > now && pick->from == from)
			*due = pick->until;
		return 1;
	}
	if (!is_nth)
		return 1;
	switch (pick->fault) {
	case PICK_LOST:
		return 0;
	case PICK_TWICE:
		return 2;
	case PICK_SWAPPED:
		pick->waits = malloc(len);
		if (!pick->waits)
			return 1;
		memcpy(pick->waits, data, len);
		pick->waits_len = len;
		return 0;
	default:
		*due += pick->ns;
		return 1;
	}
}

/* Forward the packet that was waiting for this one of the same sender. */
static void pick_after(struct pick *pick, int from, int to, uint64_t due)
{
	if (!pick->waits || pick->from != from || pick->seen == pick->nth)
		return;
	port_queue(&ports[to], pick->waits, pick->waits_len, due, 0);
	free(pick->waits);
	pick->waits = NULL;
}

static void forward_picked(struct pick *pick, int from, int to,
			   const uint8_t *data, uint32_t len, uint64_t now)
{
	uint64_t due = now;
	int n = pick_apply(pick, from, data, len, now, &due);

	for (; n > 0; n--)
		port_queue(&ports[to], data, len, due, 0);
	pick_after(pick, from, to, due);
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
	} else if (path_loses(path, len)) {
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
	unsigned int l3, l4;
	struct pick *pick;
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
		kind = packet_kind(buf, len, &l3, &l4);
		to = mac_find(buf, segment);
		if (kind == KIND_TCP && to >= 0)
			flow_note(from, to, buf, l3, l4);
		pick = pick_of(buf, kind, l4);
		if (pick && to >= 0) {
			forward_picked(pick, from, to, buf, len, now);
			continue;
		}
		for (i = 0; i < num_ports; i++) {
			if (i != from && ports[i].segment == segment &&
			    (to < 0 || to == i) && !has_stopped(from, i, kind))
				forward(from, i, buf, len, kind, now);
		}
		if (stop.after > 0 && is_message(buf, kind, l3, l4))
			stop.after--;
	}
}

/* Add to an unfolded Internet checksum; only the last call may have odd @len. */
static uint32_t csum_add(uint32_t sum, const uint8_t *p, unsigned int len)
{
	for (; len > 1; p += 2, len -= 2)
		sum += p[0] << 8 | p[1];
	return len ? sum + (p[0] << 8) : sum;
}

static void csum_put(uint8_t *p, uint32_t sum)
{
	sum = (sum >> 16) + (sum & 0xffff);
	sum = ~(sum + (sum >> 16));
	p[0] = sum >> 8;
	p[1] = sum;
}

/* Set lengths and checksums for a bare TCP header and @payload bytes. */
static void flow_headers(uint8_t *p, unsigned int l3, unsigned int l4,
			 unsigned int payload)
{
	uint8_t *ip = p + l3, *tcp = p + l4;
	unsigned int len = 20 + payload;
	uint32_t sum = 6 + len;

	tcp[12] = 5 << 4;
	tcp[16] = 0;
	tcp[17] = 0;
	if (ip[0] >> 4 == 4) {
		ip[2] = 0;
		ip[3] = l4 - l3 + len;
		ip[10] = 0;
		ip[11] = 0;
		csum_put(ip + 10, csum_add(0, ip, l4 - l3));
		sum = csum_add(sum, ip + 12, 8);
	} else {
		ip[4] = 0;
		ip[5] = len;
		sum = csum_add(sum, ip + 8, 32);
	}
	csum_put(tcp + 16, csum_add(sum, tcp, len));
}

static void flow_inject(const struct flow *flow, uint8_t flags)
{
	static const char data[2] = "no";
	unsigned int payload = flags & TCP_PSH ? sizeof(data) : 0;
	uint8_t p[FLOW_HEAD + sizeof(data)];

	memcpy(p, flow->head, flow->len);
	memcpy(p + flow->len, data, payload);
	put_be32(p + flow->l4 + 4, flow->next);
	p[flow->l4 + 13] = flags | TCP_ACK;
	/* The urgent pointer names the byte after the urgent one */
	p[flow->l4 + 18] = 0;
	p[flow->l4 + 19] = !!(flags & TCP_URG);
	flow_headers(p, flow->l3, flow->l4, payload);
	capture_packet(ports[flow->from].segment, p, flow->len + payload);
	port_queue(&ports[flow->to], p, flow->len + payload, now_ns(), 0);
}

static int name_matches(const char *pattern, int port)
{
	return !strcmp(pattern, "*") || !strcmp(pattern, ports[port].name);
}

static const char *kind_set(enum kind *kind, const char *name)
{
	unsigned int i;

	for (i = 0; i < sizeof(kind_names) / sizeof(*kind_names); i++) {
		if (!strcmp(name, kind_names[i])) {
			*kind = i;
			return NULL;
		}
	}
	return "unknown kind of packet";
}

static const char *path_set(struct path *path, const char *key,
			    const char *value)
{
	unsigned long n = strtoul(value, NULL, 0);

	if (!strcmp(key, "only"))
		return kind_set(&path->only, value);
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
	else if (!strcmp(key, "longer"))
		path->longer = n;
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

static const char *cmd_pick(char **words, int n)
{
	struct pick pick = {};
	unsigned int i;

	if (n < 4 || n > 5 || num_picks == MAX_PICKS)
		return "pick PORT N FAULT [US], at most 16 times";
	for (i = 0; i < sizeof(pick_names) / sizeof(*pick_names); i++)
		if (!strcmp(words[3], pick_names[i]))
			break;
	if (i == sizeof(pick_names) / sizeof(*pick_names))
		return "unknown fault";
	pick.tcp_port = atoi(words[1]);
	pick.nth = strtoul(words[2], NULL, 0);
	pick.fault = i;
	pick.ns = n == 5 ? strtoull(words[4], NULL, 0) * 1000 : 0;
	picks[num_picks++] = pick;
	return NULL;
}

static unsigned long cmd_picked(const char *port)
{
	const struct pick *pick;

	for (pick = picks; pick < picks + num_picks; pick++)
		if (pick->tcp_port == atoi(port))
			return pick->seen;
	return 0;
}

static void cmd_clear(void)
{
	struct path *path, clean = {};
	int i, j;

	while (num_picks)
		free(picks[--num_picks].waits);
	stop.after = -1;
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

static const char *cmd_stop(const char *after, const char *from,
			    const char *to, const char *kind)
{
	const char *error = kind_set(&stop.kind, kind);
	int i, j;

	if (error)
		return error;
	for (i = 0; i < num_ports; i++)
		for (j = 0; j < num_ports; j++)
			stop.stops[i][j] = name_matches(from, i) &&
					   name_matches(to, j);
	stop.after = strtol(after, NULL, 0);
	return NULL;
}

/* Return the number of packets injected. */
static int cmd_inject(const char *from, const char *to, const char *what)
{
	uint8_t flags = !strcmp(what, "fin") ? TCP_FIN :
			!strcmp(what, "data") ? TCP_PSH :
			!strcmp(what, "urgent") ? TCP_PSH | TCP_URG : TCP_RST;
	const struct flow *flow;
	int n = 0;

	for (flow = flows; flow < flows + num_flows; flow++) {
		if (!name_matches(from, flow->from) ||
		    !name_matches(to, flow->to) ||
		    flow->head[flow->l4 + 13] & (TCP_FIN | TCP_RST))
			continue;
		flow_inject(flow, flags);
		n++;
	}
	return n;
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
	} else if (n == 2 && !strcmp(words[0], "stop")) {
		error = cmd_stop(words[1], "*", "*", "all");
	} else if (n == 5 && !strcmp(words[0], "stop")) {
		error = cmd_stop(words[1], words[2], words[3], words[4]);
	} else if (n == 1 && !strcmp(words[0], "stopped")) {
		puts(stop.after ? "ok no" : "ok yes");
		return;
	} else if (n > 0 && !strcmp(words[0], "pick")) {
		error = cmd_pick(words, n);
	} else if (n == 2 && !strcmp(words[0], "picked")) {
		printf("ok %lu\n", cmd_picked(words[1]));
		return;
	} else if (n == 1 && !strcmp(words[0], "forget")) {
		num_flows = 0;
	} else if (n == 4 && !strcmp(words[0], "inject")) {
		printf("ok %d\n", cmd_inject(words[1], words[2], words[3]));
		return;
	} else if (n == 1 && !strcmp(words[0], "flush")) {
		for (n = 0; n < MAX_PORTS; n++)
			if (captures[n].file)
				fflush(captures[n].file);
	} else if (n == 2 && !strcmp(words[0], "record")) {
		error = cmd_record(words[1]);
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

/* Set the timeout of poll(): until the first packet is due, at most 1 s. */
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
