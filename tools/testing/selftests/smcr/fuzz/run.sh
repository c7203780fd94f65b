#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Implements "make run", "make corpus" and "make cover" of this directory for
# targets that have been built.
#
# usage: run.sh run|corpus|cover TARGET...
# Environment: OUT, the directory of programs and results; T, seconds for each
# target; J, the number of targets at a time; SEED; I, an input to repeat; LLVM,
# the prefix of the names of LLVM's tools.

set -uo pipefail
cd "$(dirname "$0")" || exit 1
OUT=${OUT:-../out/fuzz}
T=${T:-60} J=${J:-2} I=${I:-} LLVM=${LLVM:-}
SEED=${SEED:-$(od -An -N4 -tu4 /dev/urandom | tr -d ' ')}

# An input takes milliseconds; the time limit allows for a loaded host.
LIMITS="-timeout=25 -rss_limit_mb=2048 -malloc_limit_mb=256"
# Longer inputs have no further effect and are slower.
declare -A MAX_LEN=([clc]=4200 [cdc]=2048 [flow]=2048)
# The fact of each target, printed after its "ok"
declare -A CLAIM=(
	[clc]='CLC decoders stay inside, and decode what they encode'
	[llc]='LLC decoders stay inside, and decode what they encode'
	[cdc]='no accepted cursor leaves the ring, each verdict is the right one'
	[flow]='LLC exchanges keep to their steps, and none is a dead end'
	[conn]='states keep to the table, no flag twice, no element freed early'
	[group]='RTokens and link numbers are as in tables without tricks'
	[tx]='plans stay in both rings, no byte is moved, no writer forgotten'
	[pair]='two ends agree, whatever is lost, doubled or overtaken'
	[args]='command lines are understood as a whole or refused with a reason'
	[nl]='whatever the kernel says, smcr-ctl prints valid JSON or plain text'
)

# one TARGET LENGTH: fuzz a target; its log and its findings stay in $OUT
one()
{
	local t=$1 dict=()

	rm -rf "${OUT:?}/$t" "$OUT/$t".log "$OUT/$t"-*
	mkdir -p "$OUT/$t" "corpus/$t"
	[ ! -f "dict/$t" ] || dict=(-dict="dict/$t")
	# shellcheck disable=SC2086
	"$OUT/fuzz_$t" $LIMITS "${dict[@]}" -seed="$SEED" \
		-max_total_time="$T" -max_len="$2" -print_final_stats=1 \
		-artifact_prefix="$OUT/$t-" "$OUT/$t" "corpus/$t" \
		>"$OUT/$t.log" 2>&1
	echo $? >"$OUT/$t.status"
}

# number TARGET PATTERN: print the last number after PATTERN in the target's log
number()
{
	grep -aoE "$2 *[0-9]+" "$OUT/$1.log" | tail -n 1 | grep -oE '[0-9]+$' ||
		echo 0
}

# report N TARGET: print its TAP line, and how to repeat a failure
report()
{
	local n=$1 t=$2 ok=ok runs edges all input

	runs=$(number "$t" 'stat::number_of_executed_units:')
	[ "$runs" != 0 ] || runs=$(number "$t" '^#')
	edges=$(number "$t" 'cov:')
	all=$(number "$t" 'inline 8-bit counters\):')
	[ "$(cat "$OUT/$t.status")" = 0 ] || ok='not ok'
	echo "$ok $n - $t: ${CLAIM[$t]}"
	echo "# $t: $runs executions, $((runs / (T > 0 ? T : 1))) a second," \
		"$edges of $all edges, $(find "corpus/$t" -type f | wc -l)" \
		"seeds, SEED=$SEED"
	[ "$ok" != ok ] || return 0
	grep -aE 'does not hold|ERROR: |runtime error: |SUMMARY' \
		"$OUT/$t.log" | head -n 5 | sed 's/^/# /'
	for input in "$OUT/$t"-*; do
		[ -f "$input" ] || continue
		echo "# the input: $(realpath "$input")"
		echo "# again: make fuzz F=$t I=$(realpath "$input")"
	done
	echo "# full log: $(realpath "$OUT/$t.log")"
	return 1
}

fuzz()
{
	local n=0 rc=0 t

	echo "TAP version 13"
	echo "1..$#"
	export -f one
	export OUT T SEED LIMITS
	for t in "$@"; do
		echo "$t ${MAX_LEN[$t]:-1024}"
	done | xargs -P "$J" -L1 bash -c 'one "$@"' one
	for t in "$@"; do
		n=$((n + 1))
		report $n "$t" || rc=1
	done
	return $rc
}

# again TARGET: run one input
again()
{
	[ $# = 1 ] || { echo "I= needs F= with one target" >&2; return 2; }
	# shellcheck disable=SC2086
	"$OUT/fuzz_$1" $LIMITS "$I"
}

# Merge the findings of the last run into the corpora, without inputs that add
# no edge. Captured inputs stay, as they are messages of real peers.
corpus()
{
	local t new

	for t in "$@"; do
		new=$(mktemp -d)
		mkdir -p "$OUT/$t" "corpus/$t"
		find "corpus/$t" -name 'capture-*' -exec cp {} "$new" \;
		"$OUT/fuzz_$t" -merge=1 -use_counters=0 \
			-max_len="${MAX_LEN[$t]:-1024}" "$new" "corpus/$t" \
			"$OUT/$t" 2>/dev/null || return 1
		rm -rf "corpus/$t"
		mv "$new" "corpus/$t"
		chmod 755 "corpus/$t"
		echo "$t: $(find "corpus/$t" -type f | wc -l) files," \
			"$(du -sb --apparent-size "corpus/$t" | cut -f1) bytes"
	done
}

# Show the lines of the files under test that the corpora and the last run reach
cover()
{
	local t prof=$OUT/cover.profdata objects=()

	rm -f "$OUT"/*.profraw
	for t in "$@"; do
		mkdir -p "$OUT/$t"
		LLVM_PROFILE_FILE=$OUT/$t.profraw "$OUT/cover_$t" -runs=0 \
			"corpus/$t" "$OUT/$t" >/dev/null 2>&1
		objects+=(-object "$OUT/cover_$t")
	done
	"${LLVM}llvm-profdata" merge -o "$prof" "$OUT"/*.profraw &&
		"${LLVM}llvm-cov" report -instr-profile="$prof" \
			-ignore-filename-regex='/fuzz/[a-z_]*\.[ch]$|shim' "${objects[@]}"
}

main()
{
	local what=${1:-}

	[ $# -ge 2 ] || { sed -n '6s/^# //p' "$0" >&2; exit 2; }
	shift
	case $what in
	run)	if [ -n "$I" ]; then again "$@"; else fuzz "$@"; fi ;;
	corpus)	corpus "$@" ;;
	cover)	cover "$@" ;;
	*)	sed -n '6s/^# //p' "$0" >&2; exit 2 ;;
	esac
}

main "$@"
