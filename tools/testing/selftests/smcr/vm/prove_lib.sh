#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Test that func/lib/lib.sh fails a test that ends early, names a command that
# does not exist, or runs no case, that it tells of wrong bytes, and that
# leak_lib.sh finds a leak. Each case runs on this host as a test's file would.
# prove.sh runs this; prove_session.sh has the same for the server.

cases="good early misspelt denied hidden late checkless unknown_role
no_role no_case no_list no_fit drawn leak cache wrong right answer log"
if [ $# = 0 ]; then
	for case in $cases; do
		diff <({ "$0" "$case" 2>&1; echo $?; } |
			sed 's/ *$//; s/: [0-9]* s$/: 0 s/') \
			<(sed -n "s/^# $case: //p" "$0") || bad=1
	done
	[ -n "${bad:-}" ] || echo "all well"
	exit 0
fi
case=$1
unset SMCR_CASE SMCR_SOAK
export SMCR_SEED=1
# shellcheck source=../func/lib/hostile_lib.sh
. "$(dirname "$0")/../func/lib/hostile_lib.sh"
# shellcheck source=../func/lib/draw_lib.sh
. "$FUNC_DIR/lib/draw_lib.sh"
# shellcheck source=../func/lib/leak_lib.sh
. "$FUNC_DIR/lib/leak_lib.sh"
# shellcheck source=../func/lib/address_lib.sh
. "$FUNC_DIR/lib/address_lib.sh"

# Expected output of each case, with its exit status
# good: TAP version 13
# good: ok 1 - one
# good: 1..1
# good: 0
# early: TAP version 13
# early: ok 1 - one
# early: # the test ended before "finish"
# early: 3
# misspelt: TAP version 13
# misspelt: # chekc: command not found
# misspelt: ok 1 - two
# misspelt: not ok 2 - there is a command chekc
# misspelt: 1..2
# misspelt: 1
# denied: TAP version 13
# denied: ok 1 - a command that does not exist fails
# denied: not ok 2 - there is a command flase
# denied: 1..2
# denied: 1
# hidden: TAP version 13
# hidden: ok 1 - in a subshell
# hidden: not ok 2 - there is a command valeu
# hidden: 1..2
# hidden: 1
# late: TAP version 13
# late: ok 1 - one
# late: 1..1
# late: # syctl: command not found
# late: # cleanup failed: syctl -qw a=b
# late: # command not found: syctl
# late: 3
# checkless: TAP version 13
# checkless: not ok 1 - there is a check
# checkless: 1..1
# checkless: 1
# unknown_role: TAP version 13
# unknown_role: not ok 1 - there are cases for the role clinet
# unknown_role: 1..1
# unknown_role: 1
# no_role: TAP version 13
# no_role: not ok 1 - there are cases for the role client
# no_role: 1..1
# no_role: 1
# no_case: TAP version 13
# no_case: # case: rebootde
# no_case: # rebootde: command not found
# no_case: # case rebootde: 0 s
# no_case: ok 1 - one
# no_case: not ok 2 - there is a command rebootde
# no_case: 1..2
# no_case: 1
# no_list: TAP version 13
# no_list: not ok 1 - there are cases to draw from
# no_list: # case: ok
# no_list: ok 2 -
# no_list: # case ok: 0 s
# no_list: 1..2
# no_list: 1
# no_fit: TAP version 13
# no_fit: ok 1 - one
# no_fit: not ok 2 - a case was drawn that matches k*
# no_fit: 1..2
# no_fit: 1
# drawn: TAP version 13
# drawn: # case: ok
# drawn: ok 1 -
# drawn: # case ok: 0 s
# drawn: 1..1
# drawn: 0
# leak: TAP version 13
# leak: # growth of memory in kB, each time after 1000: 600 -90 510
# leak: # exit status 1: test 522240 -le 512000
# leak: not ok 1 - a connection leaves 522 bytes (512 at most)
# leak: 1..1
# leak: 1
# cache: TAP version 13
# cache: # growth of memory in kB, each time after 1000: 9000 400 -10
# cache: ok 1 - a connection leaves 409 bytes (512 at most)
# cache: 1..1
# cache: 0
# wrong: TAP version 13
# wrong: # exit status 9: exits 9
# wrong: not ok 1 - one program [wrong bytes]
# wrong: # exit status 9: exits 9
# wrong: not ok 2 - the worst of three [wrong bytes]
# wrong: # exit status 9: said 9 exact exact
# wrong: not ok 3 - one that said it was exact [wrong bytes]
# wrong: # exit status 9: right_bytes 9
# wrong: not ok 4 - one that may fail [wrong bytes]
# wrong: not ok 5 - one that shall fail [wrong bytes]
# wrong: not ok 6 - one that shall succeed soon [wrong bytes]
# wrong: 1..6
# wrong: 1
# right: TAP version 13
# right: # exit status 124: exits 124
# right: not ok 1 - a time limit comes before wrong bytes
# right: # exit status 1: said 1 exact ECONNRESET
# right: not ok 2 - an errno is no wrong byte
# right: ok 3 - it may be wanted
# right: ok 4 - one may fail
# right: 1..4
# right: 1
# answer: TAP version 13
# answer: ok 1 - what was wanted
# answer: # exit status 9: came ping pong
# answer: not ok 2 - other bytes [wrong bytes]
# answer: # exit status 9: came ping EOF
# answer: not ok 3 - no bytes before the end [wrong bytes]
# answer: # exit status 9: came EOF ping
# answer: not ok 4 - bytes instead of the end [wrong bytes]
# answer: # exit status 1: came ping pi
# answer: not ok 5 - a part
# answer: # exit status 1: came ping ECONNRESET
# answer: not ok 6 - an errno
# answer: # exit status 1: came nothing ping
# answer: not ok 7 - bytes that come early
# answer: 1..7
# answer: 1
# log: TAP version 13
# log: ok 1 - an end of file instead of bytes
# log: ok 2 - an end of file after a part of them
# log: ok 3 - not after another difference
# log: ok 4 - not if there are fewer bytes
# log: 1..4
# log: 0

# logs LIKE... -- STEP...: compare two logs of a case that has these steps
logs() {
	: >"$tmp/log"
	for word; do
		if [ "$word" = -- ]; then
			mv "$tmp/log" "$tmp/like"
			word=
		fi
		echo "${word:-case one}" >>"$tmp/log"
	done
	lost_bytes "$tmp/like" "$tmp/log"
}

empty=()
# shellcheck disable=SC2218,SC2034 # the misspelt ones; what draw_lib.sh reads
case $case in
good)	check one true ;;
early)
	check one true
	exit 0
	;;
