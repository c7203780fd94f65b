#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Server side of ssh.sh.
# shellcheck source-path=SCRIPTDIR source=../func/lib/lib.sh
. "$(dirname "$0")/../func/lib/lib.sh"

addresses tcp4
sysctl_for_now net.smcr.transparent 1
undo_later rm -f "$SHARED/key" "$SHARED/key.pub" "$SHARED/file"
rm -f "$SHARED/key"
check "a key for the client" ssh-keygen -q -t ed25519 -N '' -f "$SHARED/key"
check "a key of the host" ssh-keygen -q -t ed25519 -N '' -f "$tmp/host"
cp "$SHARED/key.pub" "$tmp/authorized"
chmod 755 "$tmp"
mkdir -p /run/sshd
cat >"$tmp/sshd.conf" <<-END
	ListenAddress $SERVER:$PORT
	HostKey $tmp/host
	AuthorizedKeysFile $tmp/authorized
	PidFile none
	PermitRootLogin yes
	StrictModes no
	UsePAM no
	UseDNS no
	Subsystem sftp internal-sftp
END
save begin
/usr/sbin/sshd -D -e -f "$tmp/sshd.conf" 2>"$tmp/sshd.log" &
pid=$!
jobs_started+=("$pid")
wait_until "sshd listens" listens "$PORT"
together ready
together end
check "end of sshd" kill -TERM $pid
wait $pid 2>/dev/null
sed 's/^/# /' "$tmp/sshd.log"
by_rdma begin 20971520 20971520
no_conn_left
finish
