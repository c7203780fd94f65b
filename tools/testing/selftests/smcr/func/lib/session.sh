# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# One file tells both hosts what to do. Both hosts run a test's file down to the
# line "client_leads"; the client alone runs the lines below it. From there on
# one shell on the server runs the commands of "on server". It lives as long as
# the test, so that variables, background jobs, saved counters and undo_later
# stay from one call to the next. lib.sh sources this file.
#
# The bed forwards lines between the two hosts (vm/machine.py) and does not use
# the network under test for them:
#
#   to the server      words of a command, quoted for the shell
#   to the client      =TEXT        a line of output
#                      =^]ok FACT   a check (not_ok likewise), to be numbered
#                      =^]unknown COMMAND  there is no such command
#                      =^]done RC   the exit status of the command
#                      =^]exit      the server's shell has ended
#   to both            ended        the other host's script has ended
#
# where ^] stands for the byte 036.
# shellcheck disable=SC2154 # what lib.sh sets

SIDE=${BED_SIDE:-client}
SESSION=/run/bed/session
# Time limit of a command on the server, in seconds.
ON_LIMIT=${ON_LIMIT:-$((150 * PATIENCE))}
# A longer line could be mixed with others in the pipe to the bed (PIPE_BUF).
SESSION_LINE=3900
session_asked=

# client_leads: wait until both hosts have called it; only the client returns
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
	local line rc

	trap session_end EXIT
	exec > >(session_output) 2>&1
	while read -r line <&20; do
		[ "$line" != ended ] || exit 0
		eval "$line"
		rc=$?
		[ ! -s "$tmp/unknown" ] || unknown_commands | sed $'s/^/\036unknown /'
		printf '\036done %d\n' $rc
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

# session_check ok|not_ok FACT: pass a check on to the client, which counts it.
# Above client_leads there is no session, and the check would be lost.
session_check() {
	if [ -z "${session_open:-}" ]; then
		echo "a check above client_leads: $2"
		exit 3
	fi
	printf '\036%s %s\n' "$1" "$2"
}

# The client

# session_lost WHY: end the test. A subshell cannot; it leaves a note for the
# next call or for "finish".
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

# session_found: fail if a subshell has left a note
session_found() {
	[ -s "$tmp/session.lost" ] || return 1
	not_ok "server: $(<"$tmp/session.lost")"
	: >"$tmp/session.lost"
}

# start server COMMAND...: start a command on the server without waiting for it
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

# join server: wait for the started command; print its output, count its checks
# and return its exit status
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
		$'=\036unknown '*) echo "${line#* }" >>"$tmp/unknown" ;;
		$'=\036exit')
			[ -z "${session_closing:-}" ] || return 0
			session_lost "its shell ended in: $session_asked" ;;
		ended)
			# The last output may still be on the way.
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

# session_usable: can the server take a command?
session_usable() {
	[ -n "${session_open:-}" ] && [ -z "${session_gone:-}" ] &&
		[ -z "$session_asked" ] && [ ! -e "$tmp/session.lost" ]
}

# session_close: let the server run its undo_later commands and end its shell.
# If the client's script is killed before this, the bed sends "ended" instead.
session_close() {
	session_usable || return 0
	session_closing=1
	ON_LIMIT=$((10 * SLOW))
	on server exit
}

# on server|client COMMAND...: run a command in that host's shell; print its
# output, count its checks and return its exit status
on() {
	if [ "$1" = client ]; then
		"${@:2}"
	else
		start "$@"
		join server
	fi
}

# both COMMAND...: run a command here, and then on the server
both() {
	local rc=0

	"$@" || rc=$?
	on server "$@" || rc=$?
	return $rc
}
