#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# topology: pair
# fact: Elements are charged to the cgroup of the program that uses them
# kernel: turns load
# nics: 1
# timeout: 200
# Elements are charged to the cgroup of the program that uses them.
# 2,000 sockets in a cgroup of 64 MB: what does not fit is TCP, nobody is
# killed, and all is given back.
# shellcheck source-path=SCRIPTDIR source=lib/lib.sh
. "$(dirname "$0")/lib/lib.sh"
# shellcheck source=lib/crowd_lib.sh
. "$(dirname "$0")/lib/crowd_lib.sh"

kind=smcr4
sockets=2000
# There each socket takes twice the memory of its own.
[ "$BED_KERNEL" != debug ] || sockets=700
addresses $kind
root=$(findmnt -n -o TARGET -t cgroup2 | head -1)
group=$root/smcr_memcg

charged() {
	awk '$1 == "sock" { print $2 }' "$group/memory.stat"
}

killed() {
	awk '$1 == "oom_kill" { print $2 }' "$group/memory.events"
}

show() {
	echo "# $1: the cgroup has $(cat "$group/memory.current") bytes," \
		"$(charged) of them of sockets;" \
		"SMCR has $(awk '$1 == "SMCR" { print $4 }' \
			/proc/net/protocols) pages"
}

# crowd_inside: from now on the crowd's client is in the cgroup. Children of a
# shell in the cgroup would not be: the program itself moves.
crowd_inside() {
	cat >"$tmp/inside" <<-EOF
		#!/bin/sh
		echo \$\$ >$group/cgroup.procs
		exec $CROWD "\$@"
	EOF
	chmod +x "$tmp/inside"
	CROWD=$tmp/inside
}

uncharged() {
	[ "$(charged)" = 0 ]
}

client_leads

on server crowd_serve $kind "$SERVER"
check "the memory controller" sh -c "echo +memory >$root/cgroup.subtree_control"
check "a cgroup" mkdir "$group"
undo_later rmdir "$group"
check "of 64 MB" sh -c "echo 64M >$group/memory.max"
[ ! -e "$group/memory.swap.max" ] || echo 0 >"$group/memory.swap.max"
crowd_inside
both save begin
crowd_begin $kind "$SERVER"
show "before"
crowd_is "$sockets sockets" $sockets open $sockets
show "open"
conns=$(($(delta begin ConnsOpened) - $(delta begin ConnsClosed)))
echo "# $conns of them by RDMA"
check "100 or more fit" test "$conns" -ge 100
check "each of those is charged with its 128 KB" \
	test "$(charged)" -ge $((conns * (128 << 10)))
grew begin FallbackMemory -ge $((sockets - 400))
grew begin FallbackMemory -eq $((sockets - conns))
crowd_is "each is right" $sockets all 64
check "nobody was killed" test "$(killed)" = 0
crowd_is "all are closed" 0 close $sockets
no_conn_left
wait_until "the charge is back to zero" uncharged
show "closed"
save again
crowd_is "there is room again" 10 open 10
crowd_is "and they are right" 10 all 64
no_fallback again
crowd_end
both no_conn_left
on server grew begin Aborts -eq 0
wait_until "the charge is back to zero" uncharged
check "nobody was killed" test "$(killed)" = 0
on server crowd_served
finish
