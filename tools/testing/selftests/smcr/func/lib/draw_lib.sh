# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash source-path=SCRIPTDIR source=lib.sh
# Tests with many cases. Source this after lib.sh.
#
# A case is a function. "make check" draws a few cases of each script by a seed,
# which it prints and SMCR_SEED repeats. The debug kernel runs half as many
# cases, and other ones. SMCR_SOAK=1 runs all cases, SMCR_CASE='PATTERN' those
# that match.
# shellcheck disable=SC2034,SC2154 # what lib.sh sets, and the tests read

SOAK=${SMCR_SOAK:-0}
SEED=${SMCR_SEED:-$((RANDOM * 32768 + RANDOM))}
RANDOM=$(((SEED + SLOW) % 32768))

# draw N CASE...: set the cases to run: N of them in a seeded order, all of them
# when soaking
draw() {
	local n=$1 i

	shift
	[ $# -gt 0 ] || not_ok "there are cases to draw from"
	draws=$((draws + 1))
	[ "$SLOW" = 1 ] || n=$(((n + 1) / 2))
	[ "$SOAK" != 1 ] && [ -z "${SMCR_CASE:-}" ] || n=$#
	while [ "$n" -gt 0 ] && [ $# -gt 0 ]; do
		i=$((RANDOM % $# + 1))
		# shellcheck disable=SC2053 # it is a pattern
		if [[ ${!i} == ${SMCR_CASE:-*} ]]; then
			drawn+=("${!i}")
			draws_cases=$((draws_cases + 1))
		fi
		set -- "${@:1:i-1}" "${@:i+1}"
		n=$((n - 1))
	done
}

# cases N CASE...: draw cases and run them
cases() {
	local drawn=() name

	draw "$@"
	for name in "${drawn[@]}"; do
		echo "# case: $name"
		case_begin=$SECONDS
		$name
		echo "# case $name: $((SECONDS - case_begin)) s"
	done
}
