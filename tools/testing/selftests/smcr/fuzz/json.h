/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A check that text is exactly one JSON value (RFC 8259) in UTF-8 (RFC 3629).
 * It is stricter than most readers on purpose.
 */
#ifndef _SMCR_FUZZ_JSON_H
#define _SMCR_FUZZ_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#define JSON_MAX_DEPTH	8

static inline const char *json_space(const char *s)
{
	return s + strspn(s, " \t\r\n");
}

/* Skip one character of a string that is not escaped. NULL if there is none */
static inline const char *json_char(const char *s)
{
	const unsigned char *u = (const unsigned char *)s;
	unsigned int i, more = u[0] >= 0xF0 ? 3 : u[0] >= 0xE0 ? 2 : 1;

	if (u[0] < 0x20)
		return NULL;
	if (u[0] < 0x80)
		return s + 1;
	if (u[0] < 0xC2 || u[0] > 0xF4)
		return NULL;
	for (i = 1; i <= more; i++)
		if ((u[i] & 0xC0) != 0x80)
			return NULL;
	/* An overlong encoding, a surrogate, beyond the last plane */
	if ((u[0] == 0xE0 && u[1] < 0xA0) || (u[0] == 0xED && u[1] > 0x9F) ||
	    (u[0] == 0xF0 && u[1] < 0x90) || (u[0] == 0xF4 && u[1] > 0x8F))
		return NULL;
	return s + 1 + more;
}

static inline const char *json_text(const char *s)
{
	if (*s++ != '"')
		return NULL;
	while (s && *s != '"') {
		if (*s != '\\')
			s = json_char(s);
		else if (s[1] == 'u')
			s = strspn(s + 2, "0123456789abcdefABCDEF") < 4 ? NULL : s + 6;
		else
			s = s[1] && strchr("\"\\/bfnrt", s[1]) ? s + 2 : NULL;
	}
	return s ? s + 1 : NULL;
}

/* Numbers as smcr-ctl prints them: no sign, no fraction, no exponent */
static inline const char *json_number(const char *s)
{
	size_t n = strspn(s, "0123456789");

	return !n || (n > 1 && *s == '0') ? NULL : s + n;
}

static inline const char *json_value(const char *s, unsigned int depth)
{
	bool object = *s == '{';
	char end = object ? '}' : ']';

	if (*s == '"')
		return json_text(s);
	if (*s != '{' && *s != '[')
		return json_number(s);
	if (depth == JSON_MAX_DEPTH)
		return NULL;
	s = json_space(s + 1);
	if (*s == end)
		return s + 1;
	for (;;) {
		if (object) {
			s = json_text(s);
			if (!s)
				return NULL;
			s = json_space(s);
			if (*s++ != ':')
				return NULL;
			s = json_space(s);
		}
		s = json_value(s, depth + 1);
		if (!s)
			return NULL;
		s = json_space(s);
		if (*s == end)
			return s + 1;
		if (*s++ != ',')
			return NULL;
		s = json_space(s);
	}
}

/**
 * json_valid() - is this text one JSON value and a newline?
 * @s: the text
 */
static inline bool json_valid(const char *s)
{
	s = json_value(s, 0);
	return s && !strcmp(s, "\n");
}

#endif
