#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# topology: pair
# fact: A path that drops or removes the TCP option costs some seconds, once
# rfc: 3.5.1.1, A.1, C.6
# nics: 1
# timeout: 600
# Paths that treat the TCP option badly. Each step runs over TCP, too, and must
# give the same result.
# shellcheck source-path=SCRIPTDIR source=lib/lib.sh
. "$(dirname "$0")/lib/lib.sh"
# shellcheck source=lib/paths_lib.sh
. "$FUNC_DIR/lib/paths_lib.sh"

SMCR=257
OTHER6=fd09::77
limit=$((110 * SLOW))
# How many cases late.py has, and in how many a Proposal is late
alike=21 alike_late=6

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
	counted smcr_paths
}

# listed KIND PORT [PEER]: true if the negative list has this entry
listed() {
	smcr-ctl -j negative show | tr -d ' ' | grep -q \
		"\"kind\":\"$1\",\"peer\":\"${3:-[^\"]*}\",\"peer-port\":$2,"
}

# strip_synacks: remove the option from SYN-ACKs of these ports
strip_synacks() {
	check "the option is removed from SYN-ACKs" nft -f - <<-END
		table inet smcr_strip {
			chain in {
				type filter hook prerouting priority -300;
				tcp sport 7720-7729 tcp flags & (syn | ack) == (syn | ack) counter reset tcp option 254
			}
		}
	END
}

# stripped NAME VERB CLIENT SERVER PORT: the option vanishes from SYN-ACKs. The
# server learns that from the first connection.
stripped() {
	talks "$1: over TCP" "$2" 0 "$4" "$5"
	both save stripped
	talks "$1: over smcr" "$2" $SMCR "$4" "$5"
	by_tcp stripped NoOption 1
	on server by_tcp stripped NoProposal 1
	on server grew stripped NegativeAdded -eq 1
	on server check "$1: the source is listed" listed source 0 "$3"
	on server save later
	for _ in 1 2 3; do
		talks "$1: once more" "$2" $SMCR "$4" "$5"
	done
	on server by_tcp later NegSource 3
	on server grew later HandshakesStarted -eq 0
}

# half_open PORT: true if TCP has answered a SYN to this port, and waits
half_open() {
	[ -n "$(ss -Htn state syn-recv "sport = :$1")" ]
}

# over PORT: true if it waits no longer
over() {
	! half_open "$1"
}

# another_address: give this host an address that only the cases which name it
# use, as it is deprecated
another_address() {
	undo_later ip addr del $OTHER6/64 dev eth0
	check "this host has another address" \
		ip addr add $OTHER6/64 dev eth0 nodad preferred_lft 0
}

# forge: the server gets a SYN with the option from an address whose owner does
# not complete the handshake
forge() {
	local pid

	check "this host does not get SYN-ACKs" nft -f - <<-END
		table inet smcr_forged {
			chain in {
				type filter hook prerouting priority -300;
				tcp sport 7726 counter drop
			}
		}
	END
	./paths.py talk $SMCR "$SERVER6" 7726 $OTHER6 0 8 >"$tmp/forged" &
	pid=$!
	jobs_started+=("$pid")
	on server wait_until "a handshake of TCP has begun" half_open 7726
	kill "$pid"
	wait "$pid"
	on server wait_until "the server has given it up" over 7726
	check "its SYN-ACKs came" test "$(counted smcr_forged)" -gt 0
	check "this host gets SYN-ACKs again" nft flush table inet smcr_forged
}

# forged: such a SYN lists no source, and keeps none on the list
forged() {
	on server sysctl_for_now net.ipv4.tcp_synack_retries 1
	on server sysctl_for_now net.smcr.negative_ms $((5000 * SLOW))
	on server serves serve $SMCR "$SERVER6" 7726
	on server save forged
	undo_later nft delete table inet smcr_forged
	forge
	on server grew forged HandshakesStarted -eq 0
	on server grew forged NegativeAdded -eq 0
	on server check_not "a forged SYN lists no source" \
		listed source 0 $OTHER6
	undo_later nft delete table inet smcr_strip
	strip_synacks
	talks "the option vanishes from a SYN-ACK" \
		talk $SMCR "$SERVER6" 7726 $OTHER6 0 8
	on server check "the source is listed" listed source 0 $OTHER6
	check "SYN-ACKs keep the option" nft flush table inet smcr_strip
	on server wait_until "it may try again" due
	on server save tries
	forge
	talks "a forged SYN has not used up the try" \
		talk $SMCR "$SERVER6" 7726 $OTHER6 0 8
	on server grew tries PassiveOpens -eq 1
	on server check_not "the source is not listed any more" \
		listed source 0 $OTHER6
}

