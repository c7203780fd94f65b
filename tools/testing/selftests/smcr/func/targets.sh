#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# topology: pair
# fact: A connect() that fails says what TCP's says, for every kind of target
# nics: 1
# timeout: 240
# Targets refuse, are unreachable by a route of this host or by an ICMP message,
# are silent, or have a bad address. An ICMP message that comes while connect()
# holds the socket, as a packet filter of this host sends it, is not the end:
# the SYN is sent again.
# shellcheck source-path=SCRIPTDIR source=lib/lib.sh
. "$(dirname "$0")/lib/lib.sh"

limit=$((120 * SLOW))
# A network in which there is nothing, over routes of the client
NOWHERE4=10.66.0 NOWHERE6=fd66:
ICMP4=(net-unreachable host-unreachable prot-unreachable port-unreachable
	net-prohibited host-prohibited admin-prohibited)
ICMP6=(no-route admin-prohibited addr-unreachable port-unreachable)
OUT=7790

# icmp_freely: send as many ICMP messages as there are reasons
icmp_freely() {
	sysctl_for_now net.ipv4.icmp_ratelimit 0
	sysctl_for_now net.ipv6.icmp.ratelimit 0
}

# refuses: drop SYNs to port 7700, and answer those to the next ones by ICMP
refuses() {
	local i

	undo_later nft delete table ip smcr_targets
	undo_later nft delete table ip6 smcr_targets
	{
		for i in ip ip6; do
			echo "add table $i smcr_targets"
			echo "add chain $i smcr_targets in {" \
				"type filter hook input priority 0; }"
			echo "add rule $i smcr_targets in tcp dport 7700 drop"
		done
		for i in "${!ICMP4[@]}"; do
			echo "add rule ip smcr_targets in tcp dport" \
				"$((7701 + i)) reject with icmp type ${ICMP4[i]}"
		done
		for i in "${!ICMP6[@]}"; do
			echo "add rule ip6 smcr_targets in tcp dport" \
				"$((7701 + i)) reject with icmpv6 type" \
				"${ICMP6[i]}"
		done
		echo "add rule ip smcr_targets in tcp dport 7720 reject with" \
			"tcp reset"
		echo "add rule ip6 smcr_targets in tcp dport 7720 reject with" \
			"tcp reset"
	} >"$tmp/rules"
	check "SYNs are dropped and refused" nft -f "$tmp/rules"
}

# refuses_here: refuse SYNs that this host sends
refuses_here() {
	undo_later nft delete table inet smcr_targets_out
	check "this host refuses its own SYNs" nft -f - <<-END
		table inet smcr_targets_out {
			chain out {
				type filter hook output priority 0;
				tcp dport $OUT reject with icmpx type host-unreachable
				tcp dport $((OUT + 1)) reject with icmpx type admin-prohibited
				tcp dport $((OUT + 2)) reject with tcp reset
				tcp dport $((OUT + 3)) drop
			}
		}
	END
}

# leads_nowhere -4|-6 TYPE ADDRESS: add a route that refuses
leads_nowhere() {
	undo_later ip "$1" route del "$2" "$3"
	check "a route is $2" ip "$1" route add "$2" "$3"
}

# targets HOST OWN NOWHERE-PREFIX DEAD ICMP...: print the targets
targets() {
	local host=$1 own=$2 nowhere=$3 dead=$4 kind port=7700

	echo "dropped $host 7700 1"
	for kind in "${@:5}"; do
		port=$((port + 1))
		echo "$kind $host $port 1"
	done
	echo "reset $host 7720 1"
	echo "closed $host 7721 1"
	echo "port-0 $host 0 1"
	echo "own-closed $own 7721 1"
	echo "blackhole ${nowhere}1 80 1"
	echo "unreachable ${nowhere}2 80 1"
	echo "prohibit ${nowhere}3 80 1"
	# Three requests for its address fail before the SYN does.
	echo "dead-neighbour $dead 80 3"
	echo "here-host-unreachable $host $OUT 1"
	echo "here-prohibited $host $((OUT + 1)) 1"
	echo "here-reset $host $((OUT + 2)) 1"
	echo "here-dropped $host $((OUT + 3)) 1"
}

# same ADDRESS: both protocols see the same at the targets in $tmp/targets
same() {
	local protocol

	for protocol in 0 257; do
		timeout $limit python3 targets.py $protocol "$1" "$PORT" \
			<"$tmp/targets" >"$tmp/said.$protocol" 2>&1
		check "all targets are visited, protocol $protocol" test \
			"$(wc -l <"$tmp/said.$protocol")" = \
			$((2 * $(wc -l <"$tmp/targets")))
	done
	if diff -U 0 "$tmp/said.0" "$tmp/said.257" >"$tmp/diff"; then
		ok "smcr says what TCP says"
	else
		sed 's/^/# /' "$tmp/diff"
		not_ok "smcr says what TCP says"
	fi
}

client_leads

both icmp_freely
on server refuses
refuses_here
for n in "1 blackhole" "2 unreachable" "3 prohibit"; do
	leads_nowhere -4 "${n#* }" "$NOWHERE4.${n% *}"
	leads_nowhere -6 "${n#* }" "$NOWHERE6:${n% *}"
done
# An answer comes when connect() has returned, or waits, but for those above.
undo_later wire clear
check "the wire is slow" wire fault server0 client0 delay 20000
on server program good4 python3 hooks.py serve "$SERVER4" "$PORT"
on server program good6 python3 hooks.py serve "$SERVER6" "$PORT"

{
	targets "$SERVER4" "$CLIENT4" "$NOWHERE4." 10.9.0.77 "${ICMP4[@]}"
	echo "broadcast 255.255.255.255 80 1"
	echo "subnet-broadcast 10.9.0.255 80 1"
	echo "multicast 224.0.0.5 80 1"
	echo "reserved 240.0.0.1 80 1"
	echo "any 0.0.0.0 7721 1"
} >"$tmp/targets"
save ip4
same "$SERVER4"
# Each socket connects to the good server in the end. Python takes the attempt
# for done and closes the socket where poll() still shows an ICMP message.
grew ip4 ActiveOpens -ge 20
{
	targets "$SERVER6" "$CLIENT6" "$NOWHERE6:" fd09::77 "${ICMP6[@]}"
	echo "multicast ff02::5 80 1"
	echo "link-local fe80::77 80 1"
	echo "any :: 7721 1"
} >"$tmp/targets"
save ip6
same "$SERVER6"
grew ip6 ActiveOpens -ge 20
both no_conn_left
finish
