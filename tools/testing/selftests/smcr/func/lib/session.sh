# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# One file tells both hosts what to do. The bed runs a test's file on both:
# what is above "client_leads" is run by both, what is below by the client
# alone. The server then runs what "on server" asks for, in one shell that lives
# as long as the test: its variables, background jobs, saved counters and
# undo_later stay from one call to the next. Sourced by lib.sh.
#
# The bed passes a line of each direction on (vm/machine.py), without the
# network under test:
#
#   to the server      words of a command, quoted for the shell
#   to the client      =TEXT        a line of output
#                      =^]ok FACT   a check (not_ok likewise), to be numbered
#                      =^]done RC   the exit status of the command
#                      =^]exit      the server's shell has ended
#   to both            ended        the other host's script has ended
#
# where ^] stands for the byte 036.
# shellcheck disable=SC2154 # what lib.sh sets

SIDE=${BED_SIDE:-client}
SESSION=/run/bed/session
# A command on the server ends within this time, in seconds.
ON_LIMIT=${ON_LIMIT:-$((150 * SLOW))}
# The bed takes lines that a pipe takes whole.
SESSION_LINE=3900
session_asked=

# client_leads: both hosts have come so far; only the client goes on
client_leads() {
	rm -f $SESSION
	mkfifo $SESSION || exit 2
	exec 20<>$SESSION
	if ! barrier client_leads; then
		# The client has skipped the test, or failed it.
		[ "$SIDE" = client ] || exit 0
		session_lost "its script ended above client_leads"
	fi
	session_open=1
	[ "$SIDE" = client ] || session_serve
}

# The server

session_serve() {
	local line

	trap session_end EXIT
	exec > >(session_output) 2>&1
	while read -r line <&20; do
		[ "$line" != ended ] || exit 0
		eval "$line"
		printf '\036done %d\n' $?
	done
}

session_output() {
	local line LC_ALL=C

	while IFS= read -r line; do
		printf 'call session pass =%s\n' "${line:0:SESSION_LINE}"
		[ "$line" != $'\036exit' ] || break
	done >/run/bed/ctl
}

session_end() {
	cleanup
	printf '\036exit\n'
}

# session_check ok|not_ok FACT: a check above client_leads would count nowhere
session_check() {
	if [ -z "${session_open:-}" ]; then
		echo "a check above client_leads: $2"
		exit 3
	fi
	printf '\036%s %s\n' "$1" "$2"
}

# The client

# session_lost WHY: the test cannot go on. A subshell leaves a note for the next
# call or for "finish".
session_lost() {
	session_asked=
	if [ -n "${session_closing:-}" ]; then
		echo "# server: $1"
		return 1
	fi
	session_gone=1
	echo "$1" >"$tmp/session.lost"
	[ "$BASHPID" = $$ ] || exit 1
	session_found
	finish
}

# session_found: report what a subshell has noted
session_found() {
	[ -s "$tmp/session.lost" ] || return 1
	not_ok "server: $(<"$tmp/session.lost")"
	: >"$tmp/session.lost"
}

# start server COMMAND...: begin it there and go on here until "join server"
start() {
	local line

	[ "$1" = server ] || session_lost "start $1: it is \"start server ...\""
	shift
	[ ! -e "$tmp/session.lost" ] || { session_found; finish; }
	[ -z "$session_asked" ] ||
		session_lost "still at \"$session_asked\" when asked for: $*"
	printf -v line '%q ' "$@"
	[ ${#line} -le $SESSION_LINE ] || session_lost "too long: $*"
	session_asked=$*
	echo "call session pass $line" >/run/bed/ctl
}

# join server: what the started command printed and checked, and its status
join() {
	local line ended='' end=$((SECONDS + ON_LIMIT))

	while IFS= read -r -t $((end - SECONDS > 0 ? end - SECONDS : 1)) line \
			<&20; do
		case $line in
		$'=\036done '*)
			session_asked=
			return "${line#* }" ;;
		$'=\036ok '*)	  ok "server: ${line#* }" ;;
		$'=\036not_ok '*) not_ok "server: ${line#* }" ;;
		$'=\036exit')
			[ -z "${session_closing:-}" ] || return 0
			session_lost "its shell ended in: $session_asked" ;;
		ended)
			# Its last output may still be on the way.
			ended=1
			end=$((SECONDS + 3)) ;;
		"=# "*)	echo "# server: ${line#=# }" ;;
		=*)	printf '%s\n' "${line#=}" ;;
		esac
		[ $SECONDS -lt $end ] || break
	done
	[ -z "$ended" ] ||
		session_lost "its script ended in: $session_asked" || return
	session_lost "did not end within $ON_LIMIT s: $session_asked"
}

# session_close: the server undoes what it did, and its shell ends. When the
# client's script cannot ask for it, the bed does.
session_close() {
	[ -n "${session_open:-}" ] && [ -z "${session_gone:-}" ] &&
		[ -z "$session_asked" ] && [ ! -e "$tmp/session.lost" ] ||
		return 0
	session_closing=1
	ON_LIMIT=$((10 * SLOW))
	on server exit
}

# on server|client COMMAND...: run it in that host's shell; its output, its
# checks and its exit status
on() {
	if [ "$1" = client ]; then
		"${@:2}"
	else
		start "$@"
		join server
	fi
}

# both COMMAND...: here, and then on the server
both() {
	local rc=0

	"$@" || rc=$?
	on server "$@" || rc=$?
	return $rc
}
