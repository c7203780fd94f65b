# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# Drive crowd.c: many connections in one process, opened and used on command.
# Source this after lib.sh, which sets tmp. The tests read $cost.
# shellcheck disable=SC2034,SC2154

CROWD=$FUNC_DIR/crowd/crowd

# crowd_serve KIND ADDRESS [OPTION]: start an echo server; return when it
# listens
crowd_serve() {
	local line

	mkfifo "$tmp/echo.in" "$tmp/echo.out"
	"$CROWD" "$1" "$2" "$PORT" serve "${@:3}" <"$tmp/echo.in" \
		>"$tmp/echo.out" 2>"$tmp/echo.err" &
	crowd_server=$!
	jobs_started+=("$crowd_server")
	exec 14>"$tmp/echo.in" 15<"$tmp/echo.out"
	rm "$tmp/echo.in" "$tmp/echo.out"
	if read -r line <&15 && [ "$line" = serving ]; then
		return 0
	fi
	sed 's/^/# /' "$tmp/echo.err"
	not_ok "$1 listens at $2"
}

# crowd_served: check that the server exits with status 0; show its errors
crowd_served() {
	exec 14>&-
	wait "$crowd_server"
	check "the echo server exits with status 0" exits $?
	exec 15<&-
	sed 's/^/# /' "$tmp/echo.err"
}

# crowd_signal NAME: send a signal to the server
crowd_signal() {
	kill -"$1" "$crowd_server"
}

# crowd_begin KIND ADDRESS [OPTION]: start a client that waits for commands
crowd_begin() {
	mkfifo "$tmp/crowd.in" "$tmp/crowd.out"
	"$CROWD" "$1" "$2" "$PORT" client "${@:3}" <"$tmp/crowd.in" \
		>"$tmp/crowd.out" 2>"$tmp/crowd.err" &
	crowd_client=$!
	jobs_started+=("$crowd_client")
	exec 12>"$tmp/crowd.in" 13<"$tmp/crowd.out"
	rm "$tmp/crowd.in" "$tmp/crowd.out"
}

# crowd COMMAND...: run a command of the client. Sets $answer, $number (the
# first number of the answer) and $cost (the second).
crowd() {
	echo "$*" >&12
	answer=
	read -r answer <&13
	read -r _ number cost _ <<<"$answer"
	echo "# $*: $answer"
}

# crowd_is FACT NUMBER COMMAND...: check the first number of the answer
crowd_is() {
	crowd "${@:3}"
	check "$1" test "$number" = "$2"
}

# crowd_end: end the client, which closes all its connections
crowd_end() {
	exec 12>&-
	wait "$crowd_client"
	check "the crowd's client exits with status 0" exits $?
	exec 13<&-
	sed 's/^/# /' "$tmp/crowd.err"
}
