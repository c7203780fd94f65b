#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Server side of peer_killed.sh.
# shellcheck source-path=SCRIPTDIR source=lib/lib.sh
. "$(dirname "$0")/lib/lib.sh"

kind=smcr4
addresses $kind
save server
serve $kind "$SERVER"
together server.ready
wait_until "the streams run" grew_to server RxBytes 2000000
check "the server is killed" kill -KILL "${program_pid[serve]}"
wait "${program_pid[serve]}" 2>/dev/null
no_conn_left
together server.end

serve $kind "$SERVER"
together client.ready
served
no_conn_left
together end
finish
