#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Checks that the tests notice mistakes. Each entry of the tables *.mut puts
one mistake into a copy of the tree and names the test that has to fail, and the
fact in it that has to. Prints a line of TAP for each, and the numbers.

usage: run.py [NAME|unit|vm]...

unit stands for all entries whose test needs no virtual machine, vm for the
others. README.md says what the tables look like."""
import fcntl
import glob
import os
import re
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
SELF = os.path.dirname(HERE)
TOP = os.path.abspath(os.path.join(SELF, "../../../.."))
OUT = os.path.join(SELF, "out", "mutants")
# The copy of the tree. It stays, so that the next run builds little.
COPY = os.path.join(OUT, "tree")
COPY_SELF = os.path.join(COPY, os.path.relpath(SELF, TOP))
SOURCES = os.path.join(COPY, "net", "smcr")
# Seconds after which a program hangs. A mistake that makes it hang is not
# noticed, as nothing tells it from a slow machine.
LIMIT = 900
VM_LIMIT = 3600
KEYS = ("mutant", "file", "why", "test", "line")
# How many words each kind of test has after its own
KINDS = {"unit": 1, "sim": 1, "lsim": 1, "case": 1, "vm": 1, "debug": 1}
# The kernels of the kinds that need a virtual machine
KERNELS = {"vm": "release", "debug": "debug"}


class Stale(Exception):
    """A table does not fit the tree, or does not follow its form."""


class Mutant:
    """One entry of a table."""

    def __init__(self, where):
        self.where = where
        self.mutant = self.file = self.why = self.test = self.line = ""
        self.old = []
        self.new = []

    def add(self, text):
        """Add a line of the entry."""
        if text[0] in "-+ ":
            if text[0] != "+":
                self.old.append(text[1:])
            if text[0] != "-":
                self.new.append(text[1:])
            return
        key, _, value = text.partition(" ")
        if key not in KEYS or self.old or self.new:
            raise Stale(f"{self.where}: {text}")
        before = getattr(self, key)
        setattr(self, key, f"{before} {value}" if before else value)

    @property
    def kind(self):
        """The kind of the test."""
        return self.test.split()[0]

    def check(self):
        """Check that the entry is whole."""
        lacks = [key for key in KEYS if not getattr(self, key)]
        if lacks or self.old == self.new or not self.old:
            raise Stale(f"{self.where}: incomplete {' '.join(lacks)}")
        words = self.test.split()
        if len(words) != 1 + KINDS.get(words[0], -1):
            raise Stale(f"{self.where}: no such test: {self.test}")

    def apply(self, text):
        """Return the file with the mistake in it."""
        old = "\n".join(self.old) + "\n"
        new = "".join(line + "\n" for line in self.new)
        count = ("\n" + text).count("\n" + old)
        if count != 1:
            raise Stale(f"its old text is {count} times in {self.file}")
        return ("\n" + text).replace("\n" + old, "\n" + new)[1:]


def read_tables():
    """Return the entries of all tables."""
    mutants = []
    for path in sorted(glob.glob(os.path.join(HERE, "*.mut"))):
        with open(path, encoding="utf-8") as table:
            for number, text in enumerate(table, 1):
                text = text.rstrip("\n")
                if not text or text.startswith("#"):
                    continue
                where = f"{os.path.basename(path)}:{number}"
                if text.startswith("mutant "):
                    mutants.append(Mutant(where))
                if not mutants:
                    raise Stale(f"{where}: {text}")
                mutants[-1].add(text)
    names = set()
    for mutant in mutants:
        mutant.check()
        if mutant.mutant in names:
            raise Stale(f"{mutant.where}: a second {mutant.mutant}")
        names.add(mutant.mutant)
    return mutants


def choose(mutants, words):
    """Return the entries that the words name."""
    if not words:
        return mutants
    known = {"unit", "vm"} | {m.mutant for m in mutants}
    for word in words:
        if word not in known:
            raise Stale(f"no such entry: {word}")
    return [m for m in mutants if m.mutant in words or
            ("vm" if m.kind in KERNELS else "unit") in words]


def copy_tree():
    """Make the copy equal to the tree. A file gets a new time if and only if
    it changes, so that make finds out what to build."""
    os.makedirs(COPY, exist_ok=True)
    subprocess.run(
        ["rsync", "-rlpc", "--delete", "--exclude=/.git", "--exclude=out/",
         "--exclude=*.o", "--exclude=*.a", "--exclude=*.cmd",
         "--exclude=__pycache__", "--exclude=/tools/smcr-ctl/smcr-ctl",
         TOP + "/", COPY + "/"], check=True)


def run(command, limit):
    """Run a command; return its status and its output. No status means that it
    did not end in time."""
    env = {**os.environ, "SMCR_STRICT": ""}
    with subprocess.Popen(command, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, env=env,
                          errors="replace", start_new_session=True) as child:
        try:
            out, _ = child.communicate(timeout=limit)
        except subprocess.TimeoutExpired:
            os.killpg(child.pid, 9)
            out, _ = child.communicate()
            return None, out
        return child.returncode, out


def built(kind, word):
    """Build a test in the copy; return an empty text or what went wrong."""
    if kind in KERNELS:
        # The bed builds for itself, and says so if it cannot.
        return ""
    folder, target = "sim", "all"
    if kind == "unit":
        folder, target = "unit", f"out/test_{word}"
    jobs = f"-j{os.cpu_count()}"
    # A mistake may leave a variable or a function without a use.
    status, out = run(["make", "-s", jobs, "CC=gcc -w", "-C",
                       os.path.join(COPY_SELF, folder), target], LIMIT)
    return out if status else ""


def command_of(kind, word):
    """Return the command that runs a test in the copy."""
    if kind in KERNELS:
        return [sys.executable, "-B", os.path.join(COPY_SELF, "vm", "bed.py"),
                "tests", "--kernel", KERNELS[kind], word]
    if kind == "unit":
        return [os.path.join(COPY_SELF, "unit", "out", f"test_{word}")]
    program = "sim" if kind == "sim" else "lsim"
    return [os.path.join(COPY_SELF, "sim", "out", program),
            "-k" if kind == "case" else "-n", word]


WITHOUT = {}


def without(test):
    """Return what is wrong with a test in the tree as it is, and what it
    prints. A functional test is not asked: a check runs it anyway. The first
    mistake is made when all tests have been asked, so that little is built."""
    kind, word = test.split()
    if kind in KERNELS:
        return "", ""
    if test not in WITHOUT:
        problem = built(kind, word) and "does not build"
        out = ""
        if not problem:
            status, out = run(command_of(kind, word), LIMIT)
            problem = f"has status {status}" if status else ""
        WITHOUT[test] = (problem, out)
    return WITHOUT[test]


def noticed_line(mutant, out):
    """Return the line of the output with which the test notices the mistake."""
    for text in out.splitlines():
        found = re.search(r"not ok( \d+)?( -)? |does not hold: | kernel: ",
                          text)
        if found and mutant.line in text[found.end():]:
            return text[found.end():]
    return None


def notice(mutant):
    """Put the mistake into the copy, and run its test. Return a problem or
    None, and a text."""
    kind, word = mutant.test.split()
    problem, out = without(mutant.test)
    if problem:
        return f"{mutant.test} {problem} without the mistake", out
    if kind in ("unit", "case") and mutant.line not in out:
        return f"{mutant.test} has no fact \"{mutant.line}\"", ""
    path = os.path.join(SOURCES, mutant.file)
    with open(path, encoding="utf-8") as source:
        text = source.read()
    with open(path, "w", encoding="utf-8") as source:
        source.write(mutant.apply(text))
    try:
        out = built(kind, word)
        if out:
            return "does not build", out
        status, out = run(command_of(kind, word),
                          VM_LIMIT if kind in KERNELS else LIMIT)
    finally:
        with open(path, "w", encoding="utf-8") as source:
            source.write(text)
    if status is None:
        return f"{mutant.test} hangs", out
    line = noticed_line(mutant, out)
    if status == 0:
        return f"not noticed by {mutant.test}", ""
    if not line:
        return f"{mutant.test} fails, but not in \"{mutant.line}\"", out
    return None, f"noticed by {mutant.test}: {line}"


def main():
    """Run the entries that the command line names."""
    try:
        mutants = choose(read_tables(), sys.argv[1:])
    except Stale as stale:
        print(f"not ok 1 {stale}\n1..1")
        return 1
    os.makedirs(OUT, exist_ok=True)
    lock = os.open(os.path.join(OUT, "lock"), os.O_CREAT | os.O_RDWR)
    fcntl.flock(lock, fcntl.LOCK_EX)
    copy_tree()
    print(f"TAP version 13\n1..{len(mutants)}", flush=True)
    bad = 0
    for mutant in mutants:
        without(mutant.test)
    for number, mutant in enumerate(mutants, 1):
        try:
            problem, text = notice(mutant)
        except (Stale, OSError) as stale:
            problem, text = f"stale: {stale}", ""
        if problem:
            bad += 1
            for line in text.splitlines()[-30:]:
                print(f"# {line}")
            print(f"# {mutant.where}: {mutant.why}")
        print(f"{'not ok' if problem else 'ok'} {number} {mutant.mutant}: "
              f"{problem or text}", flush=True)
    print(f"# {len(mutants) - bad} of {len(mutants)} mistakes noticed")
    return 1 if bad or not mutants else 0


if __name__ == "__main__":
    sys.exit(main())
