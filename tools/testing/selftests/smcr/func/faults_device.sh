#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# topology: pair
# fact: A port, queue pair, device or adapter may fail and return under load
# nics: 1
# timeout: 240
# A port, a queue pair, a device or an adapter fails and comes back while
# streams run: each stream ends with an errno or after its last byte, and
# everything is freed.
# shellcheck source-path=SCRIPTDIR source=lib/faults_lib.sh disable=SC2119
. "$(dirname "$0")/lib/faults_lib.sh"

# Device removal waits for nothing that a peer or a program can delay.
most=10
many=200
[ "$SLOW" = 1 ] || [ "$SOAK" = 1 ] || many=40

# at HOST COMMAND...: run a command on that host
at() {
	if [ "$1" = server ]; then
		peer "${@:2}"
	else
		"${@:2}"
	fi
}

port_down() {
	flood 20
	check "the $1's port goes down" at "$1" ip link set eth0 down
	flood_ended "20 streams end"
	check "the $1's port comes up" at "$1" ip link set eth0 up
	settled
	works
}

qp_error() {
	flood 20
	check "the $1's queue pairs enter the error state" \
		at "$1" insmod /share/qperr.ko
	flood_ended "20 streams end"
	check "the module is unloaded" at "$1" rmmod qperr
	settled
	works
}

device_removed() {
	local took

	IO_TIMEOUT=240 flood "$many"
	took=$(at "$1" "$HOST" remove)
	check "the $1's device is removed within $most s (${took:-?} ms)" \
		test "$took" -lt "$((most * 1000 * SLOW))"
	flood_ended "$many streams end"
	check "the $1's device is added" \
		at "$1" rdma link add rxe0 type rxe netdev eth0
	settled
	works
}

# Pull the cable first. Otherwise queue pairs of rxe wait for packets in the
# queue of virtio_net, which are freed after the netdev is gone, and the netdev
# waits for rxe; that wait ends after 50 s with a WARN of rxe.
adapter_unplugged() {
	flood 20
	check "the cable is pulled" wire fault '*' '*' cut 1
	check "the $1's adapter is unplugged" at "$1" "$HOST" nic gone
	flood_ended "20 streams end"
	wire clear
	check "the $1's adapter is back" at "$1" "$HOST" nic back
	settled
	works
}

mtu_changes() {
	flood 10
	check "the $1's MTU shrinks" at "$1" ip link set eth0 mtu 1500
	check "the $1's MTU grows" at "$1" ip link set eth0 mtu 9000
	check "the $1's MTU is restored" \
		at "$1" ip link set eth0 mtu "$BED_MTU"
	wire fault '*' '*' cut 1 only roce
	flood_ended "10 streams end"
	wire clear
	settled
	works
}

device_removed_server() { device_removed server; }
device_removed_client() { device_removed client; }
port_down_server() { port_down server; }
port_down_client() { port_down client; }
qp_error_server() { qp_error server; }
qp_error_client() { qp_error client; }
unplugged_server() { adapter_unplugged server; }
unplugged_client() { adapter_unplugged client; }
mtu_server() { mtu_changes server; }
mtu_client() { mtu_changes client; }

faults_begin
cases 1 device_removed_server device_removed_client
cases 2 unplugged_server unplugged_client qp_error_server qp_error_client \
	port_down_server port_down_client mtu_server mtu_client
faults_end
