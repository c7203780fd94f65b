# SPDX-License-Identifier: GPL-2.0
"""QEMU, the switch, and the protocol with the agents (see vm/agent)."""
import ctypes
import json
import mmap
import os
import selectors
import shutil
import signal
import socket
import subprocess
import tempfile
import time

# Kernel command line. The timeouts are long because an emulated processor on a
# loaded machine stalls now and then.
APPEND = ("console=ttyS0 loglevel=5 oops=panic panic_on_warn=1 panic=-1 "
          "nokaslr mitigations=off random.trust_cpu=on tsc=reliable "
          "no_timer_check watchdog_thresh=60 net.ifnames=0 biosdevname=0 "
          "rcupdate.rcu_cpu_stall_timeout=120 workqueue.watchdog_thresh=120 "
          "cgroup_no_v1=all kunit.enable=1")
# A race fails the test, but the machine goes on. With the kernel's own sampling
# a race of the send path, seeded for the purpose, went unnoticed in a minute of
# streams; with this one it is found in seconds.
APPEND_FLAVOUR = {"kcsan": "panic_on_warn=0 kcsan.skip_watch=40 "
                           "kcsan.udelay_task=400 kcsan.udelay_interrupt=200"}
MEMORY = {"release": 1024, "debug": 1536, "kcsan": 1024}
# Tests of a soak have larger numbers; unused memory costs nothing.
if os.environ.get("SMCR_SOAK") == "1":
    MEMORY = {flavour: 4 * size for flavour, size in MEMORY.items()}
# Recordings of tests ("wire record NAME"), kept after good runs, too.
RECORDS = os.path.join(os.path.dirname(os.path.abspath(__file__)),
                       "../out/captures")
# How long a server script may run after the client's has ended, in seconds.
GRACE = 10


def tsc_khz():
    """Return the rate of this machine's time stamp counter, which TCG passes
    on. A guest that measures it on a loaded machine may be wrong by a factor,
    and so is its clock then."""
    page = mmap.mmap(-1, mmap.PAGESIZE, prot=mmap.PROT_READ |
                     mmap.PROT_WRITE | mmap.PROT_EXEC)
    # rdtsc; shl $32, %rdx; or %rdx, %rax; ret
    page.write(bytes.fromhex("0f3148c1e2204809d0c3"))
    code = ctypes.addressof(ctypes.c_char.from_buffer(page))
    rdtsc = ctypes.CFUNCTYPE(ctypes.c_uint64)(code)

    def both():
        """Read both clocks; return the least disturbed try."""
        best = None
        for _ in range(100):
            begin, ticks, end = time.monotonic_ns(), rdtsc(), \
                time.monotonic_ns()
            if best is None or end - begin < best[0]:
                best = (end - begin, begin, ticks)
        return best[1:]

    ns, ticks = both()
    time.sleep(0.1)
    ns_end, ticks_end = both()
    return (ticks_end - ticks) * 1000000 // (ns_end - ns)


def die_with_parent():
    """Make a child end with the bed."""
    ctypes.CDLL(None).prctl(1, signal.SIGKILL)


def trial(kernel, initramfs, cache):
    """Return whether this machine's KVM runs an unmodified kernel, tested once
    for each host kernel and QEMU."""
    version = subprocess.run(["qemu-system-x86_64", "--version"], text=True,
                             stdout=subprocess.PIPE).stdout.split("\n")[0]
    key = "".join(c if c.isalnum() else "_"
                  for c in f"{os.uname().release} {version}")
    path = os.path.join(cache, "bed", f"kvm-{key}")
    if os.path.exists(path):
        with open(path, encoding="utf-8") as f:
            return f.read() == "kvm"
    works = False
    if os.access("/dev/kvm", os.W_OK):
        try:
            out = subprocess.run(
                ["qemu-system-x86_64", "-accel", "kvm", "-cpu", "host",
                 "-m", "512", "-nodefaults", "-display", "none",
                 "-no-reboot", "-serial", "stdio", "-kernel",
                 os.path.join(kernel, "vmlinuz"), "-initrd", initramfs,
                 "-append", "console=ttyS0 panic=-1 bed.trial"],
                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL, timeout=25).stdout
            works = b"bed: trial boot done" in out
        except subprocess.TimeoutExpired:
            pass
    with open(path, "w", encoding="utf-8") as f:
        f.write("kvm" if works else "tcg")
    return works


