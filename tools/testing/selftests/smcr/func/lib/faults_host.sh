#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Commands of the fault tests for one host. The client's script runs them on
# the server through "peer".
#
# usage: faults_host.sh tune               set timers that end faults in seconds
#                       hurry              set short timers for TCP, too
#                       base               store the state for "settle"
#                       state              print what this host holds
#                       settle SECONDS     wait for the stored state, or print
#                                          what is left
#                       serve [OPTIONS]    start the server, return when it's up
#                       killed             kill the server's process
#                       served             print how the server ended
#                       running BYTES      wait for BYTES received since "tune"
#                       kernel_memory      print the unreclaimable memory in kB
#                       used_memory        the same without free objects in slabs
#                       remove             remove the device, print the time/ms
#                       nic up|gone|back   change the first network card

set -u
FUNC_DIR=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
STAT=/proc/net/smcr_stat
PORT=7600
RUN=/run/faults
slow=3
[ "${BED_KERNEL:-release}" != release ] || slow=1
mkdir -p $RUN

# value NAME: print a counter
value() {
	awk -v name="$1" '$1 == name { print $2 }' $STAT
}

# These timers bound the close of a connection whose peer is gone. With the
# defaults each fault would last minutes.
tune() {
	# No negative list: RDMA is tried again at once on a path that failed.
	# An LLC message queues behind the data of all streams.
	sysctl -qw net.smcr.negative_ms=0 \
		net.smcr.llc_timeout_ms=$((4000 * slow * slow)) \
		net.smcr.lgr_linger_ms=500 net.smcr.rmb_linger_ms=500 \
		net.smcr.test_link_interval_ms=$((2000 * slow)) \
		net.smcr.close_timeout_ms=$((8000 * slow)) \
		net.smcr.abort_timeout_ms=$((1000 * slow)) \
		net.smcr.orphan_timeout_ms=$((8000 * slow)) \
		net.ipv4.tcp_syn_retries=1 net.ipv4.tcp_orphan_retries=3 \
		net.ipv4.tcp_fin_timeout=10 \
		net.ipv6.conf.eth0.keep_addr_on_down=1
	value RxBytes >$RUN/rx
}

# After a Decline the connection depends on TCP's timers, so set these, too.
hurry() {
	sysctl -qw net.smcr.qp_timeout=$((13 + slow / 2)) \
		net.smcr.confirm_link_timeout_ms=$((2500 * slow)) \
		net.smcr.handshake_timeout_ms=$((4000 * slow)) \
		net.smcr.llc_timeout_ms=$((2000 * slow)) \
		net.ipv4.tcp_retries2=4
}

# The difference of each pair of counters is the number of live objects.
pairs() {
	awk '{ v[$1] = $2 } END {
		split("Conns:Opened:Closed Orphans:Opened:Closed " \
		      "LinkGroups::Freed Links::Freed " \
		      "Rmbs:Created:Freed Elements:Taken:Returned", p, " ")
		for (i = 1; i in p; i++) {
			split(p[i], w, ":")
			print w[1], v[w[1] w[2]] - v[w[1] w[3]]
		}
		print "Mrs", v["MrRegistrations"] - v["MrFrees"]
	}' $STAT
}

# Leave out request and TIME-WAIT sockets: TCP's own timers end them.
tcp_sockets() {
	ss -Hant "( sport = :$PORT or dport = :$PORT )" |
		grep -cvE '^(LISTEN|TIME-WAIT|SYN-RECV)'
}

serve_threads() {
	local pid

	[ -s $RUN/pid ] || return 0
	pid=$(<$RUN/pid)
	[ ! -e "/proc/$pid/status" ] ||
		awk '$1 == "Threads:" { print "served", $2 - 1 }' \
			"/proc/$pid/status"
}

state() {
	pairs
	rdma res show | awk '{ for (i = 3; i < NF; i += 2)
		if ($i ~ /^(pd|cq|qp|mr)$/) n[$i] += $(i + 1) }
		END { for (k in n) print k, n[k] }' | sort
	echo "refs $(</sys/module/smcr/refcnt)"
	echo "tcp $(tcp_sockets)"
	serve_threads
}

settle() {
	local begin=$SECONDS end=$((SECONDS + $1))

	while state >$RUN/now; ! cmp -s $RUN/base $RUN/now; do
		if [ $SECONDS -ge $end ]; then
			echo "left after $((SECONDS - begin)) s (< before, > now):"
			diff $RUN/base $RUN/now
			return 1
		fi
		sleep 0.1
	done
}

