# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash source-path=SCRIPTDIR source=lib.sh
# For tests in which a link between smcr and Linux's own SMC-R ends under
# streams. Each host has two adapters. Source this after linux_lib.sh, above
# client_leads.
# shellcheck disable=SC2154 # what lib.sh and the test set

kind=smcr4
addresses $kind
streams=(many -n 16 -u 12m -d 12m -a)
# The fact and command that end the fault of "run", or nothing
repair=()

# has_links N: true if the link groups of this host have N active links
has_links() {
	[ "$(smcr-ctl link show state active | wc -l)" = "$1" ]
}

# linux_has_links N: true if Linux's link groups have N links
linux_has_links() {
	[ "$(linux_value Links)" = "$1" ]
}

# flows: true if all streams have begun since "save flow", and 1 MB has arrived.
# None should have ended in a direction yet: Linux does not move a connection that
# is half-closed, so it may stand still until smcr_io's time limit.
flows() {
	[ "$(delta flow HandshakesDone)" -ge 16 ] &&
		[ "$(delta flow RxBytes)" -ge 1000000 ]
}

moved() {
	[ "$(delta flow ConnsMoved)" -gt 0 ]
}

# all_open: true if all 16 streams, and what "hold" holds, are open both ways
all_open() {
	[ "$(smcr-ctl conn show state active | wc -l)" = 18 ]
}

# settings: the first connection uses RDMA, an unused group ends soon, and a lost
# link is replaced soon. On one link, 16 streams of emulated hosts can keep LLC
# messages waiting for longer than 2 s.
settings() {
	sysctl_for_now net.smcr.gid_kind 2
	sysctl_for_now net.smcr.llc_timeout_ms 10000
	sysctl_for_now net.smcr.link_retry_max_ms 4000
	sysctl_for_now net.smcr.lgr_linger_ms 300
	sysctl_for_now net.smcr.negative_ms 0
	undo_later wire clear
}

# begin ROLE: make a group of two links with two idle connections, with smcr in
# this role
begin() {
	over=false
	save load
	on server linux save load
	if [ "$1" = client ]; then
		on server serve $kind "$SERVER"
		hold $kind "$SERVER" 2
	else
		serve $kind "$CLIENT"
		on server hold $kind "$CLIENT" 2
	fi
	wait_until "smcr, the $1, has two links" has_links 2
	on server wait_until "Linux has two links" linux_has_links 2
}

# repaired: end the fault when the streams have ended, or after 25 s. When
# Soft-RoCE destroys a queue pair, it waits for packets in the queue of a port that
# is down; after 50 s it warns, and the host panics.
repaired() {
	local end=$((SECONDS + 25))

	until [ "$(smcr-ctl conn show | wc -l)" -le 2 ]; do
		[ $SECONDS -lt $end ] || break
		sleep 0.05
	done
	check "${repair[@]}"
}

# rejected: print how often a Soft-RoCE adapter at eth0 of this host has ended a
# queue pair, because the other adapter has rejected a request as invalid. Under
# load Soft-RoCE does that to writes that it repeats.
rejected() {
	dmesg | grep -c 'rxe0: .*make_send_cqe: non-flush error status = 9'
}

# blame: check that the group, which has ended, was ended by Linux or by the
# adapters of the link that was left
blame() {
	local all here there

	all=$(delta flow ResetGroupDeleted)
	here=$(($(rejected) - rejected_here))
	there=$(($(on server rejected) - rejected_there))
	echo "# reset by Linux's DELETE LINK (all): $all;" \
		"rejected by adapters: $here here, $there at Linux's end;" \
		"LLC messages not answered: $(delta flow LlcTimeouts)"
	check "Linux or its adapter has ended the group" \
		test $((all + here + there)) -gt 0
}

# cut_streams COMMAND...: run smcr_io at Linux's end. It shows an end of file
# where a stream was cut short, so a byte is missing only if another one is in
# its place.
cut_streams() {
	local rc=0

	"$@" >"$tmp/cut" 2>&1 || rc=$?
	cat "$tmp/cut"
	! grep -qE 'expected|after the last' "$tmp/cut" || return "$WRONG_BYTES"
	[ $rc -ne "$WRONG_BYTES" ] || rc=1
	return $rc
}

