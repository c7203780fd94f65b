#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# topology: pair
# fact: Connections move to another link in their VLAN, and no other VLAN is used
# rfc: 2.2, 2.2.1, 2.3, 3.5.1.6, 3.5.5.1, 4.6, 5.1
# nics: 2
# timeout: 120
# Two adapters on each host, with VLAN 31 on both of them: a group whose
# connections use addresses in it gets its second link there, and not in VLAN 32
# or untagged, though these have addresses of the same adapters. Under a load in
# many states a path goes silent, a VLAN netdev goes down on an adapter that
# stays up, and a port goes down. Each stream stays exact, and each link is
# replaced in the VLAN. An idle link is tested when its VLAN netdev goes down.
# shellcheck source-path=SCRIPTDIR source=lib/failover_lib.sh
. "$(dirname "$0")/lib/lib.sh"
. "$(dirname "$0")/lib/failover_lib.sh"

SERVER=10.31.0.1

# vlans HOST: create both VLANs on both adapters. VLAN 32 has addresses of the
# subnet of VLAN 31 on the second adapter, and they come first.
vlans() {
	local nic id

	for nic in 0 1; do
		for id in 32 31; do
			undo_later ip link del "v$id.$nic"
			check "VLAN $id on eth$nic" ip link add link "eth$nic" \
				name "v$id.$nic" up type vlan id "$id"
		done
	done
	ip addr add "10.32.0.$1/24" dev v32.0
	ip addr add "10.31.0.$((90 + $1))/24" dev v32.1 noprefixroute
	ip addr add "10.31.0.$1/24" dev v31.0
	ip addr add "10.31.0.$((10 + $1))/24" dev v31.1
}

# in_vlan: true if all links of this host are in VLAN 31 at both ends
in_vlan() {
	smcr-ctl link show | awk "$fields"'
		v["gid"] !~ /10[.]31[.]0[.][12]*[12]$/ ||
		v["peer-gid"] !~ /10[.]31[.]0[.][12]*[12]$/ { print; bad = 1 }
		END { exit bad }'
}

# netdev_down HOST NIC: the VLAN netdev of an adapter goes down and comes up
netdev_down() {
	fault "$2" "$3" "the $1's v31.$4 goes down" \
		on "$1" ip link set "v31.$4" down
	repaired "v31.$4 comes up" on "$1" ip link set "v31.$4" up
	both wait_until "each adapter has a link" whole "$nr_links"
	both check "the links are in the VLAN" in_vlan
}

client_leads

undo_later wire clear
on server vlans 1
vlans 2
both failover_timers
load_begin "$conns"
both wait_until "the group has $nr_links links" whole "$nr_links"
both check "they are in the VLAN" in_vlan
both save load
read -ra ends < <(busiest -)
fault "${ends[@]}" "path ${ends[*]} is silent" silent "${ends[@]}"
repaired "the path is back" wire clear
both wait_until "each adapter has a link" whole "$nr_links"
both check "the links are in the VLAN" in_vlan
netdev_down client 1 - 1
netdev_down server - 0 0
fault 0 - "the client's eth0 goes down" ip link set eth0 down
repaired "eth0 comes up" ip link set eth0 up
both wait_until "each adapter has a link" whole "$nr_links"
both check "the links are in the VLAN" in_vlan
both intact load
both sysctl_for_now net.smcr.lgr_linger_ms 60000
load_stop
both load_judged exact
both no_conn_left

# The group stays for a minute. Only the netdev's event causes a test here.
both sysctl_for_now net.smcr.test_link_interval_ms 0
both save idle
check "the client's v31.1 goes down" ip link set v31.1 down
wait_until "the idle link is lost" grew_to idle LinksFailed 1
check "v31.1 comes up" ip link set v31.1 up
both wait_until "each adapter has a link" whole "$nr_links"
both check "the links are in the VLAN" in_vlan
finish
