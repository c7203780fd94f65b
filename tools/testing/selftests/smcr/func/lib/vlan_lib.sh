# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# Library of the tests with VLANs. Source this after lib.sh.

VLANS="31 32"

# link_local HOST: print the link-local address, which is the same in each VLAN
link_local() {
	echo "fe80::9:$1"
}

# vlans HOST: create two VLANs on the adapter, each with a subnet in which this
# is host HOST. Sets $UNTAGGED to the adapter.
vlans() {
	local dev id

	addresses smcr4
	UNTAGGED=$(netdev_of "10.9.0.$1")
	for id in $VLANS; do
		undo_later ip link del "vlan$id"
		check "VLAN $id" ip link add link "$UNTAGGED" \
			name "vlan$id" up type vlan id "$id"
		check "an address in it" \
			ip addr add "10.$id.0.$1/24" dev "vlan$id"
	done
	undo_later ip addr del "$(link_local "$1")/64" dev "$UNTAGGED"
	for dev in "$UNTAGGED" ${VLANS//3/vlan3}; do
		check "a link-local address on $dev" ip addr add \
			"$(link_local "$1")/64" dev "$dev" nodad
	done
}
