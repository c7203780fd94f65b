#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# topology: pair
# fact: smcr and Linux's AF_SMC fall back and unload without harm to each other
# rfc: 3.5.4, 4.8.2, C.1
# kernel: release
# peer: linux
# timeout: 210
# The server host runs the distribution's own SMC-R. Each end falls back for a
# reason, loses its program, and is unloaded; the next connection is as good as
# before.
# shellcheck source-path=SCRIPTDIR source=lib/lib.sh
. "$(dirname "$0")/lib/lib.sh"
# shellcheck source-path=SCRIPTDIR source=lib/linux_lib.sh
. "$FUNC_DIR/lib/linux_lib.sh"

kind=smcr4
module=${SMCR_KO:-$SHARED/smcr.ko}
addresses $kind

# to_linux NAME: check a stream to Linux's server; save counters before it
to_linux() {
	save "$1"
	on server linux save "$1"
	io_check "$1: a stream to Linux" $kind "$SERVER" stream \
		-u 64k -d 64k -H
}

# by_linux NAME: check a stream from Linux; save counters before it
by_linux() {
	save "$1"
	on server linux save "$1"
	from_linux "$1: a stream from Linux" stream -u 64k -d 64k -H
}

# told DIAGNOSIS: true if the last fallback had that diagnosis of the peer
told() {
	tail -n 1 /sys/kernel/tracing/trace | grep -q "diagnosis=$1"
}

unreferenced() {
	[ "$(cat /sys/module/smcr/refcnt)" = 0 ]
}

no_linux_group() {
	[ "$(linux_value LinkGroups)" = 0 ]
}

unload_linux() {
	rmmod smc_diag smc || {
		modprobe -a smc smc_diag
		return 1
	}
}

# hold_killed: kill the program of "hold"
hold_killed() {
	kill -KILL "$hold_pid"
	exec 5>&- 6<&-
}

prefix_length() {
	ip addr del "$SERVER/$1" dev eth0 && ip addr add "$SERVER/$2" dev eth0
}

client_leads

sysctl_for_now net.smcr.gid_kind 2
undo_later sh -c "echo 0 >/sys/kernel/tracing/events/smcr/smcr_fallback/enable"
check "fallbacks are traced" sh -c \
	"echo 1 >/sys/kernel/tracing/events/smcr/smcr_fallback/enable"
on server serve $kind "$SERVER"
serve $kind "$CLIENT"

# Linux has no adapter
check "Linux's adapter is gone" on server rdma link delete rxe0
to_linux "no adapter there"
by_tcp "no adapter there" PeerDeclined 1
check "its diagnosis says so" told 0x0303
by_linux "no adapter there, as client"
by_tcp "no adapter there, as client" PeerDeclined 1
check "its diagnosis says so" told 0x0303
check "Linux has an adapter" on server rdma link add rxe0 type rxe netdev eth0

# The two hosts disagree on their subnet
check "Linux's subnet is another" on server prefix_length 24 25
to_linux "another subnet"
by_tcp "another subnet" PeerDeclined 1
check "its diagnosis says so" told 0x03070000
by_linux "another subnet, as client"
by_tcp "another subnet, as client" Subnet 1
on server linux grew "another subnet, as client" Fallback_05000000 -eq 1
check "Linux's subnet is the same" on server prefix_length 25 24

# This host has no adapter
check "this host's adapter is gone" rdma link delete rxe0
to_linux "no adapter here"
by_tcp "no adapter here" NoRnic 1
by_linux "no adapter here, as server"
by_tcp "no adapter here, as server" NoRnic 1
check "this host has an adapter" rdma link add rxe0 type rxe netdev eth0

# An older Linux kernel, whose Proposals have version 1
undo_later sh -c "rmmod version1 2>/dev/null || :"
check "Linux's Proposals count as version 1" insmod /share/version1.ko
by_linux "an older Linux"
by_tcp "an older Linux" PeerDeclined 1
grew "an older Linux" NegativeAdded -eq 0
grew "an older Linux" NegativeNoted -eq 0
check "its diagnosis says that it has no eye catcher" told 0x03050000
by_linux "an older Linux, once more"
by_rdma "an older Linux, once more" 65536 65536
grew "an older Linux, once more" FirstContacts -eq 1
check "the group speaks the Linux dialect" linux_dialect
by_linux "an older Linux, a third time"
grew "an older Linux, a third time" SubsequentContacts -eq 1
check "Linux's Proposals have their version" rmmod version1

# RDMA both ways, after all that
to_linux "all is well"
by_rdma "all is well" 65536 65536
by_linux "all is well, as server"
by_rdma "all is well, as server" 65536 65536

# Linux's program dies, and Linux's SMC-R is unloaded
save killed
hold $kind "$SERVER" 3
on server eval "kill -KILL \${program_pid[serve]}"
exec 5>&-
wait "$hold_pid"
check "this host's programs see that Linux's program is killed" test $? -ne 0
exec 6<&-
no_conn_left
grew killed BadCdc -eq 0
io_check "end of the server" $kind "$CLIENT" quit
served
serve $kind "$CLIENT"
save client_killed
on server hold $kind "$CLIENT" 3
on server hold_killed
no_conn_left
grew client_killed PassiveOpens -eq 3
grew client_killed BadCdc -eq 0
grew client_killed Aborts -eq 0
no_fallback client_killed
io_check "end of the server" $kind "$CLIENT" quit
program_ended serve
check "this host's server sees 3 ends of file" \
	test "$(cat "$tmp/serve.out" "$tmp/serve.err" | grep -c ENODATA)" = 3
on server wait_until "Linux's SMC-R is unloaded" unload_linux
no_group_left
grew killed BadLlc -eq 0
on server serve tcp4 "$SERVER"
save unloaded
io_check "a stream to Linux without SMC-R" $kind "$SERVER" stream -H
by_tcp unloaded NoOption 1
io_check "end of the server" $kind "$SERVER" quit
on server served
check "Linux's SMC-R is loaded" on server modprobe -a smc smc_diag
on server serve $kind "$SERVER"
to_linux "loaded again"
by_rdma "loaded again" 65536 65536
grew "loaded again" FirstContacts -eq 1
serve $kind "$CLIENT"
by_linux "loaded again, as server"
by_rdma "loaded again, as server" 65536 65536
io_check "end of the server" $kind "$CLIENT" quit
served
no_conn_left

# smcr is unloaded while a group of each role with Linux is idle
check "Linux has two groups" test "$(on server linux_value LinkGroups)" = 2
wait_until "nothing refers to smcr" unreferenced
check "smcr is unloaded" rmmod smcr
on server wait_until "Linux's group is gone" no_linux_group
check "smcr is loaded" insmod "$module"
calm_timers
sysctl_for_now net.smcr.gid_kind 2
to_linux "smcr is loaded again"
by_rdma "smcr is loaded again" 65536 65536
grew "smcr is loaded again" FirstContacts -eq 1
serve $kind "$CLIENT"
by_linux "smcr is loaded again, as server"
by_rdma "smcr is loaded again, as server" 65536 65536
io_check "end of this host's server" $kind "$CLIENT" quit
served
io_check "end of the server" $kind "$SERVER" quit
on server served
no_conn_left
finish
