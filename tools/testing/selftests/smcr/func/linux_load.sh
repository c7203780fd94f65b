#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# topology: pair
# fact: Linux's AF_SMC and smcr carry large streams and many connections, IPv6
# rfc: 3.5.1, 3.5.2, 4.5, 4.8.1
# kernel: release
# release: turns linux
# peer: linux
# timeout: 240
# The server host runs the distribution's own SMC-R. In both roles, over IPv6
# and one adapter a host: 64 MB each way at once, 200 connections at once and
# 500 in sequence. With net.smcr.gid_kind = 2 the first connection uses RDMA.
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
no_conn_left
finish
