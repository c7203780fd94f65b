#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# topology: pair
# fact: Without memory for send space send() waits or says EAGAIN, as with TCP
# nics: 1
# timeout: 90
# There is no memory for send space for a while. A blocking sender waits, and a
# sender that polls, also with edges, goes on when there is memory again. At the
# limit of net.smcr.max_send_bytes a connection goes on with a chunk of 16 KB.
# Where memory has no 64 KB in one piece, chunks of 16 KB serve.
# shellcheck source-path=SCRIPTDIR source=lib/lib.sh
. "$(dirname "$0")/lib/lib.sh"

kind=smcr4
addresses $kind

# memory yes|no: is there memory for send space on this host?
memory() {
	local none=Y

	[ "$1" = no ] || none=N
	no_chunks none "$none"
}

# no_chunks PARAMETER Y|N: change what nomap does
no_chunks() {
	echo "$2" >"/sys/module/nomap/parameters/$1"
}

# short NAME FACT OPTION...: memory is short while a stream begins
short() {
	local rc=0 pid

	save "$1"
	check "no memory for send space" memory no
	io $kind "$SERVER" stream -u 4m -d 4m -H "${@:3}" >"$tmp/$1" 2>&1 &
	pid=$!
	jobs_started+=("$pid")
	wait_until "$2 finds none" grew_to "$1" TxChunkWaits 2
	grew "$1" TxBytes -eq 0
	check "there is memory again" memory yes
	wait "$pid" || rc=$?
	sed 's/^/# /' "$tmp/$1"
	check "$2 sends all bytes then" exits $rc
}

# one_chunk NAME FACT OPTION...: a stream has one chunk of send space
one_chunk() {
	save "$1"
	io_check "$2 sends all bytes with one chunk" \
		$kind "$SERVER" stream -u 1m -d 64k -H "${@:3}"
	grew "$1" SendSpaceWaits -ge 48
	grew "$1" SendCompletions -ge 48
	grew "$1" TxChunkWaits -eq 0
	no_conn_left
}

client_leads

undo_later rmmod nomap
check "nomap is loaded" insmod /share/nomap.ko
on server serve $kind "$SERVER" -a
both save begin
io_check "a first contact" $kind "$SERVER" seq -n 1
short block "a blocking sender"
short poll "a sender that polls" -e
short edge "a sender that polls for edges" -E
no_conn_left
save pieces
check "there are no chunks of 64 KB" no_chunks small Y
io_check "a stream uses those of 16 KB" \
	$kind "$SERVER" stream -u 2m -d 64k -w 256k -H
check "there are chunks of 64 KB again" no_chunks small N
grew pieces TxChunksSmaller -ge 16
save large
io_check "another stream uses those of 64 KB" \
	$kind "$SERVER" stream -u 2m -d 64k -w 256k -H
grew large TxChunksSmaller -eq 0
no_conn_left
sysctl_for_now net.smcr.max_send_bytes 16384
one_chunk block1 "a blocking sender"
one_chunk poll1 "a sender that polls" -e
one_chunk edge1 "a sender that polls for edges" -E
one_chunk more1 "a sender with MSG_MORE" -S more
both grew begin Aborts -eq 0
both no_fallback begin
io_check "end of the server" $kind "$SERVER" quit
on server served
both no_conn_left
finish
