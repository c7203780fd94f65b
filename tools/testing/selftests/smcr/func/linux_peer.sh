#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# topology: pair
# fact: An unmodified Linux AF_SMC is client and server of smcr over RDMA
# rfc: 3.5.1, 3.5.2, 4.8.1
# kernel: release
# peer: linux
# timeout: 120
# The server host runs the distribution's own SMC-R. First contact, subsequent
# contacts, data and closes in both roles, over IPv4 and one adapter a host.
# shellcheck source-path=SCRIPTDIR source=lib/lib.sh
. "$(dirname "$0")/lib/lib.sh"
# shellcheck source-path=SCRIPTDIR source=lib/linux_lib.sh
. "$FUNC_DIR/lib/linux_lib.sh"

kind=smcr4
addresses $kind

# link_local: true if both ends of all links have link-local GIDs
link_local() {
	smcr-ctl -j link show state active | python3 -c '
import json, sys
links = json.load(sys.stdin)
gids = [l[end] for l in links for end in ("gid", "peer-gid")]
sys.exit(not gids or not all(g.startswith("fe80:") for g in gids))'
}

client_leads

# smcr is the client
save begin
on server linux save begin
on server serve $kind "$SERVER"
io_check "the first connection" $kind "$SERVER" stream -u 64k -d 64k -H
by_tcp begin GidKind 1
save client
on server linux save client
io_check "the second connection" $kind "$SERVER" stream -u 64k -d 64k -H
grew client FirstContacts -eq 1
check "the link has link-local GIDs" link_local
check "the group speaks the Linux dialect" linux_dialect
io_check "streams of 1 byte to 16 MB" $kind "$SERVER" sizes
io_check "1000 requests" $kind "$SERVER" rr -s 64 -n 1000
io_check "a request of 1 MB, then its answer" $kind "$SERVER" half \
	-u 1m -d 1m -H
io_check "50 connections in sequence" $kind "$SERVER" seq -n 50
io_check "50 streams at once" $kind "$SERVER" many -n 50 -u 20k -d 20k
io_check "end of the server" $kind "$SERVER" quit
on server served
n=$(delta client ActiveOpens)
grew client ActiveOpens -ge 130
grew client FirstContacts -eq 1
grew client SubsequentContacts -eq $((n - 1))
by_rdma client 24000000 24000000
all_valid client
on server linux_served client Server "$n"
on server linux grew client RxBytes -ge 24000000
on server linux grew client TxBytes -ge 24000000

# smcr is the server; each role has a group of its own
save server
on server linux save server
serve $kind "$CLIENT"
from_linux "Linux's first connection" stream -u 64k -d 64k -H
grew server FirstContacts -eq 1
grew server AddLinkRefused -eq 1
from_linux "streams of 1 byte to 16 MB" sizes
from_linux "1000 requests" rr -s 64 -n 1000
from_linux "a request of 1 MB, then its answer" half -u 1m -d 1m -H
from_linux "50 connections in sequence" seq -n 50
from_linux "50 streams at once" many -n 50 -u 20k -d 20k
from_linux "end of the server" quit
served
n=$(delta server PassiveOpens)
grew server PassiveOpens -ge 130
grew server FirstContacts -eq 1
grew server SubsequentContacts -eq $((n - 1))
check "both groups speak the Linux dialect" linux_dialect
by_rdma server 24000000 24000000
all_valid server
on server linux_served server Client "$n"
no_conn_left
finish
