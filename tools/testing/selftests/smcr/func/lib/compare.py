#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Compare two logs of semantics, the second one of a run with a foreign stack
at one end, and explain each difference by the list of known ones. Fail if one
is not listed, or if the runs did not play the same steps.

usage: compare.py LOG FOREIGN-LOG ROLE KNOWN

ROLE says which end is foreign, client or server. A line of KNOWN is

    ROLE CASE: STEP -> RESULT

with "#N" after the step if it is the Nth such step of its case, and a shell
pattern as RESULT. A step may have several lines. A paragraph of lines begins
with its reason, a line that starts with "#"."""
import fnmatch
import sys


def steps(path):
    """Return the results of a log by case and step, in order."""
    found = {}
    case = ""
    with open(path, encoding="utf-8") as log:
        for line in log:
            if line.startswith("case "):
                case = line[5:].strip()
            step, arrow, result = line.strip().partition(" -> ")
            if not arrow:
                continue
            name, n = f"{case}: {step}", 1
            while name in found:
                n += 1
                name = f"{case}: {step} #{n}"
            found[name] = result
    return found


def known(path, role):
    """Return the patterns of the known differences by step."""
    found = {}
    with open(path, encoding="utf-8") as listed:
        for line in listed:
            step, arrow, result = line.strip().partition(" -> ")
            whose, _, step = step.partition(" ")
            if arrow and not line.startswith("#") and whose == role:
                found.setdefault(step, []).append(result)
    return found


def main():
    """Print the differences and a summary."""
    like, foreign = steps(sys.argv[1]), steps(sys.argv[2])
    listed = known(sys.argv[4], sys.argv[3])
    bad = differ = 0
    for step, result in like.items():
        other = foreign.get(step, "(not played)")
        if other == result:
            continue
        differ += 1
        if not any(fnmatch.fnmatchcase(other, p)
                   for p in listed.get(step, ())):
            bad += 1
            print(f"new: {sys.argv[3]} {step} -> {other}")
            print(f"     expected {result}")
    bad += len(set(foreign) - set(like))
    for step in sorted(set(foreign) - set(like)):
        print(f"new: {step} was not played over the other kind")
    for step in listed:
        if like.get(step) == foreign.get(step):
            print(f"no longer different: {step}")
    print(f"{len(like)} steps, {differ} differ, {bad} of these are new")
    sys.exit(bad > 0 or not like)


main()
