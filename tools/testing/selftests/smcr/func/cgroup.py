#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""What a listener's cgroup does to accepted connections.

The listener is made in the cgroup. Its owner then leaves the cgroup and accepts
clients of the same protocol and of TCP.

    policed     a BPF program of the cgroup refuses setsockopt(); prints its
                result on each child
    mapped      a BPF program of the cgroup puts each new child into a map of
                sockets; prints what the program got, and the bytes that the
                child then carries
    throttled   the cgroup is above its memory.high; prints how often anybody
                waited for its memory meanwhile, and the longest time of a
                connection
    charged     the owner accepts in the cgroup; prints the bytes of kernel
                objects that the cgroup is charged for each connection

usage: cgroup.py MODE ADDRESS PORT PROTOCOL CGROUP
"""
import os
import resource
import socket
import sys
import time

from lib import bpf
from lib.sock import exact, status, stream, word

PASSIVE_ESTABLISHED = 5
HASH_UPDATE = 70
# Fields of struct bpf_sock_ops
OP, LOCAL_PORT = 0, 68
# Memory that the cgroup has, in bytes, and connections to a listener of its
MEMORY = 32 << 20
CHILDREN = 800
CHARGED = 400


def join(group):
    """Move this process into a cgroup."""
    with open(group + "/cgroup.procs", "w", encoding="ascii") as procs:
        procs.write(str(os.getpid()))


def listening(address, protocol, group):
    """Return a listener of a cgroup."""
    join(group)
    listener = stream(protocol)
    listener.bind(address)
    listener.listen(1024)
    join(group + "/..")
    return listener


def policed(listener, protocol, group):
    """Test that children have the cgroup of their listener."""
    # r0 = 0; exit
    allow = bpf.attach(group, bpf.SETSOCKOPT,
                       bpf.insn(0xb7) + bpf.insn(0x95))
    for of_client in (protocol, 0):
        with stream(of_client) as sock:
            sock.connect(listener.getsockname())
            with listener.accept()[0] as child:
                print("child", word(child.setsockopt, socket.SOL_SOCKET,
                                    socket.SO_KEEPALIVE, 1), flush=True)
    allow()


def map_program(port, socks, result):
    """Return a program that puts a listener's new children into a map, and
    stores what the helper returns."""
    put = b"".join((
        bpf.insn(0x62, dst=10, off=-4),             # key = 0
        bpf.insn(0x18, dst=2, src=1, imm=socks), bpf.insn(0),
        bpf.insn(0xbf, dst=3, src=10),
        bpf.insn(0x07, dst=3, imm=-4),
        bpf.insn(0xb7, dst=4),
        bpf.insn(0x85, imm=HASH_UPDATE),
        bpf.insn(0x18, dst=1, src=2, imm=result), bpf.insn(0),
        bpf.insn(0x7b, dst=1, src=0)))              # *result = r0
    to_end = len(put) // 8
    return b"".join((
        bpf.insn(0x61, dst=2, src=1, off=OP),
        bpf.insn(0x55, dst=2, off=to_end + 2, imm=PASSIVE_ESTABLISHED),
        bpf.insn(0x61, dst=2, src=1, off=LOCAL_PORT),
        bpf.insn(0x55, dst=2, off=to_end, imm=port),
        put,
        bpf.insn(0xb7, imm=1),
        bpf.insn(0x95)))


def mapped(listener, protocol, group):
    """Test that no BPF program takes a child over."""
    socks = bpf.new_map(bpf.SOCKHASH, 4, 8)
    result = bpf.new_map(bpf.ARRAY, 8, 1)
    undo = bpf.attach(group, bpf.SOCK_OPS, map_program(
        listener.getsockname()[1], socks, result))
    for of_client in (protocol, 0):
        bpf.map_value(result, 1)
        with stream(of_client) as sock:
            sock.connect(listener.getsockname())
            with listener.accept()[0] as child:
                sock.sendall(b"x")
                got = child.recv(1)
                child.sendall(got)
                came = sock.recv(1)
                print("child", bpf.map_value(result), came, flush=True)
                exact(came, b"x")
    undo()


def slab(group):
    """Return the bytes of kernel objects that a cgroup is charged."""
    with open(group + "/memory.stat", encoding="ascii") as stat:
        return int(dict(line.split() for line in stat)["slab"])


def charged(listener, _, group):
    """Print what each accepted connection adds to the cgroup's memory."""
    clients = [stream() for _ in range(CHARGED)]
    for sock in clients:
        sock.connect(listener.getsockname())
    join(group)
    before = slab(group)
    conns = [listener.accept()[0] for _ in clients]
    print("charged", (slab(group) - before) // len(conns))
    join(group + "/..")


def throttles(group):
    """Return how often a task had to reclaim the cgroup's memory."""
    with open(group + "/memory.events", encoding="ascii") as events:
        return dict(line.split() for line in events)["high"]


def throttled(listener, _, group):
    """Test that a listener needs no memory of its cgroup to make children."""
    resource.setrlimit(resource.RLIMIT_NOFILE, (4 * CHILDREN, 4 * CHILDREN))
    join(group)
    memory = bytearray(MEMORY)
    memory[::4096] = b"x" * (MEMORY // 4096)
    join(group + "/..")
    with open(group + "/memory.high", "w", encoding="ascii") as high:
        high.write(str(MEMORY // 2))
    before, longest, kept = throttles(group), 0, []
    for _ in range(CHILDREN):
        start = time.monotonic()
        kept.append(stream(0))
        kept[-1].connect(listener.getsockname())
        kept.append(listener.accept()[0])
        longest = max(longest, time.monotonic() - start)
    print("longest", round(longest, 3))
    print("throttled", int(throttles(group)) - int(before))


def main():
    """Run a mode."""
    mode, address, port, protocol, group = sys.argv[1:]
    listener = listening((address, int(port)), int(protocol), group)
    {"policed": policed, "mapped": mapped, "throttled": throttled,
     "charged": charged}[mode](listener, int(protocol), group)
    return status()


sys.exit(main())
