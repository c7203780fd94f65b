#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# topology: pair
# fact: Elements are charged to the cgroup of the program that uses them
# nics: 1
# timeout: 200
# Elements are charged to the cgroup of the program that uses them. Of 2,000
# sockets in a cgroup of 64 MB, those that do not fit fall back; no process is
# killed, and all memory is uncharged.
# shellcheck source-path=SCRIPTDIR source=lib/lib.sh
. "$(dirname "$0")/lib/lib.sh"
# shellcheck source=lib/crowd_lib.sh
. "$(dirname "$0")/lib/crowd_lib.sh"
# shellcheck source=lib/memcg_lib.sh
. "$(dirname "$0")/lib/memcg_lib.sh"

kind=smcr4
sockets=2000
# On the debug kernel each socket takes twice the memory.
[ "$BED_KERNEL" != debug ] || sockets=700
addresses $kind
root=$(findmnt -n -o TARGET -t cgroup2 | head -1)
group=$root/smcr_memcg

killed() {
	awk '$1 == "oom_kill" { print $2 }' "$group/memory.events"
}

show() {
	echo "# $1: the cgroup has $(cat "$group/memory.current") bytes," \
		"$(charged) of them of sockets;" \
		"SMCR has $(awk '$1 == "SMCR" { print $4 }' \
			/proc/net/protocols) pages"
}

# crowd_inside: from now on the crowd's client moves itself into the cgroup when
# it starts
crowd_inside() {
	cat >"$tmp/inside" <<-EOF
		#!/bin/sh
		echo \$\$ >$group/cgroup.procs
		exec $CROWD "\$@"
	EOF
	chmod +x "$tmp/inside"
	CROWD=$tmp/inside
}

client_leads

on server crowd_serve $kind "$SERVER"
check "the memory controller is on" \
	sh -c "echo +memory >$root/cgroup.subtree_control"
check "a cgroup is made" mkdir "$group"
undo_later rmdir "$group"
check "it is limited to 64 MB" sh -c "echo 64M >$group/memory.max"
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
wait_until "each of those is charged with its 128 KB" \
	charged_for $((conns * (128 << 10)))
grew begin FallbackMemory -ge $((sockets - 400))
grew begin FallbackMemory -eq $((sockets - conns))
crowd_is "the bytes of each are right" $sockets all 64
check "no process was killed" test "$(killed)" = 0
crowd_is "all are closed" 0 close $sockets
no_conn_left
wait_until "the charge is back to zero" uncharged
show "closed"
save again
crowd_is "there is room again" 10 open 10
crowd_is "their bytes are right" 10 all 64
no_fallback again
crowd_end
both no_conn_left
on server grew begin Aborts -eq 0
wait_until "the charge is back to zero" uncharged
check "no process was killed" test "$(killed)" = 0
on server crowd_served
finish
