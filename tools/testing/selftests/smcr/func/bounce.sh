#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# topology: pair
# fact: Bounce buffers of two links do not overwrite each other's bytes
# rfc: 2.2.1, 4.6
# nics: 2
# kernel: release
# timeout: 210
# Both hosts' adapters write to bounce buffers, one for each mapping of an RMB.
# Streams over both links are exact, and those of a link that is lost, and those
# of links that come while elements are in use. The debug kernel has no DMA
# functions of devices (CONFIG_ARCH_HAS_DMA_OPS), which the test module replaces.
# shellcheck source-path=SCRIPTDIR source=lib/lib.sh
. "$(dirname "$0")/lib/lib.sh"
# shellcheck source=lib/link_lib.sh
. "$(dirname "$0")/lib/link_lib.sh"

kind=smcr4
addresses $kind

# without_adapters: delete this host's Soft-RoCE devices
without_adapters() {
	rdma link delete rxe0 && rdma link delete rxe1
}

with_adapters() {
	rdma link add rxe0 type rxe netdev eth0 &&
		rdma link add rxe1 type rxe netdev eth1
}

# plainly: this host's adapters use no bounce buffers any more
plainly() {
	without_adapters
	rmmod bounce
	with_adapters
}

# bounced: print the bytes that were copied out of bounce buffers
bounced() {
	cat /sys/module/bounce/parameters/to_cpu
}

# bounces_more: true if a megabyte was copied since "bounced_at" was set
bounces_more() {
	[ $(($(bounced) - bounced_at)) -ge 1000000 ]
}

remember() {
	bounced_at=$(bounced)
}

# streams N BYTES: start N streams at once, of BYTES each way
streams() {
	local i

	streams=()
	for ((i = 0; i < $1; i++)); do
		io $kind "$SERVER" stream -u "$2" -d "$2" >"$tmp/stream$i" 2>&1 &
		streams+=($!)
		jobs_started+=($!)
	done
}

# streams_exact FACT: check that each stream was exact
streams_exact() {
	local i rc=0

	for i in "${!streams[@]}"; do
		wait "${streams[i]}" && continue
		worst $?
		sed 's/^/# /' "$tmp/stream$i"
	done
	check "$1" exits $rc
}

# spread N: true if this host's connections use N links
spread() {
	[ "$(smcr-ctl -j conn show | grep -oE '"link": *[0-9]+' | sort -u |
		wc -l)" = "$1" ]
}

# carried N: true if this host has got N bytes by RDMA since "save begin"
carried() {
	[ "$(delta begin RxBytes)" -ge "$1" ]
}

client_leads

undo_later wire clear
both undo_later patient
both check "the adapters are deleted" without_adapters
both undo_later plainly
both check "adapters will use bounce buffers" insmod /share/bounce.ko
both check "the adapters are there again" with_adapters
both save begin
both remember
on server serve $kind "$SERVER" -a
io_check "a first contact" $kind "$SERVER" seq -n 1
both wait_until "there are two links" has_links 2

streams 6 40m
wait_until "connections use both links" spread 2
streams_exact "six streams over two links are exact"
io_check "streams of many sizes" $kind "$SERVER" sizes
both check "bytes were in bounce buffers" bounces_more

# A link is lost under streams, with bytes in its bounce buffers.
both save lost
both fails_fast
streams 6 40m
wait_until "connections use both links" spread 2
wait_until "they have got a part" grew_to lost RxBytes 2000000
dead 1
both wait_until "the second link is lost" grew_to lost LinksFailed 1
streams_exact "six streams while a link is lost are exact"
both grew lost ConnsMoved -ge 1
both grew lost Aborts -eq 0

# The next link is mapped while elements are in use.
hold $kind "$SERVER" 4
both save back
check "RoCE is back" wire clear
both wait_until "there are two links again" has_links 2
both patient
streams 6 8m
streams_exact "six streams over the new link are exact"
released "connections that were open meanwhile go on"
both grew back Aborts -eq 0
both grew back RmbeEyeCatcherBad -eq 0

io_check "end of the server" $kind "$SERVER" quit
on server served
both check "RDMA carried the bytes" carried 150000000
both no_fallback begin
both no_conn_left
finish
