#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# topology: pair
# fact: Connections one after the other leave no memory
# nics: 1
# timeout: 300
# Connections one after the other leak nothing: the memory in use after the last
# one is what it was after the first few hundred.
# shellcheck source-path=SCRIPTDIR source=lib/faults_lib.sh disable=SC2119
. "$(dirname "$0")/lib/faults_lib.sh"

count=2000
[ "$SLOW" = 1 ] || [ "$SOAK" = 1 ] || count=300
IO_TIMEOUT=120

faults_begin
io_check "$((count / 10)) connections" $kind "$SERVER" seq -n $((count / 10))
mem_client=$("$HOST" kernel_memory)
mem_server=$(peer "$HOST" kernel_memory)
save seq
io_check "$count connections" $kind "$SERVER" seq -n $count
grew seq HandshakesDone -eq $count
no_fallback seq
faults_end
