#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# topology: pair
# fact: A netdev that goes down, and an address's new owner, do what TCP has
# rfc: 4.8.2
# nics: 2
# timeout: 240
# The same steps run over TCP and over smcr, with IPv4 and IPv6: the server's
# netdev goes down and comes up, which takes its IPv6 addresses, and an address
# that has left the server gets a new owner, which resets TCP. The client's second
# adapter is that owner.
# shellcheck source-path=SCRIPTDIR source=lib/lib.sh
. "$(dirname "$0")/lib/lib.sh"
# shellcheck source=lib/address_lib.sh
. "$FUNC_DIR/lib/address_lib.sh"

own_host() {
	check "an owner" ip netns add owner
	undo_later no_owner
	check "it gets an adapter" ip link set eth1 netns owner
	ip -n owner link set eth1 up
}

# no_owner: the adapter comes back from it
no_owner() {
	ip netns del owner
	wait_until "eth1 is back" ip link show dev eth1
}

two_links() {
	[ $(($(value Links) - $(value LinksFreed))) -ge 2 ]
}

# addresses_back: give the server's eth0 the IPv6 addresses that it has lost.
# The routes of eth1 to the same subnet precede those of eth0 now, and eth1 will
# have no RoCE port: put them behind again.
addresses_back() {
	ip addr add "$SERVER6/64" dev eth0 nodad
	[ -z "$nodad" ] || vip_on eth0
	ip route del 10.9.0.0/24 dev eth1
	ip route append 10.9.0.0/24 dev eth1 proto kernel scope link \
		src 10.9.0.11
	ip -6 route del fd09::/64 dev eth1
	ip -6 route append fd09::/64 dev eth1 proto kernel metric 256
}

# netdev_down: a netdev goes down and comes up. It keeps an IPv4 address, and
# loses an IPv6 one.
netdev_down() {
	local early

	opened moved "$vip"
	on server save "case"
	! $smcr || both wait_until "the group has two links" two_links
	check "the server's eth0 goes down" on server ip link set eth0 down
	[ -z "$nodad" ] || away 2
	answers "the client may send" client ok send moved request
	sleep_over
	early=$(on server tell look moved)
	echo "# while it is down: $early"
	check "the server's eth0 comes up" on server ip link set eth0 up
	on server addresses_back
	[ "$early" = request ] ||
		answers "the bytes arrive" server request read moved
	flows moved
	flows stays
	closed moved
}

# taken_over, given_back: the client's second adapter, a host of its own, gets
# and loses the address
taken_over() {
	check "the address has a new owner" ip -n owner addr add "$vip/$bits" \
		dev eth1 ${nodad:+"$nodad"}
	ip neigh flush dev eth0
}

given_back() {
	ip -n owner addr del "$vip/$bits" dev eth1
	ip neigh flush dev eth0
	check "the address is back" on server vip_on eth0
}

# The client writes to the address after it has changed hands, and waits for an
# answer. Neither its program nor the interval of TCP's probes, a minute, asks
# TCP in the meantime, so that the bytes themselves have to.
written_to() {
	local from

	opened moved "$vip"
	flows moved
	leaves
	answers "what came before can be read" server before read moved
	taken_over
	answers "the client may send" client ok send moved request
	from=$SECONDS
	answers "the new owner resets the client" client ECONNRESET read moved
	check "in $((SECONDS - from)) s, $((30 * SLOW)) at most" \
		test $((SECONDS - from)) -le $((30 * SLOW))
	learns "and the server learns of it" server ECONNRESET read moved
	! $smcr || grew "case" TcpUnanswered -eq 1
	flows stays
	closed moved
	given_back
}

# The server has sent something before: until then a RST could mean that its
# handshake has failed, and would end the connection whatever the link says.
new_owner() {
	opened moved "$vip"
	flows moved
	answers "the client probes" client ok set moved keepalive 1
	leaves
	answers "what came before can be read" server before read moved
	taken_over
	answers "the new owner resets the client" client ECONNRESET read moved
	learns "and the server learns of it" server ECONNRESET read moved
	! $smcr || grew "case" TcpUnanswered -eq 1
	flows stays
	closed moved
	given_back
}

# The server's end still answers when the new owner resets the client, as it
# does for a while after the address has gone, and stops later.
reset_early() {
	opened moved "$vip"
	flows moved
	answers "the client probes" client ok set moved keepalive 1
	on server setting address_gone 0
	save "case"
	check "the address leaves the server" on server vip_off eth0
	taken_over
	wait_until "the client goes on without TCP" grew_to "case" TcpLost 1
	flows moved
	on server setting address_gone 1
	answers "it ends when the server has stopped" client ECONNRESET \
		read moved
	answers "and the server learns of it" server ECONNRESET read moved
	grew "case" TcpUnanswered -eq 1
	flows stays
	closed moved
	given_back
}

client_leads

on server lasts
both sysctl_for_now net.smcr.lgr_linger_ms 500
for kind in tcp4:6 smcr4:257 tcp6:6 smcr6:257; do
	begin "${kind%:*}" "${kind#*:}"
	echo "# $kind: netdev_down"
	netdev_down
	end
done
both no_group_left
both no_second
own_host
sysctl_for_now net.smcr.tcp_probe_ms 60000
for kind in tcp4:6 smcr4:257 tcp6:6 smcr6:257; do
	begin "${kind%:*}" "${kind#*:}"
	echo "# $kind: written_to"
	written_to
	end
done
# How often a connection without TCP is asked
sysctl_for_now net.smcr.tcp_probe_ms 1000
for kind in tcp4:6 smcr4:257 tcp6:6 smcr6:257; do
	begin "${kind%:*}" "${kind#*:}"
	echo "# $kind: new_owner"
	new_owner
	! $smcr || reset_early
	end
done
finish
