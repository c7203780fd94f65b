#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Print the protocol of a socket that a program called PROGRAM asks for.

The socket is asked for by "main", the first thread; by "thread", which calls
itself NAME; by "worker", a thread of io_uring's pool; or by "poll", io_uring's
thread that polls for requests. It is TCP, or with "mptcp", the first thread
again, MPTCP.

usage: transparent.py PROGRAM main|thread|worker|poll|mptcp [NAME]
"""
import ctypes
import mmap
import os
import socket
import struct
import sys
import threading

SO_PROTOCOL = 38
IPPROTO_MPTCP = 262
PR_SET_NAME = 15
SYS_IO_URING_SETUP, SYS_IO_URING_ENTER = 425, 426
SETUP_SQPOLL = 2
OFF_SQES = 0x10000000
OP_SOCKET = 45
SQE_ASYNC = 16
ENTER_GETEVENTS, ENTER_SQ_WAKEUP = 1, 2

libc = ctypes.CDLL(None, use_errno=True)


def called(result):
    """Return the result of a system call."""
    if result < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return result


def call_yourself(name):
    """Set the name of the calling thread; that of the first is the program's."""
    called(libc.prctl(PR_SET_NAME, name.encode(), 0, 0, 0))


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
    params = ctypes.create_string_buffer(struct.pack("=8xI108x", setup), 120)
    ring = called(libc.syscall(SYS_IO_URING_SETUP, 1, params))
    words = struct.unpack("=10I8IQ8IQ", params.raw)
    sq_tail, sq_array = words[11], words[16]
    cq_head, cq_mask, cqes = words[19], words[21], words[24]
    queues = mmap.mmap(ring, 4096)
    sqes = mmap.mmap(ring, 4096, offset=OFF_SQES)
    struct.pack_into("=BBHiQQI36x", sqes, 0, OP_SOCKET, flags, 0,
                     socket.AF_INET, socket.SOCK_STREAM, 0,
                     socket.IPPROTO_TCP)
    struct.pack_into("=I", queues, sq_array, 0)
    struct.pack_into("=I", queues, sq_tail, 1)
    called(libc.syscall(SYS_IO_URING_ENTER, ring, 1, 1,
                        ENTER_GETEVENTS | ENTER_SQ_WAKEUP, None, 0))
    head = struct.unpack_from("=I", queues, cq_head)[0]
    mask = struct.unpack_from("=I", queues, cq_mask)[0]
    result = struct.unpack_from("=Qi", queues, cqes + 16 * (head & mask))[1]
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
        sock = by_uring(0, SQE_ASYNC)
    elif where == "mptcp":
        sock = socket.socket(socket.AF_INET, socket.SOCK_STREAM, IPPROTO_MPTCP)
    elif where == "poll":
        sock = by_uring(SETUP_SQPOLL, 0)
    else:
        sock = socket.socket()
    print(sock.getsockopt(socket.SOL_SOCKET, SO_PROTOCOL))


if __name__ == "__main__":
    main()