# due: true if a listed source may try SMC-R again
due() {
	smcr-ctl -j negative show kind source | tr -d ' ' |
		grep -q '"remaining-ms":0'
}

# from_everywhere: let this host use the addresses of a network of its own, as if it
# were many sources
from_everywhere() {
	undo_later ip route del local 10.10.0.0/16 dev lo
	check "this host has many addresses" \
		ip route add local 10.10.0.0/16 dev lo
}

# route_back: send packets for these addresses to the client
route_back() {
	undo_later ip route del 10.10.0.0/16
	check "the server has a route to them" \
		ip route add 10.10.0.0/16 via "$CLIENT4"
}

# steady_begins: a client with another address of this host begins to send a word
# after the other
steady_begins() {
	on server serves serve $SMCR "$SERVER6" 7742
	timeout $((2 * limit)) ./paths.py steady $SMCR "$SERVER6" 7742 \
		$OTHER6 0 8 >"$tmp/steady" &
	steady_pid=$!
	jobs_started+=("$steady_pid")
	wait_until "its client has got a word back" steady_at 1
	steady_was=$(wc -l <"$tmp/steady")
}

# steady_at NUMBER: true if the client has got that many words back
steady_at() {
	[ "$(wc -l <"$tmp/steady")" -ge "$1" ]
}

# steady_goes_on: check that RDMA has carried its words since "save flood"
steady_goes_on() {
	local now

	now=$(wc -l <"$tmp/steady")
	check "the other client has gone on (word $steady_was, then $now)" \
		test "$now" -gt $((steady_was + 10))
	wait_until "and goes on" steady_at $((now + 10))
	talks "its next connection" talk $SMCR "$SERVER6" 7742 $OTHER6 0 8
	grew flood ActiveOpens -eq 1
	on server grew flood PassiveOpens -eq 1
	kill "$steady_pid"
	wait "$steady_pid"
	check "each of its words came back (got $(tail -n 1 "$tmp/steady"))" \
		grep -qx exact "$tmp/steady"
	both grew flood RdmaWrites -gt 10
	both grew flood Aborts -eq 0
	both no_conn_left
}

# count_listed KIND: print the number of entries of this kind
count_listed() {
	smcr-ctl -j negative show | tr -d ' \n' |
		grep -o "\"kind\":\"$1\"" | wc -l
}

# count_paths STATE: print the number of paths in this state
count_paths() {
	smcr-ctl -j negative show kind path state "$1" | tr -d ' \n' |
		grep -o "\"kind\":\"path\"" | wc -l
}

# broken FIRST COUNT: first contacts of so many peers fail
broken() {
	timeout 200 env US="$CLIENT4" US6="$CLIENT6" THEM="$SERVER4" \
		THEM6="$SERVER6" "$FUNC_DIR/hostile/hostile" broken \
		"$SERVER4" 7742 "$@"
}

# hold_proposals PORT: drop segments to this port that are as long as a Proposal
hold_proposals() {
	check "Proposals are lost" nft -f - <<-END
		table ip smcr_hold {
			chain in {
				type filter hook prerouting priority -300;
				tcp dport $1 ip length > 100 drop
			}
		}
	END
}

in_flight() {
	[ $(($(value HandshakesStarted) - $(value HandshakesEnded))) = "$1" ]
}

# got_reset PORT: true if the program of a server got an error, and no byte
got_reset() {
	grep -q "reset by peer" "$tmp/serve$1.err"
}

# dropped_at NAME ADDRESS PORT CONNECT-ADDRESS: the path drops SYNs with the
# option to a server
dropped_at() {
	local was

	on server serves serve $SMCR "$2" "$3"
	was=$(on server dropped)
	talks "$1: over TCP" talk 0 "$4" "$3"
	check "$1: no SYN of TCP is dropped" test "$(on server dropped)" = "$was"
	save dropped
	talks "$1: over smcr" talk $SMCR "$4" "$3"
	check "$1: two SYNs had the option" \
		test "$(on server dropped)" = $((was + 2))
	grew dropped SynsPlain -eq 1
	grew dropped NegativeAdded -eq 1
	by_tcp dropped SynUnanswered 1
	check "$1: it is listed" listed syn "$3"
	save later
	for _ in 1 2 3; do
		talks "$1: once more" talk $SMCR "$4" "$3"
	done
	by_tcp later NegDestination 3
	check "$1: no further SYN had the option" \
		test "$(on server dropped)" = $((was + 2))
}

# begins_alike NAME PROTOCOL PORT [held]: connections whose bytes begin like a
# Proposal, to a server that is plain TCP or has become so
begins_alike() {
	local line n=0

	while read -r line; do
		n=$((n + 1))
		check "$1: bytes like a Proposal's, $line" \
			test "${line##*: }" = right
	done < <(timeout "$limit" ./late.py try "$2" "$SERVER4" "${@:3}")
	check "$1: all of these cases have run" test $n = $alike
}

