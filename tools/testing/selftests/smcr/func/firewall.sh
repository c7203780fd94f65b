#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# topology: pair
# fact: A firewall that forgets the idle TCP connection does not end it
# rfc: 4.5.3, 4.8.2, 5.3
# nics: 1
# timeout: 600
# The server's connection tracking forgets a TCP connection after a time without
# a segment; what comes then it rejects or drops. Over RDMA, TCP is idle whatever
# the program does. The same steps run over TCP, where the bytes of the program
# keep the firewall from forgetting. What the firewall does not let in, it does
# not let in over smcr.
# shellcheck source-path=SCRIPTDIR source=lib/lib.sh
. "$(dirname "$0")/lib/lib.sh"
# shellcheck source=lib/paths_lib.sh
. "$FUNC_DIR/lib/paths_lib.sh"
# shellcheck source=lib/link_lib.sh
. "$FUNC_DIR/lib/link_lib.sh"

SMCR=257
TCP_PORT=7760 SMCR_PORT=7761 LATE_PORT=7762
# Late segments to these are always dropped
DROP_TCP_PORT=7763 DROP_SMCR_PORT=7764
# The server's address in use
target=$SERVER4
TIMEOUT=net.netfilter.nf_conntrack_tcp_timeout_established

# rules RULE REACTION...: what this host does with segments of the test that are
# no SYN, and that RULE has not taken
rules() {
	nft delete table inet smcr_firewall 2>/dev/null
	nft -f - <<-END
		table inet smcr_firewall {
			chain in {
				type filter hook input priority 0;
				$1
				tcp dport { $DROP_TCP_PORT, $DROP_SMCR_PORT } \
					tcp flags & (syn | ack) != syn \
					counter drop
				tcp dport { $TCP_PORT, $SMCR_PORT, $LATE_PORT } \
					tcp flags & (syn | ack) != syn \
					counter ${*:2}
			}
		}
	END
}

# firewall REACTION...: this host's connection tracking decides about the ports
# of the test
firewall() {
	rules "ct state established accept" "$@"
}

# rejects_all: no segment passes that is no SYN
rejects_all() {
	rules "" reject with tcp reset
}

# rejects_syns: no connection begins
rejects_syns() {
	rules "tcp dport { $TCP_PORT, $SMCR_PORT } tcp flags & (syn | ack) == syn reject with tcp reset" \
		accept
}

# forgets SECONDS REACTION...: the firewall forgets after that time
forgets() {
	undo_later nft delete table inet smcr_firewall
	check "the firewall answers a late segment: ${*:2}" firewall "${@:2}"
	sysctl_for_now "$TIMEOUT" "$1"
}

# counts_words PROTOCOL PORT [SECONDS]: start a server, which reads nothing for
# some time after the first word
counts_words() {
	program "serve$2,$target" ./firewall.py serve "$1" "$target" "${@:2}"
}

# begin NAME PROTOCOL SECONDS GAP [KEEPALIVE]: start a client
begin() {
	local port=$SMCR_PORT

	[ "$2" = $SMCR ] || port=$TCP_PORT
	timeout $((200 * PATIENCE)) ./firewall.py talk "$2" "$target" $port \
		"${@:3}" >"$tmp/$1" 2>&1 &
	client_pid[$1]=$!
	jobs_started+=($!)
	wait_until "$1: the connection is open" grep -q open "$tmp/$1"
}

# by_ipv6 COMMAND...: use the server's IPv6 address
by_ipv6() {
	local target=$SERVER6

	"$@"
}

# drops COMMAND...: use the ports where late segments are dropped
drops() {
	local TCP_PORT=$DROP_TCP_PORT SMCR_PORT=$DROP_SMCR_PORT

	"$@"
}

# ends NAME RESULT: check how that client ends
ends() {
	local line rc=0

	wait "${client_pid[$1]}" || rc=$?
	line=$(tail -n 1 "$tmp/$1")
	check "$1: $2 (got $line)" said $rc "$2" "$line"
}

# by_rdma_again: true if a connection uses RDMA; for wait_until
by_rdma_again() {
	save again
	./firewall.py talk "$SMCR" "$SERVER4" "$SMCR_PORT" 0 0 >/dev/null &&
		grew_to again TxBytes 8
}

# log_lines: print how often the log says that TCP is silent
log_lines() {
	dmesg | grep -c "smcr: .* TCP is silent"
}

# waits_for NAME COUNTER NUMBER: wait until a counter has grown
waits_for() {
	wait_until "$2 has grown by $3" grew_to "$1" "$2" "$3"
}

# without_tcp NAME: start a client whose TCP is then reset
without_tcp() {
	on server check "the firewall lets a connection begin" firewall \
		reject with tcp reset
	both save "$1"
	begin "$1" $SMCR 100 0.5
	on server check "the firewall rejects all" rejects_all
	waits_for "$1" TcpLost 1
}

