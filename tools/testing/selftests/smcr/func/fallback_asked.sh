#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# topology: pair
# fact: Options and calls that only TCP can serve make a connection plain TCP
# nics: 1
# shellcheck source-path=SCRIPTDIR source=lib/lib.sh
. "$(dirname "$0")/lib/lib.sh"

kind=smcr4
addresses $kind

# asked OPTION CLIENT_REASON SERVER_REASON [SERVER_OPTIONS...]: check that the
# connections of a client that sets OPTION fall back, each host for its reason
asked() {
	both save "$1"
	on server serve $kind "$SERVER" "${@:4}"
	io_check "$1: streams of 1 byte to 16 MB" \
		$kind "$SERVER" sizes -O "$1"
	io_check "$1: end of the server" $kind "$SERVER" quit -O "$1"
	on server served
	by_tcp "$1" "$2" 27
	on server by_tcp "$1" "$3" 27
	both no_conn_left
}

client_leads

asked fastopen Fastopen NoOption
asked repair Repair NoOption
asked md5 Md5 Md5 -O md5 -P "$CLIENT"

both save shutdown
on server agent
same_semantics $kind tcp4 sem/shutdown.sem
agent_stop
grew shutdown FallbackShutdown -eq 2
grew shutdown FallbackNoOption -eq 1
both grew shutdown NegativeAdded -eq 0
both no_conn_left
finish
