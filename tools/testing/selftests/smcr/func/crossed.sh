#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# topology: pair
# fact: Both hosts may decline at once, and no program sees either Decline
# rfc: 3.5.1.6.4, C.2
# nics: 1
# RoCE is cut in one direction, as by a firewall on one host: neither end of a
# first contact learns that its message arrived, and both decline (RFC 7609
# C.2). The two Declines cross, and no program may read the peer's.
# shellcheck source-path=SCRIPTDIR source=lib/lib.sh
. "$(dirname "$0")/lib/lib.sh"

kind=smcr4
addresses $kind

# cut_off FROM TO: drop all RoCE packets in this direction
cut_off() {
	check "RoCE from $1 to $2 is cut" wire fault "$1" "$2" cut 1 only roce
}

# falls_back NAME: check that new connections fall back on both hosts
falls_back() {
	save "$1"
	io_check "a connection with some bytes" \
		$kind "$SERVER" seq -n 1
	io_check "a stream each way" $kind "$SERVER" stream -u 64k -d 64k -H
	grew "$1" Fallbacks -eq 2
	grew "$1" TxBytes -eq 0
}

client_leads

both sysctl_for_now net.smcr.negative_ms 0
on server save begin
on server serve $kind "$SERVER"
on server program lowat ./lowat.py serve "$SERVER" 7603
undo_later wire clear
cut_off server0 client0
falls_back silence
wire clear

# Delay TCP, so that the queue pairs of both ends fail before a Decline arrives,
# even on a busy host, but not so long that a SYN is sent twice.
cut_off client0 server0
check "TCP from server0 is slow" \
	wire fault server0 client0 delay 450000 only tcp
dev=$(netdev_of "$CLIENT")
undo_later tc qdisc del dev "$dev" root
check "TCP to server0 is slow" \
	tc qdisc add dev "$dev" root netem delay 450ms
falls_back crossed
grew crossed CrossedDeclines -eq 2
check "a program whose SO_RCVLOWAT is above a Decline does not read it" \
	timeout $((60 * PATIENCE)) ./lowat.py read "$SERVER" 7603
grew crossed CrossedDeclines -eq 3
undo_now
save healed
io_check "a stream by RDMA then" $kind "$SERVER" stream -u 64k -d 64k -H
by_rdma healed 65536 65536
io_check "end of the server" $kind "$SERVER" quit
on server served
on server grew begin CrossedDeclines -ge 3
both no_conn_left
finish
