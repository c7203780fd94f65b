#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""The test bed: boots one or two virtual machines and runs scripts in them.

pair SERVER CLIENT   two hosts on one wire
one SCRIPT           one host
tests NAME...        functional tests (func/NAME.sh), or all of them
quick                a few functional tests
check                the core of the functional tests, then others until
                     $SMCR_BUDGET minutes are over
all                  every test and case on each kernel, for hours
list                 a line for each test: topology, fact, RFC sections

A script is the path of a file or else a shell command. See vm/README.md.
"""
import argparse
import collections
import contextlib
import fcntl
import math
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import time

import build
import machine
import plan
from crew import Crew, Tally, beds
from plan import CACHE, SELF, START, TOP, VM

OUT = os.path.join(SELF, "out")
# Time limits must tell a hang from slowness with five beds running at once.
FACTOR = {"release": 1, "debug": 5, "kcsan": 5}
SKIP = 4
# Seconds that a boot takes beside another bed on the machine for which the time
# limits were set.
BOOT = {"release": 20, "debug": 60, "kcsan": 60}
# The most by which the bed's own limits grow on a slower machine.
STRETCH = 4
# Evidence of earlier failures of a run that is kept beside the newest: how many
# times, and how many bytes together.
KEPT, KEPT_BYTES = 3, 256 << 20
# Exit status of a script that the bed has ended with SIGTERM.
TERMINATED = 128 + signal.SIGTERM
# Hosts that have Linux's own SMC-R instead of smcr, for each --peer.
LINUX_HOSTS = {"linux": ["server"], "linux-client": ["client"]}

# A kernel message that fails a run whatever the scripts report.
BAD = re.compile(
    r"BUG:|WARNING:|Oops|general protection|Call Trace:|KASAN|UBSAN|"
    r"kmemleak: \d+ new|circular locking|recursive locking|"
    r"inconsistent lock state|suspicious RCU|refcount_t|blocked for more|"
    r"soft lockup|hard LOCKUP|unregister_netdevice: waiting|ref_tracker:|"
    r"Kernel panic|INFO: rcu|scheduling while atomic|sleeping function|"
    r"ODEBUG:|list_(add|del) corruption|held lock freed|lock held when|"
    r"Unable to handle|stack-protector|workqueue lockup|bad: scheduling")
# Reports that a loaded machine may cause, with a call trace. They fail a run,
# but a check repeats it, as it repeats any that the test itself has failed.
SLOW = re.compile(r"soft lockup|INFO: rcu|blocked for more|workqueue lockup|"
                  r"hung_task: blocked")
TRACE = re.compile(r"Call Trace:")
# QEMU with two processors sometimes runs the breakpoint that the kernel puts in
# place while it switches a static branch, after the kernel has removed it.
STALE = re.compile(r"Oops: int3:")
MODULE = re.compile(r"RIP: .*\[\w+\]")
# A data race fails the run, too, but the machine goes on.
RACE = re.compile(r"BUG: KCSAN: .*")
# Not counted: the kernel's sock_orphan() against its sk_wake_async(), see README
CORE_RACES = {"BUG: KCSAN: data-race in ops_release [smcr] / "
              "smcr_conn_end_event [smcr]"}


def say(text):
    """Print a line with the time since the outermost script began."""
    t = int(time.time()) - START
    print(f"[{t // 60:3d}:{t % 60:02d}] {text}", file=sys.stderr, flush=True)


def take_slots(alone):
    """Wait until this machine may run one more bed, or until no other one
    runs; return the locks."""
    os.makedirs(os.path.join(CACHE, "bed"), exist_ok=True)
    wanted = beds() if alone else 1
    taken = []
    said = False
    while True:
        for i in range(beds()):
            lock = open(os.path.join(CACHE, "bed", f"slot{i}"), "w")
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                taken.append(lock)
            except OSError:
                lock.close()
            if len(taken) == wanted:
                return taken
        for lock in taken:
            lock.close()
        taken = []
        if not said:
            say("waiting for another test bed on this machine to end")
            said = True
        time.sleep(1)


class Result:
    """The result of one job: a list of reasons why it failed."""

    def __init__(self):
        self.reasons = []
        self.skipped = False
        self.seconds = 0
        self.broken = False     # the machines cannot be used again
        self.final = False      # no second run can excuse it

    def fail(self, reason):
        """Add a reason."""
        self.reasons.append(reason)

    @property
    def ok(self):
        """Return True if nothing failed."""
        return not self.reasons


def reports(lines):
    """Return what a kernel reports: the data races, its first other report (or
    None), and whether one of those is neither a sign of a slow machine nor a
    fault of the emulator."""
    races = {m.group().strip() for m in map(RACE.search, lines) if m}
    bad = [line.strip() for line in lines
           if BAD.search(line) and not RACE.search(line)]
    final = [line for line in bad
             if not SLOW.search(line) and not TRACE.search(line)]
    if bad and STALE.search(bad[0]) and not any(map(MODULE.search, lines)):
        return sorted(races - CORE_RACES), bad[0], False
    first = (final or bad or [None])[0]
    # A call trace alone has a cause that BAD does not know.
    slow = not final and any(map(SLOW.search, bad))
    return sorted(races - CORE_RACES), first, bool(bad) and not slow


def stretch_of(kernel, seconds):
    """Return the factor for the bed's own limits on a machine whose boots take
    that long. A boot is the same work each time."""
    return min(STRETCH, max(1, seconds / BOOT[kernel]))


def boot_limit(kernel):
    """Return the time limit for a boot: twice what it takes on the slowest
    machine for which limits are stretched. A guest that does not come up, as
    one whose second processor gets no timer, costs the run no more."""
    return 2 * STRETCH * BOOT[kernel]


def size_of(where):
    """Return the bytes of the files in a directory."""
    return sum(os.path.getsize(os.path.join(top, name))
               for top, _, names in os.walk(where) for name in names)


def make_room(where):
    """Move what is in a directory to WHERE.1, that to WHERE.2 and so on, and
    forget the oldest beyond KEPT and KEPT_BYTES."""
    dirs = [where] + [f"{where}.{n}" for n in range(1, KEPT + 1)]
    for old, new in reversed(list(zip(dirs, dirs[1:]))):
        shutil.rmtree(new, ignore_errors=True)
        if os.path.exists(old):
            os.rename(old, new)
    left = KEPT_BYTES
    for old in dirs[1:]:
        left -= size_of(old)
        if left < 0:
            shutil.rmtree(old, ignore_errors=True)


class Session:
    """One boot of one or two hosts, and the jobs run in it. spent has the
    seconds of each phase, stretch the factor for time limits on this machine
    at this time. Timers of smcr and bounds that a test asserts stay."""

    def __init__(self, opt, kernel, names):
        self.opt = opt
        self.flavour = kernel
        self.spent = collections.Counter()
        self.stretch = 1
        with self.phase("build"):
            self.furnish(names)
        self.count = 0
        self.slots = []

    @contextlib.contextmanager
    def phase(self, name):
        """Add the time of the code within to a phase."""
        begin = time.monotonic()
        try:
            yield
        finally:
            self.spent[name] += time.monotonic() - begin

    def furnish(self, names):
        """Build what the hosts need, and write what they are told."""
        opt, kernel = self.opt, self.flavour
        self.linux = LINUX_HOSTS.get(opt.peer, [])
        self.rocev1 = opt.rocev1 or bool(self.linux)
        self.kernel = build.kernel_dir(kernel)
        self.bed = machine.Bed(
            names, opt, self.kernel, build.initramfs(self.kernel),
            build.switch(), CACHE)
        if opt.no_smcr != "both":
            for path in build.modules(kernel):
                shutil.copy(path, self.bed.share)
        for name in names:
            smcr = "1"
            if opt.no_smcr in (name, "both") or name in self.linux:
                smcr = "0"
            self.bed.write(name, "env", "".join(f"{k}={v}\n" for k, v in (
                ("BED_HOST", name), ("BED_NICS", opt.nics),
                ("BED_RAILS", int(opt.rails)), ("BED_MTU", opt.mtu),
                ("BED_SMCR", smcr), ("BED_TOP", TOP), ("BED_VM", VM),
                ("BED_LINUX", int(name in self.linux)),
                ("BED_KERNEL", kernel), ("BED_ROCEV1", int(self.rocev1)))))
        if self.rocev1:
            shutil.copy(os.path.join(build.kernel_dir("rxe"), "rdma_rxe.ko"),
                        self.bed.share)

    def start(self):
        """Boot, and wait until the agents have set their hosts up."""
        with self.phase("slot"):
            self.slots = take_slots(self.opt.alone)
        with self.phase("boot"):
            error = self.bed.start(os.path.join(VM, "agent"),
                                   boot_limit(self.flavour))
        if error:
            return error
        self.stretch = stretch_of(self.flavour, self.spent["boot"])
        say(f"{' and '.join(self.bed.names)} up "
            f"({self.flavour} kernel, {self.bed.accel}, "
            f"{self.spent['boot']:.1f} s, time limits x {self.stretch:.1f})")
        return None

    def limit(self, seconds):
        """Return a time limit for this kernel on this machine."""
        return int(seconds * FACTOR[self.flavour] * self.stretch)

    def run(self, name, scripts, seconds, on_line, last,
            failed=lambda: False):
        """Run a job. scripts maps host names to shell text, on_line(host,
        line) gets the output, and last makes it look for leaks as well.
        failed() says whether the output tells of a failure that no exit status
        does: what the hosts know of it is gone once smcr is unloaded."""
        result = Result()
        begin = time.monotonic()
        self.count += 1
        ident = f"job{self.count}"
        for host, text in scripts.items():
            self.bed.write(host, f"job.{ident}", text)
        self.bed.mark()
        end = ""
        if self.execute(result, ident, name, scripts, seconds, on_line):
            with self.phase("finish"):
                self.finish(result, ident, last, failed())
            end = f"{ident} finished"
        with self.phase("finish"):
            self.read_consoles(result, end)
        result.seconds = time.monotonic() - begin
        return result

    def execute(self, result, ident, name, scripts, seconds, on_line):
        """Load and run; return False if "finish" can no longer work."""
        bed = self.bed
        with self.phase("prepare"):
            answers = bed.ask(bed.names, "prepare", ident, name,
                              self.limit(60))
        for host in bed.names:
            if answers.get(host) != "0":
                result.fail(f"{host}: modules did not load "
                            f"(out/.../{host}/agent.log)")
        if result.reasons:
            return not bed.dead()
        with self.phase("test"):
            status, late = bed.run_job(ident, scripts, self.limit(seconds),
                                       on_line)
        self.judge(result, status, late, seconds)
        return not bed.dead()

    def judge(self, result, status, late, seconds):
        """Turn exit statuses into reasons."""
        for host in self.bed.dead():
            result.fail(f"{host}: the machine went down")
            result.broken = True
        result.broken |= any(h.killed for h in self.bed.hosts.values())
        if late:
            result.fail(f"{', '.join(late)}: still running after "
                        f"{self.limit(seconds)} s")
            result.broken = True
        main = "client" if "client" in status else next(iter(status), "")
        for host, code in status.items():
            if host == main and code == SKIP:
                result.skipped = True
            elif code and not (host != main and code == TERMINATED):
                result.fail(f"{host}: exit status {code}")

    def finish(self, result, ident, last, failed):
        """Unload smcr and look for leftovers of the job. After a failure, have
        the counters saved before."""
        bed = self.bed
        flags = "-" if self.opt.no_unload else "u"
        if result.reasons or failed or self.opt.keep:
            flags += "d"
        if last and not self.opt.no_leaks:
            flags += "l"
        answers = bed.ask(bed.names, "finish", ident, flags, self.limit(180))
        dead = bed.dead()
        for host in bed.names:
            text = answers.get(host)
            if text is None:
                result.fail(f"{host}: hangs or died while unloading")
                result.broken = True
                result.final |= host not in dead
            elif text:
                result.fail(f"{host}: {text}")
                # A second run decides about the module of the peer
                linux = text.startswith("Linux's SMC")
                result.final |= not linux
                result.broken |= linux or "smcr" in text

    def read_consoles(self, result, end):
        """Look for reports of the kernels, up to the line end."""
        for host in self.bed.names:
            lines = self.bed.console_since_mark(host, end)
            races, line, final = reports(lines)
            for race in races:
                result.fail(f"{host} kernel: {race}")
                result.final = True
            if line:
                result.fail(f"{host} kernel: {line}")
                result.broken = True
                result.final |= final

    def save(self, name):
        """Keep the evidence of a run, and that of earlier runs of this name
        beside it; return its directory."""
        where = os.path.join(OUT, name)
        make_room(where)
        os.makedirs(where)
        self.bed.collect(where)
        return os.path.relpath(where)

    def close(self):
        """End the machines."""
        with self.phase("stop"):
            self.bed.stop()
        for slot in self.slots:
            slot.close()


def script_text(script):
    """Return shell text that runs a script file or a shell command."""
    if script == "-":
        return "exit 0\n"
    if not os.path.exists(script):
        return script + "\n"
    path = os.path.abspath(script)
    run = "exec" if os.access(path, os.X_OK) else "exec bash"
    return f"cd {os.path.dirname(path)}\n{run} {path}\n"


def report(session, result, name, keep):
    """Print what failed and where the evidence is."""
    for reason in result.reasons:
        print(f"# {name}: {reason}", flush=True)
    if not result.ok or keep:
        print(f"# {name}: consoles, captures and counters of both hosts: "
              f"{session.save(name)}/", flush=True)


def scripts_main(opt, names, scripts):
    """pair and one: run the scripts once; return the client's status."""
    name = opt.name or "run"
    session = Session(opt, opt.kernel, names)
    status = {}

    def on_line(host, line):
        if host == names[-1]:
            print(line, flush=True)
        else:
            print(f"# {host}: {line}", flush=True)

    try:
        error = session.start()
        if error:
            result = Result()
            result.fail(error)
        else:
            result = session.run(name, {h: script_text(s) for h, s in
                                        zip(names, scripts)},
                                 opt.timeout, on_line, True)
        report(session, result, name, opt.keep)
    finally:
        session.close()
    for reason in result.reasons:
        m = re.match(rf"{names[-1]}: exit status (\d+)$", reason)
        if m:
            status = int(m.group(1))
            return status
    if result.ok and result.skipped:
        return SKIP
    return 0 if result.ok else 1


