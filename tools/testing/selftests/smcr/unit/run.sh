#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Run the given test programs, show their TAP output and count the results. A
# program that ends before its plan is complete counts as a failure.

passed=0
failed=0
for prog in "$@"; do
	echo "# ${prog##*/}"
	out=$("./$prog" 2>&1)
	status=$?
	printf '%s\n' "$out"
	ok=$(printf '%s\n' "$out" | grep -c '^ok ')
	bad=$(printf '%s\n' "$out" | grep -c '^not ok ')
	plan=$(printf '%s\n' "$out" | sed -n 's/^1\.\.//p')
	if [ "$status" -ne 0 ] && [ "$bad" -eq 0 ]; then
		echo "# $prog ended with status $status"
		bad=1
	elif [ "$((ok + bad))" -ne "${plan:-0}" ]; then
		echo "# $prog planned ${plan:-nothing}, ran $((ok + bad))"
		bad=$((bad + 1))
	fi
	passed=$((passed + ok))
	failed=$((failed + bad))
done
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
