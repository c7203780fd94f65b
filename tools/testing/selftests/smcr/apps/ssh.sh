#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# topology: pair
# fact: Unmodified ssh copies 20 MB by RDMA under net.smcr.transparent
# kernel: release
# nics: 1
# shellcheck source-path=SCRIPTDIR source=../func/lib/lib.sh
. "$(dirname "$0")/../func/lib/lib.sh"
# shellcheck source-path=SCRIPTDIR source=../func/lib/app_lib.sh
. "$FUNC_DIR/lib/app_lib.sh"

addresses tcp4

# sshd_begin: start sshd with a key for the client
sshd_begin() {
	check "a client key is made" \
		ssh-keygen -q -t ed25519 -N '' -f "$tmp/key"
	check "a host key is made" ssh-keygen -q -t ed25519 -N '' -f "$tmp/host"
	cp "$tmp/key.pub" "$tmp/authorized"
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
	app_begin sshd /usr/sbin/sshd -D -e -f "$tmp/sshd.conf"
}

# copied FROM TO: copy a file by scp
copied() {
	timeout $((90 * PATIENCE)) scp -P "$PORT" "${options[@]}" "$1" "$2"
}

client_leads

both sysctl_for_now net.smcr.transparent 1
both save begin
on server sshd_begin
# shellcheck disable=SC2016 # expanded on the server
there=$(on server eval 'echo "$tmp"')
on server cat "$there/key" >"$tmp/key"
chmod 600 "$tmp/key"
options=(-i "$tmp/key" -F /dev/null -o StrictHostKeyChecking=no
	-o UserKnownHostsFile=/dev/null -o LogLevel=ERROR -o BatchMode=yes
	-c aes128-gcm@openssh.com)
head -c 20971520 /dev/urandom >"$tmp/file"
check "20 MB are copied to the server" \
	copied "$tmp/file" "root@$SERVER:$there/file"
check "they are copied back" copied "root@$SERVER:$there/file" "$tmp/again"
check "both copies agree" cmp "$tmp/file" "$tmp/again"
host=$(timeout $((30 * PATIENCE)) \
	ssh -p "$PORT" "${options[@]}" "root@$SERVER" hostname)
check "a command ran on the server" test "$host" = server
by_rdma begin 20971520 20971520
no_conn_left
on server app_end sshd TERM
on server by_rdma begin 20971520 20971520
on server no_conn_left
finish
