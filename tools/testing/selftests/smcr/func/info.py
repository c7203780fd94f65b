#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Print what sockets say about themselves.

"info" prints the carrier and the reasons (SMCR_INFO) of sockets at the stages
of a connection to this host's ADDRESS, by the names of the kernel's headers.
"short" asks with lengths that are not that of the struct. "protocol" prints
SO_PROTOCOL of sockets of TCP and of smcr before and after a BPF program is
attached to this process's new cgroup, which shows 6 for 257.

usage: info.py info ADDRESS | short | protocol CGROUP
"""
import os
import re
import socket
import struct
import sys

from lib import bpf
from lib.sock import IPPROTO_SMCR, smcr_socket

SOL_SMCR, SMCR_INFO = IPPROTO_SMCR, 1
SO_PROTOCOL = 38
UAPI = "../../../../../include/uapi/linux/"


def enum(header, name):
    """Return the names of an enum in a header, without their prefix."""
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), UAPI)
    with open(path + header, encoding="utf-8") as file:
        body = re.search(r"enum %s \{(.*?)\};" % name, file.read(), re.S)
    return [word.split("_", 2)[2].lower()
            for word in re.findall(r"\bSMCR_\w+", body.group(1))]


CARRIERS = enum("smcr.h", "smcr_carrier")
FALLBACKS = enum("smcr_netlink.h", "smcr_fallback_reason")
RESETS = enum("smcr_netlink.h", "smcr_reset_reason")


def show(what, sock):
    """Print a socket's SMCR_INFO."""
    carrier, fallback, reset = struct.unpack(
        "=III", sock.getsockopt(SOL_SMCR, SMCR_INFO, 12))
    word = RESETS[reset]
    # Which of a peer's two messages comes first is chance.
    if word in ("peer_abort", "tcp_rst"):
        word = "by_peer"
    print(f"{what}: {CARRIERS[carrier]} {FALLBACKS[fallback]} {word}")


def stages(address):
    """Show both ends of a connection until it is reset, and a TCP one."""
    listener = smcr_socket()
    show("new", listener)
    listener.bind((address, 0))
    listener.listen()
    show("listener", listener)
    client = smcr_socket()
    client.connect(listener.getsockname())
    server, _ = listener.accept()
    show("client", client)
    show("server", server)
    server.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER,
                      struct.pack("ii", 1, 0))
    server.close()
    try:
        client.recv(1)
    except ConnectionResetError:
        show("reset", client)
    client = smcr_socket()
    client.setsockopt(socket.IPPROTO_TCP, socket.TCP_FASTOPEN, 5)
    client.connect(listener.getsockname())
    server, _ = listener.accept()
    show("TCP client", client)
    show("TCP server", server)


def lengths():
    """Ask for less, for more, and for another option."""
    sock = smcr_socket()
    for length in (0, 4, 12, 100):
        got = sock.getsockopt(SOL_SMCR, SMCR_INFO, length) if length else b""
        print(f"{length} bytes: {len(got)}")
    for option in (0, SMCR_INFO + 1):
        try:
            sock.getsockopt(SOL_SMCR, option, 4)
        except OSError as err:
            print(f"option {option}: {os.strerror(err.errno)}")
    try:
        sock.setsockopt(SOL_SMCR, SMCR_INFO, 1)
    except OSError as err:
        print(f"setsockopt: {os.strerror(err.errno)}")


# The program of smcr-programs.rst; r1 is the struct bpf_sockopt.
SHOW_TCP = b"".join((
    bpf.insn(0x61, 2, 1, 24, 0),                    # r2 = level
    bpf.insn(0x55, 2, 0, 10, socket.SOL_SOCKET),    # not it: to the end
    bpf.insn(0x61, 2, 1, 28, 0),                    # r2 = optname
    bpf.insn(0x55, 2, 0, 8, SO_PROTOCOL),
    bpf.insn(0x79, 2, 1, 8, 0),                     # r2 = optval
    bpf.insn(0x79, 3, 1, 16, 0),                    # r3 = optval_end
    bpf.insn(0xbf, 4, 2, 0, 0),
    bpf.insn(0x07, 4, 0, 0, 4),
    bpf.insn(0x2d, 4, 3, 3, 0),                     # too short
    bpf.insn(0x61, 5, 2, 0, 0),                     # r5 = *optval
    bpf.insn(0x55, 5, 0, 1, IPPROTO_SMCR),
    bpf.insn(0x62, 2, 0, 0, socket.IPPROTO_TCP),    # *optval = 6
    bpf.insn(0xb7, 0, 0, 0, 1),
    bpf.insn(0x95, 0, 0, 0, 0)))


def protocols(cgroup):
    """Show SO_PROTOCOL with and without the BPF program."""
    with open(cgroup + "/cgroup.procs", "w", encoding="utf-8") as file:
        file.write(str(os.getpid()))
    sockets = (("TCP", socket.socket()), ("smcr", smcr_socket()),
               ("UDP", socket.socket(type=socket.SOCK_DGRAM)))
    for when in ("without", "with"):
        if when == "with":
            bpf.attach(cgroup, bpf.GETSOCKOPT, SHOW_TCP)
        for name, sock in sockets:
            print(f"{name} {when} it:",
                  sock.getsockopt(socket.SOL_SOCKET, SO_PROTOCOL))


if __name__ == "__main__":
    if sys.argv[1] == "info":
        stages(sys.argv[2])
    elif sys.argv[1] == "short":
        lengths()
    else:
        protocols(sys.argv[2])
