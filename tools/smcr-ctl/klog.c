// SPDX-License-Identifier: GPL-2.0
/*
 * The kernel log through syslog(2). Its lines are "<6>[   12.345678] text".
 * Depending on the kernel's options, the time is missing, or further brackets
 * have the caller.
 */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/klog.h>

#include "klog.h"

/* Commands of syslog(2), which no header of user space defines */
#define SYSLOG_READ_ALL		3
#define SYSLOG_SIZE_BUFFER	10

/**
 * klog_read() - read the whole kernel log
 *
 * Return: text that the caller frees, or NULL with errno set.
 */
char *klog_read(void)
{
	int size = klogctl(SYSLOG_SIZE_BUFFER, NULL, 0), len;
	char *text;

	if (size < 0)
		return NULL;
	text = malloc((size_t)size + 1);
	if (!text)
		return NULL;
	len = klogctl(SYSLOG_READ_ALL, text, size);
	if (len < 0) {
		free(text);
		return NULL;
	}
	text[len] = '\0';
	return text;
}

static const char *skip_brackets(const char *s)
{
	const char *end;

	while (*s == '[') {
		end = strchr(s, ']');
		if (!end)
			break;
		s = end + 1 + strspn(end + 1, " ");
	}
	return s;
}

static bool begins(const char *s, const char *with)
{
	return !strncmp(s, with, strlen(with));
}

/**
 * klog_smcr() - test whether smcr wrote a line of the kernel log
 * @line: one line
 *
 * Return: the line without its level, or NULL if it does not begin with
 * "smcr: " or "net.smcr".
 */
const char *klog_smcr(const char *line)
{
	const char *text, *end;

	end = *line == '<' ? strchr(line, '>') : NULL;
	if (end)
		line = end + 1;
	text = skip_brackets(line);
	return begins(text, "smcr: ") || begins(text, "net.smcr") ? line :
								    NULL;
}

/**
 * klog_filter() - find the last lines that smcr wrote to the kernel log
 * @text: the log; the function ends each line by a zero byte
 * @lines: result: the last @max lines of smcr, oldest first
 * @max: size of @lines
 *
 * Return: number of all lines of smcr, which may be above @max.
 */
size_t klog_filter(char *text, const char **lines, size_t max)
{
	const char *line;
	size_t n = 0;
	char *next;

	for (next = strtok(text, "\n"); next; next = strtok(NULL, "\n")) {
		line = klog_smcr(next);
		if (!line)
			continue;
		if (n >= max)
			memmove(lines, lines + 1, (max - 1) * sizeof(*lines));
		lines[n < max ? n : max - 1] = line;
		n++;
	}
	return n;
}
