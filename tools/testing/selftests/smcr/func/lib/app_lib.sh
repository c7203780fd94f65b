# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# Run unmodified programs whose TCP sockets use RDMA. Source this after lib.sh.
# shellcheck disable=SC2154 # what lib.sh sets

# app_begin NAME COMMAND...: start a server; return when it listens
app_begin() {
	"${@:2}" >"$tmp/$1.log" 2>&1 &
	app_pid=$!
	jobs_started+=("$app_pid")
	wait_until "$1 listens" listens "$PORT"
}

# app_ended NAME: wait until the server exits; show its log and return its
# status
app_ended() {
	local rc=0

	wait "$app_pid" 2>/dev/null || rc=$?
	sed 's/^/# /' "$tmp/$1.log"
	return $rc
}

# app_end NAME SIGNAL: end the server with SIGNAL
app_end() {
	check "end of $1" kill "-$2" "$app_pid"
	app_ended "$1"
}
