#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# topology: pair
# fact: An adapter that takes a minute to set up a link harms no other link
# rfc: 3.5.1.6, 3.5.5.1
# nics: 2
# timeout: 240
# The port of an adapter comes back, but the adapter takes a minute to tell so,
# to connect a queue pair or to allocate a memory region. The group's other
# links answer LLC messages meanwhile, and its connections work; the group has a
# link over it in the end. If the group ends meanwhile, its connections are
# reset at once.
# shellcheck source-path=SCRIPTDIR source=lib/lib.sh
. "$(dirname "$0")/lib/lib.sh"
# shellcheck source=lib/link_lib.sh
. "$(dirname "$0")/lib/link_lib.sh"
# shellcheck source=lib/crowd_lib.sh
. "$(dirname "$0")/lib/crowd_lib.sh"
# shellcheck source=lib/slow_lib.sh
. "$(dirname "$0")/lib/slow_lib.sh"

kind=smcr4
addresses $kind

other() {
	[ "$1" = client ] && echo server || echo client
}

# called PARAMETER: the call that PARAMETER delays is inside the adapter
called() {
	if [ "$1" = port_ms ]; then
		port_asked
	else
		region_made 1
	fi
}

# answers HOST PARAMETER: the other host has five answers to TEST LINK, and no
# link fails
answers() {
	on "$(other "$1")" save answers
	both save meanwhile
	on "$(other "$1")" wait_until "the other host tests the link five times" \
		grew_to answers TestLinkSent 5
	on "$1" check "the call has not returned" called "$2"
	both grew meanwhile LlcTimeouts -eq 0
	both grew meanwhile LinksFailed -eq 0
	both grew meanwhile Fallbacks -eq 0
}

# fast HOST PARAMETER: its adapter is fast again
fast() {
	on "$1" check "the adapter is not slow any more" adapter "$2" 0
	on "$1" wait_until "a link over it is added" local_ports 2
	both wait_until "the group has two links" has_links 2
	crowd_is "the connections work over both" 2 all 9000
}

# inside HOST PARAMETER: two connections are open, and HOST is about to add a link
# over rxe1, but the call that PARAMETER delays does not return
inside() {
	crowd_is "two connections are open" 2 open 2
	both wait_until "the group has two links" has_links 2
	on "$1" check "the port of rxe1 of the $1 goes down" \
		ip link set eth1 down
	on "$1" wait_until "no link is left over it" local_ports 1
	on "$1" check "$2 is a minute from now on" \
		adapter "$2" $((60000 * SLOW))
	on "$1" check "the port is back" ip link set eth1 up
	on "$1" wait_until "the call is inside the adapter" called "$2"
}

# comes_back HOST PARAMETER
comes_back() {
	inside "$1" "$2"
	answers "$1" "$2"
	crowd_is "the connections work" 2 all 9000
	fast "$1" "$2"
	crowd_is "both are closed" 0 close 2
	no_group_left
}

# terminate: end this host's only group, as an administrator
terminate() {
	smcr-ctl linkgroup terminate \
		"$(smcr-ctl linkgroup | sed 's/linkgroup \([0-9]*\) .*/\1/')"
}

# ends HOST: the end of a group does not wait for the adapter
ends() {
	inside "$1" qp_ms
	both save ended
	on "$1" check "the group is terminated" terminate
	both wait_until "its connections are reset" grew_to ended Aborts 2
	on "$1" check "the call has not returned" region_made 1
	crowd_is "both are closed" 0 close 2
	on "$1" check "the adapter is not slow any more" adapter qp_ms 0
	no_group_left
}

client_leads

check "the module is on both hosts" both insmod /share/slowmr.ko
both undo_later rmmod slowmr
both undo_later ip link set eth1 up
both undo_later sh -c \
	"echo 0 | tee $params/delay_ms $params/port_ms >$params/qp_ms"
both sysctl_for_now net.smcr.llc_timeout_ms $((1000 * SLOW))
both sysctl_for_now net.smcr.test_link_interval_ms $((300 * SLOW))
on server sysctl_for_now net.smcr.lgr_linger_ms 1000
both sysctl_for_now net.smcr.link_retry_min_ms 1000
both sysctl_for_now net.smcr.link_retry_max_ms 1000
on server crowd_serve $kind "$SERVER"
crowd_begin $kind "$SERVER"

for host in server client; do
	comes_back $host qp_ms
	comes_back $host delay_ms
	comes_back $host port_ms
	ends $host
done
crowd_end
on server crowd_served
both no_conn_left
finish
