#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# topology: pair
# fact: Unmodified ssh copies 20 MB by RDMA under net.smcr.transparent
# kernel: release
# nics: 1
# shellcheck source-path=SCRIPTDIR source=../func/lib/lib.sh
. "$(dirname "$0")/../func/lib/lib.sh"

addresses tcp4
sysctl_for_now net.smcr.transparent 1
together ready
save begin
cp "$SHARED/key" "$tmp/key"
chmod 600 "$tmp/key"
options=(-i "$tmp/key" -F /dev/null -o StrictHostKeyChecking=no
	-o UserKnownHostsFile=/dev/null -o LogLevel=ERROR -o BatchMode=yes
	-c aes128-gcm@openssh.com)
head -c 20971520 /dev/urandom >"$tmp/file"
check "20 MB are copied to the server" timeout $((90 * SLOW)) \
	scp -P "$PORT" "${options[@]}" "$tmp/file" "root@$SERVER:$SHARED/file"
check "and back" timeout $((90 * SLOW)) \
	scp -P "$PORT" "${options[@]}" "root@$SERVER:$SHARED/file" "$tmp/again"
check "they are the same" cmp "$tmp/file" "$tmp/again"
there=$(timeout $((30 * SLOW)) ssh -p "$PORT" "${options[@]}" "root@$SERVER" hostname)
check "a command ran on the server" test "$there" = server
by_rdma begin 20971520 20971520
no_conn_left
together end
finish