def list_main():
    """list: print a line for each test."""
    for name, test in plan.all_tests().items():
        rfc = f" (RFC 7609: {test.rfc})" if test.rfc else ""
        print(f"{name:20} {test.topology:5} {test.fact}{rfc}")
    return 0


def told_text():
    """Return shell text that tells both scripts of a test how it is run."""
    return "".join(f"export {name}={shlex.quote(os.environ[name])}\n"
                   for name in ("CI", "SMCR_SOAK", "SMCR_SEED", "SMCR_CASE")
                   if name in os.environ)


def runner_text(test, seconds):
    """Return the job that runs a test under the kernel's own kselftest runner.
    The runner opens /dev/stdout again; a virtio port refuses that: hence cat.
    """
    source = os.path.join(CACHE, "linux-source-6.12/tools/testing/selftests")
    return f"""mkdir -p /run/ksft
ln -sfn {source}/kselftest /run/ksft/kselftest
ln -sfn {SELF} /run/ksft/smcr
cd /run/ksft/smcr
export BASE_DIR=/run/ksft kselftest_override_timeout={seconds}
. "$BASE_DIR/kselftest/runner.sh"
run_many ./{test.dir}/{test.name}.sh | cat
"""


def wrong_bytes(lines):
    """Return whether the output of a test has a check that failed since a byte
    was wrong or missing, before any program met its time limit. One that is
    killed leaves its peer with an end that it did not expect."""
    for line in lines:
        if re.search(r"exit status 124\b", line):
            return False
        if re.search(r"not ok .*\[wrong bytes\]", line):
            return True
    return False


