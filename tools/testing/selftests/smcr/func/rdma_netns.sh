#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# topology: one
# fact: With "netns exclusive" an adapter serves its own namespace only
# nics: 1
# timeout: 60
# "rdma system set netns exclusive": an adapter belongs to one namespace, and a
# container with a netdev on top of it has no adapter.
# shellcheck source-path=SCRIPTDIR source=lib/lib.sh
. "$(dirname "$0")/lib/lib.sh"

# inside COMMAND...: run a command in the container
inside() {
	ip netns exec box "$@"
}

# boxed MODE: set the mode and create a container with a netdev on eth0
boxed() {
	check "adapters are in mode $1" rdma system set netns "$1"
	ip netns add box
	ip link add box0 link eth0 type macvlan
	ip link set box0 netns box
	inside ip addr add 10.9.0.80/24 dev box0
	inside ip link set box0 up
	wait_until "$1: the container's address has a GID" \
		grep -qs 'ffff:0a09:0050$' \
		/sys/class/infiniband/rxe0/ports/1/gids/*
}

shown() {
	inside smcr-ctl -j device show | grep -q rxe0
}

unbox() {
	ip netns del box
}

undo_later rdma system set netns shared
boxed shared
wait_until "shared: the container can use the adapter" shown
unbox
wait_until "its netdev is gone" test ! -e /sys/class/net/box0
boxed exclusive
check_not "exclusive: the container cannot use it" shown
check "the owning namespace can use it" \
	grep -q rxe0 <(smcr-ctl -j device show)
unbox
finish
