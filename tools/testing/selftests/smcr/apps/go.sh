#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# topology: pair
# fact: Programs in Go that ask for MPTCP use RDMA if the administrator says so
# kernel: release
# nics: 1
# From Go 1.24 on each listener asks for MPTCP by default. GODEBUG makes an
# older Go ask for it, for connections as well.
# shellcheck source-path=SCRIPTDIR source=../func/lib/lib.sh
. "$(dirname "$0")/../func/lib/lib.sh"

addresses tcp4
go=$FUNC_DIR/../apps/go/go_echo
mptcp="GODEBUG=multipathtcp=1"
told="go_echo asks for MPTCP"

# go_server: echo connections of a listener that asks for MPTCP
go_server() {
	program go env "$mptcp" "$go" serve "$SERVER:$PORT"
}

go_server_ends() {
	kill "${program_pid[go]}"
	program_ended go
	check "the server in Go sees no error" test ! -s "$tmp/go.err"
}

# go_client [VARIABLE=VALUE]: 8 connections at once, 300000 bytes each way
go_client() {
	timeout $((60 * PATIENCE)) env "$@" "$go" ask "$SERVER:$PORT" 8 300000
}

told_times() {
	test "$(dmesg | grep -c "$told")" = "$1"
}

client_leads

check "the program in Go was built (scripts/deps apps)" test -x "$go" || finish
both sysctl_for_now net.smcr.transparent 1

both save off
on server go_server
check "a Go client and a Go server with MPTCP use TCP" go_client
grew off ActiveOpens -eq 0
check "both with MPTCP: that is what they get" go_client "$mptcp"
check "the client's log says what to set, once" told_times 1
on server check "the server's log says what to set, once" told_times 1
both grew off TransparentMptcp -gt 0
both grew off RdmaWrites -eq 0
on server go_server_ends

both sysctl_for_now net.smcr.transparent_mptcp 1
both save on
on server go_server
check "a Go client with TCP, a Go server with MPTCP" go_client
by_rdma on 2400000 2400000
grew on ActiveOpens -eq 8
save dial
check "both with MPTCP" go_client "$mptcp"
by_rdma dial 2400000 2400000
grew dial ActiveOpens -eq 8
grew dial TransparentMptcp -gt 8
on server grew on PassiveOpens -eq 16
on server by_rdma on 4800000 4800000
on server go_server_ends
both no_conn_left
finish
