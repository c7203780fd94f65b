#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# topology: pair
# fact: Silent clients hardly delay honest ones, which fall back past a bound
# nics: 1
# timeout: 300
# shellcheck source-path=SCRIPTDIR source=lib/hostile_lib.sh
. "$(dirname "$0")/lib/hostile_lib.sh"

SILENT=500
sources=(10.9.0.{101..105})

# Other load on this machine may slow down one round.
ROUNDS=3
ONE=31
MANY=64

# timed NAME ROUND: measure medians of honest clients, one by one and many at
# once
timed() {
	if "$HOSTILE" times smcr4 "$SERVER4" 7600 $ONE $MANY \
		>"$tmp/times.$1.$2"; then
		ok "honest clients are served, $1"
	else
		not_ok "honest clients are served, $1"
	fi
}

# timed_in_rounds NAME: the same in each round
timed_in_rounds() {
	local round

	for ((round = 1; round <= ROUNDS; round++)); do
		timed "$1" $round
	done
}

# below WHICH NAME: true if "one" or "many" takes less than one and a half times
# as long as in the quiet part of the same round, by the median of the rounds
below() {
	local round

	for ((round = 1; round <= ROUNDS; round++)); do
		awk -v which="$1" '$1 == which { t[FILENAME] = $2 }
			END {
				q = t[ARGV[1]]
				s = t[ARGV[2]]
				r = (q > 0 && s > 0) ? s / q : 99
				printf "%.3f %d %d\n", r, q, s
			}' "$tmp/times.quiet.$round" "$tmp/times.$2.$round"
	done | sort -n | awk -v rounds=$ROUNDS '{
			r[NR] = $1
			printf "# quiet %d us, then %d us, ratio %s\n",
				$2, $3, $1
		}
		END { exit !(NR == rounds && r[(NR + 1) / 2] < 1.5) }'
}

# begin_silence COUNT SOURCE...: start COUNT silent clients
begin_silence() {
	local line

	mkfifo "$tmp/silent.in" "$tmp/silent.out"
	"$HOSTILE" silent "$SERVER4" 7600 "$1" "${@:2}" \
		<"$tmp/silent.in" >"$tmp/silent.out" &
	silent_pid=$!
	jobs_started+=("$silent_pid")
	exec 5>"$tmp/silent.in" 6<"$tmp/silent.out"
	rm "$tmp/silent.in" "$tmp/silent.out"
	read -r -t "$DEADLINE" line <&6
	check "$1 silent clients and one of a byte a second" \
		test "$line" = held
}

end_silence() {
	exec 5>&-
	wait "$silent_pid"
	exec 6<&-
}

in_flight() {
	echo $(($(value HandshakesStarted) - $(value HandshakesEnded)))
}

none_in_flight() {
	[ "$(in_flight)" = 0 ]
}

client_leads

hostile_peer
for ip in "${sources[@]}"; do
	undo_later ip addr del "$ip/24" dev eth0
	ip addr add "$ip/24" dev eth0
done
# Let silent handshakes last this long.
on server sysctl_for_now net.smcr.handshake_timeout_ms 600000
check "a first contact" "$HOSTILE" times smcr4 "$SERVER4" 7600 1 0
save begin
for ((round = 1; round <= ROUNDS; round++)); do
	timed quiet $round
	begin_silence $SILENT "${sources[@]}"
	check "all handshakes wait" test "$(on server in_flight)" -ge $SILENT
	timed silence $round
	[ $round -lt $ROUNDS ] || break
	end_silence
	on server wait_until "no handshake is left" none_in_flight
done
check "one by one, less than 1.5 times the quiet median" below one silence
check "64 at once, less than 1.5 times the quiet median" below many silence
no_fallback begin

# The bound of a source: each has 100 silent handshakes, so honest clients get no
# option.
on server sysctl_for_now net.smcr.max_handshakes_per_source 70
both save source
FROM=${sources[0]} timed_in_rounds of_the_same_address
check "one by one, by TCP, less than 1.5 times the quiet median" \
	below one of_the_same_address
on server grew source FallbackCongested -eq $((ROUNDS * (ONE + MANY)))
on server grew source SourcesRefused -ge $((ROUNDS * (ONE + MANY)))
grew source FallbackPeerDeclined -eq 0
save other
timed of_another_address 1
no_fallback other

# The bound of the listener.
on server sysctl_for_now net.smcr.max_handshakes 100
on server save listener
timed_in_rounds refused
check "one by one, by TCP, less than 1.5 times the quiet median" \
	below one refused
on server grew listener HandshakesRefused -ge $((ROUNDS * (ONE + MANY)))
grew other FallbackNoOption -eq $((ROUNDS * (ONE + MANY)))
check "all handshakes still wait" test "$(on server in_flight)" -ge $SILENT

end_silence
on server wait_until "no handshake is left" none_in_flight
hostile_over
