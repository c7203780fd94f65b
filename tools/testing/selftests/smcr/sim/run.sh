#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# usage: run.sh SIM LSIM
#
# Run $SEEDS seeds (20,000) of both simulators at the same time, then the
# scenarios, then each mistake until a seed shows it, and print TAP. With SEED, N, TRACE or CASE
# in the environment, run only these seeds or the scenarios of that name; ONLY
# names one simulator.

sim=$1
lsim=$2
failed=0
n=0

# result STATUS TEXT: print a TAP line; a status of 0 passes.
result()
{
	n=$((n + 1))
	if [ "$1" -eq 0 ]; then
		echo "ok $n - $2"
	else
		echo "not ok $n - $2"
		failed=1
	fi
}

# seeds FIRST COUNT [OPTION]: no invariant may break.
seeds()
{
	for which in sim lsim; do
		[ "${ONLY:-$which}" = "$which" ] || continue
		case $which in
		sim) "$sim" -s "$1" -n "$2" ${3:+"$3"} ;;
		lsim) "$lsim" -s "$1" -n "$2" ${3:+"$3"} ;;
		esac
		result $? "$which: seeds $1 to $(($1 + $2 - 1)) keep every invariant"
	done
}

# scenarios NAME [OPTION]: print a TAP line for each scenario of LSIM.
scenarios()
{
	all=$("$lsim" ${2:+"$2"} -k "$1") || failed=1
	printf '%s\n' "$all" |
		awk -v n="$n" '/^(not )?ok / { sub(/ok/, "ok " ++n) } { print }'
	n=$((n + $(printf '%s\n' "$all" | grep -cE '^(not )?ok ')))
}

# mistake SIMULATOR NUMBER SEEDS WORDS: one of these seeds must break an
# invariant.
mistake()
{
	out=$("$1" -b "$2" -n "$3")
	status=$?
	seed=$(printf '%s\n' "$out" | sed -n 's/^# seed \([0-9]*\) breaks.*/\1/p')
	if [ "$status" -eq 1 ] && [ -n "$seed" ]; then
		printf '%s\n' "$out" | grep 'does not hold'
		result 0 "${1##*/}: mistake $2 ($4) is caught (seed $seed)"
	else
		echo "# status $status"
		result 1 "${1##*/}: mistake $2 ($4) is not caught by $3 seeds"
	fi
}

if [ -n "$CASE" ]; then
	scenarios "$CASE" ${TRACE:+-t}
elif [ -n "$TRACE" ]; then
	seeds "${SEED:-1}" "${N:-1}" -t
elif [ -n "$SEED$N" ]; then
	seeds "${SEED:-1}" "${N:-1}"
else
	SEEDS=${SEEDS:-20000}
	"$sim" -n "$SEEDS" >"${sim%/*}/sim.log" &
	"$lsim" -n "$SEEDS"
	result $? "lsim: $SEEDS seeds keep every invariant"
	wait $!
	status=$?
	cat "${sim%/*}/sim.log"
	result $status "sim: $SEEDS seeds keep every invariant"
	scenarios all
	mistake "$sim" 1 3000 "the receiver ignores F"
	mistake "$sim" 2 3000 "the receiver compares SR before it drains the old link"
	mistake "$sim" 3 3000 "a replay announces bytes before the old producer position"
	mistake "$sim" 4 3000 "SS follows the consumer cursor"
	mistake "$sim" 5 40000 "new bytes go where late writes may land"
	mistake "$sim" 6 3000 "an element serves another connection before the peer's FIN"
	mistake "$sim" 7 3000 "U is not repeated after a move"
	mistake "$sim" 8 3000 "bytes go behind an urgent one that was not consumed"
	mistake "$sim" 9 3000 "a third link is chosen although the one before works"
	mistake "$sim" 10 3000 "bytes wait to be merged without a completion to come"
	mistake "$sim" 11 3000 "a completion does not send the bytes that waited for it"
	mistake "$sim" 12 3000 "bytes that the program holds have no timer"
	mistake "$sim" 13 3000 "bytes that are left to a woken program have no timer"
	mistake "$sim" 14 40000 "a chain that was posted in part is forgotten"
	mistake "$lsim" 1 3000 "an exchange begins during another one"
	mistake "$lsim" 2 3000 "CONFIRM RKEY is accepted while links change"
	mistake "$lsim" 3 3000 "the keys of a link stay when it has left"
	mistake "$lsim" 4 3000 "a link number returns at once"
	mistake "$lsim" 5 3000 "a CONFIRM RKEY that is sent again has its first keys"
	mistake "$lsim" 6 3000 "the count of a continuation is one less than it should be"
fi
echo "1..$n"
exit $failed
