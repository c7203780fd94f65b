# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# Unmodified programs whose TCP sockets use RDMA. To be sourced after lib.sh.
# shellcheck disable=SC2154 # what lib.sh sets

# app_begin NAME COMMAND...: begin a server; back when it listens
app_begin() {
	"${@:2}" >"$tmp/$1.log" 2>&1 &
	app_pid=$!
	jobs_started+=("$app_pid")
	wait_until "$1 listens" listens "$PORT"
}

# app_ended NAME: wait for its end; shows its log, and returns its status
app_ended() {
	local rc=0

	wait "$app_pid" 2>/dev/null || rc=$?
	sed 's/^/# /' "$tmp/$1.log"
	return $rc
}

# app_end NAME SIGNAL: the server ends because of SIGNAL
app_end() {
	check "end of $1" kill "-$2" "$app_pid"
	app_ended "$1"
}
