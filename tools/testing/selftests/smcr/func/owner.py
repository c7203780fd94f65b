#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Whose packets and whose signals a socket's are.

A server and a client of different users. "urgent": the server, whose accepted
socket is plain TCP, gets SIGURG. "orphan": the client ends with bytes that the
server does not read, so that the connection lives on and TCP sends keepalives.
"buffers": the server, in a cgroup, accepts nothing, and a TCP client sends as
much as there is room for. Says "done" when that is so, and ends with its input.

"unreachable": a client whose reader waits when an ICMP message comes. Says
"done" when the test is to see to that, and for a line of input what came.
"record": the same with kTLS, and a header that no TLS record can have.

"policed": a listener of a cgroup in which a BPF program refuses setsockopt().
Its owner, who is not in that cgroup, accepts a client of the same protocol and
one of TCP's, and says what setsockopt() on either child came to.

usage: owner.py MODE ADDRESS PORT PROTOCOL SERVER_UID CLIENT_UID [CGROUP]
"""
import ctypes
import errno
import fcntl
import os
import signal
import socket
import struct
import sys
import threading
import time

SECONDS = 30
IP_RECVERR = 11
CHUNK = bytes(65536)

TCP_ULP = 31
SOL_TLS = 282
TLS_RX = 2
# struct tls12_crypto_info_aes_gcm_128: TLS 1.2, the cipher, keys of no secret
TLS_INFO = struct.pack("=HH", 0x303, 51).ljust(40, b"\0")
# Application data of no bytes: there is no room for the cipher's own
BAD_RECORD = bytes.fromhex("1703030000").ljust(64, b"\0")

SYS_BPF = 321
BPF_PROG_LOAD = 5
BPF_PROG_ATTACH = 8
BPF_PROG_DETACH = 9
BPF_PROG_TYPE_CGROUP_SOCKOPT = 25
BPF_CGROUP_SETSOCKOPT = 22
# r0 = 0; exit
BPF_REFUSE = bytes.fromhex("b700000000000000" "9500000000000000")


def stream(protocol):
    """A new socket."""
    sock = socket.socket(socket.AF_INET, socket.SOCK_STREAM, protocol)
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    return sock


def urgent(sock):
    """Send an urgent byte when it is time, and wait for the answer."""
    sock.recv(1)
    sock.send(b"u", socket.MSG_OOB)
    sock.recv(1)


def orphan(sock):
    """As many bytes as there is room for, and nobody reads them."""
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_KEEPIDLE, 1)
    sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_KEEPINTVL, 1)
    sock.setblocking(False)
    try:
        while True:
            sock.send(CHUNK)
    except BlockingIOError:
        pass


def buffers(sock):
    """Nobody accepts the connection; it may take a while to be adopted."""
    sock.settimeout(1)
    try:
        while True:
            sock.send(CHUNK)
    except TimeoutError:
        pass
    os.write(1, b"done\n")
    sys.stdin.read()


def word(function, *args):
    """What a call came to."""
    try:
        return str(function(*args) or 0)
    except OSError as err:
        return errno.errorcode[err.errno]


def sleeps(thread):
    """A thread that waits for Python's own lock does so for a moment only."""
    for _ in range(5):
        with open(f"/proc/self/task/{thread.native_id}/stat",
                  encoding="ascii") as stat:
            if stat.read().rpartition(")")[2].split()[0] != "S":
                return False
        time.sleep(0.002)
    return True


def reader(sock):
    """A thread that sleeps in recv() and says what came."""
    thread = threading.Thread(
        target=lambda: print("reader", word(sock.recv, 1), flush=True),
        daemon=True)
    thread.start()
    while not sleeps(thread):
        pass
    os.write(1, b"done\n")
    return thread


def unreachable(sock):
    """The reader is told of an error that does not end the connection."""
    sock.setsockopt(socket.IPPROTO_IP, IP_RECVERR, 1)
    thread = reader(sock)
    sys.stdin.readline()
    sock.send(b"x")
    thread.join(SECONDS)


