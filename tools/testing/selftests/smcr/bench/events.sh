# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# Count the kernel's events during a run on each host, by histogram triggers of
# its tracepoints. Sourced in a host of the bed.

TRACING=/sys/kernel/tracing/events
# tracepoint, key of its histogram, name of its total
EVENTS="sched/sched_switch:prev_prio:switches
sched/sched_wakeup:comm:wakeups
irq/irq_handler_entry:irq:interrupts
irq_vectors/local_timer_entry:vector:timer_interrupts
irq/softirq_entry:vec:softirqs
napi/napi_poll:work:polls
workqueue/workqueue_execute_start:function:works
power/cpu_idle:state:idle_changes
timer/hrtimer_start:mode:timers_set
net/net_dev_xmit:len:packets_sent"

# probes: count what a write costs instead. The first two are probes of
# Soft-RoCE, whose user posts a chain of requests with one call; the opcode of the
# first request is at offset 28 of struct ib_send_wr.
probes()
{
	local made=/sys/kernel/tracing/kprobe_events

	EVENTS="bench/post:opcode:doorbells
bench/complete:common_pid:completions
sched/sched_wakeup:comm:wakeups
net/net_dev_xmit:rc:packets"
	[ ! -e $TRACING/bench/post ] || return 0
	echo 'p:bench/post rxe_post_send opcode=+28(%si):u32' >>$made &&
		echo 'p:bench/complete rxe_cq_post' >>$made
}

# events_begin: start to count
events_begin()
{
	local event key name

	while IFS=: read -r event key name; do
		echo "hist:keys=$key" >"$TRACING/$event/trigger" || return
	done <<<"$EVENTS"
}

# events_end N: stop to count; print the events divided by N as name=value words
events_end()
{
	local event key name

	while IFS=: read -r event key name; do
		awk -v n="$1" -v name="$name" '
			/hitcount/ { total += $NF }
			/comm: ksoftirqd/ { ksoftirqd += $NF }
			/opcode: +0 / { writes += $NF }
			END {
				printf " %s=%.4f", name, total / n
				if (name == "wakeups")
					printf " ksoftirqd=%.2f", ksoftirqd / n
				if (name == "doorbells")
					printf " written=%.4f", writes / n
			}' "$TRACING/$event/hist"
		echo "!hist:keys=$key" >"$TRACING/$event/trigger"
	done <<<"$EVENTS"
}
