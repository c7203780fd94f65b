#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# topology: pair
# fact: An element serves another connection only after the FIN or a quarantine
# rfc: 4.6, 4.8.1
# nics: 2
# Both ends have closed over RDMA, but a peer may repeat its last bytes over
# another link until it has sent its FIN. So the first closer holds its element
# until that FIN comes, or puts it in quarantine. This holds on when the group
# has lost a link, which is when a peer repeats bytes.
# shellcheck source-path=SCRIPTDIR source=lib/failover_lib.sh
. "$(dirname "$0")/lib/lib.sh"
. "$(dirname "$0")/lib/failover_lib.sh"

# ended COUNT: the connection ends, and COUNT elements of each end are put in
# quarantine
ended() {
	released "both ends close"
	both wait_until "the connection is over" grew_to end OrphansClosed 1
	both grew end ElementsQuarantined -eq "$1"
}

# no_fin: TCP carries no FIN
no_fin() {
	both save end
	hold $kind "$SERVER" 1
	check "TCP is cut" wire fault '*' '*' cut 1 only tcp
	ended 1
	check "the path is good" wire clear
	both no_conn_left
}

# one_link: delete this host's second adapter
one_link() {
	undo_later rdma link add rxe1 type rxe netdev eth1
	check "rxe1 is deleted" rdma link delete rxe1
}

client_leads

undo_later wire clear
on server serve $kind "$SERVER"
hold $kind "$SERVER" 1
both wait_until "the group has 2 links" has_links 2
both save end
ended 0
no_fin
both one_link
both wait_until "a link is lost" grew_to end LinksFailed 1
no_fin
both grew end LinkGroups -eq 0
io_check "end of the server" $kind "$SERVER" quit
on server served
both no_conn_left
finish
