# SPDX-License-Identifier: GPL-2.0
"""Which tests there are, which of them a check takes, in which order, and
until when. Boots nothing."""
import collections
import glob
import hashlib
import os
import re
import shutil
import subprocess
import time

VM = os.path.dirname(os.path.abspath(__file__))
SELF = os.path.dirname(VM)
TOP = os.path.abspath(os.path.join(SELF, "../../../.."))
CACHE = os.environ.setdefault("SMCR_CACHE", "/var/cache/smcr")
START = int(os.environ.setdefault("SMCR_T0", str(int(time.time()))))

# What every check runs, by kernel. Together at most 15 minutes on a slow
# machine: a test that is added here takes the place of another.
CORE = {
    "release": """
        data_v4 data_v6 bulk epoll sendfile pace urgent final peer_killed
        semantics_smcr4
        seq many counts rkeys
        fallback_rnic negative transparent
        links failover linux_peer linux_moves
        hostile_clc_server liar_cdc liar_llc
        unload
        """.split(),
    "debug": "epoll many".split(),
}
# Tests with races, which every check also runs one of with two processors and
# the debug kernel. One that always has two is not among them: its runs on the
# debug kernel are of that kind already.
RACES = "many owner races storm teardown unload".split()
# What a quick check runs.
QUICK = {"release": "data_v4 fallback_no_smcr links liar_cdc unload".split()}
# A kernel's name with this behind it: each host has two processors.
TWO = "2"
# The kernels of check-all.
ALL = ("release", "debug", "kcsan", "release" + TWO, "debug" + TWO)
# Of the other runs of a check, how many of each kernel follow each other.
SHARE = {"release": 3, "debug": 1}
# Runs that may change places so that those with the same topology share a boot.
WINDOW = 16
# Tests in one boot.
TESTS_A_BOOT = {"release": 6, "debug": 4, "kcsan": 4}
# Minutes, from the first functional test, after which a check begins no further
# test but the core's.
BUDGET = 30
# Minutes of the whole script, after which it begins no test, and after which
# it repeats none.
LAST_TEST, LAST_REPEAT = 60, 75
# The newest commit that passed a check of every test. A tree of which no
# ancestor has passed on this machine is compared with it.
BASE = "d6a6099"
# Factor for the time limit if a test runs all its cases (SMCR_SOAK=1).
SOAK_FACTOR = 20

Run = collections.namedtuple("Run", "kernel test")


def name_of(run):
    """Return the name of a run in the output and in out/."""
    return f"{run.test.name}-{run.kernel}"


def flavour(kernel):
    """Return a kernel's name without the number of processors."""
    return kernel.removesuffix(TWO)


class Test:
    """A functional test: func/NAME.sh with its header lines."""

    def __init__(self, path):
        self.path = path
        self.name = os.path.basename(path)[:-3]
        self.dir = os.path.basename(os.path.dirname(path))
        with open(path, encoding="utf-8") as f:
            self.text = f.read()
        head = dict(re.findall(r"^# ([a-z-]+): (.*)$", self.text[:4096], re.M))
        leads = re.search(r"^client_leads$", self.text, re.M)
        self.topology = head.get("topology")
        self.fact = head.get("fact", "")
        self.rfc = head.get("rfc", "")
        self.kernel = head.get("kernel", "both")
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


def find_tests(names):
    """Return the tests with these names; "all", "func" or "apps" for many, or
    the path of a file, for those of the bed itself."""
    tests = all_tests()
    found = []
    for name in names:
        some = [t for t in tests.values() if name in (t.name, t.dir, "all")]
        if os.sep in name and os.path.exists(name):
            some = [Test(os.path.abspath(name))]
        if not some:
            raise SystemExit(f"bed: no test \"{name}\"; there are: "
                             + " ".join(tests))
        found += some
    return found


def may_run(test, kernel):
    """Return whether a test can run on a kernel. KCSAN's kernel takes what the
    debug kernel takes. With two processors, those of the core run on the
    release kernel and those with races on the debug kernel, unless they always
    have two."""
    if kernel.endswith(TWO):
        kernel = flavour(kernel)
        names = RACES if kernel == "debug" else CORE[kernel]
        if test.cpus > 1 or test.name not in names:
            return False
    return test.kernel in ("both", kernel) or \
        (kernel == "kcsan" and test.kernel == "debug")


