#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# topology: pair
# fact: Connections one after the other leave no memory
# nics: 1
# timeout: 300
# Connections one after the other leak nothing: a third of them after the other
# leaves less than 512 bytes for each of its connections in use.
# shellcheck source-path=SCRIPTDIR source=lib/faults_lib.sh disable=SC2119
. "$(dirname "$0")/lib/faults_lib.sh"
# shellcheck source-path=SCRIPTDIR source=lib/leak_lib.sh
. "$FUNC_DIR/lib/leak_lib.sh"

count=2000
[ "$SLOW" = 1 ] || [ "$SOAK" = 1 ] || count=300
third=$((count / 3))
IO_TIMEOUT=120

# read_memory: add the memory that both hosts use now to used_here, used_there
read_memory() {
	settled
	used_here+=("$("$HOST" used_memory)")
	used_there+=("$(peer "$HOST" used_memory)")
}

faults_begin
io_check "$((count / 10)) connections" $kind "$SERVER" seq -n $((count / 10))
mem_client=$("$HOST" kernel_memory)
mem_server=$(peer "$HOST" kernel_memory)
save seq
read_memory
for time in first second third; do
	io_check "the $time $third connections" $kind "$SERVER" seq -n $third
	read_memory
done
grew seq HandshakesDone -eq $((3 * third))
no_fallback seq
no_leak "at the client a connection" 512 $third "${used_here[@]}"
no_leak "at the server a connection" 512 $third "${used_there[@]}"
faults_end
