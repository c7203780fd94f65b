#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# topology: pair
# fact: A connection whose address has left the host stops, as over TCP
# rfc: 4.8.2
# nics: 2
# timeout: 300
# The same steps run over TCP and over smcr, with IPv4 and IPv6: an address
# leaves the server and comes back, or stays on another netdev. After the address
# has gone, the server's program gets no byte that came later, and the client none
# of the server's, and another connection of the hosts goes on. Each host uses one
# adapter, so that bytes arrive before those that another connection of the same
# hosts sends later, and no step waits for something that shall not come.
# shellcheck source-path=SCRIPTDIR source=lib/lib.sh
. "$(dirname "$0")/lib/lib.sh"
# shellcheck source=lib/address_lib.sh
. "$FUNC_DIR/lib/address_lib.sh"

# TCP over IPv6 does not look at its source address, and only hears no answer
sends_on() {
	! $smcr && [ -n "$nodad" ]
}

# silent: nothing is handed over in either direction
silent() {
	answers "what came before can be read" server before read moved
	answers "the client may send" client ok send moved request
	answers "the server may send" server ok send moved answer
	flows stays
	answers "the server gets nothing" server nothing look moved
	if sends_on; then
		answers "the client gets the bytes" client answer read moved
	else
		answers "the client gets nothing" client nothing look moved
	fi
}

comes_back() {
	opened moved "$vip"
	leaves
	silent
	check "the address is back" on server vip_on eth0
	answers "the server gets the bytes" server request read moved
	sends_on ||
		answers "the client gets the bytes" client answer read moved
	flows moved
	flows stays
	! $smcr || on server grew "case" ConnsBack -eq 1
	closed moved
}

# Room waits as bytes do: the client's writes have filled the server's memory,
# and the server reads them, but does not tell.
no_room() {
	local filled first rest

	opened moved "$vip"
	filled=$(on client tell fill moved)
	leaves
	first=$(on server tell drain moved)
	check "the server reads $first of $filled bytes" test "$first" -gt 0
	flows stays
	sleep_over
	sends_on ||
		answers "the client has no room" client 0 put moved
	check "the address is back" on server vip_on eth0
	on client tell shutdown moved >/dev/null
	rest=$(on server tell rest moved)
	check "the server reads the other $rest bytes" \
		whole "$(on client tell sent moved)" "$first" "$rest"
	closed moved
}

# An end waits as bytes do.
comes_back_closed() {
	opened moved "$vip"
	leaves
	answers "what came before can be read" server before read moved
	answers "the client sends" client ok send moved request
	on client tell close moved >/dev/null
	flows stays
	answers "the server gets no end" server nothing look moved
	check "the address is back" on server vip_on eth0
	answers "the server gets the bytes" server request read moved
	answers "and the end" server EOF read moved
	on server tell close moved >/dev/null
}

on_other_netdev() {
	opened moved "$vip"
	on server save "case"
	check "another netdev gets the address" on server vip_on "$1"
	check "the first one loses it" on server vip_off eth0
	flows stays
	sleep_over
	flows moved
	! $smcr || on server grew "case" ConnsAway -eq 0
	check "the first netdev gets it back" on server vip_on eth0
	check "the other one loses it" on server vip_off "$1"
	closed moved
}

# takes_any: the server takes in packets for an address that no netdev has
takes_any() {
	local family=-4 elsewhere=${vip%100}177

	[ -z "$nodad" ] || family=-6
	undo_later ip "$family" rule del to "$elsewhere" lookup 100
	undo_later ip "$family" route flush table 100
	ip "$family" rule add to "$elsewhere" lookup 100
	ip "$family" route add local "$elsewhere" dev lo table 100
}

# takes_local: likewise, in the table by which IPv4 tells addresses of this host.
# A listener with IP_FREEBIND needs that: without it, IPv4 sends no SYN-ACK.
takes_local() {
	undo_later ip route flush table local "${vip%100}177"
	ip route add local "${vip%100}177" dev lo
}

# foreign OPTION: no netdev has had the address to which this option lets a
# listener bind, and it is left alone
foreign() {
	local elsewhere=${vip%100}177

	echo "# $kind: foreign $1"
	ip neigh replace "$elsewhere" dev eth0 lladdr \
		"$(on server cat /sys/class/net/eth0/address)"
	on server tell close listener >/dev/null
	answers "the server listens on it, $1" server ok \
		listen "$elsewhere" "$1"
	opened foreign "$elsewhere"
	flows foreign
	on server save "case"
	check "some address comes" on server vip_on dummy7
	check "and goes" on server vip_off dummy7
	sleep_over
	flows foreign
	on server grew "case" ConnsAway -eq 0
	closed foreign
	on server tell close listener >/dev/null
	answers "the server listens as before" server ok listen "$any"
}

foreign_all() {
	check "the server takes in packets for no address of its own" \
		on server takes_any
	save foreign
	foreign transparent
	[ -n "$nodad" ] || check "the server takes in packets for an address" \
		on server takes_local
	foreign freebind
	no_fallback foreign
	grew foreign ActiveOpens -eq 2
}

settings() {
	opened moved "$vip"
	on server save "case"
	on server setting address_gone 0
	check "the address leaves the server" on server vip_off eth0
	sleep_over
	flows moved
	on server setting address_gone 1
	away 1
	on server setting address_gone 0
	flows moved
	on server grew "case" ConnsBack -eq 1
	on server setting address_gone 1
	check "the address is back" on server vip_on eth0
	closed moved
}

client_leads

check "an address may be gone for 5 s" \
	test "$(sysctl -n net.smcr.address_gone_ms)" = 5000
on server lasts
both sysctl_for_now net.smcr.lgr_linger_ms 500
both no_second
for kind in tcp4:6 smcr4:257 tcp6:6 smcr6:257; do
	begin "${kind%:*}" "${kind#*:}"
	for what in comes_back comes_back_closed no_room \
		"on_other_netdev dummy7" "on_other_netdev lo"; do
		echo "# $kind: $what"
		$what
	done
	if $smcr; then
		echo "# $kind: settings"
		settings
		foreign_all
	fi
	end
done
finish