def every_run(tests, kernels):
    """Return the runs of the tests on each of the kernels that they can run
    on."""
    return [Run(kernel, test) for kernel in kernels for test in tests
            if may_run(test, kernel)]


def git(*command):
    """Return the output of a git command in this tree, "" if it fails."""
    done = subprocess.run(["git", "-C", TOP] + list(command), text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    return done.stdout.strip() if done.returncode == 0 else ""


def seed():
    """Return the number by which tests draw some of their cases, and set
    SMCR_SEED to it, which chooses another one. It comes from the hash of the
    tree, so that a tree has the same cases wherever it is tested."""
    if "SMCR_SEED" not in os.environ:
        tree = git("rev-parse", "HEAD^{tree}") or "0"
        os.environ["SMCR_SEED"] = str(int(tree[:6], 16))
    return int(os.environ["SMCR_SEED"])


def passed_ancestor():
    """Return the newest commit whose tree passed on this machine, or BASE."""
    try:
        with open(os.path.join(CACHE, "passed"), encoding="utf-8") as f:
            passed = {line.split()[0] for line in f if line.strip()}
    except OSError:
        passed = set()
    for line in git("log", "-n", "1000", "--format=%H %T").splitlines():
        commit, tree = line.split()
        if tree in passed:
            return commit
    return BASE


def changed_files():
    """Return the files of the tests that differ from the newest ancestor that
    passed, as paths below SELF."""
    root = os.path.relpath(SELF, TOP)
    names = git("diff", "--name-only", passed_ancestor(), "--", root)
    return [os.path.relpath(name, root) for name in names.splitlines()]


def words(text):
    """Return the names of files and folders that a script may mean."""
    return set(re.findall(r"\w+", text))


def helper_of(path):
    """Return the name by which tests use a file of func, apps or mod: its own
    without the suffix, or that of its folder. Return None for a test."""
    folder, *rest = path.split(os.sep)
    if folder not in ("func", "apps", "mod"):
        return None
    if len(rest) == 1 and rest[0].endswith(".sh"):
        return None
    return rest[-1].split(".")[0] if rest[0] == "lib" else \
        rest[0].split(".")[0]


def concerns(test, path, libs):
    """Return whether a changed file is the test, or a helper that the test or a
    library of it names. libs maps the names of libraries to their texts."""
    named = words(test.text)
    for lib in named & libs.keys():
        named |= words(libs[lib])
    return path == f"{test.dir}/{test.name}.sh" or helper_of(path) in named


def most_concerned(runs, changed, libs):
    """Return the runs that a changed file concerns. A helper of more than half
    of the runs is left out, since any of these shows what is wrong with it."""
    first = set()
    for path in changed:
        some = {r for r in runs if concerns(r.test, path, libs)}
        if 2 * len(some) <= len(runs):
            first |= some
    return first


def libraries():
    """Return the texts of the libraries in func/lib by name."""
    texts = {}
    for path in glob.glob(os.path.join(SELF, "func/lib/*.sh")):
        with open(path, encoding="utf-8") as f:
            texts[os.path.basename(path)[:-3]] = f.read()
    return texts


def listed_runs(tests, listed):
    """Return the runs of CORE or QUICK. tests maps names to tests."""
    return [Run(kernel, tests[name]) for kernel, names in listed.items()
            for name in names]


def last_run(run):
    """Return when a run last ended on this machine, 0 if it never did."""
    try:
        return os.stat(os.path.join(CACHE, "ran", name_of(run))).st_mtime
    except OSError:
        return 0


class Record:
    """The results of check-all for one tree, kept in the cache, so that it can
    go on where it was cut off."""

    def __init__(self, fresh):
        tree = git("rev-parse", "HEAD^{tree}") or "none"
        if git("status", "--porcelain"):
            tree, fresh = "dirty", True
        self.dir = os.path.join(CACHE, "all", tree)
        if fresh:
            shutil.rmtree(self.dir, ignore_errors=True)
        os.makedirs(self.dir, exist_ok=True)

    def get(self, name):
        """Return (ok, note) of a run that has ended, or None."""
        try:
            with open(os.path.join(self.dir, name), encoding="utf-8") as f:
                word, _, note = f.read().strip().partition(" ")
                return word == "ok", note
        except OSError:
            return None

    def put(self, ok, name, note):
        """Keep a result."""
        with open(os.path.join(self.dir, name), "w", encoding="utf-8") as f:
            f.write(f"{'ok' if ok else 'failed'} {note}\n")


def note_unstable(name, checks):
    """Add an unstable run, with its first failed checks, to those of this
    machine."""
    os.makedirs(CACHE, exist_ok=True)
    with open(os.path.join(CACHE, "unstable"), "a", encoding="utf-8") as f:
        f.write(f"{time.strftime('%F')} {name} "
                f"{' '.join(' '.join(checks).split())}\n")


def unstable_sums():
    """Return how often each run was unstable on this machine, and how it last
    failed: a list of (count, name, date and checks)."""
    found = {}
    try:
        with open(os.path.join(CACHE, "unstable"), encoding="utf-8") as f:
            for line in f:
                date, name, checks = (line.rstrip("\n") + "  ").split(" ", 2)
                count = found.get(name, (0, ""))[0]
                found[name] = (count + 1, f"{date} {checks.strip()}")
    except OSError:
        pass
    return sorted(((count, name, last)
                   for name, (count, last) in found.items()), reverse=True)


def note_run(name):
    """Note that a run has ended."""
    path = os.path.join(CACHE, "ran", name)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8"):
        pass


def by_hash(tree):
    """Return a sort key that gives each tree an order of its own."""
    return lambda run: hashlib.sha256(
        f"{tree} {name_of(run)}".encode()).hexdigest()


def merged(runs, key):
    """Return the runs in the order of the key, with SHARE of each kernel."""
    places = {}
    for kernel, share in SHARE.items():
        some = sorted([r for r in runs if r.kernel == kernel], key=key)
        places.update({r: ((i + 1) / share, kernel)
                       for i, r in enumerate(some)})
    return sorted(places, key=places.get)


def order(runs, key, first):
    """Return the runs in the order of the key, those in first before the
    others."""
    return (merged([r for r in runs if r in first], key) +
            merged([r for r in runs if r not in first], key))


def parts(runs, window, longest=None):
    """Return the runs as (kernel, tests of one boot), at most longest tests or
    as many as TESTS_A_BOOT says. A run leaves its place only within its
    window."""
    found = []
    for at in range(0, len(runs), window):
        boots = {}
        for kernel, test in runs[at:at + window]:
            boots.setdefault((kernel, test.boot()), []).append(test)
        for (kernel, _), tests in boots.items():
            size = longest or TESTS_A_BOOT[flavour(kernel)]
            found += [(kernel, tests[i:i + size])
                      for i in range(0, len(tests), size)]
    return found


def last_start(now):
    """Return the time after which a check begins no test but the core's, if
    its functional tests begin now. Times are seconds since the epoch."""
    budget = float(os.environ.get("SMCR_BUDGET", BUDGET))
    return min(now + 60 * budget, START + 60 * LAST_TEST)


def with_processors(tests, runs, tree):
    """Return the runs of the core, half of those on the release kernel with two
    processors, and one more of the debug kernel with two. The tree decides
    which ones."""
    key = by_hash(tree)
    two = sorted(every_run(tests.values(), ["release" + TWO]), key=key)
    two = {r.test.name: r for r in two[::2]}
    races = sorted(every_run(tests.values(), ["debug" + TWO]), key=key)
    return [two.get(r.test.name, r) if r.kernel == "release" else r
            for r in runs] + races[:1]


def check_plan():
    """Return the runs of the core, and the others in their order."""
    tests = all_tests()
    tree = git("rev-parse", "HEAD^{tree}")
    core = listed_runs(tests, CORE)
    rest = [r for r in every_run(tests.values(), SHARE) if r not in core]
    core = with_processors(tests, core, tree)
    key = by_hash(tree)
    if os.environ.get("SMCR_ORDER") == "oldest":
        key = last_run
    libs = libraries()
    changed = changed_files()
    return core, order(rest, key, most_concerned(rest, changed, libs))
