#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# topology: pair
# fact: A group of smcr and Linux's AF_SMC has two links if both have two adapters
# rfc: 3.5.1.6
# kernel: release
# nics: 2
# peer: linux
# timeout: 120
# The server host runs the distribution's own SMC-R, and each host has two
# adapters. In both roles of smcr the first contact ends with two links, and
# connections over both carry exact streams.
# shellcheck source-path=SCRIPTDIR source=lib/lib.sh
. "$(dirname "$0")/lib/lib.sh"
# shellcheck source-path=SCRIPTDIR source=lib/linux_lib.sh
. "$FUNC_DIR/lib/linux_lib.sh"

kind=smcr4
addresses $kind

# has_links N: true if the link groups of this host have N active links
has_links() {
	[ "$(smcr-ctl link show state active | wc -l)" = "$1" ]
}

linux_has_links() {
	[ "$(linux_value Links)" = "$1" ]
}

# both_links NAME: check that connections since "save NAME" had a second link,
# and that nothing went wrong
both_links() {
	grew "$1" FirstContacts -eq 1
	grew "$1" LinksAdded -eq 1
	by_rdma "$1" 32000000 32000000
	all_valid "$1"
}

client_leads

sysctl_for_now net.smcr.gid_kind 2
save client
on server linux save client
on server serve $kind "$SERVER"
io_check "the first connection" $kind "$SERVER" stream -u 64k -d 64k -H
check "smcr, the client, has two links" has_links 2
on server check "Linux, the server, has two links" linux_has_links 2
io_check "16 streams over both links" $kind "$SERVER" many -n 16 -u 2m -d 2m
io_check "end of the server" $kind "$SERVER" quit
on server served
both_links client
on server linux_served client Server 18

save server
on server linux save server
serve $kind "$CLIENT"
from_linux "Linux's first connection" stream -u 64k -d 64k -H
check "smcr, the server, has two more links" has_links 4
on server check "Linux, the client, has two more links" linux_has_links 4
from_linux "16 streams over both links" many -n 16 -u 2m -d 2m
from_linux "end of the server" quit
served
both_links server
on server linux_served server Client 18
no_conn_left
finish
