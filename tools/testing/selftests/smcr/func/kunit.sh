#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# topology: one
# fact: Each fact of the unit tests holds in the kernel, too, under KASAN
# kernel: debug
# smcr_kunit.ko has the tests of unit/ and copies of the files that they test.
# KUnit runs it when it is loaded.
# shellcheck source-path=SCRIPTDIR source=lib/lib.sh
. "$(dirname "$0")/lib/lib.sh"

UNIT=$FUNC_DIR/../unit
RESULTS=/sys/kernel/debug/kunit

# facts_of TEST: print the facts of the user space program, in its order
facts_of() {
	sed -n '/^static const struct fact facts/,/^}/s/^\t{ "\(.*\)",.*/\1/p' \
		"$UNIT/$1.c"
}

# passed_of TEST: print the facts of the KUnit suite that passed
passed_of() {
	sed -n 's/^ \{8\}ok [0-9]* //p' "$RESULTS/smcr_$1/results"
}

# as_in_user_space TEST: true if both lists agree and are not empty
as_in_user_space() {
	facts_of "$1" >"$tmp/facts"
	[ -s "$tmp/facts" ] && passed_of "$1" | diff "$tmp/facts" -
}

# comments_of TEST: show seed, shortened loops, and failed facts with the reason
comments_of() {
	grep -vE 'Subtest|module:|Totals|pass:|marked slow|^ *ok|TAP|1\.\.1$' \
		"$RESULTS/smcr_$1/results" | sed 's/^ *#* */# /'
}

[ -d "$RESULTS" ] || mount -t debugfs debugfs /sys/kernel/debug
check "the module is loaded" \
	insmod /share/smcr_kunit.ko seed="${SMCR_SEED:-0}"
undo_later rmmod smcr_kunit
facts=0
passed=0
for file in "$UNIT"/test_*.c; do
	name=$(basename "$file" .c)
	n=$(facts_of "$name" | wc -l)
	facts=$((facts + n))
	passed=$((passed + $(passed_of "$name" | wc -l)))
	comments_of "$name"
	check "$name: its $n facts hold in the kernel" as_in_user_space "$name"
done
check "all $facts facts were checked, as in user space" test $passed = $facts
finish
