#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# topology: pair
# fact: Unchanged programs use RDMA where net.smcr.transparent lets them
# rfc: B
# nics: 1
# Unchanged programs under net.smcr.transparent: IPv4, IPv6 and excluded names.
# A name is the program's, whichever of its threads makes the socket. MPTCP is
# changed only on demand; apps/go.sh has programs that use it.
# shellcheck source-path=SCRIPTDIR source=lib/lib.sh
. "$(dirname "$0")/lib/lib.sh"

# makes PROTOCOL WHERE [NAME]: check the protocol of a socket that
# transparent.py makes in one of its threads
makes() {
	local got

	got=$(python3 transparent.py many_threads "${@:2}" 2>&1)
	check "excluded $excluded, ${*:2}: protocol $1" test "$got" = "$1" ||
		echo "# it is $got"
}

client_leads

both sysctl_for_now net.smcr.transparent 1
for kind in tcp4 tcp6; do
	addresses $kind
	both save $kind
	on server serve $kind "$SERVER"
	io_check "$kind: 4 MB each way" $kind "$SERVER" stream -u 4m -d 4m -H
	io_check "$kind: 50 streams at once" \
		$kind "$SERVER" many -n 50 -u 50k -d 50k -E
	by_rdma $kind 6600000 6600000
	save excluded
	cp "$IO" "$tmp/plain_io"
	sysctl_for_now net.smcr.transparent_exclude plain_io
	check "$kind: an excluded program works" \
		"$tmp/plain_io" $kind "$SERVER" "$PORT" stream
	grew excluded ActiveOpens -eq 0
	grew excluded RdmaWrites -eq 0
	io_check "$kind: end of the server" $kind "$SERVER" quit
	on server served
	on server grew $kind RxBytes -ge 6600000
	on server grew $kind TxBytes -ge 6600000
	# Only the SYN of the excluded program had no option.
	on server grew $kind FallbackNoOption -eq 1
	on server grew $kind Fallbacks -eq 1
	both no_conn_left
done

for excluded in many_threads worker-1; do
	protocol=257
	[ $excluded = worker-1 ] || protocol=6
	sysctl_for_now net.smcr.transparent_exclude $excluded
	save names
	makes $protocol main
	makes $protocol thread worker-1
	# The sockets that io_uring makes stay TCP.
	makes 6 worker
	makes 6 poll
	# What an excluded program asks for is not counted.
	makes 262 mptcp
	grew names TransparentSockets -eq $((protocol == 257 ? 2 : 0))
	grew names TransparentMptcp -eq $((protocol == 257))
done
sysctl_for_now net.smcr.transparent_mptcp 1
save mptcp
makes 257 mptcp
grew mptcp TransparentSockets -eq 1
grew mptcp TransparentMptcp -eq 1

addresses tcp4
on server serve tcp4 "$SERVER"
save held
hold tcp4 "$SERVER" 3
check "the sysctl is turned off" sysctl -qw net.smcr.transparent=0
released "sockets made before that still carry their bytes"
by_rdma held 3 3
save off
io_check "a socket made after that is plain TCP" tcp4 "$SERVER" stream
grew off ActiveOpens -eq 0
grew off RdmaWrites -eq 0
io_check "end of the server" tcp4 "$SERVER" quit
on server served
both no_conn_left
finish
