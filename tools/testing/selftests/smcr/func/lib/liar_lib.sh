# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# Library of the tests liar_*.sh: one host is honest, the other one lies
# (../mod/liar_*.c). Each host runs liar_app.c, which the client's script
# commands step by step. Source this after lib.sh. HONEST and LIAR are C or S.
# shellcheck disable=SC2154 # what lib.sh and the test set

APP=$FUNC_DIR/liar/liar_app
# Longest wait of either end, in seconds. An expected errno comes at once.
WAIT=$((20 * PATIENCE))

# follow: start liar_app on the server. $APP differs between the hosts.
follow() {
	program liar "$APP" smcr4 "$SERVER4" "$PORT" $WAIT serve
}

# lead: start liar_app on both hosts
lead() {
	on server follow
	mkfifo "$tmp/lead.in" "$tmp/lead.out"
	"$APP" smcr4 "$SERVER4" "$PORT" $WAIT lead <"$tmp/lead.in" \
		>"$tmp/lead.out" 2>"$tmp/lead.err" &
	jobs_started+=($!)
	exec 5>"$tmp/lead.in" 6<"$tmp/lead.out"
}

# ask C|S COMMAND...: run a command of liar_app; sets $reply
ask() {
	reply=
	echo "$*" >&5
	read -r reply <&6 || reply=dead
}

# The steps of a case. Each adds to $wrong what differs from the expectation.
wrong=

# want VALUE WHAT: expect VALUE in $reply
want() {
	[ "$reply" = "$1" ] || wrong+="; $2: $reply, not $1"
}

# step VALUE C|S COMMAND...: run a command and expect VALUE
step() {
	ask "${@:2}"
	want "$1" "${*:2}"
}

# lie WORDS: configure the module of the host that lies
lie() {
	step ok "$LIAR" lie "$@"
}

# shown NAME: print a value of /proc/liar on the host that lies
shown() {
	ask "$LIAR" look "$1"
	echo "$reply"
}

# mark COUNTER...: save counters of the honest host for "more"
declare -A marked
mark() {
	local name

	for name in "$@"; do
		ask "$HONEST" stat "$name"
		marked[$name]=$reply
	done
}

# more COUNTER NUMBER: expect that the counter grows by exactly NUMBER since
# "mark", now or soon
more() {
	local before=${marked[$1]}

	ask "$HONEST" await "$1" $((before + $2))
	[ "$reply" = $((before + $2)) ] ||
		wrong+="; $1 grew by $((reply - before)), not $2"
}

# meet NAME: open a connection with that name on both ends
meet() {
	step ok C connect "$1"
	step ok S accept "$1"
}

# stillborn: expect that the server resets a connection whose client has sent
# the last message of its handshake. The reset may reach the client before or
# after connect() returns 0.
stillborn() {
	ask C connect v
	if [ "$reply" = ok ]; then
		step ECONNRESET C recv v 1
		step ok C close v
	else
		want ECONNRESET "C connect v"
	fi
}

# seen C|S NAME VALUE: wait for a value in /proc/liar
seen() {
	local end=$((SECONDS + WAIT))

	while ask "$1" look "$2"; [ "$reply" != "$3" ]; do
		[ $SECONDS -lt $end ] || break
		sleep 0.02
	done
	want "$3" "$2 of $1"
}

# whole: wait until the group has two links at each end, and no exchange of LLC
# messages is under way
whole() {
	local host

	for host in S C; do
		seen $host links 2
		seen $host step 0
	done
}

# part NAME: close both ends of a connection
part() {
	step ok C close "$1"
	step ok S close "$1"
}

# talk NAME: send bytes both ways on a connection
talk() {
	step ok C send "$1" there
	step there S recv "$1" 5
	step ok S send "$1" back
	step back C recv "$1" 4
}

# sysctl_at C|S NAME=VALUE: set a sysctl of net.smcr on one host
sysctl_at() {
	step 0 "$1" sh sysctl -qw "net.smcr.$2"
}

# verdict FACT: print the result of the case and start the next one
verdict() {
	if [ -z "$wrong" ]; then
		ok "$1"
	else
		echo "# ${wrong#; }; messages changed so far: $(shown hits)"
		not_ok "$1"
	fi
	wrong=
}

# Number of groups that the cases leave alone: the oldest ones
spared=0

# gone C|S: wait until a host has no other group
gone() {
	local end=$((SECONDS + WAIT))

	while ask "$1" look groups; [ "$reply" != "$spared" ]; do
		[ $SECONDS -lt $end ] || break
		sleep 0.02
	done
	want "$spared" "groups of $1"
}

# ungrouped: end the groups of both hosts but the spared ones
ungrouped() {
	step ok C lie end $spared
	step ok S lie end $spared
	gone C
	gone S
}

# alone: stop the lie and end the groups of both hosts
alone() {
	lie unhook
	ungrouped
}

# fresh: end the groups of both hosts and form a new one with connection "n"
fresh() {
	ask C close n
	ask S close n
	ungrouped
	meet n
	talk n
}

# all_freed C|S: wait until a host has freed its connections, groups and links
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

# liar_begin: load the module on both hosts; one lies with it, the other looks
liar_begin() {
	lead
	step 0 C sh insmod /share/liar.ko
	step 0 S sh insmod /share/liar.ko
	undo_later rmmod liar
	# Each case must try RDMA again, even after a failed first contact.
	sysctl_at C negative_ms=0
	sysctl_at S negative_ms=0
	verdict "both ends take commands"
}

liar_end() {
	ask C close n
	ask S close n
	step ok C lie end
	step ok S lie end
	all_freed C
	all_freed S
	step 0 S sh rmmod liar
	verdict "both hosts have freed their connections, groups and links"
	echo quit >&5
	finish
}
