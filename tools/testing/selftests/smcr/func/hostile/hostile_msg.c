// SPDX-License-Identifier: GPL-2.0
/* CLC messages built from the figures of RFC 7609, A.2. */
#define _GNU_SOURCE
#include "hostile.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const uint8_t eye[4] = { 0xE2, 0xD4, 0xC3, 0xD9 };

/**
 * msg_put() - append bytes
 * @m: message
 * @p: the bytes; NULL for zeros
 * @len: number of bytes
 */
void msg_put(struct msg *m, const void *p, size_t len)
{
	if (m->len + len > sizeof(m->b))
		util_die("message of %zu bytes", m->len + len);
	if (p)
		memcpy(m->b + m->len, p, len);
	else
		memset(m->b + m->len, 0, len);
	m->len += len;
}

/**
 * msg_num() - append a number, most significant byte first
 * @m: message
 * @val: the number
 * @bytes: its size in bytes
 */
void msg_num(struct msg *m, uint64_t val, int bytes)
{
	while (bytes--) {
		uint8_t b = val >> (8 * bytes);

		msg_put(m, &b, 1);
	}
}

static void header(struct msg *m, int type)
{
	m->len = 0;
	msg_put(m, eye, 4);
	msg_num(m, type, 1);
	msg_num(m, 0, 2);
	msg_num(m, 0x10, 1);
	msg_put(m, hostile.id.peer, 8);
}

static void set_length(struct msg *m)
{
	m->b[5] = m->len >> 8;
	m->b[6] = m->len;
}

static void trailer(struct msg *m)
{
	msg_put(m, eye, 4);
	set_length(m);
}

/* Figure 26 up to the area for growth */
static void proposal_head(struct msg *m)
{
	header(m, PROPOSAL);
	msg_put(m, hostile.id.gid, 16);
	msg_put(m, hostile.id.mac, 6);
	msg_num(m, 0, 2);
}

/**
 * msg_proposal4() - make a valid Proposal over IPv4, Figure 26
 * @m: result, 52 bytes
 *
 * It names the test bed's subnet, 10.9.0.0/24.
 */
void msg_proposal4(struct msg *m)
{
	proposal_head(m);
	msg_num(m, 0x0a090000, 4);
	msg_num(m, 24, 1);
	msg_num(m, 0, 2);
	msg_num(m, 0, 1);
	trailer(m);
}

/**
 * msg_proposal6() - make a valid Proposal over IPv6, Figures 26 and 27
 * @m: result, 69 bytes
 *
 * It names the test bed's prefix, fd09::/64.
 */
void msg_proposal6(struct msg *m)
{
	proposal_head(m);
	msg_num(m, 0, 4);
	msg_num(m, 0, 1);
	msg_num(m, 0, 2);
	msg_num(m, 1, 1);
	msg_num(m, 0xfd09000000000000, 8);
	msg_num(m, 0, 8);
	msg_num(m, 64, 1);
	trailer(m);
}

/**
 * msg_accept() - make a valid Accept with F, or Confirm, Figures 28 and 29
 * @m: result, 68 bytes
 * @type: ACCEPT or CONFIRM
 *
 * The queue pair and the memory it names do not exist.
 */
void msg_accept(struct msg *m, int type)
{
	header(m, type);
	if (type == ACCEPT)
		m->b[7] |= 0x08;
	msg_put(m, hostile.id.gid, 16);
	msg_put(m, hostile.id.mac, 6);
	msg_num(m, 0xABCDE, 3);
	msg_num(m, 0x00C0FFEE, 4);
	msg_num(m, 1, 1);
	msg_num(m, 0x600DF00D, 4);
	msg_num(m, 0x33, 1);	/* RMB element of 128 KB, MTU 1024 */
	msg_num(m, 0, 1);
	msg_num(m, 0x10000000, 8);
	msg_num(m, 0, 1);
	msg_num(m, 0x123456, 3);
	trailer(m);
}

/**
 * msg_decline() - make a valid Decline without S, Figure 30
 * @m: result, 28 bytes
 */