def run_test(session, test, last, keep, name):
    """Run one test in a booted session; return its result."""
    verdict = []
    output = []

    def on_line(host, line):
        output.append(line)
        m = re.match(r"(ok|not ok) 1 selftests: \S+ \S+(.*)", line)
        if host == "server" and test.topology == "pair":
            print(f"# server: {line}", flush=True)
        elif m:
            verdict.append((m.group(1) == "ok", m.group(2)))
        elif not re.match(r"TAP version|1\.\.1$|# timeout|# overriding",
                          line):
            print(line, flush=True)

    print(f"# {name}", flush=True)
    limit = session.limit(test.timeout) + 60
    told = told_text() + f"export BED_STRETCH={math.ceil(session.stretch)}\n"
    scripts = {session.bed.names[-1]: told + runner_text(test, limit)}
    if test.topology == "pair":
        side = "server" if test.server == test.path else "client"
        scripts["server"] = (told + f"export BED_SIDE={side}\n" +
                             script_text(test.server))
    result = session.run(name, scripts, test.timeout, on_line, last,
                         lambda: not verdict or not verdict[-1][0])
    if not verdict:
        result.fail("no verdict from the runner")
    elif not verdict[-1][0]:
        result.fail(f"test failed{verdict[-1][1]}")
    if wrong_bytes(output):
        result.fail("a byte was wrong or missing")
        result.final = True
    result.skipped = bool(verdict) and "# SKIP" in verdict[-1][1]
    if result.skipped and os.environ.get("CI") == "true":
        result.fail("skipped, which counts as a failure with CI=true")
        result.final = True
    report(session, result, name, keep)
    return result


