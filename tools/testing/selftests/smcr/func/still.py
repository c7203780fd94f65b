#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""A program that holds a socket's lock from its Proposal on: it connects, and
stalls in setsockopt() until /dev/smcr_stall is told to go on. Then it prints
the result of connect(), 0 or the name of an errno.

usage: still.py ADDRESS PORT
"""
import ctypes
import errno
import mmap
import os
import select
import socket
import struct
import sys

from lib import sock as smcr

# Where struct tcp_info has the number of bytes that were sent
BYTES_SENT = 200


def sent(sock):
    """Return how many bytes TCP has sent."""
    info = sock.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, 208)
    return struct.unpack_from("Q", info, BYTES_SENT)[0]


def stall(sock):
    """Let TCP read the name of an algorithm from memory that stalls."""
    fd = os.open("/dev/smcr_stall", os.O_RDWR)
    page = mmap.mmap(fd, mmap.PAGESIZE)
    libc = ctypes.CDLL(None, use_errno=True)
    name = (ctypes.c_char * mmap.PAGESIZE).from_buffer(page)
    libc.setsockopt(sock.fileno(), socket.IPPROTO_TCP, socket.TCP_CONGESTION,
                    ctypes.byref(name), 5)


def main():
    """Connect, stall, and print what connect() returns."""
    sock = smcr.smcr_socket()
    sock.setblocking(False)
    sock.connect_ex((sys.argv[1], int(sys.argv[2])))
    while not sent(sock):
        pass
    stall(sock)
    sock.setblocking(True)
    select.select([], [sock], [])
    err = sock.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR)
    print(errno.errorcode.get(err, err))


main()
