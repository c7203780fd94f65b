# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# Many connections in one process, on command (crowd.c). To be sourced after
# lib.sh, from which tmp comes; cost is for the tests.
# shellcheck disable=SC2034,SC2154

CROWD=$FUNC_DIR/crowd/crowd

# crowd_serve KIND ADDRESS [OPTION]: begin to echo; back when it listens
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

# crowd_served: the server has ended, and had nothing to complain about
crowd_served() {
	exec 14>&-
	wait "$crowd_server"
	check "the server has come to its end" test $? -eq 0
	exec 15<&-
	sed 's/^/# /' "$tmp/echo.err"
}

# crowd_signal NAME: to the server
crowd_signal() {
	kill -"$1" "$crowd_server"
}

# crowd_begin KIND ADDRESS [OPTION]: a client that waits for commands
crowd_begin() {
	mkfifo "$tmp/crowd.in" "$tmp/crowd.out"
	"$CROWD" "$1" "$2" "$PORT" client "${@:3}" <"$tmp/crowd.in" \
		>"$tmp/crowd.out" 2>"$tmp/crowd.err" &
	crowd_client=$!
	jobs_started+=("$crowd_client")
	exec 12>"$tmp/crowd.in" 13<"$tmp/crowd.out"
	rm "$tmp/crowd.in" "$tmp/crowd.out"
}

# crowd COMMAND...: its answer is in $answer, the first number in $number,
# the second in $cost
crowd() {
	echo "$*" >&12
	answer=
	read -r answer <&13
	read -r _ number cost _ <<<"$answer"
	echo "# $*: $answer"
}

# crowd_is FACT NUMBER COMMAND...: the command's first number
crowd_is() {
	crowd "${@:3}"
	check "$1" test "$number" = "$2"
}

# crowd_end: the client has closed everything and is gone
crowd_end() {
	exec 12>&-
	wait "$crowd_client"
	check "the client has come to its end" test $? -eq 0
	exec 13<&-
	sed 's/^/# /' "$tmp/crowd.err"
}
