# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# What liar_cdc.sh and liar_llc.sh share: an honest host and one that lies
# (../mod/liar_*.c), each with a program led by hand (liar_app.c). To be
# sourced after lib.sh, by the client's script. HONEST and LIAR are C or S.
# shellcheck disable=SC2154 # what lib.sh and the test set

APP=$FUNC_DIR/liar/liar_app
# Longest wait of either end; an errno that should come does so at once.
WAIT=$((20 * SLOW))

# lead: begin; the server serves
lead() {
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

# The steps of a case: each adds to $wrong what was not as it should be.
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

# lie WORDS: done by the host that lies
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

# more COUNTER NUMBER: it has grown by that much since, or will have soon
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

# gone WHO: no group is left there
gone() {
	local end=$((SECONDS + WAIT))

	while ask "$1" look groups; [ "$reply" != 0 ]; do
		[ $SECONDS -lt $end ] || break
		sleep 0.02
	done
	want 0 "groups of $1"
}

# fresh: no group here or there, and a new one with connection "n"
fresh() {
	ask C close n
	ask S close n
	step ok C lie end
	step ok S lie end
	gone C
	gone S
	meet n
	talk n
}

# all_freed WHO: connections, groups and links of a host are gone
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

# liar_begin: the module is on both hosts, for one to lie and the other to look
liar_begin() {
	together ready
	lead
	step 0 C sh insmod /share/liar.ko
	step 0 S sh insmod /share/liar.ko
	undo_later rmmod liar
	# What failed is tried again, as each case has to be.
	step 0 C sh sysctl -qw net.smcr.negative_ms=0
	step 0 S sh sysctl -qw net.smcr.negative_ms=0
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
	together end
	finish
}
