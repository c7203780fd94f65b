#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# usage: run.sh SIMULATOR
#
# Run 20,000 seeds, then each mistake until a seed shows it, and print TAP. With
# SEED, N or TRACE in the environment, run only these seeds.

sim=$1
failed=0

# result STATUS TEXT: print a TAP line; a status of 0 passes.
result()
{
	if [ "$1" -eq 0 ]; then
		echo "ok - $2"
	else
		echo "not ok - $2"
		failed=1
	fi
}

# seeds FIRST COUNT [OPTION]: no invariant may break.
seeds()
{
	echo 1..1
	"$sim" -s "$1" -n "$2" ${3:+"$3"}
	result $? "seeds $1 to $(($1 + $2 - 1)) keep every invariant"
}

# mistake NUMBER SEEDS WORDS: one of these seeds must break an invariant.
mistake()
{
	out=$("$sim" -b "$1" -n "$2")
	status=$?
	seed=$(printf '%s\n' "$out" | sed -n 's/^# seed \([0-9]*\) breaks.*/\1/p')
	if [ "$status" -eq 1 ] && [ -n "$seed" ]; then
		printf '%s\n' "$out" | grep 'does not hold'
		result 0 "mistake $1 ($3) is caught (seed $seed)"
	else
		echo "# status $status"
		result 1 "mistake $1 ($3) is not caught by $2 seeds"
	fi
}

if [ -n "$TRACE" ]; then
	seeds "${SEED:-1}" "${N:-1}" -t
elif [ -n "$SEED$N" ]; then
	seeds "${SEED:-1}" "${N:-1}"
else
	echo 1..7
	"$sim" -n 20000
	result $? "20,000 seeds keep every invariant"
	mistake 1 3000 "the receiver ignores F"
	mistake 2 3000 "the receiver compares SR before it drains the old link"
	mistake 3 3000 "a replay announces bytes before the old producer position"
	mistake 4 3000 "SS follows the consumer cursor"
	mistake 5 6000 "new bytes go where late writes may land"
	mistake 6 3000 "an element serves another connection before the peer's FIN"
fi
exit $failed