# late_answer NAME PORT: start a client, and let SYN-ACKs pass only after it has
# repeated its SYN without the option
late_answer() {
	local pid rc=0

	save "$1"
	check "$1: SYN-ACKs are lost" \
		wire fault server0 client0 cut 1 only tcp
	timeout "$limit" ./paths.py talk $SMCR "$SERVER4" "$2" >"$tmp/late" &
	pid=$!
	jobs_started+=("$pid")
	wait_until "$1: the SYN was repeated without the option" \
		grew_to "$1" SynsPlain 1
	wire clear
	wait "$pid" || rc=$?
	check "$1: over smcr (got $(<"$tmp/late"))" \
		said $rc exact "$(<"$tmp/late")"
}

# crosses PROTOCOL PORT: both hosts connect to each other. The SYNs of this one
# are lost, so it learns of the server by the server's SYN.
crosses() {
	local was pid rc=0

	was=$(on server dropped)
	timeout "$limit" ./paths.py cross "$1" "$CLIENT4" "$2" "$SERVER4" "$2" \
		>"$tmp/cross" &
	pid=$!
	jobs_started+=("$pid")
	wait_until "crossed $1: the client has sent three SYNs" \
		dropped_to $((was + 3))
	check "crossed $1: the server gets the client's bytes and no other" \
		on server crossed "$1" "$2"
	wait "$pid" || rc=$?
	check "crossed $1: the client gets the server's (got $(<"$tmp/cross"))" \
		said $rc exact "$(<"$tmp/cross")"
}

# crossed PROTOCOL PORT: the server's end of crosses
crossed() {
	local line rc=0

	line=$(timeout "$limit" ./paths.py cross "$1" "$SERVER4" "$2" \
		"$CLIENT4" "$2") || rc=$?
	echo "# $line"
	said "$rc" exact "$line"
}

# dropped_to N: true if the server has dropped that many SYNs
dropped_to() {
	[ "$(on server dropped)" -ge "$1" ]
}

# now_ms: print a time in milliseconds
now_ms() {
	echo $(($(date +%s%N) / 1000000))
}

client_leads

another_address
forged

both sysctl_for_now net.smcr.negative_ms 600000

# The option vanishes from SYN-ACKs, so the server waits for a Proposal. An end
# of the stream says nothing about the source.
strip_synacks
on server serves serve $SMCR "$SERVER4" 7720
on server serves greet $SMCR "$SERVER6" 7721
talks "a client that only ends its stream: over TCP" close 0 "$SERVER4" 7720
on server save close
talks "a client that only ends its stream: over smcr" \
	close $SMCR "$SERVER4" 7720
on server by_tcp close NoProposal 1
on server grew close NegativeAdded -eq 0
stripped "client first" talk "$CLIENT4" "$SERVER4" 7720
stripped "server first" listen "$CLIENT6" "$SERVER6" 7721

# A flood of sources replaces other sources only. The server has an entry as a
# client, too, and a client with an address of its own goes on to use RDMA.
if [ "$SLOW" = 1 ]; then
	drop_syns
	serves serve $SMCR "$CLIENT4" 7740
	on server talks "a connection of the server" \
		talk $SMCR "$CLIENT4" 7740
	from_everywhere
	on server route_back
	on server sysctl_for_now net.smcr.on_link_only 0
	steady_begins
	both save flood
	talks "1040 sources" flood $SMCR "$SERVER4" 7720 10.10.0.0/16 1040
	on server grew flood FallbackNoProposal -eq 1040
	on server grew flood NegativeAdded -eq 1040
	check "1024 of them are listed" \
		test "$(on server count_listed source)" = 1024
	on server check "the destination is still listed" listed syn 7740
	steady_goes_on
	check "SYNs to this host pass" nft flush table inet smcr_paths
fi
on server check "the list blocks nothing" sysctl -qw net.smcr.negative_ms=0

# Where TCP is slow to repeat what is lost, a Proposal may be late, too: the
# server waits for three times as long.
on server serves greet $SMCR "$SERVER4" 7727
on server undo_later ip route del "$CLIENT4/32"
on server check "TCP repeats after 2 s" \
	ip route add "$CLIENT4/32" dev eth0 rto_min 2000ms
was=$(now_ms)
talks "server first, a slow TCP" listen $SMCR "$SERVER4" 7727
was=$(($(now_ms) - was))
check "the server has waited 6 s for a Proposal (in all $was ms)" \
	test "$was" -ge 6000

