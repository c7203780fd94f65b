#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# topology: pair
# fact: A connection that cannot use SMC-R is made with the packets of TCP
# rfc: 3.5.1.1
# nics: 1
# timeout: 240
# To a host of its own, to a destination or over a path that is listed, and
# without an adapter at either end, a connection has as many SYNs and segments
# with bytes as over TCP, so it waits for no further round trip. paths.sh and
# gateway.sh show for the other entries of the list and for gateways that no
# handshake begins.
# shellcheck source-path=SCRIPTDIR source=lib/lib.sh
. "$(dirname "$0")/lib/lib.sh"
# shellcheck source=lib/paths_lib.sh
. "$FUNC_DIR/lib/paths_lib.sh"

SMCR=257
limit=$((60 * SLOW))

# count_turns: count SYNs and segments with bytes that arrive at this host; each
# write of a program or of a handshake ends with PSH
count_turns() {
	undo_later nft delete table inet smcr_unused
	check "SYNs and segments with bytes are counted" nft -f - <<-END
		table inet smcr_unused {
			chain in {
				type filter hook prerouting priority -300;
				tcp dport 7760-7769 tcp flags & (syn | psh) != 0 counter
				tcp sport 7760-7769 tcp flags & (syn | psh) != 0 counter
			}
		}
	END
}

# turns: print how many both hosts have got
turns() {
	echo $(($(counted smcr_unused) + $(on server counted smcr_unused)))
}

# talk_thrice NAME PROTOCOL ADDRESS PORT: check three connections, one after the
# other; set $fewest to the packets of the one that lost none
talk_thrice() {
	local was now

	fewest=1000
	was=$(turns)
	for _ in 1 2 3; do
		talks "$1" talk "${@:2}"
		now=$(turns)
		((now - was >= fewest)) || fewest=$((now - was))
		was=$now
	done
}

# as_tcp NAME ADDRESS PORT: three connections have the packets of TCP
as_tcp() {
	both save "$1"
	talk_thrice "$1" $SMCR "${@:2}"
	check "$1: $fewest SYNs and segments with bytes, TCP has $tcp" \
		test "$fewest" = "$tcp"
	both grew "$1" TxBytes -eq 0
}

# first_contact PORT: the first connection may fail
first_contact() {
	timeout $limit ./paths.py talk $SMCR "$SERVER4" "$1" >"$tmp/first"
	check "port $1: no byte of the first connection is wrong" right_bytes $?
	sed 's/^/# /' "$tmp/first"
}

synopt_loaded() {
	undo_later rmmod synopt
	check "synopt is loaded" insmod /share/synopt.ko
}

client_leads

both sysctl_for_now net.smcr.lgr_linger_ms 0
both sysctl_for_now net.smcr.negative_ms 600000
both count_turns
on server serves serve 0 "$SERVER4" 7760
on server serves serve $SMCR "$SERVER4" 7761
talk_thrice "over TCP" 0 "$SERVER4" 7760
tcp=$fewest
check "over TCP there are two SYNs and two segments (got $tcp)" test "$tcp" = 4

# A firewall drops RoCE.
undo_later wire clear
check "RoCE is cut" wire fault server0 client0 cut 1 only roce
save cut
first_contact 7761
grew cut NegativeNoted -eq 1
grew cut NegativeAdded -eq 0
first_contact 7761
grew cut NegativeAdded -eq 1
as_tcp path "$SERVER4" 7761
by_tcp path NegPath 3
on server by_tcp path NoOption 3
both grew path HandshakesStarted -eq 0

# The path works again, and what is counted shows a handshake.
wire clear
both check "the list blocks nothing" sysctl -qw net.smcr.negative_ms=0
both save rdma
talk_thrice "over SMC-R" $SMCR "$SERVER4" 7761
check "Proposal, Accept and Confirm are counted (got $fewest)" \
	test "$fewest" -gt "$tcp"
both by_rdma rdma 15 15
both no_conn_left
both check "the list is used" sysctl -qw net.smcr.negative_ms=600000

# To this host itself
serves serve $SMCR "$CLIENT4" 7762
as_tcp local "$CLIENT4" 7762
grew local FallbackLocalAddr -eq 3
grew local HandshakesStarted -eq 0

# A destination that echoes the option, and does not speak CLC
on server synopt_loaded
on server program deaf ./deaf.py "$SERVER4" 7763
save deaf
first_contact 7763
grew deaf NegativeAdded -eq 1
as_tcp destination "$SERVER4" 7763
by_tcp destination NegDestination 3

# The server does not know smcr.
as_tcp plain "$SERVER4" 7760
by_tcp plain NoOption 3

# The other end has no adapter, then none has.
both check "the list blocks nothing" sysctl -qw net.smcr.negative_ms=0
both no_conn_left
on server without_rnic
as_tcp there "$SERVER4" 7761
by_tcp there NoOption 3
on server by_tcp there NoRnic 3
on server grew there HandshakesStarted -eq 0
without_rnic
as_tcp none "$SERVER4" 7761
by_tcp none NoRnic 3
grew none HandshakesStarted -eq 0
finish
