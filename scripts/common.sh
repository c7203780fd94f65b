# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# Sourced by the scripts: paths, progress lines, logged commands.

SMCR_TOP=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
SMCR_CACHE=${SMCR_CACHE:-/var/cache/smcr}
SMCR_SELF=$(basename "$0")
SMCR_T0=${SMCR_T0:-$(date +%s)}
export SMCR_TOP SMCR_CACHE SMCR_T0

# say TEXT...: print a line with the time since the outermost script began.
say()
{
	local t=$(($(date +%s) - SMCR_T0))

	printf '[%3d:%02d] %s\n' $((t / 60)) $((t % 60)) "$*" >&2
}

die()
{
	printf '%s: %s\n' "$SMCR_SELF" "$*" >&2
	exit 1
}

# run_logged LOG COMMAND...: write the output to LOG; print its tail if the
# command fails.
run_logged()
{
	local log=$1 rc=0

	shift
	mkdir -p "$(dirname "$log")"
	"$@" >"$log" 2>&1 || rc=$?
	if [ $rc -ne 0 ]; then
		tail -n 30 "$log" >&2
		printf '%s: "%s" failed (%d), its whole output: %s\n' \
			"$SMCR_SELF" "$*" $rc "$log" >&2
	fi
	return $rc
}

# long_step TEXT LOG COMMAND...: run_logged, with a progress line every 30 s.
long_step()
{
	local text=$1 log=$2 rc=0 pid beat

	shift 2
	say "$text"
	run_logged "$log" "$@" &
	pid=$!
	(
		trap 'kill $nap 2>/dev/null; exit 0' TERM
		while :; do
			sleep 30 &
			nap=$!
			wait $nap
			say "  still: ${text:0:60} ($(wc -l <"$log") lines of output)"
		done
	) >/dev/null 8>&- 9>&- &
	beat=$!
	wait $pid || rc=$?
	kill $beat 2>/dev/null || :
	wait $beat 2>/dev/null || :
	return $rc
}
