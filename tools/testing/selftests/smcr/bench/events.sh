# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# What the clock of a round trip sees: the kernel's events while round trips
# run, counted by histogram triggers of its tracepoints on each host. To be
# sourced in a host of the bed.

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

# events_begin: count from here on
events_begin()
{
	local event key name

	while IFS=: read -r event key name; do
		echo "hist:keys=$key" >"$TRACING/$event/trigger" || return
	done <<<"$EVENTS"
}

# events_end N: events by the N-th part, as name=value words
events_end()
{
	local event key name

	while IFS=: read -r event key name; do
		awk -v n="$1" -v name="$name" '
			/hitcount/ { total += $NF }
			/comm: ksoftirqd/ { ksoftirqd += $NF }
			END {
				printf " %s=%.2f", name, total / n
				if (name == "wakeups")
					printf " ksoftirqd=%.2f", ksoftirqd / n
			}' "$TRACING/$event/hist"
		echo "!hist:keys=$key" >"$TRACING/$event/trigger"
	done <<<"$EVENTS"
}
