#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# topology: pair
# fact: Connections with Linux's AF_SMC move to another link, or get an errno
# rfc: 3.5.4, 4.6
# kernel: release
# release: turns linux
# nics: 2
# peer: linux
# timeout: 180
# The server host runs the distribution's own SMC-R, and each host has two
# adapters. One of two links ends under 16 streams, because a port here or there
# goes down: smcr or Linux deletes the link. At this end the streams are exact
# or end with an errno. How they end at Linux's end is shown, not checked.
# shellcheck source-path=SCRIPTDIR source=lib/lib.sh
. "$(dirname "$0")/lib/lib.sh"
# shellcheck source-path=SCRIPTDIR source=lib/linux_lib.sh
. "$FUNC_DIR/lib/linux_lib.sh"

kind=smcr4
addresses $kind
streams=(many -n 16 -u 6m -d 6m -a)

# has_links N: true if the link groups of this host have N active links
has_links() {
	[ "$(smcr-ctl link show state active | wc -l)" = "$1" ]
}

# flows NAME: true if 8 MB have arrived since "save NAME"
flows() {
	[ "$(delta "$1" RxBytes)" -ge 8000000 ]
}

moved() {
	[ "$(delta load ConnsMoved)" -gt 0 ]
}

port_here() {
	ip link set eth1 "$1"
}

port_there() {
	peer ip link set eth1 "$1"
}

# begin ROLE: make a group of two links, with smcr in this role
begin() {
	save load
	if [ "$1" = client ]; then
		on server serve $kind "$SERVER"
		io_check "a stream, smcr is client" $kind "$SERVER" stream
	else
		serve $kind "$CLIENT"
		from_linux "a stream, smcr is server" stream
	fi
	wait_until "the group has two links" has_links 2
}

# run ROLE FACT COMMAND...: make this happen to a link under the streams
run() {
	local rc=0

	if [ "$1" = client ]; then
		io $kind "$SERVER" "${streams[@]}" >"$tmp/load.out" 2>&1 &
		jobs_started+=($!)
	else
		start server io $kind "$CLIENT" "${streams[@]}"
	fi
	wait_until "the streams flow" flows load
	check "$2" "${@:3}"
	wait_until "connections move to the other link" moved
	if [ "$1" = client ]; then
		wait "${jobs_started[-1]}" || rc=$?
		sed 's/^/# /' "$tmp/load.out"
		check "here the streams are exact or end with an errno" \
			test $rc -eq 0
	else
		join server || echo "# at Linux's end streams are cut short"
	fi
}

# end ROLE: end the server and the group
end() {
	if [ "$1" = client ]; then
		io_check "end of the server" $kind "$SERVER" quit
		on server program_ended serve ||
			echo "# at Linux's end streams are cut short"
	else
		from_linux "end of the server" quit
		served
	fi
	show_deltas load | grep -E 'Moved|Reset|Validation|Fallback[A-Z]'
	grew load BadCdc -eq 0
	grew load BadLlc -eq 0
	grew load LinksFailed -ge 1
	no_conn_left
	no_group_left
}

client_leads

sysctl_for_now net.smcr.gid_kind 2
sysctl_for_now net.smcr.lgr_linger_ms 300
sysctl_for_now net.smcr.negative_ms 0
for role in client server; do
	begin $role
	run $role "a port of this host goes down" port_here down
	check "the port is up" port_here up
	end $role
done
begin client
run client "a port of Linux's host goes down" port_there down
check "the port is up" port_there up
end client
finish
