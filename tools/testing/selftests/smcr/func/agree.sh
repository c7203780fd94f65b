#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# topology: pair
# fact: Both ends agree on SMC-R or TCP, whichever of the first packets is lost
# rfc: 3.5.1.1, 3.5.1.2, C.5, C.6
# kernel: release
# nics: 1
# timeout: 150
# Each of the first six packets of a connection is lost, late, doubled or changes
# places with another one. A connection over TCP has the same fault at the same
# time, with the same result. Cases are drawn by a seed; SMCR_SOAK=1 runs all.
# shellcheck source-path=SCRIPTDIR source=lib/lib.sh disable=SC2086
. "$(dirname "$0")/lib/lib.sh"
# shellcheck source=lib/draw_lib.sh
. "$FUNC_DIR/lib/draw_lib.sh"

SMCR=257
limit=$((60 * PATIENCE))
BYTES=30000
# How long a server waits for the first bytes of a client that it does not know
WAIT_MS=3000
number=0
rdma_cases=0

# serve_all: start four servers: smcr and TCP; the client or the server first
serve_all() {
	program talk$SMCR ./paths.py serve $SMCR :: 7760
	program talk0 ./paths.py serve 0 :: 7761
	program listen$SMCR ./paths.py greet $SMCR :: 7762
	program listen0 ./paths.py greet 0 :: 7763
}

# strange NUMBER: give this host an address that the other one does not know
strange() {
	undo_later ip addr del "$(strange_addr "$1")/64" dev eth0
	ip addr add "$(strange_addr "$1")/64" dev eth0 nodad
}

strange_addr() {
	printf 'fd09::1:%x' "$1"
}

# talk_both VERB PORT ADDRESS SOURCE SOURCE-PORT: connect over smcr and, at the
# same time, over TCP, to and from the next ports; print both results, and fail
# as one of them does
talk_both() {
	local rc=0

	timeout "$limit" ./paths.py "$1" 0 "$3" $(($2 + 1)) "$4" $(($5 + 1)) \
		$BYTES >"$tmp/tcp" &
	timeout "$limit" ./paths.py "$1" $SMCR "$3" "$2" "$4" "$5" $BYTES ||
		worst $?
	wait $! || worst $?
	cat "$tmp/tcp"
	return $rc
}

in_flight() {
	[ $(($(value HandshakesStarted) - $(value HandshakesEnded))) = "$1" ]
}

# errors VERB: print the errors that the program of this host's server has seen
errors() {
	cat "$tmp/$1$SMCR.err"
}

# ends CLIENT SERVER: print which kind of connection each end has had since "save
# agree"
ends() {
	echo "$(on "$1" delta agree ActiveOpens) by RDMA and" \
		"$(on "$1" delta agree Fallbacks) by TCP at the client," \
		"$(on "$2" delta agree PassiveOpens) and" \
		"$(on "$2" delta agree Fallbacks) at the server"
}

# may_reset PACKET FAULT MS AGE: may the Proposal come after the server's wait?
may_reset() {
	[ "$2" = held ] && [ "$1" -ge 3 ] && [ "$3" -gt $WAIT_MS ] &&
		[ "$4" = strange ]
}

# fate PACKET FAULT MS VERB CLIENT AGE: the packet with this number gets the
# fault; VERB tells who speaks first, CLIENT is the host that connects, and AGE
# whether the server has used RDMA with it before
fate() {
	local name="$*" to=server source=$CLIENT4 address=$SERVER4 port=7760
	local line errors kind rc=0

	number=$((number + 1))
	[ "$4" = talk ] || port=7762
	if [ "$5" = server ]; then
		to=client
		source=$SERVER4 address=$CLIENT4
	fi
	if [ "$6" = strange ]; then
		on "$5" strange $number
		source=$(strange_addr $number)
		address=$SERVER6
		[ "$5" = client ] || address=$CLIENT6
	fi
	both save agree
	errors=$(on $to errors "$4" | wc -l)
	wire pick $((20000 + 2 * number)) "$1" "$2" $(($3 * 1000))
	wire pick $((20001 + 2 * number)) "$1" "$2" $(($3 * 1000))
	line=$(on "$5" talk_both "$4" $port "$address" "$source" \
		$((20000 + 2 * number))) || rc=$?
	line=${line//$'\n'/ }
	check "$name: the connection has that packet" \
		test "$(wire picked $((20000 + 2 * number)))" -ge "$1"
	wire clear
	both quiet "$name"
	kind=$(ends "$5" $to)
	[ "${kind::9}" != "1 by RDMA" ] || rdma_cases=$((rdma_cases + 1))
	errors=$(on $to errors "$4" | tail -n +$((errors + 1)))
	if [ "$line" = "exact exact" ]; then
		case $kind in
		"1 by RDMA and 0 by TCP at the client, 1 and 0 at the server" | \
		"0 by RDMA and 1 by TCP at the client, 0 and 1 at the server")
			ok "$name: both ends agree ($kind)" ;;
		*)
			not_ok "$name: both ends agree ($kind)" ;;
		esac
		check "$name: no error at the server (got ${errors:-none})" \
			test -z "$errors"
		return
	fi
	check "$name: exact, or a reset (got $line)" \
		said $rc "ECONNRESET exact" "$line"
	check "$name: the Proposal may be late" may_reset "$1" "$2" "$3" "$6"
	check "$name: it was ($kind)" \
		test "$(on $to delta agree LateProposals)" = 1
	check_not "$name: no byte of it came to the program ($errors)" \
		grep -vq "the server got 0 bytes and .*reset by peer" <<<"$errors"
}

# quiet NAME: wait until no handshake is left on this host
quiet() {
	wait_until "$1: no handshake is left" in_flight 0
}

# all_fates: set fates to all cases
all_fates() {
	local packet fault verb host age

	fates=()
	for packet in 1 2 3 4 5 6; do
		for fault in "lost 0" "twice 0" "swapped 0" \
			"late 500" "late 1500" "late 3500" "late 5000" \
			"held 500" "held 1500" "held 3500" "held 5000"; do
			for verb in talk listen; do
				for host in client server; do
					for age in known strange; do
						fates+=("fate $packet $fault $verb $host $age")
					done
				done
			done
		done
	done
}

client_leads

echo "# seed $SEED (SMCR_SEED=$SEED repeats this)"
undo_later wire clear
both sysctl_for_now net.smcr.negative_ms 0
both sysctl_for_now net.smcr.lgr_linger_ms 1000
both serve_all
both save known
check "a first connection" \
	test "$(./paths.py talk $SMCR "$SERVER4" 7760)" = exact
check "a first connection of the server" \
	test "$(on server ./paths.py talk $SMCR "$CLIENT4" 7760)" = exact
both grew known PassiveOpens -eq 1
all_fates
cases 14 "${fates[@]}"
# One case alone, which SMCR_CASE names, may well be TCP.
[ $number -lt 14 ] || check "RDMA carried some of them" test $rdma_cases -gt 0
both no_conn_left
finish