def boot_for(opt, kernel, test):
    """Boot a session as a test asks for; return it and the error, if any."""
    opt.nics, opt.rails, opt.no_smcr = test.nics, test.rails, test.no_smcr
    opt.cpus, opt.peer = test.cpus, test.peer
    if kernel == "kcsan" or kernel.endswith(plan.TWO):
        opt.cpus = max(opt.cpus, 2)
    kernel = plan.flavour(kernel)
    names = ["server", "client"]
    if test.topology == "one":
        names = ["server"]
    session = Session(opt, kernel, names)
    return session, session.start()


class Boots:
    """Runs tests that can share a boot, one after the other. A fault of a
    kernel costs a boot."""

    def __init__(self, opt, kernel, tally):
        self.opt = opt
        self.kernel = kernel
        self.tally = tally
        self.session = None

    def once(self, test, last, name):
        """Run a test, in the present boot or in a new one."""
        if not self.session:
            self.session, error = boot_for(self.opt, self.kernel, test)
            if error:
                result = Result()
                result.fail(f"no boot: {error}")
                report(self.session, result, name, self.opt.keep)
                self.close()
                return result
        result = run_test(self.session, test, last, self.opt.keep, name)
        if result.broken:
            self.close()
        return result

    def test(self, test, last):
        """Run a test and tell its result. FINAL in the note tells the process
        that started this one not to repeat it."""
        name = f"{test.name}-{self.kernel}{self.opt.suffix}"
        result = self.once(test, last, name)
        note = f"{result.seconds:.1f} s"
        if not result.ok:
            note = ("FINAL " if result.final else "") + note
            note += f", {result.reasons[0]}"
        elif result.skipped:
            note = f"SKIP {note}"
        self.tally.line(result.ok, name, note)

    def run(self, tests):
        """Run a list of tests, but begin none after the time of --until."""
        try:
            for i, test in enumerate(tests):
                if self.opt.until and time.time() >= self.opt.until:
                    print("# left:", *(f"{t.name}-{self.kernel}"
                                       for t in tests[i:]), flush=True)
                    break
                self.test(test, i == len(tests) - 1)
        finally:
            self.close()

    def close(self):
        """End the boot."""
        if self.session:
            self.session.close()
            print("# spent:", *(f"{phase} {seconds:.1f}" for phase, seconds in
                                self.session.spent.items()), flush=True)
        self.session = None


