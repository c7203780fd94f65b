#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# topology: pair
# fact: Silent clients do not delay honest ones, which fall back past a bound
# nics: 1
# timeout: 200
# shellcheck source-path=SCRIPTDIR source=lib/hostile_lib.sh
. "$(dirname "$0")/lib/hostile_lib.sh"

SILENT=500
sources=(10.9.0.{101..105})

# timed NAME: measure medians of honest clients, one by one and 64 at once
timed() {
	if "$HOSTILE" times smcr4 "$SERVER4" 7600 31 64 >"$tmp/times.$1"; then
		ok "honest clients are served, $1"
	else
		not_ok "honest clients are served, $1"
	fi
}

# below_three WHICH NAME: true if the median "one" or "many" is less than three
# times the quiet one
below_three() {
	awk -v which="$1" '$1 == which { t[FILENAME] = $2 }
		END {
			q = t[ARGV[1]]
			s = t[ARGV[2]]
			printf "# quiet %d us, then %d us, ratio %.2f\n",
				q, s, s / (q + !q)
			exit !(q > 0 && s > 0 && s < 3 * q)
		}' "$tmp/times.quiet" "$tmp/times.$2"
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
# Other load on this machine may slow down one round, but silent clients would
# slow down each round.
for round in 1 2 3; do
	timed quiet
	begin_silence $SILENT "${sources[@]}"
	check "all handshakes wait" test "$(on server in_flight)" -ge $SILENT
	timed silence
	[ $round -lt 3 ] || break
	below_three one silence && below_three many silence && break
	end_silence
	on server wait_until "no handshake is left" none_in_flight
done
check "one by one, less than three times the quiet median" \
	below_three one silence
check "64 at once, less than three times the quiet median" \
	below_three many silence
no_fallback begin

# The bound of a source: each has 100 silent handshakes, so honest clients get no
# option.
on server sysctl_for_now net.smcr.max_handshakes_per_source 70
both save source
FROM=${sources[0]} timed of_the_same_address
check "one by one, by TCP, less than three times the quiet median" \
	below_three one of_the_same_address
on server grew source FallbackCongested -eq $((31 + 64))
on server grew source SourcesRefused -ge $((31 + 64))
grew source FallbackPeerDeclined -eq 0
save other
timed of_another_address
no_fallback other

# The bound of the listener.
on server sysctl_for_now net.smcr.max_handshakes 100
on server save listener
timed refused
check "one by one, by TCP, less than three times the quiet median" \
	below_three one refused
on server grew listener HandshakesRefused -ge $((31 + 64))
grew other FallbackNoOption -eq $((31 + 64))
check "all handshakes still wait" test "$(on server in_flight)" -ge $SILENT

end_silence
on server wait_until "no handshake is left" none_in_flight
hostile_over
