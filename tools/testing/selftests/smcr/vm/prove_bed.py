#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Tests decisions of bed.py without a boot: which tests have their turn, and
how a failed test is treated. Prints TAP."""
import contextlib
import io
import os
import shutil
import sys
import tempfile
import types

import bed

COUNT = 0
BAD = 0


def check(fact, holds):
    """Print one line of TAP."""
    global COUNT, BAD                   # pylint: disable=global-statement
    COUNT += 1
    BAD += not holds
    print(f"{'ok' if holds else 'not ok'} {COUNT} - {fact}")


def quietly(function, *args):
    """Return the result of a function and its output."""
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        value = function(*args)
    return value, out.getvalue()


def test(name, debug=None, release=None):
    """Return a test with the attributes that drawing uses."""
    return types.SimpleNamespace(
        name=name, kernel="both", lots={"debug": debug, "release": release},
        path=name, server=name, topology="pair")


def prove_turns():
    """Check that each lot rotates and that nothing else matters."""
    tests = [test("always"), test("a", "x"), test("b", "x"), test("c", "x"),
             test("d", "y"), test("e", "y", "z"), test("f", "y", "z")]
    runs = []
    for turn in range(100, 103):
        some, said = quietly(bed.has_turn, "debug", tests, turn)
        runs.append({t.name for t in some})
        check(f"turn {turn}: one test of each lot and all without a lot",
              "always" in runs[-1] and len(runs[-1]) == 3)
        check(f"turn {turn}: the output names it",
              all(f": {n}; then" in said for n in runs[-1] - {"always"}))
    check("every test has its turn within the length of its lot",
          set.union(*runs) == {t.name for t in tests})
    some, _ = quietly(bed.has_turn, "release", tests, 100)
    check("lots of one kernel do not affect the other",
          {t.name for t in some} - {"e", "f"} == {"always", "a", "b", "c", "d"}
          and len(some) == 6)


def prove_counter():
    """Check that the turn comes from the day, the cache or SMCR_SEED."""
    bed.CACHE = tempfile.mkdtemp()
    try:
        def turn(advance):
            os.environ.pop("SMCR_SEED", None)
            return bed.this_turn(advance)

        day = turn(False)
        check("the first turn of a machine is the day's", day > 20000)
        check("a run that draws nothing takes no turn", turn(False) == day)
        check("a whole run takes the first turn", turn(True) == day)
        check("the next whole run takes the next", turn(True) == day + 1)
        os.environ["SMCR_SEED"] = "7"
        check("SMCR_SEED repeats a draw", bed.this_turn(True) == 7)
        check("SMCR_SEED takes no turn", turn(True) == day + 2)
    finally:
        shutil.rmtree(bed.CACHE)


class FakeBoots(bed.Boots):
    """Boots with tests that fail as a list says: "fail", "fault", "ok"."""

    def __init__(self, again, outcomes):
        self.tally, _ = quietly(bed.Tally, 1)
        opt = types.SimpleNamespace(again=again, keep=False)
        super().__init__(opt, "debug", self.tally)
        self.outcomes = list(outcomes)
        self.names = []
        self.boots = 0

    def once(self, test, last, keep, name):
        if not self.session:
            self.session = types.SimpleNamespace(close=lambda: None)
            self.boots += 1
        self.names.append(name)
        result = bed.Result()
        outcome = self.outcomes.pop(0)
        if outcome != "ok":
            result.fail(outcome)
            result.fault = outcome == "fault"
        return result


def prove_again():
    """Check that a failed test is run once more, in a fresh boot."""
    for again, outcomes, passed, runs, unstable, fact in (
            (True, ["ok"], 1, 1, 0, "a test that passes runs once"),
            (True, ["fail", "ok"], 1, 2, 1,
             "a test that passes when run again is unstable"),
            (True, ["fail", "fail"], 0, 2, 0,
             "a test that fails twice has failed"),
            (True, ["fault"], 0, 1, 0,
             "a fault that the kernel reports fails at once"),
            (False, ["fail"], 0, 1, 0,
             "a test that is run by name runs once")):
        boots = FakeBoots(again, outcomes)
        _, said = quietly(boots.test, test("t"), True)
        check(fact, boots.tally.passed == passed and
              boots.tally.failed == 1 - passed and
              len(boots.names) == boots.boots == runs and
              len(boots.tally.unstable) == unstable)
        if not unstable:
            continue
        check("both logs are kept and named",
              boots.names == ["t-debug", "t-debug.again"] and
              boots.tally.unstable == [("t-debug", "out/t-debug and "
                                        "out/t-debug.again")])
        crew = bed.Crew([], quietly(bed.Tally, 1)[0], True)
        child = types.SimpleNamespace(stdout=said.splitlines(True),
                                      wait=lambda: 0)
        quietly(crew.follow, child, ["t-debug"])
        check("the process that started the bed reads them",
              crew.tally.unstable == boots.tally.unstable and
              crew.tally.passed == 1)


print("TAP version 13")
prove_turns()
prove_counter()
prove_again()
print(f"1..{COUNT}")
sys.exit(1 if BAD else 0)