def tell_seed():
    """Choose which cases the tests draw, and say how to repeat that."""
    if "SMCR_SEED" not in os.environ:
        print(f"# SMCR_SEED={plan.seed()} draws the same cases", flush=True)


def tests_main(opt):
    """tests: run the named tests on one kernel, in this process, or on both."""
    build.programs()
    tell_seed()
    tests = plan.find_tests(opt.names)
    tally = Tally()
    if opt.kernel:
        named = [plan.Run(opt.kernel, t) for t in tests]
        if {"func", "apps", "all"} & set(opt.names):
            named = plan.every_run(tests, [opt.kernel])
        size = max(1, len(named))
        for kernel, some in plan.parts(named, size, size):
            Boots(opt, kernel, tally).run(some)
        return tally.end(opt.tally)
    kernels = ["release", "debug"]
    for kernel in kernels:
        build.boot(kernel)
    crew = Crew(tally, False)
    runs = plan.every_run(tests, kernels)
    crew.run(plan.parts(runs, max(1, len(runs))), beds())
    return tally.end(opt.tally)


def check_main(opt):
    """check: run the core, and others until the budget is spent."""
    build.programs()
    tell_seed()
    core, others = plan.check_plan()
    build.boot("release")
    until = plan.last_start(time.time())
    tally = Tally()
    crew = Crew(tally, True, START + 60 * plan.LAST_REPEAT)
    crew.core = {plan.name_of(r) for r in core}
    crew.run(plan.parts(core, len(core)) + plan.parts(others, plan.WINDOW),
             beds(), until)
    crew.judge_unstable()
    crew.tell_spent()
    print(f"# core {len(crew.core & crew.ended)} of {len(core)}, "
          f"others {len(crew.ended - crew.core)} of {len(others)}")
    return tally.end(opt.tally)


