// SPDX-License-Identifier: GPL-2.0
/*
 * Runs scripts of socket calls at two ends, one step at a time, and logs the
 * result of each. Logs of two kinds of socket can be compared line by line:
 * ports and addresses appear by name, and nothing in a log is random. The exit
 * status tells if an end has received a wrong byte.
 */
#define _GNU_SOURCE
#include "sem.h"

#include <errno.h>
#include <fnmatch.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define VARS	32
#define ANSWER_MS	(2 * sem_deadline_ms)

/**
 * struct end - one of the two ends of a case
 * @letter: its name in scripts
 * @host: its address
 * @in: stream of its replies
 * @out: stream of steps to it
 * @pid: its process if it runs on this host, otherwise 0
 */
struct end {
	char letter;
	const char *host;
	FILE *in;
	FILE *out;
	pid_t pid;
};

/**
 * struct var - a number from a reply, most often a port
 * @name: name in the script
 * @value: the number as text
 */
struct var {
	char name[SEM_NAME];
	char value[SEM_NAME];
};

static struct end ends[2] = { { .letter = 'C' }, { .letter = 'S' } };
static struct var vars[VARS];
static const char *control_host;	/* NULL: both ends on this host */
static unsigned int control_port;
static const struct util_kind *server_kind;
static unsigned int stuck;
static unsigned int wrong;
static bool case_dead;
static bool quiet;

static const char usage[] =
"usage: semantics --local KIND HOST [SCRIPT...]\n"
"       semantics --agent HOST PORT\n"
"       semantics --remote KIND[/KIND] SERVER CLIENT PORT [SCRIPT...]\n"
"       semantics --stop HOST PORT\n"
"A second KIND is for the server's end. Without SCRIPT, the scripts of the\n"
"directory sem run. Each wait ends after SEM_DEADLINE_MS ms (20000).\n";

static int control_connect(void)
{
	int family = strchr(control_host, ':') ? AF_INET6 : AF_INET;
	union util_addr addr;
	int fd;

	util_addr_parse(&addr, family, control_host, control_port);
	fd = socket(family, SOCK_STREAM | SOCK_CLOEXEC, IPPROTO_TCP);
	if (fd < 0 || connect(fd, &addr.sa, util_addr_len(&addr)))
		util_die("control %s: %s", control_host, strerror(errno));
	return fd;
}

static void end_attach(struct end *end, int fd)
{
	end->in = fdopen(fd, "r");
	end->out = fdopen(dup(fd), "w");
	if (!end->in || !end->out)
		util_die("fdopen: %s", strerror(errno));
	setvbuf(end->in, NULL, _IONBF, 0);
}

static void end_start_local(struct end *end)
{
	int sv[2];

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sv))
		util_die("socketpair: %s", strerror(errno));
	fflush(NULL);
	end->pid = fork();
	if (end->pid < 0)
		util_die("fork: %s", strerror(errno));
	if (!end->pid) {
		close(sv[0]);
		if (ends[0].in) {
			close(fileno(ends[0].in));
			close(fileno(ends[0].out));
		}
		sem_agent(sv[1]);
	}
	close(sv[1]);
	end_attach(end, sv[0]);
}

static void end_start_remote(struct end *end)
{
	end_attach(end, control_connect());
	fprintf(end->out, "%s\n", server_kind->name);
	fflush(end->out);
}

static void end_stop(struct end *end)
{
	if (!end->in)
		return;
	fclose(end->in);
	fclose(end->out);
	end->in = NULL;
	end->out = NULL;
	if (end->pid) {
		kill(end->pid, SIGKILL);
		waitpid(end->pid, NULL, 0);
		end->pid = 0;
	}
}

static void case_begin(const char *name)
{
	end_stop(&ends[0]);
	end_stop(&ends[1]);
	printf("\ncase %s\n", name);
	memset(vars, 0, sizeof(vars));
	case_dead = false;
	end_start_local(&ends[0]);
	if (control_host)
		end_start_remote(&ends[1]);
	else
		end_start_local(&ends[1]);
}

