#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# topology: pair
# fact: 64 MB each way at once arrive with the right SHA-256
# rfc: 4.5.1, 4.7.1-4
# nics: 1
# Then the same through rings of unequal lengths: a cursor counts in the ring of
# its own end.
# shellcheck source-path=SCRIPTDIR source=lib/lib.sh
. "$(dirname "$0")/lib/lib.sh"

kind=smcr4
addresses $kind
client_leads

both save begin
on server serve $kind "$SERVER"
io_check "64 MB each way at once, digests agree" \
	$kind "$SERVER" stream -u 64m -d 64m -H
on server sysctl_for_now net.smcr.rmem 16384
io_check "8 MB each way at once through rings of unequal lengths" \
	$kind "$SERVER" stream -u 8m -d 8m -H
io_check "end of the server" $kind "$SERVER" quit
on server served
both by_rdma begin $((72 << 20)) $((72 << 20))
both no_conn_left
finish
