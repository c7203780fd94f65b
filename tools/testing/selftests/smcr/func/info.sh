#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# topology: one
# fact: A program can ask what carries its connection, and why
# nics: 1
# shellcheck source-path=SCRIPTDIR source=lib/lib.sh
. "$(dirname "$0")/lib/lib.sh"

own4=$(ip -4 -o addr show scope global | awk '{ sub("/.*", "", $4); print $4; exit }')

# says FACT WORDS...: check what info.py prints; the text is read from stdin
says() {
	cat >"$tmp/want"
	python3 info.py "${@:2}" >"$tmp/said" 2>&1
	check "$1" diff -u "$tmp/want" "$tmp/said"
}

sysctl_for_now net.smcr.loopback 1
says "SMCR_INFO follows the socket" info "$own4" <<-END
	new: none none none
	listener: none none none
	client: rdma none none
	server: rdma none none
	reset: rdma none by_peer
	TCP client: tcp fastopen none
	TCP server: tcp no_option none
END
sysctl_for_now net.smcr.loopback 0
python3 info.py info "$own4" >"$tmp/said" 2>&1
check "without loopback it says so" \
	grep -qx 'client: tcp local_addr none' "$tmp/said"
says "it takes any length, and is the only option" short <<-END
	0 bytes: 0
	4 bytes: 4
	12 bytes: 12
	100 bytes: 12
	option 0: Protocol not available
	option 2: Protocol not available
	setsockopt: Protocol not available
END
no_conn_left

mkdir "$tmp/cgroup"
undo_later umount "$tmp/cgroup"
check "cgroups are mounted" mount -t cgroup2 none "$tmp/cgroup"
check "one for the program" mkdir "$tmp/cgroup/info"
undo_later rmdir "$tmp/cgroup/info"
says "a BPF program shows TCP for smcr's sockets alone" \
	protocol "$tmp/cgroup/info" <<-END
	TCP without it: 6
	smcr without it: 257
	UDP without it: 17
	TCP with it: 6
	smcr with it: 6
	UDP with it: 17
END
finish
