#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# topology: pair
# fact: A 64-byte message costs one doorbell; a connection costs TCP 8 segments
# rfc: 4.5.1, 4.5.2, A.4
# nics: 1
# The cost of a 64-byte message in doorbells, work requests, completions and
# references to its link, whose counter all processors share, of small writes in
# messages, and of a connection in TCP segments.
# shellcheck source-path=SCRIPTDIR source=lib/lib.sh
. "$(dirname "$0")/lib/lib.sh"
# shellcheck source-path=SCRIPTDIR source=lib/counts_lib.sh
. "$FUNC_DIR/lib/counts_lib.sh"
# shellcheck source-path=SCRIPTDIR source=lib/crowd_lib.sh
. "$FUNC_DIR/lib/crowd_lib.sh"

# tcp_costs COUNT: open and close COUNT connections; set $segments to the TCP
# segments that this host sent and received
tcp_costs() {
	both tcp_begin
	io_check "$1 connections" $kind "$SERVER" seq -n "$1"
	no_conn_left
	segments=$(($(tcp_grew TcpInSegs) + $(tcp_grew TcpOutSegs) -
		    $(tcp_needless) - $(on server tcp_needless)))
}

# chunk_is_back: test whether each chunk that was taken has been returned
chunk_is_back() {
	[ "$(calls smcr_wr_chunk_get)" = "$(calls smcr_wr_chunk_put)" ]
}

# tiny_messages: count the traced messages with 1 to 7 bytes
tiny_messages() {
	sed -n 's/.* smcr_cdc_tx: .* prod=\([0-9]*\) .*/\1/p' |
		awk '$1 > last && $1 < last + 8 { n++ }
			{ last = $1 }
			END { print n + 0 }'
}

# was_reset: test whether a connection has been reset since "save reset"
was_reset() {
	[ "$(delta reset Aborts)" = 1 ]
}

kind=smcr4
trace=/sys/kernel/tracing
# Send fewer bytes than the ring holds: a write that wraps costs one more
# request.
messages=$((1600 / SLOW))
addresses $kind
client_leads

on server save begin
on server serve $kind "$SERVER"
io_check "the first contact" $kind "$SERVER" seq -n 1
no_conn_left
# Compare two runs, so that the cost of the connection itself cancels out.
calls_begin smcr_link_get
before=$(calls smcr_link_get)
save short
io_check "short run" $kind "$SERVER" rr -s 64 -n 200
no_conn_left
doorbells=$(delta short Doorbells)
requests=$(delta short WorkRequests)
completions=$(delta short SendCompletions)
chunks=$(delta short TxChunkAllocs)
taken=$(($(calls smcr_link_get) - before))
save long
io_check "long run" $kind "$SERVER" rr -s 64 -n $((200 + messages))
no_conn_left
grew long Doorbells -eq $((doorbells + messages))
grew long WorkRequests -eq $((requests + 2 * messages))
grew long SendCompletions -le $((completions + messages / 16))
grew long TxChunkAllocs -le "$chunks"
grew long MrRegistrations -eq 0
grew long LlcSent -eq 0
taken=$(($(calls smcr_link_get) - before - 2 * taken))
check "$messages messages and answers take $taken references to a link" \
	test $taken -le $((messages / 16))
show_deltas long
# Small writes behind two messages that are under way leave together; bytes that
# the program does not follow up leave, too.
undo_later wire clear
check "RoCE from the client is slow" \
	wire fault client0 server0 delay 50000 only roce
save merged
io_check "1000 writes of 64 bytes" $kind "$SERVER" stream -u 64000 -d 0 -w 64
grew merged TxBytes -ge 64000
grew merged TxMessages -le 60
IO_TIMEOUT=20 io_check "requests and answers in 10 writes each" \
	$kind "$SERVER" rr -s 1000 -w 100 -n 20
check "RoCE is fast again" wire clear
no_conn_left
# SYN, SYN-ACK, Proposal, Accept, Confirm, FIN, FIN and an acknowledgment. On a
# slow host a delayed acknowledgment may be added.
connections=50
tcp_costs 1
few=$segments
tcp_costs $((1 + connections))
# A slow reader that reads 4 KB at a time, 256 times per MB, must not make the
# sender post a write or a CDC message for each 4 KB.
save small
io_check "4 MB to a slow reader of 4 KB pieces" \
	$kind "$SERVER" stream -u 4m -d 0 -r 4096 -D 300
grew small RdmaWrites -le $((4 * 64))
grew small CdcSent -le $((4 * 64))
grew small CdcReceived -le $((4 * 112))
# A ring of 128 KB less its eye catcher does not hold two sends of 64 KB. The
# rest of one send leaves with the next one, for which the writer is woken.
save rest
io_check "8 MB in pieces of 64 KB" \
	$kind "$SERVER" stream -u 8m -d 0 -w 64k -r 64k
grew rest CdcSent -le $((128 * 25 / 16))
# A ring of 64 KB less its eye catcher does not hold one of them. If the cursor
# that reports the room also wakes the writer, the few bytes that are left wait
# for that writer.
on server sysctl_for_now net.smcr.rmem $((64 << 10))
sysctl_for_now net.smcr.wmem $((64 << 10))
mountpoint -q $trace || mount -t tracefs tracefs $trace
undo_later sh -c "echo 0 >$trace/events/smcr/enable"
echo >$trace/trace
echo 1 >$trace/events/smcr/smcr_cdc_tx/enable
io_check "16 MB in pieces as large as the element" \
	$kind "$SERVER" stream -u 16m -d 0 -w 64k -r 64k
echo 0 >$trace/events/smcr/enable
tiny=$(tiny_messages <$trace/trace)
check "$tiny messages have fewer than 8 bytes" test "$tiny" -le 12
# A ring of 512 KB that the reader empties at once is filled by one message of
# eight scatter entries of 64 KB, or by two.
on server sysctl_for_now net.smcr.rmem $((512 << 10))
sysctl_for_now net.smcr.wmem $((1 << 20))
save large
io_check "8 MB through a large ring" \
	$kind "$SERVER" stream -u 8m -d 0 -w 1m -r 512k -D 50000
grew large TxMessages -le 48
no_fallback short
io_check "end of the server" $kind "$SERVER" quit
on server served
on server by_rdma begin $((100000 / SLOW)) $((100000 / SLOW))
segments=$((segments - few))
check "$connections connections cost $segments TCP segments, 8 each" \
	test $segments -le $((connections * 17 / 2))
# While a program asks and is answered, its connection keeps its chunk of send
# space. Once it is idle, other connections can have the chunk.
on server crowd_serve $kind "$SERVER" reset=401
crowd_begin $kind "$SERVER"
calls_begin smcr_wr_chunk_get smcr_wr_chunk_put
crowd_is "a connection" 1 open 1
crowd ask 200 64
chunks=$(calls smcr_wr_chunk_get)
check "200 requests of 64 bytes take $chunks chunks" test "$chunks" -le 50
wait_until "the idle connection has returned its chunk" chunk_is_back
# A connection that is reset while it is busy returns it though its socket stays
# open.
save reset
crowd ask 200 64
crowd_is "a request that is answered by a reset" 1 send 64
wait_until "the connection is reset" was_reset
wait_until "the connection that is over has returned its chunk" chunk_is_back
crowd_end
no_conn_left
on server crowd_served
finish
