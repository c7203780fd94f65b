#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# topology: pair
# fact: Linux's AF_SMC and smcr carry large streams and many connections, IPv6
# rfc: 3.5.1, 3.5.2, 4.5, 4.8.1
# kernel: release
# peer: linux
# timeout: 270
# The server host runs the distribution's own SMC-R. In both roles, over IPv6
# and one adapter a host: 64 MB each way at once, 200 connections at once and
# 500 in sequence, and elements of 2 MB at Linux's end, larger than the 512 KB
# that smcr offers. With net.smcr.gid_kind = 2 the first connection uses RDMA.
# shellcheck source-path=SCRIPTDIR source=lib/lib.sh
. "$(dirname "$0")/lib/lib.sh"
# shellcheck source-path=SCRIPTDIR source=lib/linux_lib.sh
. "$FUNC_DIR/lib/linux_lib.sh"

kind=smcr6
addresses $kind

# load HOST ADDRESS: use the server at ADDRESS from HOST
load() {
	on "$1" io_check "64 MB each way at once, digests agree" $kind "$2" \
		stream -u 64m -d 64m -H
	on "$1" io_check "200 streams at once" $kind "$2" many -n 200 \
		-u 20k -d 20k
	on "$1" io_check "500 connections in sequence" $kind "$2" seq -n 500
	on "$1" io_check "end of the server" $kind "$2" quit
}

# conn_is EXPRESSION: this host has a connection for which this is true; c is what
# smcr-ctl shows of it
conn_is() {
	smcr-ctl -j conn show | python3 -c "
import json, sys
sys.exit(not any($1 for c in json.load(sys.stdin)))"
}

two_mb() {
	conn_is 'c["tx-size"] == 2 << 20'
}

unread_mb() {
	conn_is 'c["tx-unread"] > 1 << 20'
}

client_leads

sysctl_for_now net.smcr.gid_kind 2
save client
on server linux save client
on server serve $kind "$SERVER"
load client "$SERVER"
on server served
by_rdma client 70000000 70000000
grew client ActiveOpens -eq 702
grew client FirstContacts -eq 1
all_valid client
on server linux_served client Server 702

save server
on server linux save server
serve $kind "$CLIENT"
load server "$CLIENT"
served
by_rdma server 70000000 70000000
grew server PassiveOpens -eq 702
grew server FirstContacts -eq 1
all_valid server
on server linux_served server Client 702

on server sysctl_for_now net.smc.rmem 2097152
save large
on server serve $kind "$SERVER"
io $kind "$SERVER" stream -u 8m -d 64k -r 32k -D 20000 -H >"$tmp/slow" 2>&1 &
slow=$!
jobs_started+=("$slow")
wait_until "a connection to Linux has an element of 2 MB" two_mb
wait_until "Linux has more than 1 MB to read" unread_mb
wait "$slow"
check "the stream to its slow reader is exact" test $? -eq 0 ||
	sed 's/^/# /' "$tmp/slow"
io_check "end of the server" $kind "$SERVER" quit
on server served
serve $kind "$CLIENT"
on server hold $kind "$CLIENT" 1
check "a connection from Linux has an element of 2 MB" two_mb
on server released "it carries a byte each way"
from_linux "16 MB each way at once" stream -u 16m -d 16m -H
from_linux "end of the server" quit
served
by_rdma large 24000000 16000000
all_valid large
no_conn_left
finish
