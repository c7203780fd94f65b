#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""The test bed: boots one or two virtual machines and runs scripts in them.

pair SERVER CLIENT   two hosts on one wire
one SCRIPT           one host
tests NAME...        functional tests (func/NAME.sh), or all of them
list                 a line for each test: topology, fact, RFC sections

A script is the path of a file or else a shell command. See vm/README.md.
"""
import argparse
import collections
import fcntl
import glob
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import threading
import time

import machine

VM = os.path.dirname(os.path.abspath(__file__))
SELF = os.path.dirname(VM)
TOP = os.path.abspath(os.path.join(SELF, "../../../.."))
CACHE = os.environ.setdefault("SMCR_CACHE", "/var/cache/smcr")
OUT = os.path.join(SELF, "out")
# Time limits must tell a hang from slowness with five beds running at once.
FACTOR = {"release": 1, "debug": 5, "kcsan": 5}
# Factor for all cases of a test ("make soak").
SOAK_FACTOR = 20
# Tests in one boot of the debug kernel; the release kernel has twice as many.
TESTS_A_BOOT = 8
SKIP = 4
# Exit status of a script that the bed has ended with SIGTERM.
TERMINATED = 128 + signal.SIGTERM
# Hosts that have Linux's own SMC-R instead of smcr, for each --peer.
LINUX_HOSTS = {"linux": ["server"], "linux-client": ["client"]}
START = int(os.environ.setdefault("SMCR_T0", str(int(time.time()))))

# A kernel message that fails a run whatever the scripts report.
BAD = re.compile(
    r"BUG:|WARNING:|Oops|general protection|Call Trace:|KASAN|UBSAN|"
    r"kmemleak: \d+ new|circular locking|recursive locking|"
    r"inconsistent lock state|suspicious RCU|refcount_t|blocked for more|"
    r"soft lockup|hard LOCKUP|unregister_netdevice: waiting|ref_tracker:|"
    r"Kernel panic|INFO: rcu|scheduling while atomic|sleeping function|"
    r"ODEBUG:|list_(add|del) corruption|held lock freed|lock held when|"
    r"Unable to handle|stack-protector|workqueue lockup|bad: scheduling")
# A data race fails the run, too, but the machine goes on.
RACE = re.compile(r"BUG: KCSAN: .*")
# Not counted: the kernel's sock_orphan() against its sk_wake_async(), see README
CORE_RACES = {"BUG: KCSAN: data-race in ops_release [smcr] / "
              "smcr_conn_end_event [smcr]"}


def say(text):
    """Print a line with the time since the outermost script began."""
    t = int(time.time()) - START
    print(f"[{t // 60:3d}:{t % 60:02d}] {text}", file=sys.stderr, flush=True)


def output_of(*command):
    """Return the standard output of a command, which must succeed."""
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True)
    if done.returncode:
        raise SystemExit(f"bed: {' '.join(command)} failed")
    return done.stdout.strip()


def cached(name, sources, build):
    """Return a file that build(path) makes again when its sources change."""
    path = os.path.join(CACHE, "bed", name)
    newest = max(os.stat(s).st_mtime for s in sources)
    if not os.path.exists(path) or os.stat(path).st_mtime < newest:
        os.makedirs(os.path.dirname(path), exist_ok=True)
        tmp = f"{path}.{os.getpid()}"
        build(tmp)
        os.rename(tmp, path)
    return path


def build_switch():
    """Build the switch of this tree."""
    source = os.path.join(VM, "switch.c")
    key = "switch" + TOP.replace("/", "_")
    return cached(key, [source], lambda out: output_of(
        "gcc", "-O2", "-Wall", "-o", out, source))


def build_initramfs(kernel):
    """Build the initramfs for one kernel."""
    maker = os.path.join(VM, "initramfs")
    return cached(f"initramfs-{os.path.basename(kernel)}",
                  [maker, os.path.join(kernel, "vmlinuz")],
                  lambda out: output_of(maker, kernel, out))


def take_slot():
    """Wait until this machine may run one more bed; return the lock."""
    slots = beds()
    os.makedirs(os.path.join(CACHE, "bed"), exist_ok=True)
    said = False
    while True:
        for i in range(slots):
            lock = open(os.path.join(CACHE, "bed", f"slot{i}"), "w")
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                return lock
            except OSError:
                lock.close()
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
        self.fault = False      # reported by the kernel, or left behind

    def fail(self, reason):
        """Add a reason."""
        self.reasons.append(reason)

    @property
    def ok(self):
        """Return True if nothing failed."""
        return not self.reasons


class Session:
    """One boot of one or two hosts, and the jobs run in it."""

    def __init__(self, opt, kernel, names):
        self.opt = opt
        self.flavour = kernel
        self.linux = LINUX_HOSTS.get(opt.peer, [])
        self.rocev1 = opt.rocev1 or bool(self.linux)
        self.kernel = output_of(os.path.join(TOP, "scripts/kernel"), kernel)
        self.bed = machine.Bed(
            names, opt, self.kernel, build_initramfs(self.kernel),
            build_switch(), CACHE)
        if opt.no_smcr != "both":
            self.build_smcr()
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
            rxe = output_of(os.path.join(TOP, "scripts/kernel"), "rxe")
            shutil.copy(os.path.join(rxe, "rdma_rxe.ko"), self.bed.share)
        self.count = 0
        self.slot = None

    def build_smcr(self):
        """Build the module and the tool from the working tree."""
        module = output_of(os.path.join(TOP, "scripts/module"), self.flavour)
        shutil.copy(os.path.join(module, "smcr.ko"),
                    os.path.join(self.bed.share, "smcr.ko"))
        mods = os.path.join(module, "../../mod")
        for name in os.listdir(mods):
            if name.endswith(".ko"):
                shutil.copy(os.path.join(mods, name), self.bed.share)
        tool = os.path.join(TOP, "tools/smcr-ctl")
        if os.path.exists(os.path.join(tool, "Makefile")):
            output_of("make", "-s", "-C", tool)

    def start(self):
        """Boot, and wait until the agents have set their hosts up."""
        self.slot = take_slot()
        begin = time.monotonic()
        limit = self.limit(180)
        error = self.bed.start(os.path.join(VM, "agent"), limit)
        if error:
            return error
        say(f"{' and '.join(self.bed.names)} up "
            f"({self.flavour} kernel, {self.bed.accel}, "
            f"{time.monotonic() - begin:.1f} s)")
        return None

    def limit(self, seconds):
        """Return a time limit for this kernel."""
        return seconds * FACTOR[self.flavour]

    def run(self, name, scripts, seconds, on_line, last):
        """Run a job. scripts maps host names to shell text, on_line(host,
        line) gets the output, and last makes it look for leaks as well."""
        result = Result()
        begin = time.monotonic()
        self.count += 1
        ident = f"job{self.count}"
        for host, text in scripts.items():
            self.bed.write(host, f"job.{ident}", text)
        self.bed.mark()
        if self.execute(result, ident, name, scripts, seconds, on_line):
            self.finish(result, ident, last)
        result.seconds = time.monotonic() - begin
        return result

    def execute(self, result, ident, name, scripts, seconds, on_line):
        """Load and run; return False if "finish" can no longer work."""
        bed = self.bed
        answers = bed.ask(bed.names, "prepare", ident, name, 60)
        for host in bed.names:
            if answers.get(host) != "0":
                result.fail(f"{host}: modules did not load "
                            f"(out/.../{host}/agent.log)")
        if result.reasons:
            return not bed.dead()
        status, late = bed.run_job(ident, scripts, self.limit(seconds),
                                   on_line)
        self.judge(result, status, late, seconds)
        return not bed.dead()

    def judge(self, result, status, late, seconds):
        """Turn exit statuses into reasons."""
        for host in self.bed.dead():
            result.fail(f"{host}: the machine went down")
            result.broken = result.fault = True
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

    def finish(self, result, ident, last):
        """Unload smcr and look for leftovers of the job."""
        bed = self.bed
        flags = "-" if self.opt.no_unload else "u"
        if last and not self.opt.no_leaks:
            flags += "l"
        answers = bed.ask(bed.names, "finish", ident, flags, self.limit(180))
        for host in bed.names:
            text = answers.get(host)
            if text is None:
                result.fail(f"{host}: hangs or died while unloading")
                result.broken = result.fault = True
            elif text:
                result.fail(f"{host}: {text}")
                result.fault = True
                result.broken |= "smcr" in text
        for host in bed.names:
            lines = bed.console_since_mark(host, f"{ident} finished")
            races = {m.group().strip() for m in map(RACE.search, lines) if m}
            for race in sorted(races - CORE_RACES):
                result.fail(f"{host} kernel: {race}")
                result.fault = True
            for line in lines:
                if BAD.search(line) and not RACE.search(line):
                    result.fail(f"{host} kernel: {line.strip()}")
                    result.broken = result.fault = True
                    break

    def save(self, name):
        """Keep the evidence of a run; return its directory."""
        where = os.path.join(OUT, name)
        shutil.rmtree(where, ignore_errors=True)
        os.makedirs(where)
        self.bed.collect(where)
        return os.path.relpath(where)

    def close(self):
        """End the machines."""
        self.bed.stop()
        if self.slot:
            self.slot.close()


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


class Test:
    """A functional test: func/NAME.sh with its header lines."""

    def __init__(self, path):
        self.path = path
        self.name = os.path.basename(path)[:-3]
        self.dir = os.path.basename(os.path.dirname(path))
        with open(path, encoding="utf-8") as f:
            text = f.read()
        head = dict(re.findall(r"^# ([a-z-]+): (.*)$", text[:4096], re.M))
        leads = re.search(r"^client_leads$", text, re.M)
        self.topology = head.get("topology")
        self.fact = head.get("fact", "")
        self.rfc = head.get("rfc", "")
        self.kernel = head.get("kernel", "both")
        self.lots = {"debug": lot_of(self.kernel),
                     "release": lot_of(head.get("release", ""))}
        self.nics = int(head.get("nics", 1))
        self.cpus = int(head.get("cpus", 1))
        self.rails = head.get("rails") == "yes"
        self.no_smcr = head.get("no-smcr")
        self.peer = head.get("peer")
        self.timeout = int(head.get("timeout", settings_timeout()))
        if os.environ.get("SMCR_SOAK") == "1":
            self.timeout *= SOAK_FACTOR
        self.server = path if leads else "-"

    def boot(self):
        """Return what the tests of one boot must have in common."""
        return (self.topology, self.nics, self.cpus, self.rails,
                self.no_smcr, self.peer)


def lot_of(words):
    """Return LOT of a header line "turns LOT", or None."""
    m = re.match(r"turns (\S+)$", words)
    return m and m.group(1)


def settings_timeout():
    """Return the time limit of the kselftest settings file."""
    with open(os.path.join(SELF, "settings"), encoding="utf-8") as f:
        return int(re.search(r"^timeout=(\d+)", f.read(), re.M).group(1))


def all_tests():
    """Return all tests by name."""
    tests = {}
    for path in sorted(glob.glob(os.path.join(SELF, "func", "*.sh")) +
                       glob.glob(os.path.join(SELF, "apps", "*.sh"))):
        test = Test(path)
        if test.topology:
            tests[test.name] = test
    return tests


def list_main():
    """list: print a line for each test."""
    for name, test in all_tests().items():
        rfc = f" (RFC 7609: {test.rfc})" if test.rfc else ""
        print(f"{name:20} {test.topology:5} {test.fact}{rfc}")
    return 0


def find_tests(names):
    """Return the tests with these names; "all", "func" or "apps" for many."""
    tests = all_tests()
    found = []
    for name in names:
        some = [t for t in tests.values() if name in (t.name, t.dir, "all")]
        if not some:
            raise SystemExit(f"bed: no test \"{name}\"; there are: "
                             + " ".join(tests))
        found += some
    return found


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
    return f"""{told_text()}mkdir -p /run/ksft
