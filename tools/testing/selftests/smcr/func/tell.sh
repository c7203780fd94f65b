#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# topology: pair
# fact: netlink, tracepoints and sysctls show the state to permitted users only
# rfc: 2.2.4, C.7
# nics: 1
# Netlink dumps and their permissions, namespaces, tracepoints, reports, and
# sysctl values that are refused.
# shellcheck source-path=SCRIPTDIR source=lib/lib.sh
. "$(dirname "$0")/lib/lib.sh"

kind=smcr4
conns=300
spec=$BED_TOP/Documentation/netlink/specs/smcr.yaml
trace=/sys/kernel/tracing
addresses $kind

# A file is used because a dump of all connections may be longer than a line
# that "on" can pass.
dump_conns() {
	smcr-ctl -j conn >"$SHARED/tell.conns"
}

# Compare the dumps of both hosts with the specification and with each other.
dumps_fit() {
	python3 - "$conns" "$spec" "$SHARED/tell.conns" "$tmp" <<-'END'
	import json, sys, yaml
	conns, spec, theirs, tmp = int(sys.argv[1]), *sys.argv[2:5]
	sets = yaml.safe_load(open(spec))["attribute-sets"]
	keys = {s["name"]: {a["name"] for a in s["attributes"]} for s in sets}
	(ours,) = json.load(open(tmp + "/all"))
	for kind, rows in ours.items():
	    for row in rows:
	        assert set(row) <= keys[kind], (kind, row)
	assert set(ours) == set(keys) - {"fallback", "dropped"}, ours.keys()
	assert all(r["gid"] and r["mac"] for r in ours["device"])
	mine = ours["conn"]
	assert len(mine) == conns, len(mine)
	assert len({c["conn"] for c in mine}) == conns
	groups = {g["linkgroup"]: g for g in ours["linkgroup"]}
	assert sum(g["conns"] for g in groups.values()) == conns
	links = {(x["linkgroup"], x["link"]): x for x in ours["link"]}
	for c in mine:
	    assert c["state"] == "active", c
	    assert links[c["linkgroup"], c["link"]]["state"] == "active"
	assert len(links) == sum(g["links"] for g in groups.values())
	end = lambda c, a, b: (c[a], c[a + "-port"], c[b], c[b + "-port"])
	here = {end(c, "local", "peer") for c in mine}
	there = {end(c, "peer", "local") for c in json.load(open(theirs))}
	assert here == there, here ^ there
	END
}

# Compare each counter of netlink with the one in /proc.
stats_fit() {
	diff <(smcr-ctl -d stats) "$STAT"
}

as_nobody() {
	setpriv --reuid nobody --regid nogroup --clear-groups "$@"
}

nobody_learns_no_identity() {
	as_nobody smcr-ctl -j -d >"$tmp/nobody" &&
		grep -q '"linkgroup":' "$tmp/nobody" &&
		! grep -E '"(peer-)?(gid|mac|qpn|id)":' "$tmp/nobody"
}

elsewhere() {
	unshare -n "$@"
}

elsewhere_is_empty() {
	[ "$(elsewhere smcr-ctl -j conn)" = "[]" ] &&
		[ "$(elsewhere smcr-ctl -j linkgroup)" = "[]" ] &&
		[ "$(elsewhere smcr-ctl stats | wc -l)" = 0 ]
}

elsewhere_has_its_own_sysctls() {
	elsewhere sh -c 'sysctl -qw net.smcr.loopback=1' &&
		[ "$(sysctl -n net.smcr.loopback)" = 0 ]
}

fails_with() {
	local status=$1 words=$2 out rc

	shift 2
	out=$("$@" 2>&1)
	rc=$?
	[ "$rc" = "$status" ] && grep -q -- "$words" <<<"$out" && return
	echo "status $rc: $out"
	return 1
}

limits_stay() {
	unshare -Urn sh -c 'echo 7 > /proc/sys/net/smcr/max_lgrs' 2>/dev/null
	unshare -Urn sh -c 'echo 20000 > /proc/sys/net/smcr/rmem'
	[ "$(unshare -Urn cat /proc/sys/net/smcr/max_lgrs)" != 7 ]
}

# Queue pair timeout + 3 RTO < CONFIRM LINK timeout, and the server's CONFIRM
# LINK timeout < handshake timeout
timers_keep_their_order() {
	local ms

	ms=$(sysctl -n net.smcr.confirm_link_timeout_ms)
	! sysctl -qw net.smcr.confirm_link_timeout_ms=100 2>/dev/null &&
		! sysctl -qw net.smcr.qp_timeout=21 2>/dev/null &&
		dmesg | grep -q 'confirm_link_timeout_ms must be above' &&
		! sysctl -qw net.smcr.handshake_timeout_ms=$((ms * 3 / 2)) \
			2>/dev/null &&
		dmesg | grep -q 'handshake_timeout_ms must be above'
}

report() {
	smcr-ctl report "$@" >"$tmp/report"
}

