#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# topology: pair
# fact: Urgent data is as over TCP, is told at once, and survives a lost link
# rfc: 4.7.5, 4.7.6, 4.6
# nics: 2
# timeout: 240
# Urgent bytes: P is sent while the window is closed, the reader gets SIGURG and
# POLLPRI and stops before the byte, and the sender goes on when it is consumed.
# An urgent byte alone needs no window, and the reader always knows its place.
# A link fails while an urgent byte is not consumed: its message is repeated over
# another link. Before that, each order of three events around urgent bytes gives
# what TCP gives, in both directions, while links are deleted and the connection
# moves (SMCR_SOAK=1: of four). sem/urgent.sem has more of what calls return.
# shellcheck source-path=SCRIPTDIR source=lib/failover_lib.sh
. "$(dirname "$0")/lib/lib.sh"
. "$(dirname "$0")/lib/failover_lib.sh"

# server_said: show the server's errors as TAP comments
server_said() {
	sed 's/^/# /' "$tmp/urgent.err"
}

# used: print the number of the link over which this host's connection writes, once
# its handshake is over
used() {
	smcr-ctl conn show state active | sed -n 's/.* link \([0-9]*\).*/\1/p' |
		head -n 1
}

# keep_moving: delete the link that the client's or the server's end of the
# connection uses, one and the other in turn, until there is a file $tmp/still. A
# handshake that loses its link leads to TCP, so both ends have ended it before.
keep_moving() {
	local turn=0
	local -a link

	until [ -e "$tmp/still" ]; do
		link=("$(used)" "$(on server used)")
		[ -z "${link[0]}" ] || [ -z "${link[1]}" ] || ! whole "$nr_links" ||
			! smcr-ctl link del "${link[turn % 2]}" ||
			turn=$((turn + 1))
		sleep 0.1
	done
}

client_leads

both failover_timers
both save orders
on server agent
python3 -B urgent_orders.py $((3 + ${SMCR_SOAK:-0})) >"$tmp/orders.sem"
keep_moving >/dev/null 2>&1 &
mover=$!
jobs_started+=("$mover")
same_semantics $kind tcp4 "$tmp/orders.sem"
: >"$tmp/still"
wait "$mover"
check "no byte is wrong" test "$(grep -c BAD "$tmp/log.kind")" = 0
grew orders UrgentReceived -ge 100
grew orders UrgentSent -ge 100
both grew orders ConnsMoved -ge 2
both no_fallback orders
both grew orders BadCdc -eq 0
both grew orders ResetDataLost -eq 0
agent_stop
on server sysctl_for_now net.smcr.wmem 262144
check "the server listens" on server program urgent \
	python3 -B urgent.py serve "$SERVER" "$PORT"
both save begin
mkfifo "$tmp/in" "$tmp/out"
python3 -B urgent.py read "$SERVER" "$PORT" <"$tmp/in" >"$tmp/out" 2>&1 &
reader=$!
jobs_started+=("$reader")
exec 5>"$tmp/in" 6<"$tmp/out"
reader_lines open
grew begin UrgentReceived -eq 211
on server grew begin UrgentSent -eq 211
both wait_until "the group has $nr_links links" whole "$nr_links"
both save open
read -ra ends < <(on server busiest -)
check "the server is silent on path ${ends[*]}" silent "${ends[@]}" server
echo >&5
reader_lines moved
on server grew open ConnsMoved -ge 1
grew open UrgentReceived -eq 1
# Nothing that went over the silent path was confirmed.
on server grew open TxBytesReplayed -ge 120000
both intact open
check "the path is back" wire clear
echo >&5
reader_lines end
wait "$reader"
check "the reader exits with status 0" exits $?
exec 5>&- 6<&-
on server server_said
finish