ln -sfn {source}/kselftest /run/ksft/kselftest
ln -sfn {SELF} /run/ksft/smcr
cd /run/ksft/smcr
export BASE_DIR=/run/ksft kselftest_override_timeout={seconds}
. "$BASE_DIR/kselftest/runner.sh"
run_many ./{test.dir}/{test.name}.sh | cat
"""


class Tally:
    """TAP of the whole list, with new numbers for the runner's lines."""

    def __init__(self, total):
        self.number = 0
        self.passed, self.failed, self.skipped = 0, 0, 0
        self.unstable = []
        print(f"TAP version 13\n1..{total}", flush=True)

    def line(self, ok, name, note):
        """Print one result line."""
        self.number += 1
        m = re.match(r"UNSTABLE \S+ s, (.*)", note)
        if m:
            self.unstable.append((name, m.group(1)))
        word = "ok" if ok else "not ok"
        print(f"{word} {self.number} {name} # {note}", flush=True)
        if not ok:
            self.failed += 1
        elif note.startswith("SKIP"):
            self.skipped += 1
        else:
            self.passed += 1


def run_test(session, test, last, keep, name):
    """Run one test in a booted session; return its result."""
    verdict = []

    def on_line(host, line):
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
    scripts = {session.bed.names[-1]: runner_text(test, limit)}
    if test.topology == "pair":
        side = "server" if test.server == test.path else "client"
        scripts["server"] = (told_text() + f"export BED_SIDE={side}\n" +
                             script_text(test.server))
    result = session.run(name, scripts, test.timeout, on_line, last)
    if not verdict:
        result.fail("no verdict from the runner")
    elif not verdict[-1][0]:
        result.fail(f"test failed{verdict[-1][1]}")
    result.skipped = bool(verdict) and "# SKIP" in verdict[-1][1]
    if result.skipped and os.environ.get("CI") == "true":
        result.fail("skipped, which counts as a failure with CI=true")
    report(session, result, name, keep)
    return result