# abort_conn: end this host's only connection, as its administrator
abort_conn() {
	check "smcr-ctl ends the connection" smcr-ctl conn abort \
		"$(smcr-ctl conn show state active |
			sed 's/conn \([0-9]*\) .*/\1/')"
}

# errors ERRNO: print how often the server's program has got it
errors() {
	grep -c "Errno $1]" "$tmp/serve$SMCR_PORT,$SERVER4.err"
}

# had_error ERRNO TIMES: true if it has got it more often; for wait_until
had_error() {
	[ "$(errors "$1")" -gt "$2" ]
}

declare -A client_pid

client_leads

# The interval at the last look at a link decides when the next one is. It is
# short before the first contact, so the server learns in time that its link is
# lost.
both sysctl_for_now net.smcr.test_link_interval_ms 5000

on server counts_words 0 $TCP_PORT
on server counts_words $SMCR $SMCR_PORT
on server by_ipv6 counts_words 0 $TCP_PORT
on server by_ipv6 counts_words $SMCR $SMCR_PORT
on server counts_words 0 $DROP_TCP_PORT
on server counts_words $SMCR $DROP_SMCR_PORT
late=$((25 * PATIENCE))
on server counts_words $SMCR $LATE_PORT $late

# Probes come before the firewall forgets. TCP without probes does not live.
check "by default TCP is probed each minute" \
	test "$(sysctl -n net.smcr.tcp_probe_ms)" = 60000
both sysctl_for_now net.smcr.tcp_probe_ms 8000
on server forgets 20 reject with tcp reset
both save probed
begin "idle, 20 s, TCP" 0 30 30
begin "idle, 20 s" $SMCR 30 30
begin "one-way load, 20 s" $SMCR 30 0.5
begin "one-way load, 20 s, TCP" 0 30 0.5
drops begin "idle, 20 s, drop, TCP" 0 30 30
drops begin "idle, 20 s, drop" $SMCR 30 30
drops begin "one-way load, 20 s, drop" $SMCR 30 0.5
drops begin "one-way load, 20 s, drop, TCP" 0 30 0.5
ends "idle, 20 s, TCP" ECONNRESET
for name in "20 s" "20 s, drop"; do
	ends "idle, $name" exact
	ends "one-way load, $name" exact
	ends "one-way load, $name, TCP" exact
done
grew probed TcpProbes -ge 8
on server grew probed TcpProbes -ge 8
both grew probed TcpSilent -eq 0
both grew probed Aborts -eq 0
by_rdma probed 800 32
both no_conn_left

# TCP is lost. The link answers, so nothing ends, and this is told.
both sysctl_for_now net.smcr.tcp_probe_ms 1000
on server check "the firewall forgets nothing" sysctl -qw $TIMEOUT=432000
undo_later wire clear
lines=$(log_lines)
both save silent
# Three intervals and a TEST LINK fit in, also where each command is slow.
begin "all of TCP is lost" $SMCR $((16 * PATIENCE)) 0.5
check "TCP is lost" wire fault '*' '*' cut 1 only tcp
waits_for silent TcpSilent 1
on server waits_for silent TcpSilent 1
# The way may come back.
save on
waits_for on TcpProbes 2
ends "all of TCP is lost" exact
check "the log says so once" test "$(log_lines)" = $((lines + 1))
both grew silent TcpSilent -eq 1
both grew silent Aborts -eq 0
check "TCP is back" wire clear
both no_conn_left

# No probes: the firewall forgets, and a keepalive of the program meets it.
both sysctl_for_now net.smcr.tcp_probe_ms 0
for reaction in "reject with tcp reset" drop; do
	on server check "the firewall answers a late segment: $reaction" \
		eval "firewall $reaction"
	on server check "it forgets after 5 s" sysctl -qw $TIMEOUT=5
	both save forgotten
	begin "$reaction, keepalive" $SMCR 20 0.5 8,2,2
	begin "$reaction, keepalive, TCP" 0 20 0.5 8,2,2
	begin "$reaction, no keepalive" $SMCR 20 0.5
	by_ipv6 begin "$reaction, IPv6" $SMCR 20 0.5 8,2,2
	by_ipv6 begin "$reaction, IPv6, TCP" 0 20 0.5 8,2,2
	waits_for forgotten TcpLost 2
	check "the firewall has stopped a segment of RDMA's TCP" \
		test "$(on server counted smcr_firewall)" -gt 0
	ends "$reaction, keepalive" exact
	ends "$reaction, keepalive, TCP" exact
	ends "$reaction, no keepalive" exact
	ends "$reaction, IPv6" exact
	ends "$reaction, IPv6, TCP" exact
	grew forgotten TcpLost -eq 2
	both grew forgotten Aborts -eq 0
	both no_fallback forgotten
	# Sooner than close_timeout_ms: no end waits for a FIN that was stopped.
	both no_conn_left
done
# This one has been silent for a minute.
ends "idle, 20 s, drop, TCP" hangs

