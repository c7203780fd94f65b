#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""A TCP server whose host echoes the SMC-R option.

The server does not speak SMC-R: it closes a connection that sends a Proposal,
or with "silent" leaves the Proposal unread, and echoes everything else. It
prints "serving" when it listens, and serves until it is killed.

usage: deaf.py ADDRESS PORT [silent]      (synopt.ko is loaded)
"""
import fcntl
import socket
import sys
import threading

SYNOPT_MARK = 0x7901
EYE_CATCHER = bytes.fromhex("e2d4c3d9")
SILENT = sys.argv[3:] == ["silent"]


def serve(conn):
    """Serve one connection until its end."""
    with conn:
        if SILENT and conn.recv(4, socket.MSG_PEEK) == EYE_CATCHER:
            threading.Event().wait()
        data = conn.recv(4096)
        while data and not data.startswith(EYE_CATCHER):
            conn.sendall(data)
            data = conn.recv(4096)


def main():
    """Listen, and serve each connection in a thread of its own."""
    listener = socket.socket()
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    listener.bind((sys.argv[1], int(sys.argv[2])))
    with open("/dev/synopt", "rb") as dev:
        fcntl.ioctl(dev, SYNOPT_MARK, listener.fileno())
    listener.listen()
    print("serving", flush=True)
    while True:
        conn, _ = listener.accept()
        threading.Thread(target=serve, args=(conn,), daemon=True).start()


main()