class Lines:
    """A non-blocking socket that is read by lines."""

    def __init__(self, sock):
        self.sock = sock
        self.buf = b""
        sock.setblocking(False)

    def read(self):
        """Return the complete lines that have arrived, or None at the end."""
        try:
            data = self.sock.recv(65536)
        except BlockingIOError:
            return []
        except OSError:
            return None
        if not data:
            return None
        *lines, self.buf = (self.buf + data).split(b"\n")
        return [line.decode(errors="replace").rstrip("\r") for line in lines]


class Host:
    """One virtual machine."""

    def __init__(self, name, run):
        self.name = name
        self.dir = os.path.join(run, "share", name)
        os.makedirs(self.dir)
        self.path = lambda what: os.path.join(run, f"{name}.{what}")
        self.console = self.path("console")
        self.proc = None
        self.alive = False
        self.killed = False
        self.mark = 0
        self.listeners = {}
        self.ports = {}

    def listen(self, what):
        """Create a socket to which QEMU connects a port of the machine."""
        self.remove(what)
        sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        sock.bind(self.path(what))
        sock.listen(1)
        sock.settimeout(20)
        self.listeners[what] = sock

    def remove(self, what):
        """Remove the socket of an earlier QEMU."""
        try:
            os.unlink(self.path(what))
        except FileNotFoundError:
            pass

    def spawn(self, command):
        """Start QEMU and take the connections of its ports."""
        self.listeners = {}
        for what in ("ctl", "out"):
            self.listen(what)
        with open(self.path("qemu"), "a", encoding="utf-8") as log:
            self.proc = subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                preexec_fn=die_with_parent)
        for what, sock in self.listeners.items():
            conn, _ = sock.accept()
            self.ports[what] = Lines(conn)
            sock.close()
        self.alive = True

    def send(self, *words):
        """Send one line to the agent."""
        line = (" ".join(str(w) for w in words) + "\n").encode()
        sock = self.ports["ctl"].sock
        try:
            sock.setblocking(True)
            sock.sendall(line)
        except OSError:
            self.alive = False
        finally:
            sock.setblocking(False)

    def qmp(self, command, **arguments):
        """Send one command to QEMU itself; return the error, or nothing."""
        sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        sock.settimeout(10)
        try:
            sock.connect(self.path("qmp"))
            stream = sock.makefile("rw")
            stream.readline()
            for name, args in (("qmp_capabilities", {}), (command, arguments)):
                stream.write(json.dumps({"execute": name, "arguments": args})
                             + "\n")
                stream.flush()
                # Events come in between.
                answer = {"event": ""}
                while "event" in answer:
                    answer = json.loads(stream.readline())
            return answer.get("error", {}).get("desc", "")
        except (OSError, ValueError) as error:
            return str(error) or "no answer of QEMU"
        finally:
            sock.close()

    def console_text(self, offset):
        """Return the console's output from this offset on."""
        try:
            with open(self.console, "rb") as f:
                f.seek(offset)
                return f.read().decode(errors="replace")
        except OSError:
            return ""

    def stop(self):
        """End QEMU."""
        if self.proc and self.proc.poll() is None:
            self.proc.kill()
        if self.proc:
            self.proc.wait()
        self.alive = False


