#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Test func/lib/session.sh in good and bad cases. Each case runs as a test's
# file would, on both hosts of one boot. prove.sh runs this.
# usage: prove_session.sh server|client

cases="story hang leave subshell unjoined misspelt undo killed"
if [ $# = 1 ]; then
	# The case that needs the bed's message about the end of the server's
	# script must be the last one.
	for case in ${cases% *}; do
		"$0" "$1" "$case" >"/tmp/$case" 2>&1
		echo $? >>"/tmp/$case"
		# Do what the bed would do at the end of the client's script.
		[ "$1" = server ] || peer "pkill -9 -f '[ ]server $case'"
	done
	if [ "$1" = server ]; then
		"$0" server "${cases##* }"
		exit 0
	fi
	"$0" client "${cases##* }" >"/tmp/${cases##* }" 2>&1
	echo $? >>"/tmp/${cases##* }"
	for case in $cases; do
		diff <(grep -v '^TAP version' "/tmp/$case") \
			<(sed -n "s/^# $case: //p" "$0") || bad=1
	done
	[ -n "${bad:-}" ] || echo "all well"
	exit 0
fi
export BED_SIDE=$1
case=$2
# shellcheck source=../func/lib/lib.sh
. "$(dirname "$0")/../func/lib/lib.sh"

# Expected output of each case, with its exit status
# story: ok 1 - a status
# story: ok 3 - output in order
# story: ok 4 - a variable is kept
# story: ok 5 - words as they are
# story: ok 6 - went on meanwhile
# story: ok 7 - server: the client came
# story: ok 8 - server: last
# story: 1..8
# story: 0
# hang: not ok 1 - server: did not end within 2 s: tail -f /dev/null
# hang: 1..1
# hang: 1
# leave: not ok 1 - server: its shell ended in: exit 7
# leave: 1..1
# leave: 1
# subshell: # exit status 1: on server exit 7
# subshell: not ok 1 - left in a subshell
# subshell: not ok 2 - server: its shell ended in: exit 7
# subshell: 1..2
# subshell: 1
# unjoined: not ok 1 - server: has ended "true" (join server)
# unjoined: 1..1
# unjoined: 1
# misspelt: ok 1 - in a subshell
# misspelt: # server: grwe: command not found
# misspelt: ok 2 - the next command
# misspelt: not ok 3 - there is a command grwe
# misspelt: not ok 4 - there is a command valeu
# misspelt: 1..4
# misspelt: 1
# undo: ok 1 - there is something to undo
# undo: 1..1
# undo: undone
# undo: 0
# killed: not ok 1 - server: its script ended in: eval kill -9 $$
# killed: 1..1
# killed: 1

# shellcheck disable=SC2317 # called by on
three() {
	echo one
	ok two
	echo "  three   words"
	return 3
}

client_leads

case $case in
story)
	check "a status" test "$(on server three >"$tmp/three"; echo $?)" = 3
	on server three >"$tmp/three"
	check "output in order" diff "$tmp/three" - <<-END
		one
		ok 2 - server: two
		  three   words
	END
	# shellcheck disable=SC2016 # the server's
	on server eval 'kept=$((6 * 7))'
	# shellcheck disable=SC2016
	check "a variable is kept" test "$(on server eval 'echo $kept')" = 42
	word=$'a b\n"c\' \\'
	check "words as they are" test "$(on server echo "$word")" = "$word"
	start server wait_until "the client came" test -e "$SHARED/came"
	touch "$SHARED/came"
	ok "went on meanwhile"
	join server
	on server check last test "$(on server hostname)" = server
	;;
hang)	ON_LIMIT=2 on server tail -f /dev/null ;;
leave)	on server exit 7 ;;
killed)
	# shellcheck disable=SC2016
	on server eval 'kill -9 $$'
	;;
subshell)
	check "left in a subshell" on server exit 7
	on server true
	;;
unjoined) start server true ;;
misspelt)
	check "in a subshell" test "$(on server valeu Aborts)" != 0
	on server grwe begin Aborts -eq 0
	check "the next command" on server true
	;;
undo)
	on server undo_later echo undone
	ok "there is something to undo"
	;;
esac
finish
