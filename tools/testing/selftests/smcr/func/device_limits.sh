#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# topology: pair
# fact: smcr keeps within an adapter's limits, or falls back and logs the reason
# nics: 1
# timeout: 180
# Adapters with lower limits than Soft-RoCE: few scatter entries, no inline data
# or more than requested, short queues, small memory regions. Either RDMA keeps
# within the limits, or the connection falls back and the log says why.
# shellcheck source-path=SCRIPTDIR source=lib/lib.sh
. "$(dirname "$0")/lib/lib.sh"
# shellcheck source=lib/adapter_lib.sh
. "$(dirname "$0")/lib/adapter_lib.sh"

kind=smcr4
kb=$((2048 / SLOW / SLOW))
addresses $kind

# here NAME VALUE...: create this host's adapter again, with these limits. The
# server ends the old group first, as it would offer that group again.
here() {
	wait_until "no link is left" links_gone
	adapter_anew "$@"
}

# posted NAME OPERATOR NUMBER: check a number that ../mod/devcap.c has counted
posted() {
	local n

	n=$(value "$1" /proc/devcap)
	check "$1 is $n (wanted $2 $3)" test "$n" "$2" "$3"
}

# carried FACT: check that RDMA carries large and small sends
carried() {
	save carried
	io_check "$1: $kb KB each way" $kind "$SERVER" stream -u ${kb}k \
		-d ${kb}k -H
	io_check "$1: 20 messages of 64 bytes" $kind "$SERVER" rr -s 64 -n 20
	grew carried RdmaWrites -gt 0
	no_fallback carried
}

client_leads

both sysctl_for_now net.smcr.negative_ms 0
on server sysctl_for_now net.smcr.lgr_linger_ms 200
on server serve $kind "$SERVER" -a
adapter_can_be_less "the adapter's limits can be lowered"

# Limits of real drivers: qedr has 4 entries, bnxt_re and erdma have 6.
few="1 2 4 6"
[ "$SLOW" = 1 ] || few="1 6"
for n in $few; do
	# Send space of 64 KB has chunks of 16 KB, and so more entries a write;
	# that of 128 KB has chunks of 64 KB.
	sysctl_for_now net.smcr.wmem $((n < 4 ? 128 << 10 : 64 << 10))
	here sge "$n"
	carried "$n scatter entries"
	posted posted_sge -le "$n"
	posted posted_sge -ge $((n < 4 ? n : 4))
	posted posted_inline -eq 64
done
sysctl_for_now net.smcr.wmem $((128 << 10))

here sge -1 inline 0
carried "no inline data"
posted posted_inline -eq 0
here inline 256
carried "more inline data granted than asked for"
posted posted_inline -le 64
# Pretend to be RDMA_DRIVER_BNXT_RE.
here inline -1 driver 6
carried "a driver whose inline data is broken"
posted posted_inline -eq 0

# The netdev allows packets of 1024 bytes, the port sends 512: it is asked for
# more once, and not for each connection. A group in between asks it, too.
here driver -1 mtu 2
carried "a port whose MTU is smaller than its netdev's"
before=$(value queried /proc/devcap)
io_check "40 connections over this port" $kind "$SERVER" seq -n 40
asked=$(($(value queried /proc/devcap) - before))
check "the port was asked $asked times" test $asked -lt 10

here mtu -1 wr 65 mr 32
carried "queues of 64, regions of 32 pages"

dmesg -C
save short
here mr -1 wr 64
io_check "queues too short: TCP" $kind "$SERVER" seq -n 2
grew short FallbackDeviceLimit -eq 2
grew short Fallbacks -eq 2
check "the log names adapter and limit" grep -q 'rxe0: max_qp_wr 64' <(dmesg)
here wr -1 cqe 129
io_check "completion queues too short: TCP" $kind "$SERVER" seq -n 1
grew short FallbackDeviceLimit -eq 3
here cqe -1 sge 0
io_check "no scatter entry: TCP" $kind "$SERVER" seq -n 1
grew short FallbackDeviceLimit -eq 4
here sge -1
carried "the whole adapter"
io_check "end of the server" $kind "$SERVER" quit
on server served
both no_conn_left
finish
