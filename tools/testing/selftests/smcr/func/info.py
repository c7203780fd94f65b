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
import ctypes
import os
import re
import socket
import struct
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)),
                                "lib"))
from sock import IPPROTO_SMCR, smcr_socket     # noqa: E402

SOL_SMCR, SMCR_INFO = IPPROTO_SMCR, 1
SO_PROTOCOL = 38
SYS_BPF, PROG_LOAD, PROG_ATTACH = 321, 5, 8
PROG_TYPE_CGROUP_SOCKOPT, CGROUP_GETSOCKOPT = 25, 21
UAPI = "../../../../../include/uapi/linux/"

libc = ctypes.CDLL(None, use_errno=True)


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


def bpf(command, attr):
    """Call bpf()."""
    ret = libc.syscall(SYS_BPF, command,
                       ctypes.create_string_buffer(attr, len(attr)), len(attr))
    if ret < 0:
        raise OSError(ctypes.get_errno(), f"bpf command {command}")
    return ret


def insn(code, dst, src, off, imm):
    """Return one instruction."""
    return struct.pack("=BBhI", code, dst | src << 4, off, imm)


# The program of smcr-programs.rst; r1 is the struct bpf_sockopt.
SHOW_TCP = b"".join((
    insn(0x61, 2, 1, 24, 0),                    # r2 = level
    insn(0x55, 2, 0, 10, socket.SOL_SOCKET),    # not it: to the end
    insn(0x61, 2, 1, 28, 0),                    # r2 = optname
    insn(0x55, 2, 0, 8, SO_PROTOCOL),
    insn(0x79, 2, 1, 8, 0),                     # r2 = optval
    insn(0x79, 3, 1, 16, 0),                    # r3 = optval_end
    insn(0xbf, 4, 2, 0, 0),
    insn(0x07, 4, 0, 0, 4),
    insn(0x2d, 4, 3, 3, 0),                     # too short
    insn(0x61, 5, 2, 0, 0),                     # r5 = *optval
    insn(0x55, 5, 0, 1, IPPROTO_SMCR),
    insn(0x62, 2, 0, 0, socket.IPPROTO_TCP),    # *optval = 6
    insn(0xb7, 0, 0, 0, 1),
    insn(0x95, 0, 0, 0, 0)))


def protocols(cgroup):
    """Show SO_PROTOCOL with and without the BPF program."""
    with open(cgroup + "/cgroup.procs", "w", encoding="utf-8") as file:
        file.write(str(os.getpid()))
    code = ctypes.create_string_buffer(SHOW_TCP, len(SHOW_TCP))
    licence = ctypes.create_string_buffer(b"GPL")
    sockets = (("TCP", socket.socket()), ("smcr", smcr_socket()),
               ("UDP", socket.socket(type=socket.SOCK_DGRAM)))
    for when in ("without", "with"):
        if when == "with":
            prog = bpf(PROG_LOAD, struct.pack(
                "=IIQQ44xI", PROG_TYPE_CGROUP_SOCKOPT, len(SHOW_TCP) // 8,
                ctypes.addressof(code), ctypes.addressof(licence),
                CGROUP_GETSOCKOPT))
            target = os.open(cgroup, os.O_RDONLY)
            bpf(PROG_ATTACH, struct.pack("=IIII", target, prog,
                                         CGROUP_GETSOCKOPT, 0))
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