serve() {
	local line

	rm -f $RUN/status $RUN/line
	mkfifo $RUN/line
	(
		"$FUNC_DIR/io/smcr_io" smcr4 "${SERVER4:-10.9.0.1}" $PORT serve \
			"$@" >$RUN/line 2>$RUN/err &
		echo $! >$RUN/pid
		wait $!
		echo $? >$RUN/status
	) &
	exec 7<$RUN/line
	if ! read -r line <&7 || [ "$line" != serving ]; then
		cat $RUN/err
		return 1
	fi
	# Hold the pipe open until the server has written its last line.
	cat <&7 >$RUN/out &
}

killed() {
	local end=$((SECONDS + 10 * slow))

	kill -KILL "$(<$RUN/pid)"
	until [ -s $RUN/status ]; do
		[ $SECONDS -lt $end ] || return 1
		sleep 0.05
	done
}

served() {
	local end=$((SECONDS + 10 * slow))

	until [ -s $RUN/status ]; do
		if [ $SECONDS -ge $end ]; then
			echo "the server has not ended"
			return 1
		fi
		sleep 0.05
	done
	sort $RUN/err | uniq -c | sort -rn | head -n 20
	return "$(<$RUN/status)"
}

running() {
	local end=$((SECONDS + 40 * slow)) from

	from=$(<$RUN/rx)
	until [ $(($(value RxBytes) - from)) -ge "$1" ]; do
		if [ $SECONDS -ge $end ]; then
			echo "$(($(value RxBytes) - from)) bytes after 40 s"
			return 1
		fi
		sleep 0.05
	done
}

kernel_memory() {
	echo 3 >/proc/sys/vm/drop_caches
	awk '$1 == "SUnreclaim:" || $1 == "Percpu:" ||
		$1 == "VmallocUsed:" { kb += $2 } END { print kb }' \
		/proc/meminfo
}

used_memory() {
	local f

	echo 3 >/proc/sys/vm/drop_caches
	# Names of caches that share their objects are links.
	for f in /sys/kernel/slab/*; do
		[ -L "$f" ] || echo 1 >"$f/shrink"
	done
	kernel_memory
}

# Run at the highest priority, so that the time is not that of the programs
# under load.
remove() {
	local begin

	renice -n -20 $$ >/dev/null
	begin=$(date +%s%N)
	rdma link delete rxe0 || return 1
	echo $((($(date +%s%N) - begin) / 1000000))
}

# Wait until the first network card has nothing left to send.
idle() {
	local left=/sys/class/net/eth0/queues/tx-0/byte_queue_limits/inflight
	local end=$((SECONDS + 20 * slow))

	while [ -e $left ] && [ "$(<$left)" != 0 ]; do
		if [ $SECONDS -ge $end ]; then
			echo "the network card still has $(<$left) bytes to send"
			return 1
		fi
	done
}

# until_true WHAT COMMAND...: wait for success of COMMAND; print WHAT on timeout
until_true() {
	local end=$((SECONDS + 20 * slow)) said

	until said=$("${@:2}" 2>&1); do
		if [ $SECONDS -ge $end ]; then
			echo "$1: $said"
			return 1
		fi
		sleep 0.05
	done
}

# Without hotplug slots the kernel can only remove the card's PCI function.
nic() {
	local last=2 plugged=false

	[ "$BED_HOST" = client ] || last=1
	! compgen -G '/sys/bus/pci/slots/*' >/dev/null || plugged=true
	case $1 in
	gone)
		readlink -f /sys/class/net/eth0/device/.. >$RUN/pci
		idle || return
		if $plugged; then
			machine unplug "$BED_HOST" || return
		else
			echo 1 >"$(<$RUN/pci)/remove"
		fi
		until_true "the network card is still there" \
			test ! -e "$(<$RUN/pci)" ;;
	back)
		if $plugged; then
			# QEMU removes the card after the kernel has.
			until_true "the slot is not free" \
				machine plug "$BED_HOST" || return
		else
			echo 1 >/sys/bus/pci/rescan
		fi
		until_true "no network card has come" \
			test -e /sys/class/net/eth0 || return
		nic up ;;
	up)
		ip link set eth0 mtu "$BED_MTU" up
		ip addr add 10.9.0.$last/24 dev eth0 2>/dev/null
		ip addr add fd09::$last/64 dev eth0 nodad 2>/dev/null
		rdma link show rxe0/1 >/dev/null 2>&1 ||
			rdma link add rxe0 type rxe netdev eth0 ;;
	esac
}

verb=$1
shift
case $verb in
base)	state >$RUN/base ;;
tune|hurry|state|settle|serve|killed|served|running|kernel_memory|used_memory|\
remove|nic)
	"$verb" "$@" ;;
*)	sed -n '4,17s/^# \{0,1\}//p' "$0"; exit 2 ;;
esac
