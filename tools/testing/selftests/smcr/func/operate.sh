#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# topology: pair
# fact: smcr-ctl and the log tell why links and groups end; smcr-ctl ends them
# rfc: 2.2.4, 3.5.4, 3.5.5.1.3, 3.5.5.1.4, A.3.4, C.8
# nics: 2
# timeout: 180
# Two adapters on each host, one segment: what an administrator sees of a link
# that is lost and replaced, the deletion of links and groups, and notifications
# of all that.
# shellcheck source-path=SCRIPTDIR source=lib/lib.sh
. "$(dirname "$0")/lib/lib.sh"
# shellcheck source=lib/link_lib.sh
. "$(dirname "$0")/lib/link_lib.sh"

kind=smcr4
addresses $kind

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

# ages_fit: the states of the group and of its last link are not older than this
# test
ages_fit() {
	smcr-ctl -j linkgroup show | python3 -c '
import json, sys
(group,) = json.load(sys.stdin)
print(group)
assert 0 <= group["last-link-age-ms"] <= 1000 * int(sys.argv[1])
assert 0 <= group["age-ms"] <= 1000 * int(sys.argv[1])
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

# refused WORDS COMMAND...: true if the command fails with a message like this
refused() {
	local out

	out=$("${@:2}" 2>&1) && return 1
	echo "$out"
	grep -q -- "$1" <<<"$out"
}

# second_link: print the number of the link in use on rxe1
second_link() {
	smcr-ctl link show state active device rxe1/1 |
		sed -n 's/.* link \([0-9]*\) .*/\1/p'
}

# delete_link N: as an administrator
delete_link() {
	check "link $1 can be deleted here" smcr-ctl link del "$1"
	wait_until "the link ends, and the log says that smcr-ctl deleted it" \
		logged "link $1 (rxe1/1) is lost, reason operator; link 1 (rxe0/1) carries on"
}

# end_group: as an administrator
end_group() {
	check "the group can be terminated here" smcr-ctl linkgroup terminate \
		"$(smcr-ctl linkgroup | sed 's/linkgroup \([0-9]*\) .*/\1/')"
	wait_until "the group is gone" no_group
}

# abort_conns: as an administrator
abort_conns() {
	local num

	for num in $(smcr-ctl conn show state active |
		sed 's/conn \([0-9]*\) .*/\1/'); do
		check "connection $num can be ended here" \
			smcr-ctl conn abort "$num"
	done
}

# a_conn: print the number of a connection of this host
a_conn() {
	smcr-ctl conn show state active | sed -n '1s/conn \([0-9]*\) .*/\1/p'
}

no_group() {
	[ -z "$(smcr-ctl linkgroup)" ]
}

# fall_back N: open N connections to this host itself, which fall back to TCP
fall_back() {
	python3 -c '
import socket, sys
for _ in range(int(sys.argv[1])):
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM, 257) as s:
        s.connect_ex(("127.0.0.1", 9))
' "$1"
}

# told EVENT [KEY=VALUE...]: print how many such notifications have come
told() {
	python3 -c '
import json, re, sys
want = [w.split("=", 1) for w in sys.argv[2:]]
n = 0
for line in open(sys.argv[1]):
    event = json.loads(line)
    if all(re.fullmatch(v, str(event.get(k))) for k, v in want):
        n += event.get("count", 1) if event["event"] == "dropped" else 1
print(n)
' "$tmp/events" "event=$1" "${@:2}"
}

# was_told EVENT [KEY=VALUE...]: for wait_until and check
was_told() {
	[ "$(told "$@")" -gt 0 ]
}

# hears: cause a notification; true if one has come
hears() {
	fall_back 1
	was_told fallback reason=local-addr
}

# all_told N: true if N fallbacks were told or counted since "save storm"
all_told() {
	local n=$(($(told fallback) + $(told dropped monitor=fallback)))

	echo "$n - $before"
	[ $((n - before)) = "$1" ]
}

# told_in_order: the life of the groups, as the client saw it
told_in_order() {
	python3 - "$tmp/events" <<-'END'
	import json, sys
	got = [json.loads(line) for line in open(sys.argv[1])]
	got = [(e["event"], e["state"], e["reason"]) for e in got
	       if e["event"] in ("link", "linkgroup")]
	want = [("link", "active", "first-contact"), ("link", "active", "added"),
	        ("linkgroup", "active", "ready"), ("link", "failed", None),
	        ("link", "active", "replacement"),
	        ("link", "failed", "peer-deleted"),
	        ("link", "active", "replacement"),
	        ("link", "failed", "operator"), ("linkgroup", "dead", "peer"),
	        ("linkgroup", "closing", "operator"),
	        ("linkgroup", "dead", "operator")]
	print(got)
	i = 0
	for e in got:
	    i += i < len(want) and all(w in (None, g) for w, g in zip(want[i], e))
	assert i == len(want), want[i]
	END
}

