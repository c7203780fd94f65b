#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Trace how a host with one busy connection loses the link of that connection.
#
# usage: noticed.sh begin
#        noticed.sh end
# "end" prints noticed_us=, from the last completion of the link until it failed,
# and moved_us=, from then until the first message over another link. Other noise
# than that of these two steps is not in them.

TRACING=/sys/kernel/tracing

begin()
{
	mountpoint -q $TRACING || mount -t tracefs none $TRACING || return
	cd $TRACING || return
	echo 0 >tracing_on
	if [ ! -e events/noticed ]; then
		# shellcheck disable=SC2016 # the kernel expands $arg1
		{
			echo 'p:noticed/post smcr:smcr_wr_post link=$arg1'
			echo 'p:noticed/done smcr:smcr_wr_send_done cq=$arg1'
		} >kprobe_events
	fi
	echo 1 >events/noticed/enable
	echo 1 >events/smcr/smcr_link_state/enable
	echo >trace
	echo 1 >tracing_on
}

end()
{
	cd $TRACING || return
	echo 0 >tracing_on
	awk 'match($0, /[0-9]+\.[0-9]+: (post|done|smcr_link_state): /) {
			at = substr($0, RSTART) + 0
			what = substr($0, RSTART, RLENGTH)
		}
		what ~ /post/ && failed && $NF != link {
			printf " noticed_us=%d moved_us=%d",
				(failed - done[cq]) * 1e6, (at - failed) * 1e6
			exit
		}
		what ~ /post/ && !failed { link = $NF }
		what ~ /done/ && !failed {
			done[$NF] = at
			if (++n[$NF] > n[cq])
				cq = $NF
		}
		what ~ /state/ && /--fail-->/ && !failed { failed = at }' trace
}

"$1"
