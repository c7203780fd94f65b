#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Instructions a message: smcr and the floor, rxe to itself, in one host that
# counts instructions as time ("vm/one --icount"). Each work is run N and 2N
# times, so that what a run costs by itself cancels out.
#
# usage: icount.sh [ROUNDS]
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"

insmod /share/floor.ko || exit 1
sysctl -qw net.smcr.loopback=1
calm_timers

# both ROUND WORK BUF MODE SIZE WARM COUNT
both()
{
	local n

	for n in "$7" $(($7 * 2)); do
		floor_server &
		until listens $FLOOR_PORT; do :; done
		by_floor "$1" "$2:$n" $SERVER "$4" "$5" "$3" "$6" "$n"
		wait $!
		by_load "$1" smcr4 "$2:$n" "$3" "$4" "$5" "$6" "$n"
	done
}

serve smcr4 65536 131072 262144 524288
for ((round = 1; round <= ${1:-2}; round++)); do
	both $round rr64 131072 rr 64 200 400
	both $round rr4k 131072 rr 4096 100 300
	both $round stream64k 131072 stream 65536 16 64
	both $round stream64k-256k 262144 stream 65536 16 64
	both $round stream1m 524288 stream 1048576 2 4
done
exit 0
