# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# Count the kernel's events during round trips on each host, by histogram
# triggers of its tracepoints. Sourced in a host of the bed.

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
			END {
				printf " %s=%.2f", name, total / n
				if (name == "wakeups")
					printf " ksoftirqd=%.2f", ksoftirqd / n
			}' "$TRACING/$event/hist"
		echo "!hist:keys=$key" >"$TRACING/$event/trigger"
	done <<<"$EVENTS"
}
