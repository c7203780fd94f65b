#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# topology: pair
# fact: Namespaces that end together tell their peers, and end at the same time
# rfc: 4.8.3, A.2.1
# nics: 1
# cpus: 2
# timeout: 240
# A host with containers: each namespace of the client has a VLAN netdev on one
# adapter, and an idle link group with the server. mod/rxenet.c lets Soft-RoCE
# serve them. Their end is over when "rmmod rxenet" returns: it takes the lock
# that cleanup_net() holds.
# shellcheck source-path=SCRIPTDIR source=lib/lib.sh
. "$(dirname "$0")/lib/lib.sh"

kind=smcr4
boxes="1 2 3 4 5 6"

# vlan_of N: print the number of a box's VLAN
vlan_of() {
	echo $((40 + $1))
}

# server_vlans: be host 1 in the VLAN of each box
server_vlans() {
	local i id

	for i in $boxes; do
		id=$(vlan_of "$i")
		undo_later ip link del "vlan$id"
		check "VLAN $id" ip link add link eth0 name "vlan$id" up \
			type vlan id "$id"
		check "an address in it" \
			ip addr add "10.$id.0.1/24" dev "vlan$id"
	done
}

# Sent by the server only if it was asked to end a group, as DELETE LINK (all).
groups_told() {
	[ "$(delta begin DeleteLinkSent)" -ge "$1" ]
}

# ids_differ N MAC: this host has groups with N peer IDs, each with that MAC of
# an adapter
ids_differ() {
	local ids

	ids=$(smcr-ctl -j linkgroup show |
		grep -oE '"peer-id": *"[0-9a-f]{16}"' | sort -u)
	[ "$(grep -c . <<<"$ids")" -eq "$1" ] &&
		[ "$(grep -c "$2\"\$" <<<"$ids")" -eq "$1" ]
}

# inside N COMMAND...: run a command in a box
inside() {
	ip netns exec "box$1" "${@:2}"
}

# box N: create a namespace with a netdev in a VLAN of its own. The netdev is
# created here, so that its number is not one of this namespace's.
box() {
	local id dev

	id=$(vlan_of "$1")
	dev=vlan$id
	ip netns add "box$1" &&
		ip link add link eth0 name "$dev" type vlan id "$id" &&
		ip link set "$dev" netns "box$1" &&
		inside "$1" ip link set lo up &&
		inside "$1" ip addr add "10.$id.0.2/24" dev "$dev" &&
		inside "$1" ip link set "$dev" up || return
	SLOW=$SLOW inside "$1" bash -c \
		"$(declare -f calm_timers deadlines); calm_timers"
}

# gid_of N: true if the adapter has the GID of a box
gid_of() {
	grep -qs "ffff:0a$(printf %02x "$(vlan_of "$1")"):0002\$" \
		/sys/class/infiniband/rxe0/ports/1/gids/*
}

gids_gone() {
	local i

	for i in "$@"; do
		! gid_of "$i" || return
	done
}

# by_group N: true if a box has a group, and none of its connections fell back
by_group() {
	inside "$1" smcr-ctl -j linkgroup show | grep -q '"linkgroup":' &&
		inside "$1" grep -Eq '^Fallbacks +0$' "$STAT"
}

# fill N...: create boxes that each have an idle group with the server
fill() {
	local i

	for i in "$@"; do
		check "box $i" box "$i"
		wait_until "box $i has a GID" gid_of "$i"
		check "box $i has a connection" timeout $((120 * PATIENCE)) \
			ip netns exec "box$i" "$IO" $kind \
			"10.$(vlan_of "$i").0.1" "$PORT" seq -n 1
		check "it was by RDMA, and its group stays" by_group "$i"
	done
}

# end N...: end boxes together; set $took to the milliseconds until all of them
# are gone
end() {
	local i begin=${EPOCHREALTIME/./}

	for i in "$@"; do
		ip netns del "box$i"
	done
	wait_until "the netdevs of boxes $* are gone" gids_gone "$@"
	check "boxes $* have ended" rmmod rxenet
	took=$(((${EPOCHREALTIME/./} - begin) / 1000))
	check "Soft-RoCE serves all namespaces again" insmod /share/rxenet.ko
}

del_boxes() {
	local i

	for i in $boxes; do
		[ ! -e "/run/netns/box$i" ] || ip netns del "box$i"
	done
}

client_leads

check "Soft-RoCE serves all namespaces" insmod /share/rxenet.ko
undo_later rmmod rxenet
undo_later del_boxes
on server server_vlans
on server serve $kind 0.0.0.0 -a

# The peers are told.
# shellcheck disable=SC2086
fill $boxes
on server check "each box has a peer ID, with the MAC of the adapter" \
	ids_differ 6 "$(tr -d : </sys/class/net/eth0/address)"
on server save begin
# shellcheck disable=SC2086
end $boxes
echo "# six namespaces took $took ms"
on server wait_until "the server was asked to end six groups" groups_told 6
# An end that the peer has asked for says nothing about the path.
on server grew begin NegativeAdded -eq 0
on server no_group_left

# The peers are silent: five namespaces wait for them together. What is left
# of an end is work, for which five namespaces share two CPUs; on the debug
# kernel this work takes longer than the wait.
# shellcheck disable=SC2086
fill $boxes
undo_later wire clear
check "the wire is cut" wire fault '*' '*' cut 1
end 1
one=$took
end 2 3 4 5 6
echo "# one namespace took $one ms, five took $took ms"
if [ "$SLOW" -eq 1 ]; then
	check "five namespaces take less time than three one after another" \
		test "$took" -lt $((3 * one))
fi
wire clear
on server check "the server's groups are ended" end_groups
on server no_group_left

addresses $kind
io_check "end of the server" $kind "$SERVER" quit
on server served
both no_conn_left
finish