# The peer's host answers, not its program: this one does not read. It is asked
# again and again.
both sysctl -qw net.smcr.tcp_probe_ms=1000
both save late
SMCR_PORT=$LATE_PORT begin "a late reader" $SMCR $((15 * PATIENCE)) 0.5
began=$SECONDS
on server check "the firewall rejects all" rejects_all
waits_for late TcpLost 1
save asked
waits_for asked CursorUpdates 3
check "the server's program has read nothing so far" \
	test $((SECONDS - began)) -lt $late
ends "a late reader" exact
both grew late TcpUnanswered -eq 0
both grew late Aborts -eq 0
both sysctl -qw net.smcr.tcp_probe_ms=0
both no_conn_left

# open_port: let connect() choose this port alone
open_port() {
	sysctl -qw net.ipv4.ip_local_port_range="$1 $1"
}

# The connection without TCP keeps its port until it ends.
on server check "the firewall rejects" firewall reject with tcp reset
undo_later sysctl -qw \
	net.ipv4.ip_local_port_range="$(sysctl -n net.ipv4.ip_local_port_range)"
check "one port is left for connect()" open_port 42424
save port
begin "the only port" $SMCR 20 0.5 8,2,2
waits_for port TcpLost 1
line=$(timeout 60 ./firewall.py talk 0 "$SERVER4" $TCP_PORT 0 0 | tail -n 1)
check "no other connection gets the port (got $line)" \
	test "$line" = EADDRNOTAVAIL
ends "the only port" exact
both no_conn_left
wait_until "then another connection gets it" \
	./firewall.py talk 0 "$SERVER4" $TCP_PORT 0 0
check "connect() chooses again" \
	sysctl -qw net.ipv4.ip_local_port_range="32768 60999"

# The administrator ends a connection that has TCP.
on server check "the firewall forgets nothing" sysctl -qw $TIMEOUT=432000
both save killed
begin "ss -K" $SMCR 30 0.5
check "ss -K ends TCP" ss -K "dst $SERVER4 and dport = :$SMCR_PORT"
ends "ss -K" ECONNABORTED
grew killed ResetTcpRst -eq 1
grew killed TcpLost -eq 0
both no_conn_left

# It ends a connection that has lost TCP, which ss(8) does not find, by its
# number. A does the rest, also toward the end without TCP.
sysctl -qw net.smcr.tcp_probe_ms=1000
without_tcp aborted
n=$(on server errors 104)
check "ss finds no TCP connection" test -z \
	"$(ss -Htn "dst $SERVER4 and dport = :$SMCR_PORT")"
abort_conn
ends aborted ECONNABORTED
on server wait_until "the server's program gets ECONNRESET" \
	had_error 104 "$n"
grew aborted ResetOperator -eq 1
on server grew aborted ResetPeerAbort -eq 1
both no_conn_left
without_tcp peers
n=$(on server errors 103)
on server abort_conn
ends peers ECONNRESET
on server wait_until "the server's program gets ECONNABORTED" \
	had_error 103 "$n"
grew peers ResetPeerAbort -eq 1
on server grew peers ResetOperator -eq 1
both no_conn_left

# So does the loss of the link.
without_tcp dead
sysctl -qw net.smcr.tcp_probe_ms=0
both sysctl_for_now net.smcr.negative_ms 0
both fails_fast
dead 0
ends dead ECONNRESET
grew dead ResetLinkDown -eq 1
both no_conn_left
check "RoCE is back" wire clear
both patient
on server check "the firewall lets connections begin" firewall \
	reject with tcp reset
wait_until "RDMA is back" by_rdma_again

# The firewall lets no connection in, whatever carries its bytes.
on server check "the firewall rejects SYNs" rejects_syns
both save refused
for protocol in 0 "$SMCR"; do
	port=$TCP_PORT
	[ "$protocol" = 0 ] || port=$SMCR_PORT
	line=$(timeout 60 ./firewall.py talk "$protocol" "$SERVER4" "$port" 0 0 |
		tail -n 1)
	check "protocol $protocol: connect() is refused (got $line)" \
		test "$line" = ECONNREFUSED
done
on server grew refused HandshakesStarted -eq 0
both grew refused FirstContacts -eq 0
both grew refused SubsequentContacts -eq 0
on server check "the firewall rejects late segments" \
	firewall reject with tcp reset

# With net.smcr.tcp_reset_ends, the RST decides.
sysctl_for_now net.smcr.tcp_reset_ends 1
on server check "the firewall forgets after 5 s" sysctl -qw $TIMEOUT=5
both save obeyed
check "one port is left for connect()" open_port 42425
begin "TCP from the same port" 0 30 0.5
begin "tcp_reset_ends" $SMCR 30 0.5 8,2,2
ends "tcp_reset_ends" ECONNRESET
grew obeyed ResetTcpRst -eq 1
both grew obeyed TcpLost -eq 0
wait_until "the port is shared again" \
	./firewall.py talk $SMCR "$SERVER4" $SMCR_PORT 0 0
check "TCP still has it" kill -0 "${client_pid[TCP from the same port]}"
ends "TCP from the same port" exact
both no_conn_left
finish
