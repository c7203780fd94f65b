#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Tests decisions of the bed without a boot: which runs a check takes and in
which order, and how a failed run is treated. Prints TAP."""
import argparse
import contextlib
import glob
import io
import os
import re
import shutil
import socket
import struct
import subprocess
import sys
import tempfile
import time

import bed
import build
import crew
import plan

LIB = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../func/lib")
sys.path.append(LIB)
import sock                             # pylint: disable=wrong-import-position

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


class FakeTest:                         # pylint: disable=too-few-public-methods
    """A test with what a plan uses of it."""

    def __init__(self, name, topology="pair", text=""):
        self.name, self.text = name, text
        self.kernel, self.dir = "both", "func"
        self.cpus = 1
        self.boot = lambda: topology




def prove_core():
    """Check that the core names tests, and runs that are possible."""
    core, others = plan.check_plan()
    every = list(map(plan.name_of, plan.every_run(
        plan.all_tests().values(), plan.SHARE)))
    two = {plan.name_of(r) for r in plan.every_run(
        plan.all_tests().values(), ["release2", "debug2"])}
    core, others = ([plan.name_of(r) for r in runs] for runs in (core, others))
    check("the runs of the core are possible",
          set(core) <= set(every) | two)
    check("the core has runs with two processors, one on the debug kernel",
          set(core) & two and
          sum(name.endswith("-debug2") for name in core) == 1)
    check("the core and the others are all runs, each once", sorted(
        name.replace("release2", "release") for name in core + others
        if not name.endswith("-debug2")) == sorted(every))


def prove_processors():
    """Check which tests get two processors."""
    tests = plan.all_tests()
    core = plan.listed_runs(tests, plan.CORE)

    def names(tree):
        return [plan.name_of(r)
                for r in plan.with_processors(tests, core, tree)]

    check("a tree has one choice of processors", names("a") == names("a"))
    check("trees differ in what has two",
          len({tuple(names(tree)) for tree in "abcdef"}) > 1)
    check("each test of the core gets two processors with some tree",
          {name for tree in map(str, range(64)) for name in names(tree)} >=
          set(map(plan.name_of, plan.every_run(
              tests.values(), ["release2", "debug2"]))))
    check("each test with races gets two processors on the debug kernel with "
          "some tree", {f"{name}-debug2" for name in plan.RACES} ==
          {name for tree in map(str, range(64)) for name in names(tree)
           if name.endswith("-debug2")})
    some = FakeTest("unload")
    some.cpus = 2
    check("a test that has two is not run again with two",
          not plan.every_run([some], ["release2", "debug2"]))


def prove_order():
    """Check what the order depends on."""
    tests = [FakeTest(f"t{n}") for n in range(40)]
    runs = plan.every_run(tests, plan.SHARE)

    def names(tree, first=()):
        return [plan.name_of(r)
                for r in plan.order(runs, plan.by_hash(tree), first)]

    check("a tree has one order", names("a") == names("a"))
    check("another tree has another order", names("a") != names("b"))
    check("each run is there once", sorted(names("a")) ==
          sorted(map(plan.name_of, runs)))
    check("of the first eight two are on the debug kernel",
          sum(n.endswith("debug") for n in names("a")[:8]) == 2)
    last = next(r for r in runs if plan.name_of(r) == names("a")[-1])
    check("what changed comes first",
          names("a", {last})[0] == plan.name_of(last))


def prove_changes():
    """Check which tests a changed file concerns."""
    libs = {"liar_lib": "insmod /share/liar_hook.ko", "data_lib": "mark"}
    lies = FakeTest("lies", text='. "$FUNC_DIR/lib/liar_lib.sh"')
    for path, yes in (("func/lies.sh", True), ("func/liar.sh", False),
                      ("func/lib/liar_lib.sh", True),
                      ("func/lib/data_lib.sh", False),
                      ("mod/liar_hook.c", True), ("mod/turns.c", False),
                      ("vm/bed.py", False)):
        check(f"{path} {'concerns' if yes else 'does not concern'} a test",
              plan.concerns(lies, path, libs) == yes)
    check("a folder beside a test concerns it", plan.concerns(
        FakeTest("io", text="smcr_io and liar/agent"), "func/liar/a.c", {}))
    runs = plan.every_run([lies] + [FakeTest(n, text="mark lib") for n in "abc"],
                          ["release"])
    check("a helper of most tests brings none of them forward",
          plan.most_concerned(runs, ["func/lib/lib.sh", "func/lies.sh"], libs)
          == {runs[0]})


def prove_parts():
    """Check which runs share a boot."""
    runs = plan.every_run([FakeTest(f"a{n}") for n in range(5)] +
                          [FakeTest("b", "one"), FakeTest("a9")],
                          ["release", "debug"])
    found = plan.parts(runs, len(runs))
    check("a part is of one kernel and one topology", all(
        len({t.boot() for t in tests}) == 1 for _, tests in found))
    check("a boot has a bounded number of tests", all(
        len(tests) <= plan.TESTS_A_BOOT[kernel] for kernel, tests in found))
    check("parts lose no run", sum(len(tests) for _, tests in found) == 14)
    check("a run stays within its window", [
        t.name for _, tests in plan.parts(runs[:7], 3) for t in tests] ==
          ["a0", "a1", "a2", "a3", "a4", "b", "a9"])


def prove_times():
    """Check until when a check begins tests."""
    os.environ.pop("SMCR_BUDGET", None)
    check("the budget runs from the first functional test",
          plan.last_start(plan.START + 600) == plan.START + 2400)
    check("no test begins after an hour",
          plan.last_start(plan.START + 3000) == plan.START + 3600)
    os.environ["SMCR_BUDGET"] = "5"
    check("SMCR_BUDGET changes it",
          plan.last_start(plan.START + 600) == plan.START + 900)
    del os.environ["SMCR_BUDGET"]


def prove_stretch():
    """Check how time limits follow the speed of the machine."""
    check("a fast boot leaves the limits", bed.stretch_of("release", 6) == 1)
    check("a slow one stretches them",
          bed.stretch_of("release", 2 * bed.BOOT["release"]) == 2)
    check("within a bound", bed.stretch_of("debug", 9999) == bed.STRETCH)
    check("a boot has twice the time of one that stretches them most",
          all(bed.stretch_of(kernel, bed.boot_limit(kernel) / 2) == bed.STRETCH
              and bed.boot_limit(kernel) <= 480 for kernel in bed.BOOT))


def prove_seed():
    """Check where the number for drawn cases comes from."""
    told = os.environ.pop("SMCR_SEED", None)
    first = plan.seed()
    del os.environ["SMCR_SEED"]
    check("a tree has one seed", plan.seed() == first)
    os.environ["SMCR_SEED"] = "7"
    check("SMCR_SEED is the seed", plan.seed() == 7)
    del os.environ["SMCR_SEED"]
    if told is not None:
        os.environ["SMCR_SEED"] = told


def prove_reports():
    """Check which reports of a kernel no second run excuses."""
    trace = "[  1.0] Call Trace:"
    for fact, lines, final in (
            ("a warning", ["WARNING: at smcr_conn_put", trace], True),
            ("a call trace without a known cause", [trace], True),
            ("a soft lockup",
             ["watchdog: BUG: soft lockup - CPU#0 stuck", trace], False),
            ("an RCU stall",
             ["rcu: INFO: rcu_sched self-detected stall", trace], False),
            ("a hung task",
             ["INFO: task a:1 blocked for more than 120 seconds.", trace,
              "Kernel panic - not syncing: hung_task: blocked tasks"], False),
            ("a workqueue lockup",
             ["BUG: workqueue lockup - pool cpus=0"], False),
            ("a breakpoint that the emulator remembers",
             ["Oops: int3: 0000 [#1]", "RIP: 0010:pick_task_fair+0x2f/0x140",
              trace, "Kernel panic - not syncing: Fatal exception"], False),
            ("a breakpoint in a module",
             ["Oops: int3: 0000 [#1]", "RIP: 0010:smcr_a+0x2f/0x140 [smcr]",
              trace], True),
            ("a breakpoint after a warning",
             ["WARNING: at smcr_conn_put", trace, "Oops: int3: 0000 [#1]",
              "RIP: 0010:pick_task_fair+0x2f/0x140"], True),
            ("KASAN after a soft lockup",
             ["watchdog: BUG: soft lockup - CPU#0 stuck", trace,
              "BUG: KASAN: slab-use-after-free in smcr_conn_put"], True)):
        _, line, is_final = bed.reports(lines)
        check(f"{fact} is {'final' if final else 'repeated'}",
              line and is_final == final)
    check("a good console has no report",
          bed.reports(["Linux version 6.12"]) == ([], None, False))
    races, _, _ = bed.reports(["BUG: KCSAN: data-race in a / smcr_b"])
    check("a data race is told", len(races) == 1)


def prove_bytes():
    """Check which failed checks are about bytes."""
    wrong = "# not ok 3 - the server saw every byte [wrong bytes]"
    late = "# # exit status 124: io smcr4"
    for lines, yes, fact in (
            ([wrong], True, "a wrong byte is final"),
            ([wrong, late], True, "whatever comes after it"),
            ([late, wrong], False, "but not behind a time limit"),
            (["# not ok 3 - a check"], False, "another failure is not")):
        check(fact, bed.wrong_bytes(lines) == yes)
    for case, yes in ("wrong", True), ("right", False):
        said = subprocess.run(["./prove_lib.sh", case], check=False, text=True,
                              capture_output=True).stdout.splitlines()
        check(f"the bed knows what lib.sh says of {case} bytes",
              bool(said) and bed.wrong_bytes(said) == yes)


def ended(act, limit=None):
    """Return the exit status of a program that wants "abc" and the end of the
    stream, whose other end acts so."""
    sock.wrong.clear()
    good = False
    with socket.create_server(("127.0.0.1", 0)) as listener, \
         socket.create_connection(listener.getsockname()) as client:
        server, _ = listener.accept()
        client.settimeout(limit)
        act(server)
        try:
            good = sock.exact(sock.heard(client, 4), b"abc")
        except OSError:
            pass
        server.close()
    return sock.status(good)


def prove_judge():
    """Check the exit status of Python programs that compare bytes."""
    def send(data, then=socket.socket.close):
        def act(server):
            server.sendall(data)
            then(server)
        return act

    def reset(server):
        server.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER,
                          struct.pack("ii", 1, 0))
        server.close()

    def wait(_):
        pass

    wrong = sock.WRONG_BYTES
    for fact, status, wanted in (
            ("right bytes", ended(send(b"abc")), 0),
            ("a wrong byte", ended(send(b"abd")), wrong),
            ("a byte too many", ended(send(b"abcd")), wrong),
            ("a byte missing at the end of file", ended(send(b"ab")), wrong),
            ("a reset in its place", ended(send(b"ab", reset)), 1),
            ("a time limit in its place", ended(send(b"ab", wait), 0.01), 1)):
        check(f"the exit status of {fact} is {wanted}", status == wanted)
    sock.exact(b"a", b"b")
    check("a wrong byte decides, whatever follows", sock.status(True) == wrong)
    sock.wrong.clear()
    texts = []
    for name, what in (("util.h", r"#define UTIL_WRONG_BYTES\s+(\d+)"),
                       ("lib.sh", r"(?m)^WRONG_BYTES=(\d+)$")):
        with open(os.path.join(LIB, name), encoding="utf-8") as file:
            texts.append(re.search(what, file.read())[1])
    check("C and shell have the same status", texts == [str(wrong)] * 2)


class FakeBed:                          # pylint: disable=too-few-public-methods
    """Hosts whose agents answer that all is well."""
    names = ["server", "client"]

    def __init__(self, answer=""):
        self.flags = ""
        self.answer = answer
        self.dead = lambda: []

    def ask(self, names, _verb, _ident, text, _limit):
        """Take a request to the agents."""
        self.flags = text
        return dict.fromkeys(names, self.answer)


def prove_evidence():
    """Check when counters are saved, and what is kept of earlier failures."""
    session = bed.Session.__new__(bed.Session)
    session.opt = argparse.Namespace(no_unload=False, keep=False,
                                     no_leaks=False)
    session.flavour, session.stretch = "release", 1
    for failed, reasons, yes, fact in (
            (True, [], True, "counters are saved if the output tells a failure"),
            (False, ["exit status 1"], True, "and if an exit status does"),
            (False, [], False, "but not of a good run")):
        session.bed = FakeBed()
        result = bed.Result()
        result.reasons = reasons
        session.finish(result, "job1", False, failed)
        check(fact, ("d" in session.bed.flags) == yes)
    for answer, final, fact in (
            ("rmmod smcr: in use", True,
             "smcr that cannot be unloaded is a failure at once"),
            ("Linux's SMC cannot be unloaded: in use", False,
             "Linux's own SMC-R may fail once")):
        session.bed = FakeBed(answer)
        result = bed.Result()
        session.finish(result, "job1", False, False)
        check(fact, not result.ok and result.broken and result.final == final)
    where = os.path.join(plan.CACHE, "t-debug")

    def fail_again(number, size):
        bed.make_room(where)
        os.makedirs(where)
        with open(os.path.join(where, str(number)), "wb") as f:
            f.truncate(size)

    def kept():
        return [next(iter(os.listdir(where + end)), None)
                for end in ("", ".1", ".2", ".3", ".4")
                if os.path.exists(where + end)]

    for number in range(3):
        fail_again(number, 1)
    check("the first failure is kept beside the latest",
          kept() == ["2", "1", "0"])
    for number in range(3, 6):
        fail_again(number, 1)
    check("the number of those that are kept is bounded",
          kept() == ["5", "4", "3", "2"])
    fail_again(6, bed.KEPT_BYTES)
    fail_again(7, 1)
    check("and so is their size", kept() == ["7", "6"])


class FakeChild:                        # pylint: disable=too-few-public-methods
    """A process that has ended."""
    returncode = 0

    def __init__(self, stdout):
        self.stdout = stdout
        self.wait = lambda: 0


class FakeCrew(crew.Crew):
    """A crew whose children print what a list says."""

    def __init__(self, outputs, repeat=True):
        tally, _ = quietly(crew.Tally)
        super().__init__(tally, repeat)
        self.outputs = list(outputs)
        self.asked = []
        self.kernels = {"debug", "release"}

    def ready(self, kernel):
        if kernel in self.kernels:
            self.built.add(kernel)
        return kernel in self.built

    def build(self, kernel):
        pass

    def child(self, kernel, names, *options):
        self.asked.append((kernel, names, options))
        out = self.outputs.pop(0).splitlines(True)
        return FakeChild(out)


OK = "ok 1 t-debug{} # 1.0 s\n"
BAD_RUN = "#   not ok 3 - bytes\nnot ok 1 t-debug{} # 2.0 s, test failed\n"
FINAL_RUN = "not ok 1 t-debug{} # FINAL 2.0 s, server kernel: WARNING\n"


def prove_repeats():
    """Check how often a failed run is repeated, and what it counts as."""
    one, two = ".again1", ".again2"
    for outputs, passed, unstable, fact in (
            ([OK.format("")], 1, 0, "a run that passes is not repeated"),
            ([BAD_RUN.format(""), OK.format(one), OK.format(two)], 1, 1,
             "a run that passes twice when repeated is unstable"),
            ([BAD_RUN.format(""), BAD_RUN.format(one)], 0, 0,
             "a run that fails again has failed, without a third"),
            ([BAD_RUN.format(""), OK.format(one), BAD_RUN.format(two)], 0, 0,
             "so has one that fails at the third time"),
            ([FINAL_RUN.format("")], 0, 0, "a final failure is not repeated"),
            ([""], 0, 0, "a bed that ends is repeated, and fails again"),
            (["# left: t-debug\n"], None, 0, "a run that was left out counts "
             "as nothing")):
        some = FakeCrew(outputs + ["", ""])
        _, said = quietly(some.run, [("debug", [FakeTest("t")])], 2,
                          time.time() + 60)
        check(fact, len(some.outputs) == 2 - (outputs == [""]) and
              (some.tally.passed, some.tally.failed) ==
              ((0, 0) if passed is None else (passed, 1 - passed)) and
              len(some.tally.unstable) == unstable)
        if unstable:
            check("a repeat is alone and keeps its evidence apart",
                  some.asked[1] == ("debug", ["t"],
                                    ("--alone", "--suffix", one)))
            check("the failed checks are shown before the result",
                  "#   not ok 3 - bytes\nok 1 t-debug # UNSTABLE" in said)


def prove_no_time():
    """Check what becomes of runs for which no time is left."""
    some = FakeCrew([])
    quietly(some.run, [("debug", [FakeTest("t")])], 1, time.time() - 1)
    check("no test begins after the budget", not some.asked)
    some = FakeCrew([OK.format("")])
    some.core = {"t-debug", "u-debug"}
    quietly(some.run, [("debug", [FakeTest("t")])], 1, time.time() - 1)
    check("but those of the core do", some.tally.passed == 1)
    check("a run of the core that is missing has failed",
          some.tally.failed == 1)
    some = FakeCrew([OK.format("").replace("debug", "release")])
    some.kernels = set()
    some.core = {"t-debug"}
    _, said = quietly(some.run, [
        ("debug", [FakeTest("t")]), ("release", [FakeTest("t")])], 1,
                      time.time() + 1.5)
    check("a kernel that is being built delays no other test",
          [k for k, _, _ in some.asked] == ["release"])
    check("if it is not there in time, that is said and no failure",
          some.tally.failed == 0 and "t-debug did not run: its" in said)
    for core in ({"t-debug"}, set()):
        some = FakeCrew([BAD_RUN.format("")])
        some.last_repeat = time.time()
        some.core = core
        quietly(some.run, [("debug", [FakeTest("t")])], 1)
        check("a failure not repeated " + (
            "has failed in the core" if core else "is unstable elsewhere"),
              some.tally.failed == len(core) and
              len(some.tally.unstable) == 1 - len(core))


def prove_record():
    """Check that check-all goes on where it was cut off."""
    plan.Record(True).put(True, "t-debug", "1.0 s")
    dirty = bool(plan.git("status", "--porcelain"))
    found = plan.Record(False).get("t-debug")
    check("a clean tree keeps its results, and a changed one does not",
          found == (None if dirty else (True, "1.0 s")))
    check("they can be forgotten", plan.Record(True).get("t-debug") is None)


def prove_unstable():
    """Check that a check with too many unstable runs fails, and that the cache
    collects them."""
    with open(os.path.join(plan.CACHE, "unstable"), "w", encoding="utf-8"):
        pass
    for name, checks in (("a-debug", ["# not ok 1 - x\n"]), ("b-debug", []),
                         ("a-debug", ["# not ok 2 - y\n"])):
        plan.note_unstable(name, checks)
    (count, name, last), (other, *_) = plan.unstable_sums()
    check("the sums of unstable runs have the latest evidence",
          (count, name, other) == (2, "a-debug", 1) and
          last.endswith("# not ok 2 - y"))
    for count in (crew.UNSTABLE, crew.UNSTABLE + 1):
        some = FakeCrew([])
        some.tally.unstable = ["t"] * count
        quietly(some.judge_unstable)
        check(f"{count} unstable runs {'fail' if count > 3 else 'pass'}",
              some.tally.failed == (count > crew.UNSTABLE))


@contextlib.contextmanager
def broken_tree():
    """Be in a tree whose test modules do not compile, and which has nothing
    else to build. What its build has left is removed after that."""
    top = os.path.join(plan.CACHE, "tree")
    mod = os.path.join(top, "tools/testing/selftests/smcr/mod")
    for where in (mod, mod + "/../unit", top + "/net", top + "/include"):
        os.makedirs(where)
    os.symlink(os.path.join(plan.TOP, "scripts"), top + "/scripts")
    for name, text in ((top + "/Kbuild", ""), (mod + "/good.c", ""),
                       (mod + "/Kbuild", "obj-m += good.o bad.o\n"),
                       (mod + "/bad.c", "#error not yet\n")):
        with open(name, "w", encoding="utf-8") as f:
            f.write(text)
    build.TOP, told = top, dict(os.environ)
    os.environ[build.DONE + "tool"] = "done"
    os.environ.pop(build.DONE + "module_release", None)
    try:
        yield
    finally:
        build.TOP = plan.TOP
        os.environ.clear()
        os.environ.update(told)


def prove_build():
    """Check that the bed stops if the modules of the tests do not compile."""
    log = ""
    with broken_tree():
        bed.quick_main = lambda _: build.modules("release")
        bed.build.deps = lambda: None
        sys.argv = ["bed.py", "quick"]
        status, said = quietly(bed.main)
        told = re.fullmatch(r"not ok - bed: the modules of the tests cannot be "
                            r"built for the release kernel, log: (\S+)\n", said)
        if told:
            log = told.group(1)
        check("the bed stops if a module of the tests does not compile",
              status == 1)
        check("and says so in one line", bool(told))
    with contextlib.suppress(OSError):
        with open(log, encoding="utf-8") as f:
            check("the log that it names has the error", "not yet" in f.read())
    key = log[-len("123456789012.log"):-len(".log")]
    for left in glob.glob(f"{os.environ['SMCR_CACHE']}/*/*-{key}*") \
            if key else []:
        if os.path.isdir(left):
            shutil.rmtree(left)
        else:
            os.remove(left)


class FailingCrew(FakeCrew):
    """A crew in a tree that cannot be built for the debug kernel."""

    def build(self, kernel):
        if kernel == "debug":
            raise build.Failed("no build")


def prove_no_build():
    """Check that no test begins after a build has failed."""
    some = FailingCrew([OK.format("")])
    try:
        quietly(some.run, [("debug", [FakeTest("t")]),
                           ("release", [FakeTest("t")])], 1)
        error = None
    except build.Failed as failed:
        error = failed
    check("a failed build for a later kernel stops the crew",
          str(error) == "no build" and not some.asked)


print("TAP version 13")
plan.CACHE = tempfile.mkdtemp()
try:
    prove_core()
    prove_order()
    prove_changes()
    prove_processors()
    prove_parts()
    prove_times()
    prove_stretch()
    prove_seed()
    prove_reports()
    prove_bytes()
    prove_judge()
    prove_evidence()
    prove_repeats()
    prove_no_time()
    prove_record()
    prove_unstable()
    prove_no_build()
    prove_build()
finally:
    shutil.rmtree(plan.CACHE)
print(f"1..{COUNT}")
sys.exit(1 if BAD else 0)
