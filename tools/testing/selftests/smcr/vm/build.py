# SPDX-License-Identifier: GPL-2.0
"""What a boot needs from this machine and this tree. A process that starts
others to run beds has built it for them: the results are in the environment."""
import glob
import os
import subprocess

from plan import CACHE, SELF, TOP, VM

DONE = "SMCR_BUILT_"


class Failed(Exception):
    """Something cannot be built, so the bed stops. output is what its command
    has printed."""

    def __init__(self, what, output=""):
        super().__init__(what)
        self.output = output


def output_of(*command):
    """Return the standard output of a command, which must succeed."""
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True)
    output = done.stdout.strip()
    if done.returncode:
        raise Failed(f"{' '.join(command)} failed", output)
    return output


def once(name, make):
    """Return what make() returns, asked once for this process and those that it
    starts."""
    key = DONE + name
    if key not in os.environ:
        os.environ[key] = make() or "done"
    return os.environ[key]


def script(name, *words):
    """Return what a script of the project prints for these words."""
    return once("_".join((name,) + words), lambda: output_of(
        os.path.join(TOP, "scripts", name), *words))


def deps():
    """Install what the bed uses."""
    script("deps", "vm")


def kernel_dir(flavour):
    """Return the directory of a kernel, or of its changed Soft-RoCE."""
    return script("kernel", flavour)


def cached(name, sources, make):
    """Return a file that make(path) makes again when its sources change."""
    path = os.path.join(CACHE, "bed", name)
    newest = max(os.stat(s).st_mtime for s in sources)
    if not os.path.exists(path) or os.stat(path).st_mtime < newest:
        os.makedirs(os.path.dirname(path), exist_ok=True)
        tmp = f"{path}.{os.getpid()}"
        make(tmp)
        os.rename(tmp, path)
    return path


def switch():
    """Build the switch of this tree."""
    source = os.path.join(VM, "switch.c")
    key = "switch" + TOP.replace("/", "_")
    return cached(key, [source], lambda out: output_of(
        "gcc", "-O2", "-Wall", "-o", out, source))


def initramfs(kernel):
    """Build the initramfs for one kernel, given by its directory."""
    maker = os.path.join(VM, "initramfs")
    return cached(f"initramfs-{os.path.basename(kernel)}",
                  [maker, os.path.join(kernel, "vmlinuz")],
                  lambda out: output_of(maker, kernel, out))


def modules(kernel):
    """Build the tool, smcr.ko and the modules that only tests load; return the
    paths of the modules."""
    once("tool", lambda: output_of(
        "make", "-s", "-C", os.path.join(TOP, "tools/smcr-ctl")))
    try:
        where = script("module", kernel)
    except Failed as failed:
        raise Failed(failed.output or str(failed)) from failed
    return [os.path.join(where, "smcr.ko")] + glob.glob(
        os.path.join(where, "../../mod/*.ko"))


def boot(kernel):
    """Build all that a boot needs, before several beds need it at once."""
    initramfs(kernel_dir(kernel))
    switch()
    modules(kernel)


def programs():
    """Build the programs of the tests."""
    kernel_dir("source")
    for part in ("func", "apps"):
        if os.path.exists(os.path.join(SELF, part, "Makefile")):
            once(part, lambda part=part: output_of(
                "make", "-s", "-C", os.path.join(SELF, part)))
