// SPDX-License-Identifier: GPL-2.0
/*
 * Pseudonyms are address-1, mac-1, peer-1 and so on. The GID ::ffff:a.b.c.d has
 * the pseudonym of the IPv4 address a.b.c.d. The unspecified address and the
 * loopback addresses identify no host and are not replaced.
 */
#include <arpa/inet.h>
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "anon.h"
#include "print.h"

#define MAC_TEXT_LEN	17

/* Return: the number of the pseudonym, or 0 if there is no memory. */
static unsigned int number_of(struct anon *anon, const char *kind,
			      const char *text)
{
	unsigned int num = 1;
	struct known *list;
	size_t i;

	for (i = 0; i < anon->n; i++) {
		if (strcmp(anon->list[i].kind, kind))
			continue;
		if (!strcmp(anon->list[i].text, text))
			return anon->list[i].num;
		num++;
	}
	list = realloc(anon->list, (anon->n + 1) * sizeof(*list));
	if (!list)
		return 0;
	anon->list = list;
	list[anon->n].kind = kind;
	list[anon->n].num = num;
	snprintf(list[anon->n].text, VALUE_LEN, "%s", text);
	anon->n++;
	return num;
}

static void pseudonym(struct anon *anon, const char *kind, const char *text,
		      char *out, size_t len)
{
	unsigned int num = number_of(anon, kind, text);

	if (num)
		snprintf(out, len, "%s-%u", kind, num);
	else
		snprintf(out, len, "%s-hidden", kind);
}

/* Parse an IPv4 or IPv6 address. IPv4 becomes IPv4-mapped. */
static bool parse_ip(const char *text, struct in6_addr *ip)
{
	memset(ip, 0, sizeof(*ip));
	if (inet_pton(AF_INET, text, &ip->s6_addr[12]) == 1) {
		ip->s6_addr[10] = 0xff;
		ip->s6_addr[11] = 0xff;
		return true;
	}
	return inet_pton(AF_INET6, text, ip) == 1;
}

static bool is_no_host(const struct in6_addr *ip)
{
	if (IN6_IS_ADDR_V4MAPPED(ip))
		return ip->s6_addr[12] == 127 || !ip->s6_addr32[3];
	return IN6_IS_ADDR_UNSPECIFIED(ip) || IN6_IS_ADDR_LOOPBACK(ip);
}

static void hide_ip(struct anon *anon, const struct in6_addr *ip, char *text,
		    size_t len)
{
	char canonical[INET6_ADDRSTRLEN];

	if (is_no_host(ip))
		return;
	inet_ntop(AF_INET6, ip, canonical, sizeof(canonical));
	pseudonym(anon, "address", canonical, text, len);
}

/* The pseudonym of a MAC address does not depend on colons and case. */
static void hide_mac(struct anon *anon, const char *mac, char *text, size_t len)
{
	char canonical[VALUE_LEN];
	size_t n = 0;

	for (; *mac && n < sizeof(canonical) - 1; mac++)
		if (*mac != ':')
			canonical[n++] = tolower((unsigned char)*mac);
	canonical[n] = '\0';
	pseudonym(anon, "mac", canonical, text, len);
}

static bool is_mac(const char *text)
{
	size_t i;

	for (i = 0; text[i]; i++)
		if (i % 3 == 2 ? text[i] != ':' :
				 !isxdigit((unsigned char)text[i]))
			return false;
	return i == MAC_TEXT_LEN;
}

/* Replace @text if it is an address as a whole. Return: false if it is not. */
static bool hide_word(struct anon *anon, char *text, size_t len)
{
	struct in6_addr ip;

	if (parse_ip(text, &ip))
		hide_ip(anon, &ip, text, len);
	else if (is_mac(text))
		hide_mac(anon, text, text, len);
	else
		return false;
	return true;
}

/* Put the pseudonym of the longest address that @text begins with into @out.
 * Return: length of the address in @text, or 0 if there is none.
 */
static size_t hide_prefix(struct anon *anon, const char *text, char *out,
			  size_t len)
{
	size_t n = strspn(text, "0123456789abcdefABCDEF:.");

	if (n >= len)
		n = len - 1;
	for (; n > 2; n--) {
		if (isalnum((unsigned char)text[n]))
			continue;
		memcpy(out, text, n);
		out[n] = '\0';
		if (hide_word(anon, out, len))
			return n;
	}
	return 0;
}

/* Like hide_prefix(), but for the MAC address or GUID in the name of a device
 * such as enx0200000000ab.
 */
static size_t hide_in_name(struct anon *anon, const char *text, char *out,
			   size_t len)
{
	size_t n = strspn(text, "0123456789abcdefABCDEF");

	if ((n != 12 && n != 16) || isalnum((unsigned char)text[n]))
		return 0;
	memcpy(out, text, n);
	out[n] = '\0';
	hide_mac(anon, out, out, len);
	return n;
}

/* An address begins where a word begins, or after the x in a device's name. */
static void hide_all(struct anon *anon, FILE *out, const char *text)
{
	char word[VALUE_LEN], before = ' ';
	size_t n;

	while (*text) {
		n = 0;
		if (!isalnum((unsigned char)before))
			n = hide_prefix(anon, text, word, sizeof(word));
		else if (before == 'x')
			n = hide_in_name(anon, text, word, sizeof(word));
		if (n)
			fputs(word, out);
		else
			fputc(*text, out);
		text += n ? n : 1;
		before = text[-1];
	}
}

/* Return: text that the caller frees, or NULL if there is no memory. */
static char *hidden(struct anon *anon, const char *text)
{
	char *copy = NULL;
	size_t len;
	FILE *out = open_memstream(&copy, &len);

	if (!out)
		return NULL;
	hide_all(anon, out, text);
	if (!fclose(out))
		return copy;
	free(copy);
	return NULL;
}

static void hide_value(struct anon *anon, enum column_type type,
		       struct value *val)
{
	char text[VALUE_LEN], *copy;

	memcpy(text, val->text, sizeof(text));
	switch (type) {
	case COL_ADDR:
	case COL_GID:
	case COL_MAC:
		hide_word(anon, val->text, sizeof(val->text));
		break;
	case COL_HEX:
		pseudonym(anon, "peer", text, val->text, sizeof(val->text));
		break;
	case COL_STRING:
		copy = hidden(anon, text);
		snprintf(val->text, sizeof(val->text), "%s",
			 copy ? copy : "hidden");
		free(copy);
		break;
	default:
		break;
	}
}

/**
 * anon_row() - replace the addresses in a row
 * @anon: pseudonyms
 * @obj: object that the row belongs to
 * @row: values; the function changes their text
 */
void anon_row(struct anon *anon, const struct object *obj, struct value *row)
{
	int i;

	for (i = 0; obj->columns[i].key; i++)
		if (row[i].set)
			hide_value(anon, obj->columns[i].type, &row[i]);
}

/**
 * anon_text() - print free text with pseudonyms instead of addresses
 * @anon: pseudonyms, or NULL to replace nothing
 * @out: output
 * @text: untrusted text
 */
void anon_text(struct anon *anon, FILE *out, const char *text)
{
	char *copy;

	if (!anon) {
		print_plain(out, text);
		return;
	}
	copy = hidden(anon, text);
	print_plain(out, copy ? copy : "(no memory)");
	free(copy);
}

/**
 * anon_free() - free the memory of the pseudonyms
 * @anon: pseudonyms
 */
void anon_free(struct anon *anon)
{
	free(anon->list);
	anon->list = NULL;
	anon->n = 0;
}