def boot_for(opt, kernel, test):
    """Boot a session as a test asks for; return it and the error, if any."""
    opt.nics, opt.rails, opt.no_smcr = test.nics, test.rails, test.no_smcr
    opt.cpus, opt.peer = test.cpus, test.peer
    if kernel == "kcsan":
        opt.cpus = max(opt.cpus, 2)
    names = ["server", "client"]
    if test.topology == "one":
        names = ["server"]
    session = Session(opt, kernel, names)
    return session, session.start()


class Boots:
    """Runs tests that can share a boot, one after the other. A fault costs a
    boot, and so does the second run of a failed test."""

    def __init__(self, opt, kernel, tally):
        self.opt = opt
        self.kernel = kernel
        self.tally = tally
        self.session = None

    def once(self, test, last, keep, name):
        """Run a test once, in the present boot or in a new one."""
        if not self.session:
            self.session, error = boot_for(self.opt, self.kernel, test)
            if error:
                result = Result()
                result.fail(f"no boot: {error}")
                result.broken = True
                report(self.session, result, name, keep)
                self.close()
                return result
        result = run_test(self.session, test, last, keep, name)
        if result.broken:
            self.close()
        return result

    def test(self, test, last):
        """Run a test, and once more in a fresh boot if it failed. It fails if
        both runs fail, and is unstable if only the first one does. A fault
        that the kernel reports fails the test without a second run."""
        name = f"{test.name}-{self.kernel}"
        shutil.rmtree(os.path.join(OUT, f"{name}.again"), ignore_errors=True)
        result = self.once(test, last, self.opt.keep, name)
        unstable = ""
        if self.opt.again and not result.ok and not result.fault:
            print(f"# {name}: once more, in a fresh boot", flush=True)
            self.close()
            first = result.seconds
            result = self.once(test, last, True, f"{name}.again")
            result.seconds += first
            if result.ok:
                unstable = f", out/{name} and out/{name}.again"
        note = f"{result.seconds:.1f} s"
        if unstable:
            note = f"UNSTABLE {note}{unstable}"
        elif result.skipped:
            note = f"SKIP {note}"
        self.tally.line(result.ok, name, note)

    def run(self, tests):
        """Run a list of tests."""
        try:
            for i, test in enumerate(tests):
                self.test(test, i == len(tests) - 1)
        finally:
            self.close()

    def close(self):
        """End the boot."""
        if self.session:
            self.session.close()
        self.session = None


