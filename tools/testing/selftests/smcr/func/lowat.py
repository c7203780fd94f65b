#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""A program that is woken for many bytes only (SO_RCVLOWAT) and reads fewer.

TCP does not report the first bytes then, so the Decline that smcr has to remove
from their front is still there when the program reads. The server prints
"serving" when it listens, and sends one byte; a client exits with 0 if it reads
that byte, and with a status of its own (lib/sock.py) if it reads anything else.

usage: lowat.py serve|read ADDRESS PORT
"""
import array
import fcntl
import select
import socket
import sys
import termios

from lib import sock as smcr
from lib.sock import smcr_socket

MANY = 64


def waiting(sock):
    """Return the number of unread bytes."""
    count = array.array("i", [0])
    fcntl.ioctl(sock, termios.FIONREAD, count)
    return count[0]


def serve(address):
    """Serve one connection."""
    with smcr_socket() as listener:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(address)
        listener.listen()
        print("serving", flush=True)
        with listener.accept()[0] as conn:
            conn.sendall(b"x")
            conn.recv(1)


def read(address):
    """Read the first byte after it has arrived; return the exit status."""
    with smcr_socket() as sock:
        sock.connect(address)
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVLOWAT, MANY)
        while not waiting(sock):
            select.select([], [], [], 0.01)
        came = sock.recv(MANY, socket.MSG_DONTWAIT)
    if not smcr.exact(came, b"x"):
        print(f"{came!r} came")
    return smcr.status()


if __name__ == "__main__":
    verb, where, port = sys.argv[1:]
    sys.exit({"serve": serve, "read": read}[verb]((where, int(port))))
