#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# topology: pair
# fact: A RoCE port may be on a bond or a bridge
# rfc: 2.1, 3.5.1.2
# nics: 2
# A RoCE port may be on a bond or on a bridge: its netdev is then the master,
# which has the address. The slaves are VLANs of the two adapters, whose own
# addresses stay as they are.
#
# The bond does not change its slave here. It drops packets for a moment then,
# and Soft-RoCE fails a queue pair whose packet is dropped on this host.
# shellcheck source-path=SCRIPTDIR source=lib/lib.sh
. "$(dirname "$0")/lib/lib.sh"

kind=smcr4

# slave MASTER ADAPTER ID: make VLAN ID of the adapter a slave of the master
slave() {
	local dev=v$3.$2

	undo_later ip link del "$dev"
	check "VLAN $3 of $2" ip link add link "$2" name "$dev" type vlan id "$3"
	check "$dev is a slave of $1" ip link set "$dev" master "$1"
	ip link set "$dev" up
}

# port MASTER RXE ADDRESS: bring the master up, with an address and a RoCE port
port() {
	ip link set "$1" up
	check "$1 has $3" ip addr add "$3/24" dev "$1"
	undo_later rdma link delete "$2"
	check "$2 is on $1" rdma link add "$2" type rxe netdev "$1"
}

# masters HOST: create a bond of both adapters and a bridge of the first one
masters() {
	undo_later ip link del bond33
	check "a bond" ip link add bond33 type bond mode active-backup miimon 50
	slave bond33 eth0 33
	slave bond33 eth1 33
	port bond33 rxebond "10.33.0.$1"
	undo_later ip link del br34
	check "a bridge" ip link add br34 type bridge
	slave br34 eth0 34
	port br34 rxebr "10.34.0.$1"
}

client_leads

on server masters 1
masters 2
both save begin
on server serve $kind 0.0.0.0
for address in 10.33.0.1 10.34.0.1; do
	wait_until "$address answers" ping -qc 1 -W 1 $address
	io_check "two streams to $address" \
		$kind $address many -n 2 -u 256k -d 256k -e
done
grew begin FirstContacts -eq 2
grew begin LinksFailed -eq 0
check "the bond's RoCE port carries a link" \
	sh -c 'smcr-ctl link show state active | grep -q "device rxebond/1"'
check "the bridge's, too" \
	sh -c 'smcr-ctl link show state active | grep -q "device rxebr/1"'
io_check "end of the server" $kind 10.34.0.1 quit
on server served
both by_rdma begin 1048576 1048576
both no_conn_left
finish
