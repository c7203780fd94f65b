#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# topology: pair
# fact: A connection whose address has left the host ends when TCP's would
# rfc: 4.8.2
# nics: 2
# timeout: 300
# The same steps run over TCP and over smcr, with IPv4 and IPv6: an address
# leaves the server and does not come back before one end gives up. What came
# before can be read, also after the end, and another connection of the hosts
# goes on.
# shellcheck source-path=SCRIPTDIR source=lib/lib.sh
. "$(dirname "$0")/lib/lib.sh"
# shellcheck source=lib/address_lib.sh
. "$FUNC_DIR/lib/address_lib.sh"

user_timeout() {
	opened moved "$vip"
	answers "the server sets TCP_USER_TIMEOUT" server ok \
		set moved user_timeout $((grace + 500))
	leaves
	answers "what came before can be read" server before read moved
	answers "the server sends" server ok send moved answer
	answers "TCP_USER_TIMEOUT ends the connection" server ETIMEDOUT read moved
	learns "and the client learns of it" client ECONNRESET read moved
	! $smcr || on server grew "case" ResetAddressGone -eq 1
	flows stays
	closed moved
	check "the address is back" on server vip_on eth0
}

# conns N: true if the groups of this host have N connections; for wait_until
conns() {
	[ "$(smcr-ctl conn show | wc -l)" = "$1" ]
}

# left_unread: the server reads after the end what had come before, and then the
# errno. Over RDMA, its end has left the group by then, so nothing but the unread
# bytes keeps the memory that they are in.
left_unread() {
	learns "the client learns of it" client ECONNRESET read moved
	! $smcr || on server wait_until "the group has lost the connection" \
		conns 1
	answers "the bytes count" server 6 queued moved
	answers "what came before can be read" server before read moved
	answers "then the errno" server ETIMEDOUT read moved
	answers "and the end" server EOF read moved
}

unread() {
	opened moved "$vip"
	answers "the server sets TCP_USER_TIMEOUT" server ok \
		set moved user_timeout $((grace + 500))
	leaves
	answers "the client may send" client ok send moved request
	flows stays
	answers "the server sends" server ok send moved answer
	answers "TCP_USER_TIMEOUT ends the connection" server \
		POLLIN+POLLOUT+POLLERR+POLLHUP+POLLRDHUP end moved
	left_unread
	! $smcr || on server grew "case" ResetAddressGone -eq 1
	flows stays
	closed moved
	check "the address is back" on server vip_on eth0
}

# The same, and the program closes without reading.
unread_closed() {
	opened moved "$vip"
	answers "the server sets TCP_USER_TIMEOUT" server ok \
		set moved user_timeout $((grace + 500))
	leaves
	answers "the server sends" server ok send moved answer
	answers "TCP_USER_TIMEOUT ends the connection" server \
		POLLIN+POLLOUT+POLLERR+POLLHUP+POLLRDHUP end moved
	closed moved
	check "the address is back" on server vip_on eth0
}

# The server's program only reads; the client has sent something.
retries() {
	opened moved "$vip"
	both sysctl -qw net.ipv4.tcp_retries2=3
	leaves
	answers "what came before can be read" server before read moved
	answers "the client sends" client ok send moved request
	learns "the server gives up when the client's TCP would" \
		server ETIMEDOUT read moved
	if $smcr; then
		answers "and the client learns of it" client ECONNRESET read moved
	else
		answers "the client gives up" client ETIMEDOUT read moved
	fi
	! $smcr || on server grew "case" ResetAddressGone -eq 1
	both sysctl -qw net.ipv4.tcp_retries2=15
	flows stays
	closed moved
	check "the address is back" on server vip_on eth0
}

# Nobody answers the client's keepalive. Its packets still go to the server, so
# that no failing neighbour entry tells TCP another errno.
keepalive() {
	opened moved "$vip"
	flows moved
	leaves
	answers "what came before can be read" server before read moved
	ip neigh replace "$vip" dev eth0 lladdr \
		"$(on server cat /sys/class/net/eth0/address)"
	answers "the client gives up after three probes" client ok \
		set moved keepcnt 3
	answers "it probes" client ok set moved keepalive 1
	answers "it gives up" client ETIMEDOUT read moved
	learns "and the server learns of it" server ECONNRESET read moved
	! $smcr || grew "case" TcpUnanswered -eq 1
	flows stays
	closed moved
	ip neigh del "$vip" dev eth0
	check "the address is back" on server vip_on eth0
}

# The server's program has sent its end while the address was away. Its
# TCP_USER_TIMEOUT counts for that, but not for what the client sends.
end_waits() {
	opened moved "$vip"
	leaves
	answers "what came before can be read" server before read moved
	answers "the server sets TCP_USER_TIMEOUT" server ok \
		set moved user_timeout $((grace + 500))
	answers "the client sends" client ok send moved request
	flows stays
	sleep_over
	answers "the server still waits" server nothing look moved
	answers "the server shuts down" server ok shutdown moved
	answers "TCP_USER_TIMEOUT ends the connection" server ETIMEDOUT read moved
	learns "and the client learns of it" client ECONNRESET read moved
	! $smcr || on server grew "case" ResetAddressGone -eq 1
	flows stays
	closed moved
	check "the address is back" on server vip_on eth0
}

# net.smcr.address_gone is 2
at_once() {
	echo "# $kind: at_once"
	opened moved "$vip"
	on server save "case"
	on client tell send moved before >/dev/null
	flows stays
	on server setting address_gone 2
	check "the address leaves the server" on server vip_off eth0
	answers "the connection ends at once" server \
		POLLIN+POLLOUT+POLLERR+POLLHUP+POLLRDHUP end moved
	answers "SO_ERROR tells why" server ETIMEDOUT error moved
	left_unread
	on server grew "case" ResetAddressGone -eq 1
	on server grew "case" ConnsAway -eq 0
	on server setting address_gone 1
	flows stays
	closed moved
	check "the address is back" on server vip_on eth0
}

client_leads

on server lasts
both sysctl_for_now net.smcr.lgr_linger_ms 500
both no_second
for kind in tcp4:6 smcr4:257 tcp6:6 smcr6:257; do
	begin "${kind%:*}" "${kind#*:}"
	for what in user_timeout unread unread_closed retries \
		keepalive end_waits; do
		echo "# $kind: $what"
		$what
	done
	! $smcr || at_once
	end
done
finish
