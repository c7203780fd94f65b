# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# What the tests liar_*.sh share: an honest host and one that lies
# (../mod/liar_*.c). Each host runs a program (liar_app.c) that this script
# leads step by step. To be sourced after lib.sh. HONEST and LIAR are C or S.
# shellcheck disable=SC2154 # what lib.sh and the test set

APP=$FUNC_DIR/liar/liar_app
# The longest wait of either end, in seconds; an expected errno comes at once.
WAIT=$((20 * SLOW))

# follow: begin the program of this host, the server; each host has its own $APP
follow() {
	program liar "$APP" smcr4 "$SERVER4" "$PORT" $WAIT serve
}

# lead: begin both programs
lead() {
	on server follow
	mkfifo "$tmp/lead.in" "$tmp/lead.out"
	"$APP" smcr4 "$SERVER4" "$PORT" $WAIT lead <"$tmp/lead.in" \
		>"$tmp/lead.out" 2>"$tmp/lead.err" &
	jobs_started+=($!)
	exec 5>"$tmp/lead.in" 6<"$tmp/lead.out"
}

# ask C|S COMMAND...: sets $reply
ask() {
	reply=
	echo "$*" >&5
	read -r reply <&6 || reply=dead
}

# The steps of a case: each adds to $wrong what differs from the expectation.
wrong=

# want VALUE WHAT: of the last reply
want() {
	[ "$reply" = "$1" ] || wrong+="; $2: $reply, not $1"
}

# step VALUE C|S COMMAND...
step() {
	ask "${@:2}"
	want "$1" "${*:2}"
}

# lie WORDS: a command for the host that lies
lie() {
	step ok "$LIAR" lie "$@"
}

# shown NAME: of /proc/liar at the host that lies
shown() {
	ask "$LIAR" look "$1"
	echo "$reply"
}

# mark COUNTER...: of the honest host, for "more"
declare -A marked
mark() {
	local name

	for name in "$@"; do
		ask "$HONEST" stat "$name"
		marked[$name]=$reply
	done
}

# more COUNTER NUMBER: it grows by that much since "mark", now or soon
more() {
	local before=${marked[$1]}

	ask "$HONEST" await "$1" $((before + $2))
	[ "$reply" = $((before + $2)) ] ||
		wrong+="; $1 grew by $((reply - before)), not $2"
}

# meet NAME: a connection with that name on both ends
meet() {
	step ok C connect "$1"
	step ok S accept "$1"
}

# part NAME: both ends close
part() {
	step ok C close "$1"
	step ok S close "$1"
}

# talk NAME: it carries bytes both ways
talk() {
	step ok C send "$1" there
	step there S recv "$1" 5
	step ok S send "$1" back
	step back C recv "$1" 4
}

# sysctl_at C|S NAME=VALUE: of net.smcr
sysctl_at() {
	step 0 "$1" sh sysctl -qw "net.smcr.$2"
}

# verdict FACT: of the case; the next one begins
verdict() {
	if [ -z "$wrong" ]; then
		ok "$1"
	else
		echo "# ${wrong#; }; messages changed so far: $(shown hits)"
		not_ok "$1"
	fi
	wrong=
}

# gone C|S: that host has no group left
gone() {
	local end=$((SECONDS + WAIT))

	while ask "$1" look groups; [ "$reply" != 0 ]; do
		[ $SECONDS -lt $end ] || break
		sleep 0.02
	done
	want 0 "groups of $1"
}

# ungrouped: end the groups of both hosts
ungrouped() {
	step ok C lie end
	step ok S lie end
	gone C
	gone S
}

# alone: the lie is over, and neither host has a group
alone() {
	lie unhook
	ungrouped
}

# fresh: no group on either host, and then a new one with connection "n"
fresh() {
	ask C close n
	ask S close n
	ungrouped
	meet n
	talk n
}

# all_freed C|S: connections, groups and links of that host are gone
all_freed() {
	local pair value

	gone "$1"
	for pair in ConnsClosed:ConnsOpened LinkGroupsFreed:LinkGroups \
		    LinksFreed:Links RmbsFreed:RmbsCreated \
		    ElementsReturned:ElementsTaken; do
		ask "$1" stat "${pair#*:}"
		value=$reply
		ask "$1" await "${pair%:*}" "$value"
		want "$value" "${pair%:*} at $1"
	done
}

# liar_begin: the module is on both hosts: one lies with it, the other looks
liar_begin() {
	lead
	step 0 C sh insmod /share/liar.ko
	step 0 S sh insmod /share/liar.ko
	undo_later rmmod liar
	# Each case has to try RDMA again, also after a failed first contact.
	sysctl_at C negative_ms=0
	sysctl_at S negative_ms=0
	verdict "both ends are led"
}

liar_end() {
	ask C close n
	ask S close n
	step ok C lie end
	step ok S lie end
	all_freed C
	all_freed S
	step 0 S sh rmmod liar
	verdict "what was made is freed on both hosts"
	echo quit >&5
	finish
}
