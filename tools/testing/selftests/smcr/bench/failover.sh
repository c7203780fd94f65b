#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Measure how long a stream stands still when its link fails: from its last byte
# over the lost link to its first byte over the other one. Two hosts with two
# adapters each, on rails. In each round each kind of fault hits the link that
# carries the stream, and the link is replaced.
#
# usage: failover.sh [ROUNDS]
# shellcheck source-path=SCRIPTDIR source=lib.sh disable=SC2317
. "$(dirname "$0")/lib.sh"

# ask COMMAND: print the receiver's answer
ask()
{
	local line

	echo "$1" >&7
	read -rt 10 line <&8 && echo "$line"
}

receiver_begin()
{
	local fifo line

	fifo=$(mktemp -u)
	mkfifo "$fifo.in" "$fifo.out"
	"$BENCH/gap.py" receive $SERVER 7990 <"$fifo.in" >"$fifo.out" &
	children+=($!)
	exec 7>"$fifo.in" 8<"$fifo.out"
	rm "$fifo.in" "$fifo.out"
	read -r line <&8
	[ "$line" = receiving ]
}

# wait_for COMMAND...: wait at most 20 s (LIMIT) until the command succeeds. A
# fault must not last longer: when Soft-RoCE destroys a queue pair, it waits for
# the pair's packets, which may be stuck in the queue of a port that is down;
# after 50 s it warns, and the host panics.
wait_for()
{
	local deadline=$((SECONDS + ${LIMIT:-20}))

	until "$@"; do
		[ $SECONDS -lt $deadline ] || return
		sleep 0.05
	done
}

# links HOST: print the number of links in use there
links()
{
	on "$1" "smcr-ctl link show state active" | wc -l
}

on()
{
	if [ "$1" = server ]; then
		peer "$2"
	else
		eval "$2"
	fi
}

both_links()
{
	[ "$(links client)" = 2 ] && [ "$(links server)" = 2 ]
}

# used_nic: print the number of the adapter over which the server writes
used_nic()
{
	local num

	num=$(peer "smcr-ctl conn show" | sed 's/.* link \([0-9]*\) .*/\1/')
	peer "smcr-ctl link show link $num" | sed 's|.* device rxe\([0-9]*\)/.*|\1|'
}

left()
{
	[ "$(used_nic)" != "$1" ]
}

flows()
{
	[ "$(ask since)" -lt 30000 ]
}

# The faults, and what ends them. The server sends, so its end of the link is
# the one that has to notice.
begin_none() { sleep 1; }
end_none() { :; }
begin_removed() { peer "rdma link delete rxe$1"; }
end_removed() { peer "rdma link add rxe$1 type rxe netdev eth$1"; }
begin_qp_error() { peer "insmod /share/qperr.ko device=rxe$1 && rmmod qperr"; }
end_qp_error() { :; }
begin_port_down() { peer "ip link set eth$1 down"; }
end_port_down() { peer "ip link set eth$1 up"; }
begin_peer_port_down() { ip link set "eth$1" down; }
end_peer_port_down() { ip link set "eth$1" up; }
begin_silent()
{
	peer "$BENCH/noticed.sh begin"
	wire fault "server$1" "client$1" cut 1 only roce &&
		wire fault "client$1" "server$1" cut 1 only roce
}
end_silent() { wire clear; }

# retry_us: print the time in which a queue pair retries
retry_us()
{
	echo $(((4096 << $(sysctl -n net.smcr.qp_timeout)) *
		($(sysctl -n net.smcr.qp_retry) + 1) / 1000))
}

# moved FAULT NIC: wait until the stream flows again, over another adapter
moved()
{
	[ "$1" = none ] || wait_for left "$2" || return
	# The first byte over the other link may still be under way
	sleep 0.3
	wait_for flows
}

# measured ROUND FAULT: print a sample
measured()
{
	local nic gap='' noticed=''

	LIMIT=60 wait_for both_links && wait_for flows || return
	nic=$(used_nic)
	ask mark >/dev/null
	"begin_$2" "$nic" || return
	moved "$2" "$nic" && gap=$(ask gap)
	"end_$2" "$nic" || return
	[ "$2" != silent ] || noticed=$(peer "$BENCH/noticed.sh end")
	# The stream waited for the end of the fault
	[ -n "$gap" ] || { wait_for flows && gap=$(ask gap); } || return
	echo "sample $1 smcr failover:$2 us=$gap retry_us=$(retry_us)$noticed"
}

# counted HOST: print a sample of the module's own count
counted()
{
	echo "sample 0 smcr failover-count:$1$(on "$1" \
		"grep ^Failover $STAT" | words)"
}

sysctl -qw net.smcr.negative_ms=0
barrier bench.ready && receiver_begin || exit 1
for ((round = 1; round <= ${1:-15}; round++)); do
	for fault in none removed qp_error port_down peer_port_down silent; do
		measured $round $fault && continue
		echo "failed $round smcr $fault"
		ask since >/dev/null || exit 1
	done
done
counted client
counted server
exit 0
