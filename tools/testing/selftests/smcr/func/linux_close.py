#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Streams that Linux's SMC-R ends before it has written their last bytes.

The writer runs on the Linux host. A reader commands it over a TCP connection to
the next port, and compares what it reads with what the writer has sent. The
command is

    shutdown    send SIZE bytes, shut down, and wait for the reader's end
    close       the same, but close the socket
    both        the same, but shut down both directions, and keep the socket
                until the reader has ended
    exit        the same, but exit, so that the kernel closes the socket
    burst       send SIZE bytes with many calls, and exit; the reader reads at
                once
    urgent      send three bytes, an urgent one and the rest, and shut down; the
                reader reads at once
    toward      the same, with the roles exchanged; the process of the host with
                Linux's SMC-R answers whether it got all
    later       send SIZE bytes and shut down; the reader reads at once, and
                sends a byte LATER_MS after the end of the stream

If it does not read at once, the reader begins when the writer's call has
returned, and reads slowly. END is what it must get after the last byte: EOF or
an errno. The exit status of a reader tells of a byte that is wrong or missing
(lib/sock.py).

usage: linux_close.py write ADDRESS PORT
       linux_close.py read ADDRESS PORT COMMAND SIZE [END]
       linux_close.py count ADDRESS PORT COMMAND SIZE N

"count" reads N streams one after the other, and prints how many of them ended
with ECONNRESET because nothing proved their end. Each other one must be whole.
"""
import errno
import os
import select
import socket
import struct
import sys
import time

from lib import sock as smcr

# Linux's number of SMC-R sockets
IPPROTO_SMC = 256
AT_ONCE = ("burst", "later")
# Longer than net.smcr.close_timeout_ms in this test
LATER_MS = 3000


def data(size):
    """Return the stream: each word is its own position."""
    return b"".join(struct.pack(">I", i) for i in range(size // 4))


def write(sock, command, stream):
    """Send and end the stream."""
    if command == "burst":
        for at in range(0, len(stream), 3000):
            sock.sendall(stream[at:at + 3000])
    elif command in ("urgent", "toward"):
        sock.sendall(stream[:3])
        sock.send(stream[3:4], socket.MSG_OOB)
        sock.sendall(stream[4:])
    else:
        sock.sendall(stream)
    if command == "close":
        sock.close()
    elif command == "both":
        sock.shutdown(socket.SHUT_RDWR)
    elif command in ("shutdown", "urgent", "toward", "later"):
        sock.shutdown(socket.SHUT_WR)


def urgent_good(sock, stream):
    """Read a stream whose fourth byte is urgent; return whether it is good."""
    poll = select.poll()
    poll.register(sock, select.POLLPRI)
    poll.poll()
    good = smcr.exact(sock.recv(1, socket.MSG_OOB), stream[3:4])
    got = b""
    while part := sock.recv(30000):
        got += part
    print(f"urgent: {good}, {len(got)} bytes", flush=True)
    return smcr.exact(got, stream[:3] + stream[4:]) and good


def writer(listeners, sock, control, done, command, size):
    """Be the process of one connection; does not return."""
    for listener in listeners:
        listener.close()
    if command != "toward":
        write(sock, command, data(size))
    else:
        sock.send(b"." if urgent_good(sock, data(size)) else b"!")
    if command == "later":
        control.send(sock.recv(1))
    os.close(done)
    if command in ("shutdown", "urgent"):
        sock.recv(1)
    if command == "both":
        control.recv(1)
    os._exit(0)


def listener_at(address, port, proto):
    """Return a listening socket."""
    sock = socket.socket(socket.AF_INET, socket.SOCK_STREAM, proto)
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    sock.bind((address, port))
    sock.listen()
    return sock


def serve(address, port):
    """Serve readers, one after the other, until killed."""
    streams = listener_at(address, port, IPPROTO_SMC)
    commands = listener_at(address, port + 1, 0)
    print("serving", flush=True)
    while True:
        control, _ = commands.accept()
        command, size = control.recv(100).decode().split()
        sock, _ = streams.accept()
        ended, done = os.pipe()
        if not os.fork():
            writer((streams, commands), sock, control, done, command,
                   int(size))
        os.close(done)
        sock.close()
        # The end of file comes when the process has ended its stream
        os.read(ended, 1)
        os.close(ended)
        control.shutdown(socket.SHUT_WR)
        control.close()


def heard_later(sock, control):
    """Send a byte late; return whether the writer got it."""
    poll = select.poll()
    # Only an error or the end of both directions ends this earlier
    poll.register(sock, 0)
    poll.poll(LATER_MS)
    try:
        sock.send(b"x")
    except OSError as err:
        print(f"send(): {err}", flush=True)
        return False
    return control.recv(1) == b"x"


def read_one(address, port, command, size):
    """Read one stream; return its length, its end, and the writer."""
    control = socket.create_connection((address, port + 1))
    control.sendall(f"{command} {size}".encode())
    sock = smcr.connected((address, port))
    if command not in AT_ONCE:
        control.recv(1)
    got = b""
    result = "EOF"
    try:
        while part := sock.recv(30000):
            got += part
            if command not in AT_ONCE:
                time.sleep(0.005)
    except OSError as err:
        result = errno.errorcode[err.errno]
    if not smcr.exact(got, data(size)[:len(got)]):
        result = "wrong bytes, " + result
    elif result == "EOF":
        smcr.exact(got, data(size))
    return len(got), result, (sock, control)


def read(address, port, command, size, end="EOF"):
    """Read one stream; return whether it is good."""
    if command in ("urgent", "toward"):
        return read_urgent(address, port, command, size)
    got, result, writer_ends = read_one(address, port, command, size)
    print(f"{command}: {got} of {size} bytes, {result}", flush=True)
    if command == "later" and not heard_later(*writer_ends):
        return False
    return result == end and got == size


def read_urgent(address, port, command, size):
    """Carry a stream with an urgent byte; return whether it is good."""
    control = socket.create_connection((address, port + 1))
    control.sendall(f"{command} {size}".encode())
    sock = smcr.connected((address, port))
    if command == "urgent":
        return urgent_good(sock, data(size))
    write(sock, command, data(size))
    answer = sock.recv(1)
    if answer == b"!":
        smcr.wrong_bytes()
    return answer == b"."


def count(address, port, command, size, times):
    """Read many streams; return whether all are good."""
    unproven = whole = 0
    for _ in range(times):
        got, result, _ = read_one(address, port, command, size)
        if result == "ECONNRESET":
            unproven += 1
            whole += got == size
        elif (got, result) != (size, "EOF"):
            print(f"{command}: {got} of {size} bytes, {result}", flush=True)
            return False
    print(f"{unproven} of {times} ended unproven, {whole} of them whole",
          flush=True)
    return True


if __name__ == "__main__":
    place = (sys.argv[2], int(sys.argv[3]))
    if sys.argv[1] == "write":
        serve(*place)
    elif sys.argv[1] == "count":
        sys.exit(smcr.status(count(*place, sys.argv[4], int(sys.argv[5]),
                                   int(sys.argv[6]))))
    else:
        sys.exit(smcr.status(read(*place, sys.argv[4], int(sys.argv[5]),
                                  *sys.argv[6:])))