static bool end_ask(struct end *end, const char *line, char *reply)
{
	struct pollfd pfd = { .fd = fileno(end->in), .events = POLLIN };

	fprintf(end->out, "%s\n", line);
	fflush(end->out);
	if (poll(&pfd, 1, ANSWER_MS) != 1) {
		snprintf(reply, SEM_LINE, "STUCK");
		return false;
	}
	if (!fgets(reply, SEM_LINE, end->in)) {
		snprintf(reply, SEM_LINE, "GONE");
		return false;
	}
	reply[strcspn(reply, "\n")] = 0;
	return true;
}

static const char *host_of(const char *word)
{
	bool v6 = sem_kind->family == AF_INET6;

	if (!strcmp(word, "S"))
		return ends[1].host;
	if (!strcmp(word, "C"))
		return ends[0].host;
	if (!strcmp(word, "any"))
		return v6 ? "::" : "0.0.0.0";
	if (!strcmp(word, "foreign"))
		return v6 ? "2001:db8::77" : "192.0.2.77";
	return NULL;
}

static struct var *var_find(const char *name)
{
	int i;

	for (i = 0; i < VARS; i++)
		if (!strcmp(vars[i].name, name))
			return vars + i;
	return NULL;
}

/* S/$P becomes the server's address and the value of variable P. */
static void expand_word(const char *word, char *out, size_t len)
{
	const char *slash = strchr(word, '/');
	const char *host = NULL;
	char head[SEM_NAME];
	const char *dollar;
	struct var *var;

	if (slash && slash - word < SEM_NAME) {
		snprintf(head, sizeof(head), "%.*s", (int)(slash - word),
			 word);
		host = host_of(head);
	}
	dollar = strchr(word, '$');
	var = dollar ? var_find(dollar + 1) : NULL;
	snprintf(out, len, "%s%s%s", host ? host : "", host ? "/" : "",
		 var ? var->value : host ? slash + 1 : word);
}

static const char *host_name(const char *host)
{
	if (!strcmp(host, ends[1].host))
		return "S";
	if (!strcmp(host, ends[0].host))
		return "C";
	if (!strcmp(host, "0.0.0.0") || !strcmp(host, "::"))
		return "any";
	return host;
}

/* The reverse of expand_word(), so that values that vary stay out of logs. */
static void name_word(const char *word, char *out, size_t len)
{
	const char *slash = strchr(word, '/');
	char host[80];
	int i;

	if (!slash) {
		snprintf(out, len, "%s", word);
		return;
	}
	snprintf(host, sizeof(host), "%.*s", (int)(slash - word), word);
	for (i = 0; i < VARS; i++)
		if (vars[i].name[0] && !strcmp(vars[i].value, slash + 1))
			break;
	if (i < VARS)
		snprintf(out, len, "%s/$%s", host_name(host), vars[i].name);
	else
		snprintf(out, len, "%s/%s", host_name(host),
			 strcmp(slash + 1, "0") ? "some" : "0");
}

/* Copy @text to @out, each word of it changed by @change. */
static void change_words(const char *text, char *out, size_t len,
			 void (*change)(const char *word, char *out,
					size_t len))
{
	char copy[SEM_LINE];
	char word[128];
	char *save = NULL;
	size_t used = 0;
	char *w;

	snprintf(copy, sizeof(copy), "%s", text);
	out[0] = 0;
	for (w = strtok_r(copy, " ", &save); w && used < len;
	     w = strtok_r(NULL, " ", &save)) {
		change(w, word, sizeof(word));
		used += snprintf(out + used, len - used, "%s%s",
				 used ? " " : "", word);
	}
}

/* The replies to "port l P" and "fill a F" set variables P and F. */
static void store_var(const char *step, char *reply)
{
	const char *name = strrchr(step, ' ');
	struct var *var;
	char *end;

	if (strncmp(step, "port ", 5) && strncmp(step, "fill ", 5))
		return;
	strtoul(reply, &end, 10);
	var = var_find(name + 1);
	if (!var)
		var = var_find("");
	if (*end || !var)
		return;
	snprintf(var->name, sizeof(var->name), "%s", name + 1);
	/* The reply is a short number, which the compiler cannot know */
	snprintf(var->value, sizeof(var->value), "%.15s", reply);
	snprintf(reply, SEM_LINE, "$%s", var->name);
}

