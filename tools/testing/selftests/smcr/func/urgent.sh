#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# topology: pair
# fact: Urgent data is told at once, is exact, and survives the loss of a link
# rfc: 4.7.5, 4.7.6, 4.6
# nics: 2
# timeout: 120
# Urgent bytes: P is sent while the window is closed, the reader gets SIGURG and
# POLLPRI and stops before the byte, and the sender goes on when it is consumed.
# A link fails while an urgent byte is not consumed: its message is repeated over
# another link. What each socket call returns is compared with TCP in
# sem/urgent.sem.
# shellcheck source-path=SCRIPTDIR source=lib/failover_lib.sh
. "$(dirname "$0")/lib/lib.sh"
. "$(dirname "$0")/lib/failover_lib.sh"

# server_said: show the server's errors as TAP comments
server_said() {
	sed 's/^/# /' "$tmp/urgent.err"
}

client_leads

both failover_timers
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
grew begin UrgentReceived -eq 201
on server grew begin UrgentSent -eq 201
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
check "the reader exits with status 0" test $? -eq 0
exec 5>&- 6<&-
on server server_said
finish
