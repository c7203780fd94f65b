#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# topology: one
# fact: Loading, using and unloading smcr many times leaves nothing
# nics: 1
# timeout: 200
# shellcheck source-path=SCRIPTDIR source=lib/lib.sh disable=SC2119,SC2086
. "$(dirname "$0")/lib/lib.sh"
# shellcheck source-path=SCRIPTDIR source=lib/leak_lib.sh
. "$FUNC_DIR/lib/leak_lib.sh"

kind=smcr4
times=51
[ "$SLOW" = 1 ] || [ "${SMCR_SOAK:-0}" = 1 ] || times=15
HOST=$FUNC_DIR/lib/faults_host.sh
module=${SMCR_KO:-$SHARED/smcr.ko}

unreferenced() {
	[ "$(cat /sys/module/smcr/refcnt)" = 0 ]
}

# cycle WITH: unload and load smcr, with or without a connection in between
cycle() {
	local end=$((SECONDS + DEADLINE))

	until rmmod smcr 2>"$tmp/rmmod"; do
		if [ $SECONDS -ge $end ]; then
			cat "$tmp/rmmod"
			return 1
		fi
		sleep 0.05
	done
	insmod "$module" || return 1
	[ "$1" = used ] || return 0
	sysctl -qw net.smcr.loopback=1 net.smcr.lgr_linger_ms=100
	io "$kind" "$SERVER4" stream -u 64k -d 64k -F || return 1
	[ "$(value RdmaWrites)" -gt 0 ]
}

# rounds N: run N cycles
rounds() {
	local i

	for ((i = 0; i < $1; i++)); do
		if [ $((i % 5)) = 0 ]; then
			cycle used || return 1
		else
			cycle idle || return 1
		fi
	done
}

check "unloaded and loaded 5 times, to warm the caches" rounds 5
before=$("$HOST" kernel_memory)
used=("$("$HOST" used_memory)")
for _ in 1 2 3; do
	check "unloaded and loaded $((times / 3)) times" rounds $((times / 3))
	wait_until "nothing refers to the module" unreferenced
	used+=("$("$HOST" used_memory)")
done
no_leak "a load" 8192 $((times / 3)) "${used[@]}"
now=$("$HOST" kernel_memory)
check "kernel memory grew by $((now - before)) kB" \
	test $((now - before)) -lt $((4096 * SLOW))
finish
