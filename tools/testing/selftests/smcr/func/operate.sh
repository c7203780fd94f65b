#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# topology: pair
# fact: smcr-ctl and the log say why links and groups come and go
# rfc: 2.2.4, 3.5.4, 3.5.5.1.3, 3.5.5.1.4, A.3.4, C.8
# kernel: turns roce
# nics: 2
# timeout: 120
# Two adapters on each host, one segment: what an administrator sees of a link
# that is lost and replaced.
# shellcheck source-path=SCRIPTDIR source=lib/lib.sh
. "$(dirname "$0")/lib/lib.sh"

kind=smcr4
addresses $kind
interval=$(sysctl -n net.smcr.test_link_interval_ms)
timeout=$(sysctl -n net.smcr.llc_timeout_ms)

# fails_fast: a link that gets no answer fails after about a second. An emulator
# under load is as slow to answer, so this holds only while a path is cut.
fails_fast() {
	sysctl -qw net.smcr.test_link_interval_ms=$((500 * SLOW)) \
		net.smcr.llc_timeout_ms=$((1500 * SLOW))
}

# patient: undo fails_fast
patient() {
	sysctl -qw "net.smcr.test_link_interval_ms=$interval" \
		"net.smcr.llc_timeout_ms=$timeout"
}

# shows OBJECT KEY=VALUE...: true if a row of the object has all these values,
# each a pattern; for wait_until and check
shows() {
	smcr-ctl -j "$1" show | python3 -c '
import json, re, sys
rows = json.load(sys.stdin)
want = [w.split("=", 1) for w in sys.argv[1:]]
fits = lambda r: all(re.fullmatch(v, str(r.get(k))) for k, v in want)
if not any(map(fits, rows)):
    sys.exit(f"no such row in {rows}")
' "${@:2}"
}

# ages_fit: the group is older than its last link, and both are younger than
# this test
ages_fit() {
	smcr-ctl -j linkgroup show | python3 -c '
import json, sys
(group,) = json.load(sys.stdin)
print(group)
assert group["last-link-age-ms"] <= group["age-ms"] <= 1000 * int(sys.argv[1])
' $((SECONDS + 1))
}

# logged WORDS: true if the kernel log of this boot has a line like this since
# the test began
logged() {
	dmesg | sed "1,/$mark/d" | grep -q -- "$1"
}

mark_log() {
	mark="operate begins $$"
	echo "$mark" >/dev/kmsg
}

# dead NIC: no RDMA packet reaches the other host through this NIC
dead() {
	check "RoCE of NIC $1 is cut" \
		wire fault "server$1" "client$1" cut 1 only roce
	check "RoCE of NIC $1 is cut the other way" \
		wire fault "client$1" "server$1" cut 1 only roce
}

client_leads

undo_later wire clear
both undo_later patient
both mark_log
both save begin
on server serve $kind "$SERVER" -a
io_check "a first contact" $kind "$SERVER" seq -n 1
both wait_until "the group is ready, and a link was added to the first one" \
	shows linkgroup state=active reason=ready last-link=2 \
	last-link-reason=added
both check "the first link says so" shows link link=1 reason=first-contact
both check "the second link says so" shows link link=2 reason=added
both check "ages fit" ages_fit

both fails_fast
dead 1
both wait_until "the second link is lost" grew_to begin LinksFailed 1
both wait_until "the group knows why" \
	shows linkgroup last-link=2 "last-link-reason=no-answer|peer-deleted"
both check "the log says which link, why, what carries on and what to check" \
	logged 'link 2 (rxe1/1) is lost, reason [a-z-]*; link 1 (rxe0/1) carries on. [A-Z]'
check "RoCE is back" wire clear
both wait_until "another link replaces it" \
	shows link link='[3-9]' state=active reason=replacement
both check "the log says so" logged 'link [3-9] (rxe1/1) replaces a lost link'
both check "the group says so" \
	shows linkgroup last-link='[3-9]' last-link-reason=replacement
both patient
both no_conn_left
finish