class Bed:
    """The hosts of one boot and the wire between them."""

    def __init__(self, names, opt, kernel, initramfs, switch, cache):
        self.run = tempfile.mkdtemp(prefix="smcr-bed.", dir="/tmp")
        self.share = os.path.join(self.run, "share")
        self.captures = os.path.join(self.run, "captures")
        os.makedirs(self.captures)
        self.names = names
        self.opt = opt
        self.kernel = kernel
        self.initramfs = initramfs
        self.switch_program = switch
        self.switch = None
        self.hosts = {n: Host(n, self.run) for n in names}
        self.accel = "tcg"
        if not opt.icount and trial(kernel, initramfs, cache):
            self.accel = "kvm"
        self.poll = selectors.DefaultSelector()
        self.answers = {}
        self.barriers = {}
        self.calls = {}
        self.boots = {}
        self.recorded = None
        self.agent = None
        self.status = {}
        self.ended = set()
        self.on_line = lambda host, line: None

    def write(self, host, name, text):
        """Write a file in the directory shared with the machines."""
        with open(os.path.join(self.share, host, name), "w",
                  encoding="utf-8") as f:
            f.write(text)

    # Starting

    def qemu(self, host, agent):
        """Return the command line of one machine."""
        with open(os.path.join(self.kernel, "version"),
                  encoding="utf-8") as f:
            version = f.read().strip()
        flavour = version.rpartition("-smcr-")[2] if "-smcr-" in version \
            else "release"
        cpu = ["-accel", "kvm", "-cpu", "host"]
        if self.accel == "tcg":
            # TCG runs "rep movsb" byte by byte: no erms.
            cpu = ["-accel", "tcg,tb-size=256",
                   "-cpu", "Haswell-noTSX,-erms,-fsrm"]
        if self.opt.icount:
            # The guest's time counts instructions, 1 ns each.
            cpu += ["-icount", "shift=0"]
        append = self.opt.append
        if self.accel == "tcg" and not self.opt.icount:
            append = f"tsc_early_khz={tsc_khz()} {append}"
        modules = os.path.join(self.kernel, "lib/modules", version)
        command = [
            "qemu-system-x86_64", "-name", host.name, "-nodefaults",
            "-no-user-config", "-display", "none", "-no-reboot", *cpu,
            "-machine", "pc", "-smp", str(self.opt.cpus),
            "-m", str(self.opt.mem or MEMORY[flavour]),
            "-kernel", os.path.join(self.kernel, "vmlinuz"),
            "-initrd", self.initramfs, "-append",
            f"{APPEND} bed.agent={agent} bed.modules={modules} "
            f"bed.host={host.name} {APPEND_FLAVOUR.get(flavour, '')} {append}",
            "-chardev", f"file,id=console,path={host.console},append=on",
            "-serial", "chardev:console",
            "-qmp", f"unix:{host.path('qmp')},server=on,wait=off",
            "-device", "virtio-rng-pci", "-device", "virtio-serial-pci"]
        for what in ("ctl", "out"):
            command += [
                "-chardev", f"socket,id={what},path={host.path(what)}",
                "-device", f"virtserialport,chardev={what},name=bed.{what}"]
        for tag, path, mode in (("host", "/", ",readonly=on"),
                                ("share", self.share, "")):
            command += [
                "-fsdev", f"local,id={tag},path={path},multidevs=remap,"
                f"security_model=none{mode}",
                "-device", f"virtio-9p-pci,fsdev={tag},mount_tag={tag}"]
        for nic in range(self.opt.nics):
            command += [
                "-netdev", f"dgram,id=n{nic},local.type=unix,"
                f"local.path={host.path(f'nic{nic}')},remote.type=unix,"
                f"remote.path={host.path(f'wire{nic}')}",
                "-device", json.dumps(self.adapter(host, nic))]
        return command

    def adapter(self, host, nic):
        """Return QEMU's device of one network card."""
        number = 1 + self.names.index(host.name)
        return {"driver": "virtio-net-pci", "id": f"nic{nic}",
                "netdev": f"n{nic}",
                "mac": f"52:54:00:09:{nic:02x}:{number:02x}"}

    def start_switch(self):
        """Start the wire, with one port for each NIC of each host."""
        ports = []
        for host in self.hosts.values():
            for nic in range(self.opt.nics):
                segment = nic if self.opt.rails else 0
                ports.append(f"{host.name}{nic}:{segment}:"
                             f"{host.path(f'wire{nic}')}:"
                             f"{host.path(f'nic{nic}')}")
        self.switch = subprocess.Popen(
            [self.switch_program, self.captures, *ports], text=True,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            preexec_fn=die_with_parent)
        return self.switch.stdout.readline().strip() == "ok"

    def start(self, agent, limit):
        """Boot all hosts; return None, or the error."""
        self.agent = agent
        if not self.start_switch():
            return "the switch does not start"
        for host in self.hosts.values():
            try:
                host.spawn(self.qemu(host, agent))
            except OSError:
                return f"{host.name}: QEMU does not start ({host.path('qemu')})"
            for what, port in host.ports.items():
                self.poll.register(port.sock, selectors.EVENT_READ,
                                   (host, what))
        self.answers = {}
        deadline = time.monotonic() + limit
        self.pump(lambda: len(self.answers) == len(self.names), deadline)
        for name, host in self.hosts.items():
            if not host.alive:
                return f"{name}: went down while booting"
            answer = self.answers.get(name)
            if answer is None:
                return f"{name}: not up after {limit} s"
            if answer.split()[0] != "0":
                return f"{name}: setting the network up failed (agent.log)"
        return None

    # Events

    def pump(self, until, deadline):
        """Handle events until a condition holds, a host is down, or the
        deadline has passed. Return True if the condition holds."""
        while not until():
            left = deadline - time.monotonic()
            if left <= 0 or self.dead():
                return until()
            for key, _ in self.poll.select(min(left, 1)):
                self.readable(*key.data)
        return True

    def readable(self, host, what):
        """Handle a line, or the end, of one port."""
        port = host.ports[what]
        lines = port.read()
        if lines is None:
            self.poll.unregister(port.sock)
            port.sock.close()
            host.alive = False
            return
        for line in lines:
            if what == "ctl":
                self.control(host, line)
            elif line.startswith("\036end "):
                self.ended.add((host.name, line.split()[1]))
            else:
                self.output(host, line)

    def output(self, host, line):
        """Handle one line of a job. If the job ends without a newline, its
        last line contains the end mark."""
        text, mark, ident = line.partition("\036end ")
        self.on_line(host.name, text)
        with open(os.path.join(host.dir, "output"), "a",
                  encoding="utf-8") as f:
            f.write(text + "\n")
        if mark:
            self.ended.add((host.name, ident.strip()))

    def control(self, host, line):
        """Handle one line of an agent."""
        verb, _, rest = line.partition(" ")
        ident, _, text = rest.partition(" ")
        if verb == "ready":
            self.answers[host.name] = rest
            self.booted(host)
        elif verb in ("prepared", "finished"):
            self.answers[host.name, verb, ident] = text
            caller = self.boots.pop(ident, None)
            if caller:
                caller.send("rep", ident, text)
        elif verb == "exit":
            self.status[host.name] = int(text)
            self.check_barriers()
            other = self.other(host)
            if other and other.alive:
                other.send("rep", "session", "ended")
        elif verb == "executed":
            caller = self.calls.pop(ident, None)
            if caller:
                caller.send("rep", ident, text)
        elif verb == "call":
            name, _, args = text.partition(" ")
            self.call(host, ident, name, args)

    def other(self, host):
        """Return the host at the other end, if there is one."""
        return next((h for h in self.hosts.values() if h is not host), None)

    def call(self, host, ident, name, args):
        """Handle a request of guest/bedcall, or a line for the other host."""
        other = self.other(host)
        if name == "barrier":
            self.barriers.setdefault(args, []).append((host, ident))
            self.check_barriers()
        elif name == "peer" and other:
            self.calls[ident] = host
            other.send("exec", ident)
        elif name == "pass" and other:
            if other.alive and not other.killed:
                other.send("rep", ident, args)
            else:
                host.send("rep", ident, "ended")
        elif name == "wire":
            host.send("rep", ident, *self.wire(args))
        elif name == "machine" and args.startswith("boot "):
            self.boot(host, ident, args[5:])
        elif name == "machine":
            host.send("rep", ident, *self.machine(args))
        else:
            host.send("rep", ident, 2, f"{name}: not here")

    def wire(self, args):
        """Send a command to the switch; return status and text. The file of
        "record" is one of the share, and is kept after the run, too."""
        verb, _, name = args.partition(" ")
        if verb == "record" and name != "-":
            self.recorded = os.path.join(self.share, os.path.basename(name))
            args = f"record {self.recorded}"
        self.switch.stdin.write(args + "\n")
        self.switch.stdin.flush()
        word, _, text = self.switch.stdout.readline().strip().partition(" ")
        if args == "record -" and self.recorded:
            os.makedirs(RECORDS, exist_ok=True)
            shutil.copy(self.recorded, RECORDS)
        return (0 if word == "ok" else 1), text

    def machine(self, args):
        """Pause, resume or kill a host, unplug its first network card or plug
        it in again; return status and text."""
        verb, _, name = args.partition(" ")
        host = self.hosts.get(name)
        if not host:
            return 2, "pause|resume|kill|unplug|plug server|client"
        if verb == "kill":
            # QEMU forgets a command when its sender hangs up at once
            host.killed = True
            host.proc.kill()
            host.proc.wait()
            return 0, ""
        if verb == "unplug":
            error = host.qmp("device_del", id="nic0")
        elif verb == "plug":
            error = host.qmp("device_add", **self.adapter(host, 0))
        elif verb in ("pause", "resume"):
            error = host.qmp("stop" if verb == "pause" else "cont")
        else:
            error = f"machine {verb}: not here"
        return int(bool(error)), error

    def boot(self, caller, ident, name):
        """Boot a killed host; answer the caller when its modules are loaded."""
        host = self.hosts.get(name)
        if not host or not host.killed:
            caller.send("rep", ident, 2, "boot: of a host that was killed")
            return
        host.proc.wait()
        for port in host.ports.values():
            if port.sock.fileno() >= 0:
                self.poll.unregister(port.sock)
                port.sock.close()
        for what in ["qmp"] + [f"nic{n}" for n in range(self.opt.nics)]:
            host.remove(what)
        host.spawn(self.qemu(host, self.agent))
        host.killed = False
        self.boots[ident] = caller
        for what, port in host.ports.items():
            self.poll.register(port.sock, selectors.EVENT_READ, (host, what))

    def booted(self, host):
        """Load the modules of a host that was booted again and is up."""
        for ident, caller in self.boots.items():
            if caller is not host:
                host.send("prepare", ident, "again")

    def check_barriers(self):
        """Answer barriers that the other host has reached, or never will."""
        for name, waiting in list(self.barriers.items()):
            for host, ident in list(waiting):
                other = self.other(host)
                ended = not other or other.name in self.status
                if name == "end":
                    free, status = ended, 0
                else:
                    free = ended or any(h is other for h, _ in waiting)
                    status = 1 if other and ended else 0
                if not free:
                    continue
                if name != "end" and not ended:
                    pair = next(w for w in waiting if w[0] is other)
                    waiting.remove(pair)
                    pair[0].send("rep", pair[1], 0)
                waiting.remove((host, ident))
                host.send("rep", ident, status)
                self.check_barriers()
                return

    # Jobs

    def dead(self):
        """Return the hosts that went down without a request."""
        return [h.name for h in self.hosts.values()
                if not h.alive and not h.killed]

    def ask(self, names, verb, ident, text, limit):
        """Send a request to several agents; return the answers by name."""
        answer = {"prepare": "prepared", "finish": "finished"}[verb]
        names = [n for n in names if self.hosts[n].alive]
        for name in names:
            self.hosts[name].send(verb, ident, text)
        self.pump(lambda: all((n, answer, ident) in self.answers
                              for n in names), time.monotonic() + limit)
        found = {n: self.answers.get((n, answer, ident)) for n in names}
        for name, host in self.hosts.items():
            if host.killed:
                found[name] = ""
        return {n: a for n, a in found.items() if a is not None}

    def run_job(self, ident, scripts, limit, on_line):
        """Run scripts; return exit statuses and the hosts that are late."""
        self.status, self.ended, self.barriers = {}, set(), {}
        self.on_line = on_line
        for name in scripts:
            self.hosts[name].send("run", ident)
        deadline = time.monotonic() + limit
        main = "client" if "client" in scripts else next(iter(scripts))

        def done(name):
            if not self.hosts[name].alive:
                return True
            return name in self.status and (name, ident) in self.ended

        self.pump(lambda: done(main), deadline)
        rest = [n for n in scripts if n != main]
        if main in self.status:
            grace = min(deadline, time.monotonic() + GRACE)
            self.pump(lambda: all(map(done, rest)), grace)
            for name in rest:
                if not done(name):
                    self.status[name] = 128 + signal.SIGTERM
        late = [n for n in scripts
                if n not in self.status and self.hosts[n].alive]
        for name in late:
            self.hosts[name].send("blocked", ident)
        return dict(self.status), late

    def mark(self):
        """Assign the consoles' output from here on to the next job."""
        for host in self.hosts.values():
            host.mark = os.path.getsize(host.console)

    def console_since_mark(self, name, end):
        """Return console lines since mark(), after "end" has appeared."""
        host = self.hosts[name]
        deadline = time.monotonic() + 10
        while True:
            text = host.console_text(host.mark)
            if end in text or not host.alive or time.monotonic() > deadline:
                return text.splitlines()
            time.sleep(0.05)

    def collect(self, where):
        """Copy all evidence to a directory."""
        if self.switch and self.switch.poll() is None:
            self.wire("flush")
        for name, host in self.hosts.items():
            shutil.copytree(host.dir, os.path.join(where, name),
                            dirs_exist_ok=True)
            for what in ("console", "qemu"):
                if os.path.exists(host.path(what)):
                    shutil.copy(host.path(what),
                                os.path.join(where, name, what))
        for entry in os.scandir(self.captures):
            shutil.copy(entry.path, where)

    def stop(self):
        """End everything and remove what it left."""
        for host in self.hosts.values():
            host.stop()
        if self.switch:
            self.switch.kill()
            self.switch.wait()
        shutil.rmtree(self.run, ignore_errors=True)