def turn_file():
    """Return the file in which this machine counts its runs of whole lists."""
    return os.path.join(CACHE, "bed", "turn")


def this_turn(advance):
    """Return the number that selects what is drawn: SMCR_SEED if it is set;
    else the number of this machine's last run, plus one if advance is set; else
    the number of the day. It does not depend on what is tested."""
    if "SMCR_SEED" not in os.environ:
        try:
            with open(turn_file(), encoding="utf-8") as f:
                turn = int(f.read()) + int(advance)
        except (OSError, ValueError):
            turn = int(time.time()) // 86400
        if advance:
            os.makedirs(os.path.dirname(turn_file()), exist_ok=True)
            with open(f"{turn_file()}.{os.getpid()}", "w",
                      encoding="utf-8") as f:
                f.write(f"{turn}\n")
            os.rename(f.name, turn_file())
        os.environ["SMCR_SEED"] = str(turn)
    return int(os.environ["SMCR_SEED"])


def has_turn(kernel, tests, turn):
    """Return the tests that run on this kernel in this turn: all without a lot,
    and one of each lot. Print which test that is, and in what order the others
    follow."""
    lots = {}
    for test in tests:
        if test.lots[kernel]:
            lots.setdefault(test.lots[kernel], []).append(test.name)
    drawn = set()
    for lot, names in sorted(lots.items()):
        names.sort()
        at = turn % len(names)
        drawn.add(names[at])
        print(f"# {kernel} kernel, turn {turn}, lot {lot}: {names[at]}; then "
              + " ".join(names[at + 1:] + names[:at]), flush=True)
    return [t for t in tests if not t.lots[kernel] or t.name in drawn]


