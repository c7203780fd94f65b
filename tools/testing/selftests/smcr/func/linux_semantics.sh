#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# topology: pair
# fact: Each close and abort with Linux's AF_SMC ends as over TCP, or as listed
# rfc: 4.8.1, 4.8.2
# kernel: release
# peer: linux
# timeout: 300
# The server host runs the distribution's own SMC-R. The cases of the semantics
# tests that end a connection run over TCP, which smcr acts as, and then between
# smcr and Linux in both roles. linux_semantics.known lists the results that
# differ, each with its reason.
# shellcheck source-path=SCRIPTDIR source=lib/lib.sh
. "$(dirname "$0")/lib/lib.sh"
# shellcheck source-path=SCRIPTDIR source=lib/linux_lib.sh
. "$FUNC_DIR/lib/linux_lib.sh"

kind=smcr4
addresses $kind
known=linux_semantics.known
# Linux leaves some events out, and a step waits for them in vain.
export SEM_DEADLINE_MS=2500

# cases NAME...: print these cases of the scripts
cases() {
	awk -v names=" $* " '/^case / { on = index(names, " " $2 " ") }
		on' sem/*.sem
}

# scripts: write the cases that end a connection to $tmp/ends.sem
scripts() {
	{
		cat sem/close.sem
		cases poll_after_peer_closed poll_data_then_closed \
			poll_after_shutdown_rd poll_after_shutdown_rdwr \
			poll_after_reset poll_wakes_on_own_shutdown \
			close_while_other_receives \
			shutdown_while_other_receives \
			shutdown_rdwr_while_other_receives \
			shutdown_while_other_sends two_threads_receive \
			accept_after_client_closed
	} >"$tmp/ends.sem"
}

# agent_at ADDRESS: start the program that executes steps on this host
agent_at() {
	program agent "$SEMANTICS" --agent "$1" "$PORT"
}

# play KIND AGENT-ADDRESS OWN-ADDRESS: print the log of all cases between this
# host, the client, and that of the agent. Steps that wait in vain make the
# program fail, and are in the log. Return the status of another failure.
play() {
	local rc=0

	timeout 120 "$SEMANTICS" --remote "$1" "$2" "$3" "$PORT" \
		"$tmp/ends.sem" || rc=$?
	[ $rc -eq 1 ] || return $rc
}

# compared_to_tcp LINUX-ROLE: check the log of this role
compared_to_tcp() {
	check "closes and aborts with Linux as $1 end as listed" \
		lib/compare.py "$tmp/log.tcp" "$tmp/log.$1" "$1" $known
}

client_leads

both scripts
sysctl_for_now net.smcr.gid_kind 2
check "the agent serves" on server agent_at "$SERVER"
play tcp4 "$SERVER" "$CLIENT" >"$tmp/log.tcp"
check "the cases run over TCP" exits $?

save server
on server linux save server
play $kind "$SERVER" "$CLIENT" >"$tmp/log.server"
check "the cases run with Linux as server" exits $?
check "end of the agent" "$SEMANTICS" --stop "$SERVER" "$PORT"
on server agent_ended
no_conn_left
by_rdma server 50000 50000
grew server ActiveOpens -gt 40
# Linux may write on after it has announced the end: BadCdc counts that.
grew server BadClc -eq 0
grew server BadLlc -eq 0
grew server LinksFailed -eq 0
on server linux grew server Fallbacks -eq 0
compared_to_tcp server

save client
on server linux save client
agent_at "$CLIENT"
on server play $kind "$CLIENT" "$SERVER" >"$tmp/log.client"
check "the cases run with Linux as client" exits $?
check "end of the agent" "$SEMANTICS" --stop "$CLIENT" "$PORT"
agent_ended
no_conn_left
by_rdma client 50000 50000
grew client PassiveOpens -gt 40
grew client BadClc -eq 0
grew client BadLlc -eq 0
grew client LinksFailed -eq 0
on server linux grew client Fallbacks -eq 0
compared_to_tcp client
finish
