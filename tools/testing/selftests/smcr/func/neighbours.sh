#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# topology: pair
# fact: Streams of other connections of a link hold up a small message little
# nics: 1
# timeout: 180
# Four connections write as much as they can, and a fifth one does round trips
# of 64 bytes. What they write during a round trip is what was posted before its
# two messages. Without a bound that is 450 to 660 KB as a rule, and more than
# 1 MB in a tenth of them; with it less than half of that. A message that has to
# wait for its turn is traced once, when it is posted.
# shellcheck source-path=SCRIPTDIR source=lib/lib.sh
. "$(dirname "$0")/lib/lib.sh"

kind=smcr4
trace=/sys/kernel/tracing
addresses $kind

client_leads

check "the server listens" on server program neighbours \
	python3 -B neighbours.py serve "$SERVER" "$PORT"
mountpoint -q $trace || mount -t tracefs tracefs $trace
undo_later sh -c "echo 0 >$trace/events/smcr/enable"
echo >$trace/trace
echo 1 >$trace/events/smcr/smcr_cdc_tx/enable
both save begin
trips=$(timeout $((120 * PATIENCE)) python3 -B neighbours.py trips "$SERVER" \
	"$PORT" 4 $((400 / SLOW)))
check "round trips beside four streams" exits $?
read -r half most <<<"$trips"
echo "# KB of the streams during a round trip: half $half, 90 % $most"
check "half of the round trips let at most 300 KB pass" \
	test "${half:-9999}" -le 300
check "90 % of them let at most 650 KB pass" test "${most:-9999}" -le 650
grew begin TxTurns -ge 100
grew begin TxBytes -ge 10000000
no_conn_left
echo 0 >$trace/events/smcr/enable
grew begin CdcSent -eq "$(grep -c smcr_cdc_tx: $trace/trace)"
both no_fallback begin
finish
