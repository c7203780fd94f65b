#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# topology: pair
# fact: A link is replaced soon after its path is back, by its neighbour's sign
# rfc: 4.6, C.8
# nics: 2
# timeout: 240
# The path of the second link falls silent while its ports stay up, and tries to
# replace the link fail, until half a minute passes between them. When the path
# is good again, the neighbour's answer to ARP or neighbour discovery leads to a
# try at once. A path on which only RoCE is silent gives no such sign.
# shellcheck source-path=SCRIPTDIR source=lib/failover_lib.sh
. "$(dirname "$0")/lib/lib.sh"
. "$(dirname "$0")/lib/failover_lib.sh"
# shellcheck source=lib/link_lib.sh
. "$(dirname "$0")/lib/link_lib.sh"

# timers: an idle link fails within seconds; the times between tries are the
# defaults
timers() {
	undo_later patient
	fails_fast
	sysctl_for_now net.smcr.lgr_linger_ms $((300 * SLOW))
}

# begin KIND: open a connection over a group of two links
begin() {
	addresses "$1"
	on server serve "$1" "$SERVER"
	hold "$1" "$SERVER" 1
	both wait_until "the group has two links" has_links 2
	# The cut is between the second adapters, so both must be in use. A host
	# whose second one was not ready yet has an asymmetric link for a while.
	both wait_until "they end at two ports" local_ports 2
	both save lost
}

# end KIND: end the connection and its group
end() {
	released "the connection goes on"
	both grew lost Aborts -eq 0
	io_check "end of the server" "$1" "$SERVER" quit
	on server served
	both no_conn_left
	both no_group_left
}

# tries_fail N: the second link is lost, and N tries to replace it fail
tries_fail() {
	local DEADLINE=$((DEADLINE + 60))

	both wait_until "the second link is lost" grew_to lost LinksFailed 1
	both wait_until "$1 tries to replace it fail" \
		grew_to lost LinksFreed $(($1 + 1))
	both grew lost LinksAdded -eq 0
	both grew lost PathsBack -eq 0
}

# signs: print how many signs of a good path both hosts saw
signs() {
	echo $(($(delta lost PathsBack) + $(on server delta lost PathsBack)))
}

comes_back() {
	local begin ms

	begin "$1"
	check "nothing passes between the second adapters" \
		wire fault server1 client1 cut 1
	check "nothing passes the other way" wire fault client1 server1 cut 1
	tries_fail 5
	begin=$EPOCHREALTIME
	check "the path is good" wire clear
	both wait_until "the link is replaced" has_links 2
	ms=$(((${EPOCHREALTIME/./} - ${begin/./}) / 1000))
	# The next try without a sign would come after 32 s.
	check "after $ms ms" test $ms -le 10000
	check "its neighbour gave the sign" test "$(signs)" -ge 1
	end "$1"
}

roce_only() {
	begin "$1"
	dead 1
	tries_fail 3
	check "the path is good" wire clear
	both wait_until "the link is replaced" has_links 2
	check "its neighbour gave no sign" test "$(signs)" -eq 0
	end "$1"
}

client_leads

undo_later wire clear
both timers
comes_back smcr4
comes_back smcr6
roce_only smcr4
finish