client_leads

undo_later wire clear
both undo_later patient
both mark_log
both save begin
smcr-ctl -j monitor >"$tmp/events" &
jobs_started+=($!)
unshare -n smcr-ctl -j monitor >"$tmp/events.elsewhere" &
jobs_started+=($!)
wait_until "the monitor reports a fallback" hears
before=$(told fallback)
save storm
storm=$SECONDS
fall_back 1000
storm=$((SECONDS - storm + 2))
wait_until "1000 fallbacks are told or counted as dropped" all_told 1000
grew storm NotificationsDropped -eq "$(told dropped)"
# A slow machine may stay below the bound.
[ $storm -gt 8 ] || grew storm NotificationsDropped -gt 0
check "at most 100 are told in a second" \
	test "$(($(told fallback) - before))" -le $((100 * storm))
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

# The server's turn, and then the client's. Neither disturbs a connection.
both save drill
hold $kind "$SERVER" 1
num=$(second_link)
on server delete_link "$num"
wait_until "the client's log says that the peer has deleted it" \
	logged "link $num (rxe1/1) is lost, reason peer-deleted"
both wait_until "it is replaced" shows linkgroup links=2 \
	last-link-reason=replacement
both sysctl_for_now net.smcr.link_retry_min_ms 600000
num=$(second_link)
delete_link "$num"
check "the group knows why" shows linkgroup links=1 last-link="$num" \
	last-link-reason=operator
on server wait_until "the server knows that the peer has deleted it" \
	shows linkgroup links=1 last-link="$num" last-link-reason=peer-deleted
both check "the first link is the only one" \
	shows link link=1 state=active reason=first-contact
both check "the only link of a group is not deleted, and smcr-ctl says why" \
	refused "only link of its group.*linkgroup terminate" smcr-ctl link del 1
both check "a link that does not exist is not deleted" \
	refused "no link has this number" smcr-ctl link del 77
both check "nobody else may delete links" refused "not permitted" \
	setpriv --reuid nobody --clear-groups smcr-ctl link del 1
released "the connection was not disturbed"
on server grew drill DeleteLinkSent -eq 2
grew drill DeleteLinkSent -eq 1
both grew drill LlcTimeouts -eq 0
both grew drill BadLlc -eq 0
both grew drill Aborts -eq 0

# One connection by its number: nobody else, and no other network namespace.
hold $kind "$SERVER" 1
check "nobody else may end connections" refused "not permitted" \
	setpriv --reuid nobody --clear-groups smcr-ctl conn abort "$(a_conn)"
check "root of a user namespace ends none of this host" \
	refused "no connection has this number" \
	unshare -Urn smcr-ctl conn abort "$(a_conn)"
both check "a connection that does not exist is not ended" \
	refused "no connection has this number" smcr-ctl conn abort 4000000000
released "the connection was not disturbed"
for host in server client; do
	hold $kind "$SERVER" 2 -a
	both save ended
	on $host abort_conns
	released "the connections ended with an errno"
	both no_conn_left
	on $host grew ended ResetOperator -eq 2
	both check "their group goes on" shows linkgroup state=active
done

for host in server client; do
	hold $kind "$SERVER" 2 -a
	on $host end_group
	released "the connections of the group ended with an errno"
	both no_group_left
done
both check "a group that does not exist is not terminated" \
	refused "no link group has this number" smcr-ctl linkgroup terminate 77
both no_conn_left
check "the monitor told of all this in order" told_in_order

check "a port goes down" ip link set eth1 down
wait_until "the monitor tells it" \
	was_told device device=rxe1 port=1 state=down change=event
check "the port comes up" ip link set eth1 up
wait_until "the monitor tells it" \
	was_told device device=rxe1 port=1 state=active change=event
check "a device is removed" rdma link delete rxe1
wait_until "the monitor tells it" was_told device device=rxe1 change=removed
check "it comes again" rdma link add rxe1 type rxe netdev eth1
wait_until "the monitor tells it" was_told device device=rxe1 change=added
check_not "nothing of this is told in another namespace" \
	test -s "$tmp/events.elsewhere"
# Neither an administrator's end, nor a removed device, nor the peer's DELETE LINK
# says anything about a path.
both grew begin NegativeAdded -eq 0
finish