# A Proposal comes after the server has given up waiting.
on server serves serve $SMCR "$SERVER4" 7730
on server hold_proposals 7730
on server save late
timeout "$limit" ./paths.py talk $SMCR "$SERVER4" 7730 >"$tmp/late" &
late=$!
jobs_started+=("$late")
on server wait_until "the server goes on as TCP" \
	grew_to late FallbackNoProposal 1
on server check "Proposals pass" nft delete table ip smcr_hold
wait "$late"
check "the client is reset (got $(<"$tmp/late"))" \
	said $? ECONNRESET "$(<"$tmp/late")"
on server grew late LateProposals -eq 1
on server wait_until "the server's program gets an error" got_reset 7730

# It comes in pieces, or a program's bytes begin as it does. These clients are
# plain TCP, as the option vanishes from the SYN-ACKs that they get.
on server program late0 ./late.py serve 0 "$SERVER4" 7750
on server program late$SMCR ./late.py serve $SMCR "$SERVER4" 7724
begins_alike TCP 0 7750
on server save pieces
save pieces
begins_alike smcr $SMCR 7724 held
on server grew pieces LateProposals -eq $alike_late
by_tcp pieces NoOption $alike
on server by_tcp pieces NoProposal $alike

# SYNs with the option are dropped.
on server drop_syns
dropped_at IPv4 "$SERVER4" 7700 "$SERVER4"
dropped_at IPv6 "$SERVER6" 7701 "$SERVER6"
dropped_at "mapped IPv4" "$SERVER4" 7702 "::ffff:$SERVER4"
on server serves serve 0 "$SERVER4" 7703
save tcp
talks "a server over TCP" talk $SMCR "$SERVER4" 7703
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
talks "SMC-R is tried again" talk $SMCR "$SERVER4" 7700
grew passes ActiveOpens -eq 1
on server check_not "this host is not listed any more" \
	listed source 0 "$CLIENT4"
check_not "the server is not listed any more" listed syn 7700
talks "the server over TCP once more" talk $SMCR "$SERVER4" 7703
grew passes FallbackNoOption -eq 1
check_not "it is not listed any more, as it answers the option" \
	listed syn 7703
grew passes SynsPlain -eq 0
check "the list is used again" sysctl -qw net.smcr.negative_ms=600000

# The server has got the first SYN, and its answer comes late. It remembers the
# SYN for as long as it repeats the answer, by default for some 6 s, in which a
# slow host may not notice that the SYN was repeated.
on server sysctl_for_now net.ipv4.tcp_synack_retries 20
undo_later wire clear
late_answer late 7700
grew late ActiveOpens -eq 1
no_fallback late
check_not "the server is not listed" listed syn 7700
on server sysctl_for_now net.ipv4.tcp_syncookies 2
late_answer cookie 7700
by_tcp cookie SynUnanswered 1
on server sysctl -qw net.ipv4.tcp_syncookies=1

# The server waits longer for a source that it has used RDMA with.
on server serves greet $SMCR "$SERVER4" 7722
on server wait_until "no handshake is left" in_flight 0
timeout "$limit" ./paths.py listen $SMCR "$SERVER4" 7722 >"$tmp/known" &
known=$!
jobs_started+=("$known")
on server wait_until "the server waits for its Proposal" in_flight 1
talks "a source that it does not know" listen $SMCR "$SERVER6" 7721
on server check "it still waits for the other" in_flight 1
kill "$known"
wait "$known" 2>/dev/null
on server wait_until "until the end of the stream" in_flight 0

# A flood of paths that have failed once replaces none that has failed twice.
if [ "$SLOW" = 1 ]; then
	on server serves serve $SMCR "$SERVER4" 7742
	on server check "the list is used" sysctl -qw net.smcr.negative_ms=600000
	undo_later rmmod synopt
	check "synopt is loaded" insmod "$SHARED/synopt.ko"
	on server save flood
	check "RDMA to a peer fails" broken 0 1
	on server grew flood NegativeNoted -eq 1
	on server grew flood NegativeAdded -eq 0
	check "RDMA to it fails again" broken 0 1
	on server grew flood NegativeAdded -eq 1
	check "RDMA to 1040 others fails" broken 1 1040
	on server grew flood NegativeNoted -eq 1041
	on server grew flood NegativeAdded -eq 1
	check "1024 of them are noted" \
		test "$(on server count_paths noted)" = 1024
	check "the first one is still blocked" \
		test "$(on server count_paths blocked)" = 1
	check "one that is noted fails again" broken 1040 1
	on server grew flood NegativeAdded -eq 2
	check "it is noted no more" test "$(on server count_paths noted)" = 1023
	check "it is blocked" test "$(on server count_paths blocked)" = 2
fi
both no_conn_left
finish
