#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""TCP_USER_TIMEOUT of a program whose peer is slow, or whose path is silent.

    slow    the server reads PIECE bytes ROUNDS times, with a pause between that
            is shorter than the timeout, and then no more; the client writes
    silent  the client sends bytes after it got a line on standard input

The client prints when it begins and how it ends.

usage: user_timeout.py serve|slow|silent ADDRESS PORT MILLISECONDS
"""
import errno
import socket
import sys
import time

from lib import sock as smcr

ROUNDS = 8
PIECE = 30000
# Pause as a part of the timeout
PAUSE = 0.6


def serve_one(sock):
    """Serve one connection until the client resets it."""
    pause = int.from_bytes(sock.recv(4, socket.MSG_WAITALL), "big") / 1000
    for _ in range(ROUNDS if pause else 0):
        sock.recv(PIECE, socket.MSG_WAITALL)
        time.sleep(pause)
    while sock.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR) == 0:
        time.sleep(0.05)
    sock.close()


def ends(function):
    """Print the errno with which a function ends, and after how many ms."""
    begin = time.monotonic()
    try:
        function()
        word = "nothing"
    except OSError as err:
        word = errno.errorcode[err.errno]
    print(word, int((time.monotonic() - begin) * 1000), flush=True)


def client(what, address, msecs):
    """Run a client."""
    sock = smcr.connected(address)
    sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, msecs)
    pause = int(msecs * PAUSE) if what == "slow" else 0
    sock.sendall(pause.to_bytes(4, "big"))
    print("open", flush=True)
    if what == "slow":
        ends(lambda: sock.sendall(bytes(1 << 24)))
        return
    sys.stdin.readline()
    sock.sendall(bytes(1000))
    ends(lambda: sock.recv(1))


def main():
    """Run one of the two ends."""
    what, address, port, msecs = sys.argv[1:]
    address = (address, int(port))
    if what == "serve":
        smcr.serve(address, serve_one)
    else:
        client(what, address, int(msecs))


main()
