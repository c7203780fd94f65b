#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Whose packets and whose signals a socket's are.

A server and a client of different users. "urgent": the server, whose accepted
socket is plain TCP, gets SIGURG. "orphan": the client ends with bytes that the
server does not read, so that the connection lives on and TCP sends keepalives.
Says "done" when that is so, and ends with its input.

usage: owner.py urgent|orphan ADDRESS PORT PROTOCOL SERVER_UID CLIENT_UID
"""
import fcntl
import os
import signal
import socket
import sys

SECONDS = 30
CHUNK = bytes(65536)


def stream(protocol):
    """A new socket."""
    sock = socket.socket(socket.AF_INET, socket.SOCK_STREAM, protocol)
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    return sock


def urgent(sock):
    """Send an urgent byte, and wait for the answer."""
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


def client(mode, address, protocol, uid):
    """A process of its own."""
    pid = os.fork()
    if pid:
        return pid
    os.setuid(uid)
    with stream(protocol) as sock:
        sock.connect(address)
        {"urgent": urgent, "orphan": orphan}[mode](sock)
    os._exit(0)


def main():
    """Both ends."""
    mode, protocol = sys.argv[1], int(sys.argv[4])
    address = sys.argv[2], int(sys.argv[3])
    signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGURG])
    ready_r, ready_w = os.pipe()
    server = os.fork()
    if not server:
        os.setuid(int(sys.argv[5]))
        with stream(protocol) as listener:
            if mode == "urgent":
                listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_FASTOPEN, 5)
            listener.bind(address)
            listener.listen()
            os.write(ready_w, b"r")
            conn = listener.accept()[0]
            fcntl.fcntl(conn, fcntl.F_SETOWN, os.getpid())
            if mode == "urgent":
                came = signal.sigtimedwait([signal.SIGURG], SECONDS)
                print("signal", bool(came), flush=True)
                conn.send(b"x")
            sys.stdin.read()
        os._exit(0)
    os.read(ready_r, 1)
    os.waitpid(client(mode, address, protocol, int(sys.argv[6])), 0)
    print("done", flush=True)
    os.waitpid(server, 0)


main()
