#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# topology: pair
# fact: A path that drops the TCP option costs one connection some seconds, once
# rfc: 3.5.1.1, A.1
# kernel: turns fallback
# nics: 1
# timeout: 150
# Paths that treat the TCP option badly. Each step runs over TCP, too, and must
# give the same result.
# shellcheck source-path=SCRIPTDIR source=lib/lib.sh
. "$(dirname "$0")/lib/lib.sh"

SMCR=257
limit=$((110 * SLOW))

# drop_syns: drop SYNs that have the option, and all SYNs to the ports of cross
drop_syns() {
	undo_later nft delete table inet smcr_paths
	check "SYNs with the option are dropped" nft -f - <<-END
		table inet smcr_paths {
			chain in {
				type filter hook prerouting priority -300;
				tcp flags & (syn | ack) != syn accept
				tcp dport 7710-7711 counter drop
				tcp option 254 exists counter drop
			}
		}
	END
}

# dropped: print the number of packets that the rules have dropped
dropped() {
	nft list table inet smcr_paths |
		awk '/counter/ { for (i = 1; i < NF; i++) if ($i == "packets")
			n += $(i + 1) } END { print n + 0 }'
}

# talks FACT PROTOCOL ADDRESS PORT: check that a connection works
talks() {
	local line

	line=$(timeout "$limit" ./paths.py talk "${@:2}")
	check "$1 (got $line)" test "$line" = exact
}

# listed KIND PORT: true if the negative list has the server's port
listed() {
	smcr-ctl -j negative show | tr -d ' ' |
		grep -q "\"kind\":\"$1\",\"peer\":\"[^\"]*\",\"peer-port\":$2,"
}

# serves PROTOCOL ADDRESS PORT: start a server
serves() {
	program "serve$3" ./paths.py serve "$@"
}

# dropped_at NAME ADDRESS PORT CONNECT-ADDRESS: the path drops SYNs with the
# option to a server
dropped_at() {
	local was

	on server serves $SMCR "$2" "$3"
	was=$(on server dropped)
	talks "$1: over TCP" 0 "$4" "$3"
	check "$1: no SYN of TCP is dropped" test "$(on server dropped)" = "$was"
	save dropped
	talks "$1: over smcr" $SMCR "$4" "$3"
	check "$1: two SYNs had the option" \
		test "$(on server dropped)" = $((was + 2))
	grew dropped SynsPlain -eq 1
	grew dropped NegativeAdded -eq 1
	by_tcp dropped SynUnanswered 1
	check "$1: it is listed" listed syn "$3"
	save later
	for _ in 1 2 3; do
		talks "$1: once more" $SMCR "$4" "$3"
	done
	by_tcp later NegDestination 3
	check "$1: no further SYN had the option" \
		test "$(on server dropped)" = $((was + 2))
}

# late_answer NAME PORT: start a client, and let SYN-ACKs pass only after it has
# repeated its SYN without the option
late_answer() {
	local pid

	save "$1"
	check "$1: SYN-ACKs are lost" \
		wire fault server0 client0 cut 1 only tcp
	timeout "$limit" ./paths.py talk $SMCR "$SERVER4" "$2" >"$tmp/late" &
	pid=$!
	jobs_started+=("$pid")
	wait_until "$1: the SYN was repeated without the option" \
		grew_to "$1" SynsPlain 1
	wire clear
	wait "$pid"
	check "$1: over smcr (got $(<"$tmp/late"))" \
		grep -qx exact "$tmp/late"
}

# crosses PROTOCOL PORT: both hosts connect to each other. The SYNs of this one
# are lost, so it learns of the server by the server's SYN.
crosses() {
	local was pid

	was=$(on server dropped)
	timeout "$limit" ./paths.py cross "$1" "$CLIENT4" "$2" "$SERVER4" "$2" \
		>"$tmp/cross" &
	pid=$!
	jobs_started+=("$pid")
	wait_until "crossed $1: the client has sent three SYNs" \
		dropped_to $((was + 3))
	check "crossed $1: the server gets the client's bytes and no other" \
		on server crossed "$1" "$2"
	wait "$pid"
	check "crossed $1: the client gets the server's (got $(<"$tmp/cross"))" \
		grep -qx exact "$tmp/cross"
}

# crossed PROTOCOL PORT: the server's end of crosses
crossed() {
	local line

	line=$(timeout "$limit" ./paths.py cross "$1" "$SERVER4" "$2" \
		"$CLIENT4" "$2")
	echo "# $line"
	[ "$line" = exact ]
}

# dropped_to N: true if the server has dropped that many SYNs
dropped_to() {
	[ "$(on server dropped)" -ge "$1" ]
}

client_leads

sysctl_for_now net.smcr.negative_ms 600000

# SYNs with the option are dropped.
on server drop_syns
dropped_at IPv4 "$SERVER4" 7700 "$SERVER4"
dropped_at IPv6 "$SERVER6" 7701 "$SERVER6"
dropped_at "mapped IPv4" "$SERVER4" 7702 "::ffff:$SERVER4"
on server serves 0 "$SERVER4" 7703
save tcp
talks "a server over TCP" $SMCR "$SERVER4" 7703
by_tcp tcp SynUnanswered 1
check "it is listed, too" listed syn 7703

# Crossed SYNs: the server's SYN does not say which one it has got.
crosses 0 7710
both save cross
crosses $SMCR 7711
by_tcp cross CrossedSyn 1
grew cross CrossedSyns -eq 1
grew cross SynsPlain -eq 1
on server by_tcp cross NoOption 1

# SYNs pass again, and the time of the entries is over.
on server check "all SYNs pass" nft flush table inet smcr_paths
check "the list blocks nothing" sysctl -qw net.smcr.negative_ms=0
save passes
talks "SMC-R is tried again" $SMCR "$SERVER4" 7700
grew passes ActiveOpens -eq 1
check_not "the server is not listed any more" listed syn 7700
talks "the server over TCP once more" $SMCR "$SERVER4" 7703
grew passes FallbackNoOption -eq 1
check_not "it is not listed any more, as it answers the option" \
	listed syn 7703
grew passes SynsPlain -eq 0
check "the list is used again" sysctl -qw net.smcr.negative_ms=600000

# The server has got the first SYN, and its answer comes late.
undo_later wire clear
late_answer late 7700
grew late ActiveOpens -eq 1
no_fallback late
check_not "the server is not listed" listed syn 7700
on server sysctl_for_now net.ipv4.tcp_syncookies 2
late_answer cookie 7700
by_tcp cookie SynUnanswered 1
both no_conn_left
finish
