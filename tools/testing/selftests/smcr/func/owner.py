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

usage: owner.py MODE ADDRESS PORT PROTOCOL SERVER_UID CLIENT_UID [CGROUP]
"""
import errno
import fcntl
import os
import signal
import socket
import sys
import threading

SECONDS = 30
IP_RECVERR = 11
CHUNK = bytes(65536)


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


def unreachable(sock):
    """The reader is told of an error that does not end the connection."""
    def read():
        try:
            print("reader", sock.recv(1), flush=True)
        except OSError as err:
            print("reader", errno.errorcode[err.errno], flush=True)

    sock.setsockopt(socket.IPPROTO_IP, IP_RECVERR, 1)
    reader = threading.Thread(target=read, daemon=True)
    reader.start()
    os.write(1, b"done\n")
    sys.stdin.readline()
    sock.send(b"x")
    reader.join(SECONDS)


def client(mode, address, protocol, uid):
    """A process of its own."""
    pid = os.fork()
    if pid:
        return pid
    os.setuid(uid)
    with stream(protocol) as sock:
        sock.connect(address)
        {"urgent": urgent, "orphan": orphan, "buffers": buffers,
         "unreachable": unreachable}[mode](sock)
    os._exit(0)


def main():
    """Both ends."""
    mode, protocol = sys.argv[1], int(sys.argv[4])
    address = sys.argv[2], int(sys.argv[3])
    signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGURG])
    ready_r, ready_w = os.pipe()
    server = os.fork()
    if not server:
        if len(sys.argv) > 7:
            with open(sys.argv[7] + "/cgroup.procs", "w",
                      encoding="ascii") as procs:
                procs.write(str(os.getpid()))
        os.setuid(int(sys.argv[5]))
        with stream(protocol) as listener:
            if mode in ("urgent", "unreachable"):
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
            if mode == "unreachable":
                # The input is the client's
                conn.recv(1)
                conn.recv(1)
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
