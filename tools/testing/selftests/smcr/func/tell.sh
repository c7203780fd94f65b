#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# topology: pair
# kernel: turns more
# nics: 1
# What is told: netlink dumps, who may see what, namespaces, tracepoints,
# sysctls that are refused.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"

kind=smcr4
conns=300
spec=$BED_TOP/Documentation/netlink/specs/smcr.yaml
trace=/sys/kernel/tracing
addresses $kind

# shellcheck disable=SC2317 # called through check
{
# The dumps of both hosts against the specification and each other
dumps_fit() {
	python3 - "$conns" "$spec" "$SHARED/tell.server.conns" "$tmp" <<-'END'
	import json, sys, yaml
	conns, spec, theirs, tmp = int(sys.argv[1]), *sys.argv[2:5]
	sets = yaml.safe_load(open(spec))["attribute-sets"]
	keys = {s["name"]: {a["name"] for a in s["attributes"]} for s in sets}
	(ours,) = json.load(open(tmp + "/all"))
	for kind, rows in ours.items():
	    for row in rows:
	        assert set(row) <= keys[kind], (kind, row)
	assert set(ours) == set(keys), ours.keys()
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

# Each counter by netlink is the one in proc
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

# Queue pair time + 3 RTO < CONFIRM LINK timer; the server's < handshake's
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

traced() {
	grep -q "smcr_$1: .*$2" "$trace/trace"
}
}

together ready
save begin
mountpoint -q $trace || mount -t tracefs tracefs $trace
undo_later sh -c "echo 0 >$trace/events/smcr/enable"
echo 1 >$trace/events/smcr/enable
hold $kind "$SERVER" $conns
together held
smcr-ctl -j -d >"$tmp/all"
together told
check "dumps of $conns connections are whole and as specified" dumps_fit
check "counters by netlink and by proc are the same" stats_fit
check "without CAP_NET_ADMIN nothing identifies hosts" nobody_learns_no_identity
check "another namespace sees none of it" elsewhere_is_empty
check "another namespace has its own sysctls" elsewhere_has_its_own_sysctls
check "a user namespace cannot raise limits" limits_stay
check "an unknown link group is refused with words" \
	fails_with 1 "no link group has this number" \
	smcr-ctl conn show linkgroup 4000000000
check "a filter finds one connection" \
	test "$(smcr-ctl conn show state active \
		local "$(smcr-ctl conn | sed -n 's/.* local \([^ ]*\) .*/\1/p;q')" |
		wc -l)" = 1
check "a wrong word is refused" \
	fails_with 2 '"foo" is unknown' smcr-ctl conn show foo 1
check "timers that cannot work are refused" timers_keep_their_order
released "the connections carried their bytes meanwhile"
io_check "end of the server" $kind "$SERVER" quit
no_conn_left
echo 0 >$trace/events/smcr/enable
check "trace: handshake" traced handshake "role=client step=confirm"
check "trace: group" traced lgr_state "forming --ready--> active"
check "trace: link" traced link_state "ready --confirmed--> active"
check "trace: LLC" traced llc_rx "CONFIRM LINK request"
check "trace: connection" traced conn_state "init --established--> active"
check "trace: CDC sent" traced cdc_tx "prod=[1-9]"
check "trace: CDC received" traced cdc_rx "cons=[1-9]"
by_rdma begin 300 300
together end
finish
