#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# topology: pair
# kernel: turns ends
# nics: 1
# The only link fails: each connection gets an errno, all is freed, whether or
# not there was anything to send.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"

kind=smcr4
addresses $kind
together ready
save begin
begin=$SECONDS
IO_TIMEOUT=60 io_check "20 streams end when the other host's port goes down" \
	$kind "$SERVER" flood -n 20
echo "# after $((SECONDS - begin)) s"
grew begin RxBytes -ge 2000000
grew begin LinksFailed -ge 1
no_conn_left
together down
together up
save again
wait_until "the server answers again" io $kind "$SERVER" seq -n 1
io_check "a new link group carries a stream" $kind "$SERVER" stream -H
grew again FirstContacts -ge 1
grew again RdmaWrites -gt 0
save idle
hold $kind "$SERVER" 3 -a
together idle
together over
released "a byte that cannot be sent ends idle connections with an errno"
grew idle Aborts -ge 3
no_conn_left
wait_until "the server answers again" io $kind "$SERVER" seq -n 1
io_check "end of the server" $kind "$SERVER" quit
no_conn_left
together end
finish
