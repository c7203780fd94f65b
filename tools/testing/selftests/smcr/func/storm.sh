#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# topology: pair
# fact: In a storm of random ends, each stream is exact or an exact prefix
# rfc: 4.8.1, 4.8.2
# nics: 1
# timeout: 300
# shellcheck source-path=SCRIPTDIR source=lib/lib.sh
. "$(dirname "$0")/lib/lib.sh"

# storm SEED: run the client; its output is the evidence
storm() {
	timeout $((120 * PATIENCE)) python3 -B storm.py storm "$SERVER" "$PORT" \
		"$1" $((240 / SLOW)) 12 2>&1 | sed 's/^/# /'
	return "${PIPESTATUS[0]}"
}

server_ended() {
	local rc=0

	program_ended storm || rc=$?
	check "the server ends when it is told to" exits "$rc"
	check_not "it saw no fault" grep -q ^bad "$tmp/storm.out"
}

kind=smcr4
seed=${SMCR_SEED:-$RANDOM}
addresses $kind
client_leads

# As in many: the debug kernel acknowledges late.
both patient_qps
# A connection that is killed in its handshake looks like a path that fails.
both sysctl_for_now net.smcr.negative_ms 0
both save begin
check "the server listens" on server program storm \
	python3 -B storm.py serve "$SERVER" "$PORT"
check "the storm, seed $seed" storm "$seed"
on server server_ended
grew begin ConnsOpened -ge $((200 / SLOW))
both no_conn_left
both grew begin BadCdc -eq 0
both grew begin LinksFailed -eq 0
finish
