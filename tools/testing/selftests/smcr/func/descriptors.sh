#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# topology: one
# fact: A descriptor may change hands while its connection is being made
# nics: 1
# cpus: 2
# timeout: 180
# The same cases run over TCP, over smcr, and over smcr where the handshake ends
# in TCP: a client or a listener goes to a forked process, to another process in
# a message (SCM_RIGHTS) or to another program (exec), is duplicated, is in sets
# of epoll, or is a fixed file of io_uring, whose owner closes it. A module holds
# the handshake until the new users are in their calls. sem/process.sem has such
# cases of connections that are made.
# shellcheck source-path=SCRIPTDIR source=lib/lib.sh
. "$(dirname "$0")/lib/lib.sh"

own4=$(ip -4 -o addr show scope global | awk '{ sub("/.*", "", $4); print $4; exit }')
limit=$((45 * SLOW))
hold=/sys/module/noaccept/parameters/on

# cases LOG PROTOCOL [HOLD]: store what the users of the descriptors see
cases() {
	timeout "$limit" python3 descriptors.py cases "$own4" "${@:2}" \
		>"$tmp/cases.$1"
}

# as_tcp LOG: check that the users see what they see over TCP
as_tcp() {
	check "they see the same" diff -U 12 "$tmp/cases.tcp" "$tmp/cases.$1"
}

sysctl_for_now net.smcr.loopback 1
sysctl_for_now net.smcr.negative_ms 0
sysctl_for_now net.smcr.lgr_linger_ms 100
check "handshakes can be held" insmod "$SHARED/noaccept.ko"
undo_later rmmod noaccept
check "descriptors change hands over TCP" cases tcp 0
conns=$(grep -c ^case "$tmp/cases.tcp")

save rdma
check "they do so while a handshake leads to RDMA" cases rdma 257 $hold
as_tcp rdma
grew rdma PassiveOpens -eq "$conns"
by_rdma rdma $((4 * conns)) $((4 * conns))
no_conn_left

no_group_left
sysctl_for_now net.smcr.max_lgrs 0
save tcp
check "they do so while a handshake leads to TCP" cases fallback 257 $hold
as_tcp fallback
grew tcp HandshakesStarted -eq $((2 * conns))
grew tcp FallbackResourceLimit -eq "$conns"
grew tcp FallbackPeerDeclined -eq "$conns"
grew tcp RdmaWrites -eq 0
no_conn_left
finish