/*
 * "STEP ;; KINDS=REPLY ;; KINDS=REPLY": a known and documented difference. A
 * kind that matches KINDS must give that REPLY, or one of them if several
 * match; the reply of any other kind is not checked. The log then gets the same
 * text for all kinds.
 */
static void allow_difference(char *notes, char *reply)
{
	bool concerned = false;
	bool allowed = false;
	char *equals;
	char *note;
	char *next;

	if (!notes)
		return;
	for (note = notes; note; note = next) {
		next = strstr(note, " ;; ");
		if (next) {
			*next = 0;
			next += 4;
		}
		equals = strchr(note, '=');
		if (!equals)
			util_die("script: note \"%s\"", note);
		*equals = 0;
		if (fnmatch(note, sem_kind->name, 0))
			continue;
		concerned = true;
		allowed = allowed || !strcmp(equals + 1, reply);
	}
	if (allowed || !concerned)
		snprintf(reply, SEM_LINE, "(documented difference)");
}

static void run_step(char *line)
{
	char *note = strstr(line, ";;");
	char reply[SEM_LINE];
	char named[SEM_LINE];
	char told[SEM_LINE];
	struct end *end;

	if (case_dead)
		return;
	if (note) {
		*note = 0;
		note += 2 + strspn(note + 2, " ");
	}
	line[strcspn(line, "\n")] = 0;
	while (line[0] && line[strlen(line) - 1] == ' ')
		line[strlen(line) - 1] = 0;
	end = line[0] == 'C' ? &ends[0] : &ends[1];
	change_words(line + 2, told, sizeof(told), expand_word);
	if (!end_ask(end, told, reply))
		case_dead = true;
	if (case_dead || strstr(reply, "TIMEOUT"))
		stuck++;
	/* Not the end of an errno's name */
	if (strstr(reply, " " SEM_WRONG)) {
		wrong++;
		util_wrong_bytes();
	}
	change_words(reply, named, sizeof(named), name_word);
	store_var(line + 2, named);
	allow_difference(note, named);
	if (!quiet || (strcmp(named, "0") && strcmp(named, "$P")))
		printf("  %s -> %s\n", line, named);
	fflush(stdout);
}

/*
 * Make a connection: a at the client, s at the server; l listens at port P.
 * Steps that succeed are not logged.
 */
static void run_pair(void)
{
	static const char * const steps[] = {
		"S socket l", "S bind l S/0", "S listen l 8", "S port l P",
		"C socket a", "C connect a S/$P", "S accept s l",
	};
	char line[SEM_LINE];
	size_t i;

	puts("  pair");
	quiet = true;
	for (i = 0; i < ARRAY_SIZE(steps); i++) {
		snprintf(line, sizeof(line), "%s", steps[i]);
		run_step(line);
	}
	quiet = false;
}

static void run_line(const char *path, char *line)
{
	if (!strncmp(line, "case ", 5))
		case_begin(line + 5);
	else if ((line[0] == 'C' || line[0] == 'S') && line[1] == ' ')
		run_step(line);
	else if (!strcmp(line, "pair"))
		run_pair();
	else if (line[0] && line[0] != '#')
		util_die("%s: line \"%s\"", path, line);
}

/* Read all at once: forked ends must not share a stream with this process. */
static char *read_script(const char *path)
{
	FILE *f = fopen(path, "r");
	size_t room = 1 << 20;
	char *text = util_alloc(room);

	if (!f)
		util_die("%s: %s", path, strerror(errno));
	if (fread(text, 1, room, f) == room)
		util_die("%s is too long", path);
	fclose(f);
	return text;
}

static void run_script(const char *path)
{
	char *text = read_script(path);
	char *rest = text;
	char line[SEM_LINE];
	char *next;

	while ((next = strsep(&rest, "\n"))) {
		snprintf(line, sizeof(line), "%s", next);
		run_line(path, line);
	}
	free(text);
}

