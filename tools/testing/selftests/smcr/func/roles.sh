#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# topology: pair
# fact: Each role has its own link group, protection domain and user ID
# rfc: 2.1, 2.2, 2.2.3, A.3.1
# nics: 1
# Two hosts that are client and server of each other have one link group for
# each role (RFC 7609 2.2.3). Each link's queue pair has its own protection
# domain (2.1), and each end of a link has its own user ID (A.3.1).
# shellcheck source-path=SCRIPTDIR source=lib/lib.sh
. "$(dirname "$0")/lib/lib.sh"

kind=smcr4
addresses $kind

# resources KIND: print the number of resources of this kind on the only adapter
resources() {
	rdma res show rxe0 | sed -n "s/.* $1 \([0-9]*\).*/\1/p"
}

# groups_are ROLE...: true if this host has link groups of exactly these roles
groups_are() {
	diff <(printf '%s\n' "$@") <(smcr-ctl -j linkgroup show |
		grep -o '"role": *"[a-z]*"' | grep -oE 'client|server' | sort)
}

# user_ids: print the number of different user IDs at both ends of all links
user_ids() {
	smcr-ctl -j link show | grep -oE '"(peer-)?uid": *[0-9]+' |
		grep -oE '[0-9]+' | sort -u | wc -l
}

# back MODE [OPTIONS...]: open a connection from the server's host to the
# client's
back() {
	on server io_check "$1 to the client's host" $kind "$CLIENT" "$@"
}

client_leads

both save begin
on server serve $kind "$SERVER"
qps=$(resources qp)
pds=$(resources pd)
hold $kind "$SERVER" 1
check "the client has one link group, as client" groups_are client
serve $kind "$CLIENT"
back stream -u 256k -d 256k -H
grew begin LinkGroups -eq 2
grew begin FirstContacts -eq 2
check "the client has a second one, as server" groups_are client server
check "there are two more queue pairs" test "$(resources qp)" = $((qps + 2))
check "each has a protection domain" test "$(resources pd)" = $((pds + 2))
check "there are four link user IDs" test "$(user_ids)" = 4
back stream -u 64k -d 64k -H
io_check "a stream to the server" $kind "$SERVER" stream -u 64k -d 64k -H
back quit
served
grew begin LinkGroups -eq 2
grew begin SubsequentContacts -eq 3
by_rdma begin 393216 393216
released "the first connection carried its bytes meanwhile"
io_check "end of the server" $kind "$SERVER" quit
on server served
on server grew begin LinkGroups -eq 2
on server by_rdma begin 393216 393216
both no_conn_left
finish
