#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# topology: one
# fact: A socket's file and owner stay visible to netfilter, ICMP and TLS
# nics: 1
# timeout: 90
# The program's file tells netfilter the owner of a packet, and TCP which
# process to signal. TCP sees it exactly as long as the program has it open,
# also for accepted sockets: the packets of a connection that outlives its
# program have no owner. A child that was not accepted has the user and the
# cgroup of its listener. Errors from ICMP messages and from TLS reach a reader
# that waits in TCP. An ICMP message for the idle TCP connection ends no RDMA.
# shellcheck source-path=SCRIPTDIR source=lib/lib.sh
. "$(dirname "$0")/lib/lib.sh"
# shellcheck source=lib/memcg_lib.sh
. "$(dirname "$0")/lib/memcg_lib.sh"

own4=$(ip -4 -o addr show scope global | awk '{ sub("/.*", "", $4); print $4; exit }')
limit=$((30 * SLOW))
server=1235
client=1234

# unreachables: print how many ICMP messages of this kind have come
unreachables() {
	awk '/^Icmp:/ {
		if (n)
			print $n
		for (i = 2; i <= NF && !n; i++)
			if ($i == "InDestUnreachs")
				n = i }' /proc/net/snmp
}

# came_again: two more have come than $had; for wait_until
came_again() {
	[ "$(unreachables)" -ge $((had + 2)) ]
}

sysctl_for_now net.smcr.loopback 1
sysctl_for_now net.smcr.orphan_timeout_ms 60000
check "packets are counted by their owner" nft -f - <<-EOT
	table inet smcr_owner {
		counter server { }
		counter client { }
		counter sent { }
		chain out {
			type filter hook output priority 0;
			tcp sport $PORT meta skuid $server counter name server
			tcp dport $PORT meta skuid $client counter name client
			tcp dport $PORT counter name sent
		}
	}
EOT
undo_later nft delete table inet smcr_owner

count() {
	nft list counter inet smcr_owner "$1" | awk '$1 == "packets" { print $2 }'
}

# run MODE PROTOCOL [CGROUP]: run a mode of owner.py and wait for its end
run() {
	local line

	mkfifo "$tmp/$1$2.in" "$tmp/$1$2.out"
	python3 "$FUNC_DIR/owner.py" "$1" "$own4" "$PORT" "$2" $server \
		$client ${3:+"$3"} <"$tmp/$1$2.in" >"$tmp/$1$2.out" &
	jobs_started+=($!)
	exec 5>"$tmp/$1$2.in" 6<"$tmp/$1$2.out"
	if [ "$1" = urgent ]; then
		read -r -t "$limit" -u 6 line
		check "protocol $2: an accepted socket's SIGURG" \
			test "$line" = "signal True"
	fi
	read -r -t "$limit" -u 6 line
	check "protocol $2: $1" test "$line" = "done"
}

ended() {
	local rc=0

	exec 5>&-
	wait "${jobs_started[-1]}" || rc=$?
	exec 6<&-
	return $rc
}

more_than() {
	[ "$(count "$1")" -gt "$2" ]
}

for protocol in 0 257; do
	was=$(count server)
	run urgent $protocol
	wait_until "protocol $protocol: an accepted socket's packets have an owner" \
		more_than server "$was"
	ended
done

save orphan
run orphan 257
no_fallback orphan
grew orphan OrphansOpened -eq 1
own=$(count client)
check "its packets had an owner" test "$own" -gt 0
wait_until "TCP still sends packets after its program has ended" \
	more_than sent $(($(count sent) + 2))
check "these packets have no owner" test "$(count client)" = "$own"
ended
no_conn_left

grep -qw tls /proc/sys/net/ipv4/tcp_available_ulp || {
	check "kernel TLS is loaded" modprobe tls
	undo_later rmmod tls
}
nft add chain inet smcr_owner in "{ type filter hook input priority 0; }"
for protocol in 0 257; do
	run unreachable $protocol
	nft add rule inet smcr_owner in tcp dport "$PORT" \
		reject with icmp type host-unreachable
	echo go >&5
	read -r -t "$limit" -u 6 line
	nft flush chain inet smcr_owner in
	check "protocol $protocol: the reader gets EHOSTUNREACH" \
		test "$line" = "reader EHOSTUNREACH"
	ended
	run record $protocol
	read -r -t "$limit" -u 6 line
	check "protocol $protocol: the reader gets TLS's EBADMSG" \
		test "$line" = "reader EBADMSG"
	ended
done

save idle
run idle 257
had=$(unreachables)
nft add rule inet smcr_owner in tcp dport "$PORT" \
	reject with icmp type host-unreachable
wait_until "ICMP messages for the idle TCP connection come" came_again
nft flush chain inet smcr_owner in
echo go >&5
read -r -t "$limit" -u 6 line
ended
check "RDMA goes on" said $? "byte b'x'" "$line"
no_fallback idle
grew idle Aborts -eq 0

root=$(findmnt -n -o TARGET -t cgroup2 | head -1)
group=$root/smcr_owner
check "the memory controller is on" \
	sh -c "echo +memory >$root/cgroup.subtree_control"
check "a cgroup is made" mkdir "$group"
undo_later rmdir "$group"

for protocol in 0 257; do
	run buffers $protocol "$group"
	ss -Htne state established "sport = :$PORT" >"$tmp/ss"
	sed 's/^/# /' "$tmp/ss"
	[ $protocol = 0 ] || {
		check "the child has its listener's user" \
			grep -q "uid:$server" "$tmp/ss"
		wait_until "its bytes are charged to the listener's cgroup" \
			charged_for 65536
	}
	echo "# $(charged) bytes are charged"
	ended
	wait_until "nothing is charged any more" uncharged
done

no_conn_left
finish