# cut_short STATUS: say it if a program at Linux's end has failed, and fail only
# if a byte is wrong; for "check"
cut_short() {
	[ "$1" -eq 0 ] || echo "at Linux's end streams are cut short"
	right_bytes "$1"
}

# run ROLE FACT COMMAND...: make this happen to a link under the streams. Sets
# "whole" to true if no stream had ended in a direction when its connection moved,
# and "over" to true if the group ended: then the idle connections were reset, too
run() {
	local rc=0 rejected_here rejected_there

	save flow
	rejected_here=$(rejected)
	rejected_there=$(on server rejected)
	if [ "$1" = client ]; then
		io $kind "$SERVER" "${streams[@]}" >"$tmp/load.out" 2>&1 &
		jobs_started+=($!)
	else
		start server cut_streams io $kind "$CLIENT" "${streams[@]}"
	fi
	# They occupy the processor, and the fault shall not come after them.
	renice -n -20 $$ >/dev/null
	wait_until "the streams flow" flows
	check "$2" "${@:3}"
	wait_until "connections move to the other link" moved
	renice -n 0 $$ >/dev/null
	whole=false
	! all_open || whole=true
	[ ${#repair[@]} = 0 ] || repaired
	if [ "$1" = client ]; then
		wait "${jobs_started[-1]}" || rc=$?
		sed 's/^/# /' "$tmp/load.out"
		check "here the streams are exact or end with an errno" \
			exits $rc
	else
		join server
		check "at Linux's end no byte is wrong" cut_short $?
	fi
	over=false
	[ "$(delta flow Aborts)" -le 16 ] || over=true
	echo "# all streams were open: $whole; the group ended: $over;" \
		"reset here: $(delta flow Aborts)"
	! $over || blame
}

# exact: check that the streams of "run" were exact. Those that were half-closed
# when their link ended may have been reset, and so may all of a group that has
# ended: then the run shows nothing. Sets "shown" if it does.
exact() {
	if ! $whole || $over; then
		echo "# SKIP exact: all streams were open: $whole;" \
			"the group ended: $over"
		return
	fi
	# shellcheck disable=SC2034 # the test reads it
	shown=true
	grew flow Aborts -eq 0
}

# again: wait for the second link. It may be asymmetric: Linux does not try again
# to replace such a link if it was busy when its port came up
again() {
	! $over || return 0
	wait_until "smcr has two links again" has_links 2
	on server wait_until "Linux has two links again" linux_has_links 2
}

# read_whole: check that the server here has read bytes in their places, or resets
read_whole() {
	program_ended serve
	check "here the streams are exact or end with an errno" right_bytes $?
}

# linux_read: check that the server at Linux's end has read no wrong byte
linux_read() {
	on server cut_streams program_ended serve
	check "no byte is wrong at the end of Linux's server" cut_short $?
}

# forget: let go of the idle connections, which were reset
forget() {
	exec 5>&-
	wait "$hold_pid"
	exec 6<&-
}

# end_lost ROLE: end what is left of a group that ended under the streams
end_lost() {
	if [ "$1" = client ]; then
		io_check "end of the server" $kind "$SERVER" quit
		forget
		linux_read
	else
		from_linux "end of the server" quit
		on server forget
		read_whole
	fi
	show_deltas load | grep -E 'Moved|Reset|Validation|Fallback[A-Z]'
	grew load BadCdc -eq 0
	grew load BadLlc -eq 0
	no_conn_left
	no_group_left
}

# end ROLE [COUNT]: end the connections and the group. Linux has had COUNT
# connections, 19 if there were streams
end() {
	if $over; then
		end_lost "$1"
		return
	fi
	if [ "$1" = client ]; then
		io_check "end of the server" $kind "$SERVER" quit
		released "the idle connections go on"
		linux_read
		on server linux_served load Server "${2:-19}"
	else
		from_linux "end of the server" quit
		on server released "the idle connections go on"
		served
		on server linux_served load Client "${2:-19}"
	fi
	show_deltas load | grep -E 'Moved|Reset|Validation|Fallback[A-Z]'
	grew load BadCdc -eq 0
	grew load BadLlc -eq 0
	grew load FirstContacts -eq 1
	grew load LinksFailed -ge 1
	grew load LinksAdded -ge 2
	no_fallback load
	no_conn_left
	no_group_left
}