def make_plan(kernels, tests, named):
    """Return (kernel, test) of each run: all tests if the kernel or the tests
    were named, or when soaking, and those that have their turn otherwise."""
    plan = []
    for kernel in kernels:
        some = [t for t in tests if t.lots["debug"] or
                t.kernel in ("both", kernel)]
        # A list without lots, such as apps, must not use up a turn: with two
        # turns a run, a lot of four would come round to two of its tests.
        if not named and os.environ.get("SMCR_SOAK") != "1" and \
                any(t.lots[kernel] for t in some):
            some = has_turn(kernel, some, this_turn(True))
        plan += [(kernel, t) for t in some]
    return plan


def beds():
    """Return how many beds this machine runs at a time."""
    return int(os.environ.get("SMCR_BEDS", max(2, os.cpu_count() // 2)))


def same_boot(tests):
    """Return lists of tests that can share a boot."""
    boots = {}
    for test in tests:
        boots.setdefault(test.boot(), []).append(test)
    return list(boots.values())


def split_plan(plan):
    """Return the plan as (kernel, tests of one boot). The single hosts of the
    debug kernel come first, since at the end no other bed would run."""
    parts = []
    for kernel, size in (("debug", TESTS_A_BOOT), ("release", 2 * TESTS_A_BOOT)):
        for tests in sorted(same_boot([t for k, t in plan if k == kernel]),
                            key=lambda tests: tests[0].topology != "one"):
            parts += [(kernel, tests[i:i + size])
                      for i in range(0, len(tests), size)]
    return parts


def build_for(kernel):
    """Build all that a boot needs, before several beds need it at once."""
    build_initramfs(output_of(os.path.join(TOP, "scripts/kernel"), kernel))
    build_switch()
    output_of(os.path.join(TOP, "scripts/module"), kernel)
    output_of("make", "-s", "-C", os.path.join(TOP, "tools/smcr-ctl"))


class Crew:
    """Runs the parts of a plan, each in a process of its own, some at a time,
    and shows their output test by test."""

    def __init__(self, parts, tally, again):
        self.todo = collections.deque(parts)
        self.again = ["--again"] if again else []
        self.tally = tally
        self.lock = threading.Lock()
        self.children = set()

    def work(self, number):
        """Run one bed after the other until no part is left. Take parts from
        both ends of the list, as beds of the debug kernel slow each other down
        most."""
        while True:
            with self.lock:
                if not self.todo:
                    return
                kernel, tests = (self.todo.pop() if number % 2 else
                                 self.todo.popleft())
                child = subprocess.Popen(
                    [sys.executable, "-B", os.path.abspath(__file__), "tests",
                     "--kernel", kernel] + self.again +
                    [t.name for t in tests],
                    stdout=subprocess.PIPE, text=True, errors="replace")
                self.children.add(child)
            self.follow(child, [f"{t.name}-{kernel}" for t in tests])
            with self.lock:
                self.children.discard(child)

    def follow(self, child, names):
        """Show a child's tests as they end; one without an end has failed."""
        lines = []
        for line in child.stdout:
            lines.append(line)
            m = re.match(r"(ok|not ok) \d+ (\S+) # (.*)", line)
            if m and m.group(2) in names:
                names.remove(m.group(2))
                self.show(lines[:-1], m.group(1) == "ok", m.group(2),
                          m.group(3))
                lines = []
        child.wait()
        for name in names:
            self.show(lines, False, name, f"its bed ended ({child.returncode})")
            lines = []

    def show(self, lines, ok, name, note):
        """Show the output of one test, and its result."""
        with self.lock:
            print("".join(line for line in lines if not re.match(
                r"TAP version|1\.\.\d+$", line)), end="")
            self.tally.line(ok, name, note)

    def run(self, count):
        """Run all parts, count of them at a time."""
        threads = [threading.Thread(target=self.work, args=(i,), daemon=True)
                   for i in range(count)]
        try:
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
        finally:
            for child in list(self.children):
                child.terminate()
            for child in list(self.children):
                child.wait()


def tests_main(opt):
    """tests: run all the boots that the named tests need."""
    output_of(os.path.join(TOP, "scripts/kernel"), "source")
    for part in ("func", "apps"):
        if os.path.exists(os.path.join(SELF, part, "Makefile")):
            output_of("make", "-s", "-C", os.path.join(SELF, part))
    tests = find_tests(opt.names)
    kernels = ["release", "debug"]
    if opt.kernel:
        kernels = [opt.kernel]
    whole = bool({"func", "apps", "all"} & set(opt.names))
    soak = os.environ.get("SMCR_SOAK") == "1"
    opt.again |= whole and not soak
    told = "SMCR_SEED" in os.environ
    plan = make_plan(kernels, tests, opt.kernel or not whole)
    turn = this_turn(False)
    if not told:
        print(f"# turn {turn}: SMCR_SEED={turn} draws the same", flush=True)
    tally = Tally(len(plan))
    if opt.kernel:
        for group in same_boot([t for _, t in plan]):
            Boots(opt, opt.kernel, tally).run(group)
    else:
        for kernel in kernels:
            build_for(kernel)
        Crew(split_plan(plan), tally, opt.again).run(beds())
    for name, kept in tally.unstable:
        print(f"# unstable: {name} failed, and passed when run again; both "
              f"are in {kept}")
    print(f"# {tally.passed} passed, {tally.failed} failed, "
          f"{tally.skipped} skipped")
    if opt.tally:
        with open(opt.tally, "w", encoding="utf-8") as f:
            f.write(f"{tally.passed} {tally.failed} {tally.skipped}\n")
    return 1 if tally.failed else 0


def parse():
    """Parse the command line."""
    top = argparse.ArgumentParser(
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter)
    common = argparse.ArgumentParser(add_help=False)
    add = common.add_argument
    add("--kernel", choices=list(FACTOR), help="default: release for "
        "scripts, release and debug for tests")
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
    add("--keep", action="store_true",
        help="keep consoles, captures and counters of good runs too")
    sub = top.add_subparsers(dest="mode", required=True)
    p = sub.add_parser("pair", parents=[common])
    p.add_argument("server")
    p.add_argument("client")
    p = sub.add_parser("one", parents=[common])
    p.add_argument("script")
    sub.add_parser("list")
    sub.add_parser("turn", help="print the number that selects what is drawn")
    p = sub.add_parser("tests", parents=[common])
    p.add_argument("names", nargs="+")
    p.add_argument("--again", action="store_true", help="run what fails once "
                   "more, in a fresh boot (always so for func, apps, all)")
    p.add_argument("--tally", help="file for the three numbers")
    return top.parse_args()


def main():
    """Run the command."""
    opt = parse()
    if opt.mode == "list":
        return list_main()
    if opt.mode == "turn":
        return print(this_turn(False))
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    output_of(os.path.join(TOP, "scripts/deps"), "vm")
    if opt.mode == "tests":
        return tests_main(opt)
    opt.kernel = opt.kernel or "release"
    if opt.mode == "one":
        return scripts_main(opt, ["server"], [opt.script])
    return scripts_main(opt, ["server", "client"], [opt.server, opt.client])


if __name__ == "__main__":
    sys.exit(main())
