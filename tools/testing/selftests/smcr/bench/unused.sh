#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Measure what a connection costs that smcr makes and RDMA does not carry, beside
# one of TCP. Each case says why it does not:
#
#	declined the server declines each Proposal, as it may have no RMB
#	plain	the server does not know smcr: its SYN-ACK has no option
#	served	the client does not know smcr
#	listed	the destination is on the client's negative list
#	local	the destination is the client's own host
#	bare	the client's host has no RoCE adapter
#
# In one host that counts instructions as time ("vm/one --icount") each work runs
# N and 2N times, and both ends count together. Between two hosts ("vm/pair")
# there are times, and the memory of an idle connection.
#
# usage: unused.sh icount|pair [ROUNDS [CONNECTIONS]]
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"

how=$1
declare -A KINDS=([declined]=smcr4 [plain]=smcr4-tcp4 [served]=tcp4-smcr4 [listed]=smcr4
	[local]=smcr4 [bare]=smcr4)

# there COMMAND: run a command in the server's host
there()
{
	if [ "$how" = pair ]; then
		peer "$1"
	else
		eval "$1"
	fi
}

# declining ROUNDS: the destination must not be listed yet. Each connection needs
# an RMB at both ends, and a server without one declines.
declining()
{
	local limit round

	limit=$(sysctl -n net.smcr.max_rmb_bytes)
	there "sysctl -qw net.smcr.max_rmb_bytes=1" || return
	for ((round = 1; round <= $1; round++)); do
		works $round declined
	done
	there "sysctl -qw net.smcr.max_rmb_bytes=$limit"
}

# list_destination: have smcr's server listed, by a path that drops SYNs with the
# option. Later SYNs have none.
list_destination()
{
	sysctl -qw net.smcr.negative_max_ms=3600000 \
		net.smcr.negative_ms=3600000
	there "nft 'add table inet bench' &&
		nft 'add chain inet bench in { type filter hook prerouting priority -300; }' &&
		nft 'add rule inet bench in tcp dport $(port smcr4 0) tcp option 254 exists drop'" ||
		return
	by_load 0 smcr4 listing default connect 1 0 1 >/dev/null
	smcr-ctl -j negative show | grep -q '"syn"'
}

# both ROUND CASE WORK MODE SIZE WARM COUNT: measure smcr and TCP; the order
# changes with the round
both()
{
	local kinds=("${KINDS[$2]}" tcp4) i

	for i in 0 1; do
		by_load "$1" "${kinds[(i + $1) % 2]}" "$3" default "${@:4}"
	done
}

# each ROUND CASE WORK MODE SIZE WARM COUNT
each()
{
	local n

	if [ "$how" = pair ]; then
		both "$1" "$2" "unused-$2-$3" "${@:4}"
		return
	fi
	for n in "$7" $(($7 * 2)); do
		both "$1" "$2" "icount:unused-$2-$3:$n" "${@:4:3}" "$n"
	done
}

# works ROUND CASE
works()
{
	each "$1" "$2" rr64 rr 64 100 400
	each "$1" "$2" stream64k stream 65536 16 160
	each "$1" "$2" connect1 connect 1 16 96
}

# local_works ROUND: this host's own servers; in one host its addresses are those
# of the others
local_works()
{
	local server=$SERVER

	if [ "$how" = pair ]; then
		SERVER=$OWN
		works "$1" local
	else
		sysctl -qw net.smcr.loopback=0
		works "$1" local
		sysctl -qw net.smcr.loopback=1
	fi
	SERVER=$server
}

# memory KIND COUNT: measure memory with 16 connections, then with COUNT more
memory()
{
	hold "$1" 0 16 7 || echo "failed 0 $1 unused-memory"
	echo "sample 0 ${1%4} unused-memory:16 $(memory_now)"
	hold "$1" 0 "$2" 8 || echo "failed 0 $1 unused-memory"
	echo "sample 0 ${1%4} unused-memory:$2 $(memory_now)"
	exec 7>&- 8>&-
}

case $how in
icount)	sysctl -qw net.smcr.loopback=1
	serve smcr4 0
	serve tcp4 0 ;;
pair)	OWN=10.9.0.2
	barrier bench.ready || exit 1
	for kind in smcr4 tcp4; do
		SERVER=$OWN serve $kind 0
	done ;;
*)	exit 2 ;;
esac
calm_timers
declining "${2:-3}" || echo "failed 0 smcr unused-declined"
if ! list_destination; then
	echo "failed 0 smcr unused-listed"
	exit 1
fi
if [ "$how" = pair ]; then
	memory tcp4 "${3:-4064}"
	memory smcr4 "${3:-4064}"
fi
for ((round = 1; round <= ${2:-3}; round++)); do
	for case in plain served listed; do
		works $round $case
	done
	local_works $round
done
rdma link delete rxe0 || exit 1
for ((round = 1; round <= ${2:-3}; round++)); do
	works $round bare
done
exit 0