def record(sock):
    """So is one whose TLS ends, but not the connection."""
    sock.setsockopt(socket.IPPROTO_TCP, TCP_ULP, b"tls")
    sock.setsockopt(SOL_TLS, TLS_RX, TLS_INFO)
    thread = reader(sock)
    sock.send(b"x")
    thread.join(SECONDS)


def bpf(command, attr):
    """The system call."""
    ret = ctypes.CDLL(None, use_errno=True).syscall(
        SYS_BPF, command, ctypes.create_string_buffer(attr), len(attr))
    if ret < 0:
        raise OSError(ctypes.get_errno(), "bpf")
    return ret


def refuse(group):
    """Sockets of a cgroup set no option from now on. Returns how to undo it."""
    code = ctypes.create_string_buffer(BPF_REFUSE)
    text = ctypes.create_string_buffer(b"GPL")
    program = bpf(BPF_PROG_LOAD, struct.pack(
        "=IIQQ44xI", BPF_PROG_TYPE_CGROUP_SOCKOPT, len(BPF_REFUSE) // 8,
        ctypes.addressof(code), ctypes.addressof(text),
        BPF_CGROUP_SETSOCKOPT))
    where = struct.pack("=IIII", os.open(group, os.O_RDONLY), program,
                        BPF_CGROUP_SETSOCKOPT, 0)
    bpf(BPF_PROG_ATTACH, where)
    return lambda: bpf(BPF_PROG_DETACH, where)


def join(group):
    """From now on this process is of that cgroup."""
    with open(group + "/cgroup.procs", "w", encoding="ascii") as procs:
        procs.write(str(os.getpid()))


def policed(address, protocol, group):
    """Children are of the cgroup of their listener."""
    join(group)
    with stream(protocol) as listener:
        listener.bind(address)
        listener.listen()
        join(group + "/..")
        allow = refuse(group)
        for of_client in (protocol, 0):
            with stream(of_client) as sock:
                sock.connect(address)
                with listener.accept()[0] as child:
                    print("child", word(child.setsockopt, socket.SOL_SOCKET,
                                        socket.SO_KEEPALIVE, 1), flush=True)
        allow()


def client(mode, address, protocol, uid):
    """A process of its own."""
    pid = os.fork()
    if pid:
        return pid
    os.setuid(uid)
    with stream(protocol) as sock:
        sock.connect(address)
        {"urgent": urgent, "orphan": orphan, "buffers": buffers,
         "unreachable": unreachable, "record": record}[mode](sock)
    os._exit(0)


def main():
    """Both ends."""
    mode, protocol = sys.argv[1], int(sys.argv[4])
    address = sys.argv[2], int(sys.argv[3])
    if mode == "policed":
        policed(address, protocol, sys.argv[7])
        return
    signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGURG])
    ready_r, ready_w = os.pipe()
    server = os.fork()
    if not server:
        if len(sys.argv) > 7:
            join(sys.argv[7])
        os.setuid(int(sys.argv[5]))
        with stream(protocol) as listener:
            if mode in ("urgent", "unreachable", "record"):
                listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_FASTOPEN, 5)
            listener.bind(address)
            listener.listen()
            os.write(ready_w, b"r")
            if mode == "buffers":
                sys.stdin.read()
                os._exit(0)
            conn = listener.accept()[0]
            fcntl.fcntl(conn, fcntl.F_SETOWN, os.getpid())
            if mode == "urgent":
                conn.send(b"r")
                came = signal.sigtimedwait([signal.SIGURG], SECONDS)
                print("signal", bool(came), flush=True)
                conn.send(b"x")
            if mode in ("unreachable", "record"):
                # The input is the client's
                conn.recv(1)
                if mode == "record":
                    conn.send(BAD_RECORD)
                # Its end, or a reset for bytes that it did not read
                word(conn.recv, 1)
                os._exit(0)
            sys.stdin.read()
        os._exit(0)
    os.read(ready_r, 1)
    if mode == "buffers":
        protocol = 0
    os.waitpid(client(mode, address, protocol, int(sys.argv[6])), 0)
    if mode in ("urgent", "orphan"):
        print("done", flush=True)
    os.waitpid(server, 0)


main()