static int run_scripts(char **paths, int count)
{
	static char * const all[] = {
		"sem/connect.sem", "sem/data.sem", "sem/urgent.sem", "sem/events.sem",
		"sem/close.sem", "sem/block.sem", "sem/options.sem",
		"sem/process.sem", "sem/uring.sem",
	};
	int i;

	if (!count) {
		paths = (char **)all;
		count = ARRAY_SIZE(all);
	}
	for (i = 0; i < count; i++)
		run_script(paths[i]);
	if (paths == (char **)all)
		run_script(sem_kind->family == AF_INET ? "sem/ip4.sem" :
							 "sem/ip6.sem");
	end_stop(&ends[0]);
	end_stop(&ends[1]);
	if (stuck)
		fprintf(stderr, "%u steps did not end in time\n", stuck);
	if (wrong)
		fprintf(stderr, "%u steps received wrong bytes\n", wrong);
	return util_status(!stuck && !wrong);
}

/* Serve each case in a child of its own, so that nothing survives a case. */
static bool serve_case(int fd)
{
	char line[32];
	size_t n = 0;

	while (n < sizeof(line) - 1 && read(fd, line + n, 1) == 1 &&
	       line[n] != '\n')
		n++;
	line[n] = 0;
	if (!strcmp(line, "stop"))
		return false;
	if (!n)
		return true;
	if (!fork()) {
		signal(SIGCHLD, SIG_DFL);
		sem_kind = util_kind_find(line);
		sem_agent(fd);
	}
	return true;
}

static int run_agent(const char *host, const char *port)
{
	int family = strchr(host, ':') ? AF_INET6 : AF_INET;
	union util_addr addr;
	bool more = true;
	int one = 1;
	int lfd;

	util_addr_parse(&addr, family, host, atoi(port));
	lfd = socket(family, SOCK_STREAM | SOCK_CLOEXEC, IPPROTO_TCP);
	setsockopt(lfd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
	if (bind(lfd, &addr.sa, util_addr_len(&addr)) || listen(lfd, 16))
		util_die("agent: %s", strerror(errno));
	puts("serving");
	fflush(stdout);
	signal(SIGCHLD, SIG_IGN);
	while (more) {
		int fd = accept(lfd, NULL, NULL);

		if (fd < 0)
			continue;
		more = serve_case(fd);
		close(fd);
	}
	return 0;
}

static int run_stop(const char *host, const char *port)
{
	int fd;

	control_host = host;
	control_port = atoi(port);
	fd = control_connect();
	return write(fd, "stop\n", 5) == 5 ? 0 : 1;
}

static void parse_kinds(char *text)
{
	char *slash = strchr(text, '/');

	if (slash)
		*slash = 0;
	sem_kind = util_kind_find(text);
	server_kind = slash ? util_kind_find(slash + 1) : sem_kind;
}

int main(int argc, char **argv)
{
	const char *what = argc > 3 ? argv[1] : "";

	signal(SIGPIPE, SIG_IGN);
	if (getenv("SEM_DEADLINE_MS"))
		sem_deadline_ms = atoi(getenv("SEM_DEADLINE_MS"));
	if (!strcmp(what, "--agent") && argc == 4)
		return run_agent(argv[2], argv[3]);
	if (!strcmp(what, "--stop") && argc == 4)
		return run_stop(argv[2], argv[3]);
	if (!strcmp(what, "--local")) {
		sem_kind = util_kind_find(argv[2]);
		ends[0].host = argv[3];
		ends[1].host = argv[3];
		return run_scripts(argv + 4, argc - 4);
	}
	if (!strcmp(what, "--remote") && argc > 5) {
		parse_kinds(argv[2]);
		ends[0].host = argv[4];
		ends[1].host = argv[3];
		control_host = argv[3];
		control_port = atoi(argv[5]);
		return run_scripts(argv + 6, argc - 6);
	}
	fputs(usage, stderr);
	return 2;
}
