#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Print the protocol of a socket that a program called PROGRAM asks for.

The socket is asked for by "main", the first thread; by "thread", which calls
itself NAME; by "worker", a thread of io_uring's pool; or by "poll", io_uring's
thread that polls for requests. It is TCP, or with "mptcp", the first thread
again, MPTCP.

usage: transparent.py PROGRAM main|thread|worker|poll|mptcp [NAME]
"""
import os
import socket
import sys
import threading

from lib import uring

SO_PROTOCOL = 38
IPPROTO_MPTCP = 262
PR_SET_NAME = 15


def call_yourself(name):
    """Set the name of the calling thread; that of the first is the program's."""
    uring.called(uring.libc.prctl(PR_SET_NAME, name.encode(), 0, 0, 0))


def by_thread(name):
    """Return a socket that a thread of this name makes."""
    made = []

    def run():
        call_yourself(name)
        made.append(socket.socket())

    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
    return made[0]


def by_uring(setup, flags):
    """Return a socket that a thread of io_uring makes."""
    ring = uring.Ring(setup)
    ring.submit(uring.OP_SOCKET, socket.AF_INET, flags=flags,
                off=socket.SOCK_STREAM, length=socket.IPPROTO_TCP)
    result = ring.wait()[1]
    if result < 0:
        raise OSError(-result, os.strerror(-result))
    return socket.socket(fileno=result)


def main():
    """Make the socket."""
    program, where = sys.argv[1:3]
    call_yourself(program)
    if where == "thread":
        sock = by_thread(sys.argv[3])
    elif where == "worker":
        sock = by_uring(0, uring.SQE_ASYNC)
    elif where == "mptcp":
        sock = socket.socket(socket.AF_INET, socket.SOCK_STREAM, IPPROTO_MPTCP)
    elif where == "poll":
        sock = by_uring(uring.SETUP_SQPOLL, 0)
    else:
        sock = socket.socket()
    print(sock.getsockopt(socket.SOL_SOCKET, SO_PROTOCOL))


if __name__ == "__main__":
    main()
