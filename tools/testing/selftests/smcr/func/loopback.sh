#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# topology: one
# fact: net.smcr.loopback decides whether a host's own addresses get RDMA
# nics: 1
# timeout: 400
# net.smcr.loopback selects RDMA to the host's own addresses, or TCP with its
# own reason.
# shellcheck source-path=SCRIPTDIR source=lib/lib.sh
. "$(dirname "$0")/lib/lib.sh"

own4=$(ip -4 -o addr show scope global | awk '{ sub("/.*", "", $4); print $4; exit }')
own6=$(ip -6 -o addr show scope global | awk '{ sub("/.*", "", $4); print $4; exit }')

own() {
	case $1 in
	*6) echo "$own6" ;;
	*) echo "$own4" ;;
	esac
}

alone() {
	timeout $((60 * PATIENCE)) "$IO" "$1" "$(own "$1")" 0 "${@:2}" -F
}

sysctl_for_now net.smcr.loopback 0
for kind in smcr4 inet6; do
	save off
	check "$kind: to itself, loopback off" alone $kind stream -H
	# Two connections: the stream, and the one that ends the server.
	grew off FallbackLocalAddr -eq 2
	grew off RdmaWrites -eq 0
done

check "net.smcr.loopback can be turned on" sysctl -qw net.smcr.loopback=1
for kind in smcr4 smcr6 inet4 inet6; do
	save on
	check "$kind: to itself" alone $kind stream -u 4m -d 4m -H
	check "$kind: to itself, 20 at once" \
		alone $kind many -n 20 -u 50k -d 50k -e
	check "$kind: to itself, 50 in sequence" alone $kind seq -n 50
	by_rdma on 10000000 10000000
	no_conn_left
done

save lo
check "127.0.0.1 has no RoCE port" timeout $((60 * PATIENCE)) "$IO" smcr4 127.0.0.1 0 stream -F
grew lo RdmaWrites -eq 0
no_conn_left

save semantics
sem_draw smcr4
for kind in tcp4 smcr4; do
	check "semantics, $kind to itself" sh -c \
		"timeout $((180 * PATIENCE)) $SEMANTICS --local $kind $own4 \
			${sem_scripts[*]} >$tmp/log.$kind"
done
check "both logs are equal" diff -U 12 "$tmp/log.tcp4" "$tmp/log.smcr4"
no_fallback semantics
no_conn_left
finish
