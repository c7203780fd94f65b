#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Streams that the server ends, and a client that reads them late.

Each stream has SIZE bytes, which fit into the client's receive element. The
first byte that the client sends selects what the server does after it has sent
them:

    c   closes
    d   shuts down its sending direction, and waits for the client's end
    a   the same, but waits for another byte and then resets the connection
    o   does nothing more: the stream has no end
    x   closes, and reports that over a TCP connection to the next port

The client runs in stages. It prints the name of each stage that has ended and
waits for a line on standard input before the next one.

usage: final.py serve|read ADDRESS PORT
"""
import array
import fcntl
import select
import socket
import struct
import sys
import termios
import threading

from lib import sock as smcr

SIZE = 100000
DATA = b"".join(struct.pack(">I", i) for i in range(SIZE // 4))


# TCP connections of clients that wait for a report of "x"
watchers = []


def serve_one(sock):
    """Serve one connection until its end."""
    what = sock.recv(1)
    sock.sendall(DATA)
    if what in b"da":
        sock.shutdown(socket.SHUT_WR)
    if what == b"a":
        sock.recv(1)
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER,
                        struct.pack("ii", 1, 0))
    elif what in b"do":
        try:
            sock.recv(1)
        except OSError:
            pass
    sock.close()
    if what == b"x":
        for watcher in watchers:
            watcher.send(b".")


def watch(address):
    """Accept the TCP connections of clients that wait for a report."""
    with socket.create_server(address) as listener:
        while True:
            watchers.append(listener.accept()[0])


def serve(address):
    """Serve until killed."""
    threading.Thread(target=watch, args=((address[0], address[1] + 1),),
                     daemon=True).start()
    smcr.serve(address, serve_one)


def unread(sock):
    """Return the number of unread bytes."""
    count = array.array("i", [0])
    fcntl.ioctl(sock, termios.FIONREAD, count)
    return count[0]


def await_bits(sock, bits):
    """Wait until poll() shows one of the bits."""
    poll = select.poll()
    poll.register(sock, bits)
    while not poll.poll()[0][1] & bits:
        pass


def ask(address, what):
    """Open a stream and wait until it has arrived with its end, all unread."""
    sock = smcr.connected(address)
    sock.sendall(what)
    while unread(sock) < SIZE:
        select.select([sock], [], [])
    if what != b"o":
        await_bits(sock, select.POLLRDHUP)
    return sock


def outcome(sock):
    """Describe in words what a reader gets."""
    got = bytearray()
    while True:
        try:
            part = sock.recv(30000)
        except OSError as err:
            return f"{len(got)} bytes, then errno {err.errno}"
        if not part:
            break
        got += part
    if not smcr.exact(got, DATA):
        return f"{len(got)} bytes, then the end of the stream"
    return "all bytes, then the end"


def tell(name, sock, wanted="all bytes, then the end"):
    """Print whether a reader gets what is wanted."""
    got = outcome(sock)
    sock.close()
    print(f"{'good' if got == wanted else 'bad'} {name}: {got}", flush=True)


def stage(name):
    """Print the name of an ended stage and wait for a line."""
    print(f"stage {name}", flush=True)
    sys.stdin.readline()


def crossed(address):
    """Send a byte to a peer that has closed, before its C has arrived."""
    watcher = socket.create_connection((address[0], address[1] + 1))
    sock = smcr.connected(address)
    sock.send(b"x")
    watcher.recv(1)
    sock.send(b"y")
    await_bits(sock, select.POLLERR)
    return sock


def read(address):
    """Run all stages."""
    # Make the first contact before RoCE is slow.
    tell("closed, and read at once", ask(address, b"c"))
    stage("begun")
    tell("a byte crossed the end of the stream", crossed(address))
    stage("crossed")
    late, spoke = ask(address, b"c"), ask(address, b"c")
    done, reset = ask(address, b"d"), ask(address, b"a")
    kept = [ask(address, what) for what in (b"c", b"d")]
    cut, told = ask(address, b"o"), ask(address, b"o")
    # The server's host answers this with a reset, as its program has closed.
    spoke.send(b"x")
    await_bits(spoke, select.POLLERR)
    reset.send(b"x")
    await_bits(reset, select.POLLERR)
    stage("asked")
    tell("closed, and read after the server stopped waiting", late)
    tell("closed, and a byte was sent to the closed end", spoke)
    tell("shut down, then reset", reset)
    tell("shut down", done)
    stage("read")
    for name, sock in zip(("closed", "shut down"), kept):
        tell(name + ", then the device went", sock)
    tell("not ended, then the device went", cut, "0 bytes, then errno 104")
    try:
        told.send(b"x")
    except OSError:
        pass
    tell("not ended, and a send() was told first", told,
         "0 bytes, then errno 104")


def main():
    """Run one of the two ends."""
    role, address, port = sys.argv[1:]
    (serve if role == "serve" else read)((address, int(port)))
    return smcr.status()


sys.exit(main())
