# SPDX-License-Identifier: GPL-2.0
"""Runs parts of a plan, each in a process of its own, and judges what failed:
some failures are final, others are repeated alone."""
import collections
import math
import os
import re
import subprocess
import sys
import threading
import time

import build
import plan

BED = os.path.join(plan.VM, "bed.py")
# Checks of a failed run that are shown again beside its result.
CHECKS = 8
# Runs that fail once and pass twice, up to which a check passes.
UNSTABLE = 3


def beds():
    """Return how many beds this machine runs at a time."""
    return int(os.environ.get("SMCR_BEDS", max(2, os.cpu_count() // 2)))


class Tally:
    """TAP of a list of runs, with new numbers for the runner's lines. record
    keeps the results, if there is one."""

    def __init__(self, record=None):
        self.record = record
        self.number = 0
        self.passed, self.failed, self.skipped = 0, 0, 0
        self.unstable = []
        print("TAP version 13", flush=True)

    def line(self, ok, name, note):
        """Print one result."""
        self.number += 1
        word = "ok" if ok else "not ok"
        print(f"{word} {self.number} {name} # {note}", flush=True)
        if self.record:
            self.record.put(ok, name, note)
        if not ok:
            self.failed += 1
        elif note.startswith("SKIP"):
            self.skipped += 1
        else:
            self.passed += 1
            if note.startswith("UNSTABLE"):
                self.unstable.append(name)

    def end(self, target):
        """Print the sums, write them to the file target, if there is one, and
        return the exit status."""
        print(f"1..{self.number}\n# {self.passed} passed, {self.failed} failed,"
              f" {self.skipped} skipped", flush=True)
        if target:
            with open(target, "w", encoding="utf-8") as f:
                f.write(f"{self.passed} {self.failed} {self.skipped}\n")
        return 1 if self.failed else 0


Part = collections.namedtuple("Part", "kernel tests core")


class Failure:
    """A run that failed and may be repeated."""

    def __init__(self, kernel, name, note, lines):
        self.kernel = kernel
        self.name = name
        self.note = note
        self.checks = [line for line in lines if re.search(
            r"^#.*not ok |^# \S+: (?!consoles)", line)][:CHECKS]


class Crew:
    """Runs the core and other parts, some at a time, and shows their output
    test by test. A run that failed is repeated twice after all parts, in fresh
    boots, with no other bed at work; it has failed if it fails again and is
    unstable otherwise. A final failure is not repeated."""

    def __init__(self, tally, repeat, last_repeat=math.inf):
        self.tally = tally
        self.repeat = repeat
        self.last_repeat = last_repeat
        self.lock = threading.Lock()
        self.todo = []
        self.children = set()
        self.core = set()
        self.failures = []
        self.ended = set()
        self.error = None
        self.spent = collections.Counter()
        self.built = {"release"}
        self.building = threading.Lock()

    def child(self, kernel, names, *options):
        """Start a process that runs tests in one boot."""
        child = subprocess.Popen(
            [sys.executable, "-B", BED, "tests", "--kernel", kernel,
             *options, *names],
            stdout=subprocess.PIPE, text=True, errors="replace")
        self.children.add(child)
        return child

    def ready(self, kernel):
        """Return whether a kernel is built. Another process may be building
        it."""
        kernel = plan.flavour(kernel)
        if kernel not in self.built and subprocess.run(
                [os.path.join(plan.TOP, "scripts/kernel"), "ready", kernel],
                check=False).returncode == 0:
            self.built.add(kernel)
        return kernel in self.built

    def take(self, until):
        """Take the next part whose kernel is built; wait for a kernel while
        there is no other. After until take what is left of the core. Return
        None if there is nothing to run."""
        while True:
            with self.lock:
                over = until and time.time() >= until
                left = [p for p in self.todo if p.core or not over]
                built = {k for k in {p.kernel for p in left} if self.ready(k)}
                part = next((p for p in left if p.kernel in built), None)
                self.todo = [p for p in left if p is not part]
                if part or over or not left:
                    return part
            time.sleep(1)

    def work(self, until):
        """Run one part after the other until none is left."""
        while True:
            part = self.take(until)
            if not part:
                return
            if not self.built_for(part.kernel):
                return
            limited = until and not part.core
            with self.lock:
                child = self.child(part.kernel, [t.name for t in part.tests],
                                   *["--until", str(until)] if limited else [])
            self.follow(child, part.kernel, [
                f"{t.name}-{part.kernel}" for t in part.tests], self.result)
            with self.lock:
                self.children.discard(child)

    def build(self, kernel):
        """Build what a boot needs. A kernel may have come a moment ago."""
        build.boot(plan.flavour(kernel))

    def built_for(self, kernel):
        """Build what a boot needs. If that fails, let no other part begin, and
        return False."""
        with self.building:
            try:
                self.build(kernel)
            except build.Failed as error:
                with self.lock:
                    self.error = error
                    self.todo = []
                return False
        return True

    def follow(self, child, kernel, names, tell):
        """Pass on a child's tests as they end, to tell(kernel, name, ok, note,
        lines). One without an end has failed, unless it was left out."""
        lines = []
        names = list(names)
        for line in child.stdout:
            if re.match(r"TAP version|1\.\.\d+$", line):
                continue
            m = re.match(r"(ok|not ok) \d+ (\S+) # (.*)", line)
            left = re.match(r"# left: (.*)", line)
            spent = re.match(r"# spent: (.*)", line)
            if spent:
                words = spent.group(1).split()
                with self.lock:
                    self.spent.update({phase: float(seconds) for phase, seconds
                                       in zip(words[::2], words[1::2])})
            elif left:
                names = [n for n in names if n not in left.group(1).split()]
            elif m and m.group(2) in names:
                names.remove(m.group(2))
                tell(kernel, m.group(2), m.group(1) == "ok", m.group(3), lines)
                lines = []
            else:
                lines.append(line)
        child.wait()
        for name in names:
            tell(kernel, name, False, f"its bed ended ({child.returncode})",
                 lines)
            lines = []

    def result(self, kernel, name, ok, note, lines):
        """Take the result of a first run."""
        plan.note_run(name)
        with self.lock:
            print("".join(lines), end="", flush=True)
            self.ended.add(name)
            if ok or not self.repeat or note.startswith("FINAL"):
                self.tally.line(ok, name, note)
                return
            print(f"# {name} failed and is to be repeated # {note}", flush=True)
            self.failures.append(Failure(kernel, name, note, lines))

    def run(self, parts, count, until=None):
        """Run the parts, count of them at a time. Those that are not of the
        core begin no test after until."""
        self.todo = [
            Part(kernel, tests,
                 all(f"{t.name}-{kernel}" in self.core for t in tests))
            for kernel, tests in parts]
        threads = [threading.Thread(target=self.work, args=(until,),
                                    daemon=True) for i in range(count)]
        try:
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            if self.error:
                raise self.error
            for failure in self.failures:
                self.settle(failure)
            for name in sorted(self.core - self.ended):
                if plan.flavour(name.rpartition("-")[2]) in self.built:
                    self.tally.line(False, name, "did not run")
                else:
                    print(f"# {name} did not run: its kernel is not built yet")
        finally:
            for child in list(self.children):
                child.terminate()
            for child in list(self.children):
                child.wait()

    def settle(self, failure):
        """Repeat a failed run, and count it."""
        runs = []

        def tell(_, name, ok, note, lines):
            print("".join(lines), end="", flush=True)
            print(f"# {name} {'passed' if ok else 'failed'} when repeated "
                  f"# {note}", flush=True)
            runs.append((ok, note))

        while len(runs) < 2 and all(ok for ok, _ in runs) and \
                time.time() < self.last_repeat:
            suffix = f".again{len(runs) + 1}"
            test = failure.name[:-len(failure.kernel) - 1]
            child = self.child(failure.kernel, [test], "--alone",
                               "--suffix", suffix)
            self.follow(child, failure.kernel, [failure.name + suffix], tell)
            self.children.discard(child)
        ok, note = self.verdict(failure, runs)
        if ok:
            plan.note_unstable(failure.name, failure.checks)
        print("".join(failure.checks), end="")
        self.tally.line(ok, failure.name, note)

    def verdict(self, failure, runs):
        """Return whether a failed run counts as passed, and a note."""
        for ok, note in runs:
            if not ok:
                return False, f"failed when repeated, too, {note}"
        if len(runs) == 2:
            return True, f"UNSTABLE {failure.note}, passed when repeated twice"
        if failure.name in self.core:
            return False, f"not repeated, no time was left, {failure.note}"
        return True, f"UNSTABLE not repeated, no time was left, {failure.note}"

    def tell_spent(self):
        """Print what the beds spent their time with."""
        total = sum(self.spent.values()) or 1
        print("# seconds of all beds:", ", ".join(
            f"{phase} {seconds:.0f} ({100 * seconds / total:.0f} %)"
            for phase, seconds in self.spent.most_common()))

    def judge_unstable(self, most=UNSTABLE):
        """Fail if more runs than that were unstable."""
        if len(self.tally.unstable) > most:
            self.tally.line(False, "stable", f"{len(self.tally.unstable)} runs "
                            f"were unstable, more than {most}")