misspelt)
	chekc one false
	check two true
	;;
denied)	check_not "a command that does not exist fails" flase ;;
hidden)	check "in a subshell" test "$(valeu Aborts 2>/dev/null)" = "" ;;
late)
	undo_later syctl -qw a=b
	check one true
	;;
checkless) ;;
unknown_role) HOSTILE=false hostile_groups clinet ;;
no_role) HOSTILE=true hostile_groups client ;;
no_case)
	cases 1 rebootde
	check one true
	;;
no_list)
	cases 1 "${empty[@]}"
	cases 1 ok
	;;
no_fit)
	SMCR_CASE='k*'
	cases 1 ok
	check one true
	;;
drawn)
	SMCR_CASE='o*'
	cases 1 killed
	cases 1 ok
	;;
leak)	no_leak "a connection" 512 1000 1000 1600 1510 2020 ;;
cache)	no_leak "a connection" 512 1000 1000 10000 10400 10390 ;;
wrong)
	check "one program" exits 9
	rc=0
	worst 1
	worst 9
	worst 1
	check "the worst of three" exits $rc
	check "one that said it was exact" said 9 exact exact
	check "one that may fail" right_bytes 9
	check_not "one that shall fail" exits 9
	wait_until "one that shall succeed soon" exits 9
	;;
right)
	rc=0
	worst 9
	worst 124
	worst 1
	check "a time limit comes before wrong bytes" exits $rc
	check "an errno is no wrong byte" said 1 exact ECONNRESET
	check "it may be wanted" said 1 ECONNRESET ECONNRESET
	check "one may fail" right_bytes 1
	;;
answer)
	check "what was wanted" came ping ping
	check "other bytes" came ping pong
	check "no bytes before the end" came ping EOF
	check "bytes instead of the end" came EOF ping
	check "a part" came ping pi
	check "an errno" came ping ECONNRESET
	check "bytes that come early" came nothing ping
	;;
log)
	check "an end of file instead of bytes" \
		logs "" "a -> 0" "b -> 5 good" -- "a -> 0" "b -> 0"
	check "an end of file after a part of them" \
		logs "" "b -> all good" -- "b -> part goodend"
	check_not "not after another difference" \
		logs "" "a -> 5" "b -> 5 good" -- "a -> -1 EAGAIN" "b -> 0"
	check_not "not if there are fewer bytes" \
		logs "" "b -> 5 good" -- "b -> 3 good"
	;;
esac
finish