def quick_main(opt):
    """quick: run a few tests."""
    build.programs()
    tell_seed()
    build.boot("release")
    tally = Tally()
    runs = plan.listed_runs(plan.all_tests(), plan.QUICK)
    Crew(tally, True).run(plan.parts(runs, len(runs)), beds())
    return tally.end(opt.tally)


def all_main(opt):
    """all: run every test with every case on each kernel, but those whose
    result for this tree is in the cache."""
    build.programs()
    tell_seed()
    record = plan.Record(opt.fresh)
    tally = Tally()
    left = []
    for run in plan.every_run(plan.all_tests().values(), plan.ALL):
        name = plan.name_of(run)
        result = record.get(name)
        if result:
            tally.line(result[0], name, f"{result[1]}, in an earlier run")
        else:
            left.append(run)
    for kernel in sorted(set(map(plan.flavour, plan.ALL))):
        build.boot(kernel)
    tally.record = record
    crew = Crew(tally, True)
    crew.run(plan.parts(left, max(1, len(left))), beds())
    tally.record = None
    crew.judge_unstable(0)
    for count, name, last in plan.unstable_sums():
        print(f"# unstable on this machine: {name}, {count} times, last {last}")
    return tally.end(opt.tally)


def parse():
    """Parse the command line."""
    top = argparse.ArgumentParser(
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter)
    common = argparse.ArgumentParser(add_help=False)
    add = common.add_argument
    add("--kernel", choices=[k + cpus for k in FACTOR
                             for cpus in ("", plan.TWO)],
        help="default: release for scripts, release and debug for tests; "
        f"debug{plan.TWO}: the debug kernel, and two processors of each host")
    add("--nics", type=int, default=1, metavar="N", help="NICs a host")
    add("--rails", action="store_true",
        help="NIC n of both on a segment and subnet of its own")
    add("--no-smcr", choices=["server", "client", "both"],
        help="do not load smcr there")
    add("--peer", choices=list(LINUX_HOSTS), help="the server (linux) or the "
        "client has Linux's own SMC-R instead of smcr (release kernel)")
    add("--rocev1", action="store_true",
        help="a Soft-RoCE that has RoCEv1 GIDs too (release kernel)")
    add("--mtu", type=int, default=4200, metavar="BYTES",
        help="of the NICs; 4200 gives RDMA its 4096 (default %(default)s)")
    add("--mem", type=int, metavar="MB", help="memory of each host")
    add("--cpus", type=int, default=1, metavar="N", help="of each host")
    add("--timeout", type=int, default=300, metavar="S",
        help="for the scripts; five times that on the debug kernel")
    add("--icount", action="store_true",
        help="the processor's clock counts instructions; one CPU, slow")
    add("--append", default="", help="more words for the kernel")
    add("--name", help="directory in out/ for what a failure leaves")
    add("--no-unload", action="store_true", help="do not unload smcr")
    add("--no-leaks", action="store_true", help="do not look for leaks")
    add("--alone", action="store_true",
        help="wait until no other bed of this machine is at work")
    add("--keep", action="store_true",
        help="keep consoles, captures and counters of good runs too")
    sub = top.add_subparsers(dest="mode", required=True)
    p = sub.add_parser("pair", parents=[common])
    p.add_argument("server")
    p.add_argument("client")
    p = sub.add_parser("one", parents=[common])
    p.add_argument("script")
    sub.add_parser("list")
    sub.add_parser("seed", help="print the number by which cases are drawn")
    for mode in ("quick", "check", "all"):
        p = sub.add_parser(mode, parents=[common])
        p.add_argument("--tally", help="file for the three numbers")
    p.add_argument("--fresh", action="store_true",
                   help="forget the results of an earlier run on this tree")
    p = sub.add_parser("tests", parents=[common])
    p.add_argument("names", nargs="+")
    p.add_argument("--until", type=float, metavar="T",
                   help="begin no test after T seconds since the epoch")
    p.add_argument("--suffix", default="", help="of the names in the output")
    p.add_argument("--tally", help="file for the three numbers")
    return top.parse_args()


def main():
    """Run the command."""
    opt = parse()
    if opt.mode == "list":
        return list_main()
    if opt.mode == "seed":
        return print(plan.seed())
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    try:
        return run_mode(opt)
    except build.Failed as failed:
        print(f"not ok - bed: {failed}", flush=True)
        return 1


def run_mode(opt):
    """Run the command, which may boot; return its status."""
    build.deps()
    mains = {"tests": tests_main, "quick": quick_main, "check": check_main,
             "all": all_main}
    if opt.mode in mains:
        return mains[opt.mode](opt)
    opt.kernel = opt.kernel or "release"
    if opt.kernel.endswith(plan.TWO):
        opt.cpus = max(opt.cpus, 2)
        opt.kernel = plan.flavour(opt.kernel)
    if opt.mode == "one":
        return scripts_main(opt, ["server"], [opt.script])
    return scripts_main(opt, ["server", "client"], [opt.server, opt.client])


if __name__ == "__main__":
    sys.exit(main())