void msg_decline(struct msg *m)
{
	header(m, DECLINE);
	msg_num(m, 0x03030000, 4);
	msg_num(m, 0, 4);
	trailer(m);
}

/**
 * msg_get() - read a number
 * @m: message
 * @at: offset of the number
 * @bytes: its size in bytes
 *
 * Return: the number
 */
uint64_t msg_get(const struct msg *m, size_t at, int bytes)
{
	uint64_t val = 0;

	while (bytes--)
		val = val << 8 | m->b[at++];
	return val;
}

static void insert(struct msg *m, size_t at, size_t len)
{
	if (m->len + len > sizeof(m->b) || at > m->len)
		util_die("bad edit: %zu bytes at %zu", len, at);
	memmove(m->b + at + len, m->b + at, m->len - at);
	memset(m->b + at, 0, len);
	m->len += len;
	set_length(m);
}

static void cut(struct msg *m, size_t at, size_t len)
{
	if (at + len > m->len)
		util_die("bad edit: %zu bytes less at %zu", len, at);
	memmove(m->b + at, m->b + at + len, m->len - at - len);
	m->len -= len;
	set_length(m);
}

static const char *set(struct msg *m, size_t at, const char *hex)
{
	unsigned int val;

	while (sscanf(hex, "%2x", &val) == 1 && hex[0] != ' ') {
		if (at >= m->len)
			util_die("bad edit: byte %zu of %zu", at, m->len);
		m->b[at++] = val;
		hex += 2;
	}
	return hex;
}

/**
 * msg_edit() - change a message
 * @m: message
 * @edits: words: AT=HEX sets bytes at offset AT, AT*HEX sets bytes from AT bytes
 *	before the end, AT+N inserts N zero bytes, AT-N removes N bytes. + and -
 *	adjust the length field; a later word may set it to something else
 */
void msg_edit(struct msg *m, const char *edits)
{
	unsigned long at;
	char *end, *next;

	while (*edits) {
		while (*edits == ' ')
			edits++;
		if (!*edits)
			return;
		at = strtoul(edits, &end, 10);
		next = end + 1;
		if (*end == '=')
			next = (char *)set(m, at, next);
		else if (*end == '*')
			next = (char *)set(m, m->len - at, next);
		else if (*end == '+')
			insert(m, at, strtoul(next, &next, 10));
		else if (*end == '-')
			cut(m, at, strtoul(next, &next, 10));
		else
			util_die("bad edit: %s", edits);
		edits = next;
	}
}

/**
 * msg_complaint() - check the form of a message that smcr sent
 * @m: message
 * @type: expected type
 *
 * Return: what is wrong, or NULL if the message matches the figure of RFC 7609
 */
const char *msg_complaint(const struct msg *m, int type)
{
	static const size_t lengths[] = { 0, 52, 68, 68, 28 };

	if (m->len < 12 || memcmp(m->b, eye, 4))
		return "no eye catcher";
	if (memcmp(m->b + m->len - 4, eye, 4))
		return "no eye catcher at the end";
	if (m->b[4] != type)
		return "wrong type";
	if (msg_get(m, 5, 2) != m->len || m->len < lengths[type])
		return "wrong length";
	if (type != PROPOSAL && m->len != lengths[type])
		return "wrong length for its type";
	if (m->b[7] != 0x10 && m->b[7] != 0x18)
		return "wrong version or reserved bits";
	if (m->b[7] == 0x18 && (type == PROPOSAL || type == CONFIRM))
		return "reserved bits are not zero";
	if (!msg_get(m, 8, 8))
		return "no peer ID";
	if (type == DECLINE && msg_get(m, 20, 4))
		return "reserved bytes are not zero";
	if (type == PROPOSAL && msg_get(m, 38, 2))
		return "offset is not zero";
	if ((type == ACCEPT || type == CONFIRM) &&
	    (m->b[51] || m->b[60] || !m->b[45]))
		return "wrong reserved bytes or index";
	return NULL;
}
