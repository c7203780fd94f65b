#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# topology: one
# fact: A listener's cgroup acts on its connections, but takes and delays none
# nics: 1
# timeout: 90
# A child has the cgroup of its listener: a BPF program there may forbid it
# something. But a program that puts new connections into a map of sockets, as
# those that shorten the way to a proxy do, is refused: it would replace the
# functions of the TCP socket that smcr uses. A listener whose cgroup is above its
# memory.high does not wait for memory there: others share the work items. Who
# accepts a connection is charged for its sockets.
# shellcheck source-path=SCRIPTDIR source=lib/lib.sh
. "$(dirname "$0")/lib/lib.sh"

own4=$(ip -4 -o addr show scope global | awk '{ sub("/.*", "", $4); print $4; exit }')
limit=$((60 * SLOW))
root=$(findmnt -n -o TARGET -t cgroup2 | head -1)
group=$root/smcr_cgroup

# in_group MODE PROTOCOL: run a mode of cgroup.py
in_group() {
	timeout "$limit" python3 -B "$FUNC_DIR/cgroup.py" "$1" "$own4" "$PORT" \
		"$2" "$group" >"$tmp/$1.$2" 2>&1
	check "protocol $2: $1" exits $?
	sed 's/^/# /' "$tmp/$1.$2"
}

# printed MODE PROTOCOL LINE: true if it printed exactly that for both children
printed() {
	[ "$(grep -cFx "$3" "$tmp/$1.$2")" = 2 ]
}

# per_conn PROTOCOL: print the bytes that each accepted connection is charged
per_conn() {
	sed -n 's/^charged //p' "$tmp/charged.$1"
}

# none_established: true if no TCP connection of the listener is left
none_established() {
	[ -z "$(ss -Htn state established "sport = :$PORT")" ]
}

# one_each NAME: one connection was made by RDMA, the other fell back
one_each() {
	grew "$1" PassiveOpens -eq 1
	grew "$1" Fallbacks -eq 1
}

sysctl_for_now net.smcr.loopback 1
check "a cgroup is made" mkdir "$group"
undo_later rmdir "$group"

for protocol in 0 257; do
	save policed
	in_group policed $protocol
	check "protocol $protocol: children have their listener's cgroup" \
		printed policed $protocol "child EPERM"
	[ $protocol = 0 ] || one_each policed
done

save mapped
in_group mapped 0
check "TCP's children are put into the map" printed mapped 0 "child 0 b'x'"
in_group mapped 257
check "smcr's are not (EBUSY)" printed mapped 257 "child -16 b'x'"
one_each mapped
wait_until "their TCP connections are closed" none_established

check "the memory controller is on" \
	sh -c "echo +memory >$root/cgroup.subtree_control"
[ ! -e "$group/memory.swap.max" ] || echo 0 >"$group/memory.swap.max"
for protocol in 0 257; do
	in_group charged $protocol
done
check "a connection of TCP is charged" test "$(per_conn 0)" -ge 1000
check "what accept() returns is charged as TCP's is, or more" \
	test "$(per_conn 257)" -ge "$(per_conn 0)"
save throttled
in_group throttled 257
check "no accepted connection waits for the cgroup's memory" \
	grep -qx "throttled 0" "$tmp/throttled.257"
grew throttled FallbackNoOption -ge 100
no_conn_left
finish