# in_report LINE...: true if the report has each of these lines (basic regular
# expressions)
in_report() {
	local line

	for line in "$@"; do
		grep -qx -- "$line" "$tmp/report" && continue
		cat "$tmp/report"
		echo "no line \"$line\""
		return 1
	done
}

# section TITLE: print the lines of a section
section() {
	sed -n "/^== $1\$/,/^\$/p" "$tmp/report"
}

report_is_whole() {
	report &&
		in_report '== System' '== Modules' '== RDMA core' \
			'== Settings (net.smcr)' '== Devices' '== Link groups' \
			'== Links' '== Connections' '== Negative list' \
			'== Counters' '== Kernel log' &&
		in_report "kernel $(uname -r)" 'smcr loaded' \
			'rdma-device rxe0 ports 1 .*' \
			'rdma-port rxe0/1 state active .*' \
			"rmem $(sysctl -n net.smcr.rmem)" \
			'device rxe0/1 state active .* gid [^ ]* mac [^ ]* .*' \
			"linkgroup [0-9]* role client .* peer-id [0-9a-f]* .*" \
			'.* smcr: with .*handshake_timeout_ms must be .*' \
			"($conns: $conns active; only the first 50 are listed)" &&
		[ "$(section Connections | grep -c '^conn ')" = 50 ]
}

# The RDMA core shows root the keys of the group's memory regions. An MTU, an
# age or a number of connections may equal a key by chance.
report_has_no_rkey() {
	local key

	rdma -d resource show mr >"$tmp/mrs"
	grep -oE 'rkey 0x[0-9a-f]+' "$tmp/mrs" | while read -r _ key; do
		printf '%d\n0x%x\n%08x\n' "$key" "$key" "$key"
	done >"$tmp/rkeys"
	[ -s "$tmp/rkeys" ] || { cat "$tmp/mrs"; return 1; }
	! { section 'Link groups'; section Links; } |
		sed 's/ \(mtu\|conns\|[a-z-]*age-ms\) [0-9]*//g' | tr ' ' '\n' |
		grep -xiFf "$tmp/rkeys"
}

report_is_anonymous() {
	report --anonymous &&
		in_report "(.*only the first 50 are listed)" \
			'.* local address-[0-9]*:[0-9]* .*' '.* mac mac-1 .*' &&
		! grep -E '10\.9\.0\.|fd09:|([0-9a-f]{2}:){5}' "$tmp/report"
}

nobody_may_report() {
	as_nobody smcr-ctl report >"$tmp/report" &&
		in_report '(not read: Operation not permitted)' \
			'(GIDs, MACs and peer IDs need CAP_NET_ADMIN)' 'root no' &&
		! grep -q 'peer-id' "$tmp/report"
}

traced() {
	grep -q "smcr_$1: .*$2" "$trace/trace"
}

client_leads

on server serve $kind "$SERVER"
save begin
mountpoint -q $trace || mount -t tracefs tracefs $trace
undo_later sh -c "echo 0 >$trace/events/smcr/enable"
echo 1 >$trace/events/smcr/enable
hold $kind "$SERVER" $conns
smcr-ctl -j -d >"$tmp/all"
on server dump_conns
check "dumps of $conns connections are whole and as specified" dumps_fit
check "counters of netlink and of /proc agree" stats_fit
check "nothing identifies hosts without CAP_NET_ADMIN" nobody_learns_no_identity
check "another namespace sees no connection or counter" elsewhere_is_empty
check "another namespace has its own sysctls" elsewhere_has_its_own_sysctls
check "a user namespace cannot raise limits" limits_stay
check "an unknown link group is refused with a message" \
	fails_with 1 "no link group has this number" \
	smcr-ctl conn show linkgroup 4000000000
check "a filter finds one connection" \
	test "$(smcr-ctl conn show state active \
		local "$(smcr-ctl conn | sed -n 's/.* local \([^ ]*\) .*/\1/p;q')" |
		wc -l)" = 1
check "a wrong word is refused" \
	fails_with 2 '"foo" is unknown' smcr-ctl conn show foo 1
check "timers in a wrong order are refused" timers_keep_their_order
check "a report has each section" report_is_whole
check "a report contains no memory key of a group" report_has_no_rkey
check "an anonymous report contains no address" report_is_anonymous
sysctl_for_now kernel.dmesg_restrict 1
check "a report without privileges says what is missing" nobody_may_report
released "the connections carried their bytes meanwhile"
io_check "end of the server" $kind "$SERVER" quit
on server served
both no_conn_left
echo 0 >$trace/events/smcr/enable
check "trace: handshake" traced handshake "role=client step=confirm"
check "trace: group" traced lgr_state "forming --ready--> active"
check "trace: link" traced link_state "ready --confirmed--> active"
check "trace: LLC" traced llc_rx "CONFIRM LINK request"
check "trace: connection" traced conn_state "init --established--> active"
check "trace: CDC sent" traced cdc_tx "prod=[1-9]"
check "trace: CDC received" traced cdc_rx "cons=[1-9]"
by_rdma begin 300 300
finish
