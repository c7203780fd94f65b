#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# topology: pair
# fact: A fault of only the TCP or only the RoCE path ends connections in order
# rfc: 4.8.2, C.6
# nics: 1
# timeout: 240
# Faults of one path while the other works: loss of TCP or RoCE, and RST, FIN
# and data that neither end sent. A RST ends nothing while RoCE works, unless
# net.smcr.tcp_reset_ends says so.
# shellcheck source-path=SCRIPTDIR source=lib/faults_lib.sh disable=SC2119
. "$(dirname "$0")/lib/faults_lib.sh"

# What a connection carries each way, so that it runs on while a fault is made
long=$((12 / SLOW))m

# lost WHAT FROM TO: drop all TCP or RoCE in this direction; FROM and TO may be
# '*'
lost() {
	check "$1 from $2 to $3 is lost" wire fault "$2" "$3" cut 1 only "$1"
}

# tcp FROM TO: lose TCP. Once RDMA carries a connection, it does not need TCP,
# not even for the close.
tcp() {
	mode=many flood 10 -u $long -d $long -e
	lost tcp "$@"
	flood_ended "10 streams end"
	check "none with an errno" errors 0
	wire clear
	settled
	works
}

# roce FROM TO: lose RoCE
roce() {
	flood 10
	lost roce "$@"
	flood_ended "10 streams end"
	check "a new connection ends in time" timeout $((60 * PATIENCE)) "$IO" \
		"$kind" "$SERVER" "$PORT" seq -n 1 -a
	wire clear
	settled
	works
}

# errors N: true if N connections ended with an errno
errors() {
	local n

	n=$(awk '/ended with an errno/ { print $2 }' "$tmp/flood")
	[ "${n:-0}" = "$1" ]
}

# injected rst|fin|data|urgent FROM TO: inject such a segment into each connection
injected() {
	local n

	n=$(wire inject "$2" "$3" "$1")
	if [ "${n:-0}" -ge 10 ]; then
		ok "$1 into $n connections"
	else
		not_ok "$1 into ${n:-no} connections"
	fi
}

# rst FROM TO [1]: a RST that the link contradicts ends nothing, unless TCP decides
rst() {
	check "net.smcr.tcp_reset_ends is ${3:-0}" \
		sysctl -qw "net.smcr.tcp_reset_ends=${3:-0}"
	check "and on the server" \
		peer "sysctl -qw net.smcr.tcp_reset_ends=${3:-0}"
	wire forget
	if [ "${3:-0}" = 0 ]; then
		mode=many flood 10 -u $long -d $long -e
	else
		flood 10
	fi
	injected rst "$1" "$2"
	flood_ended "10 streams end"
	check "$((${3:-0} * 10)) with an errno" errors $((${3:-0} * 10))
	settled
	works
}

# tcp_data server0|client0: print the host's counter ResetTcpData
tcp_data() {
	case $1 in
	server0) peer "awk '/^ResetTcpData / { print \$2 }' $STAT" ;;
	client0) value ResetTcpData ;;
	esac
}

# data FROM TO [urgent]: inject bytes over TCP, of which the first may be urgent.
# A sender of such bytes takes the connection for plain TCP, so it is reset.
data() {
	local n

	wire forget
	flood 10
	n=$(tcp_data "$2")
	injected "${3:-data}" "$1" "$2"
	flood_ended "10 streams end"
	check "all with an errno" errors 10
	check "10 connections were reset because of bytes over TCP" \
		test "$(tcp_data "$2")" = $((n + 10))
	settled
	works
}

# Inject a FIN, which has no effect until the peer's close has come by CDC: the
# data continues, and no reader gets an early end of file. If the close does not
# come in time, the connection is reset.
fin() {
	wire forget
	flood 10
	injected fin "$1" "$2"
	flood_ended "10 streams end"
	check "all with an errno" errors 10
	settled
	works
}

tcp_lost() { tcp '*' '*'; }
tcp_lost_up() { tcp client0 server0; }
tcp_lost_down() { tcp server0 client0; }
roce_lost() { roce '*' '*'; }
roce_lost_up() { roce client0 server0; }
roce_lost_down() { roce server0 client0; }
rst_to_server() { rst client0 server0; }
rst_to_client() { rst server0 client0; }
rst_ends_server() { rst client0 server0 1; }
rst_ends_client() { rst server0 client0 1; }
fin_to_server() { fin client0 server0; }
fin_to_client() { fin server0 client0; }
data_to_server() { data client0 server0; }
data_to_client() { data server0 client0; }
urgent_to_server() { data client0 server0 urgent; }

faults_begin
undo_later sysctl -qw net.smcr.tcp_reset_ends=0
cases 1 tcp_lost tcp_lost_up tcp_lost_down roce_lost roce_lost_up \
	roce_lost_down
cases 3 rst_to_server rst_to_client rst_ends_server rst_ends_client \
	fin_to_server fin_to_client data_to_server data_to_client \
	urgent_to_server
faults_end
