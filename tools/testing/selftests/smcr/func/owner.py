#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""The owner of a socket's packets and the target of its signals.

A server and a client run as different users. "urgent": the server, whose
accepted socket is plain TCP, gets SIGURG. "orphan": the client exits with bytes
that the server does not read, so the connection outlives it and TCP sends
keepalives. "buffers": the server, in a cgroup, does not accept, and a TCP
client sends until the buffers are full. These modes print "done" when that
state is reached, and end with their input.

"unreachable": the client's reader waits while an ICMP message arrives. Prints
"done" when the test may send it, and the reader's result at a line of input.
"record": the same with kTLS and a header that no TLS record can have.
"idle": the connection uses RDMA, and ICMP messages come for what the client
answers to keepalives of the idle TCP connection. Prints "done" when the test may
send them, and at a line of input the byte that the server returns.

usage: owner.py MODE ADDRESS PORT PROTOCOL SERVER_UID CLIENT_UID [CGROUP]
"""
import fcntl
import os
import signal
import socket
import struct
import sys
import threading
import time

from lib.sock import WRONG_BYTES, exact, status, stream, word, wrong_bytes

SECONDS = 30
IP_RECVERR = 11
CHUNK = bytes(65536)

TCP_ULP = 31
SOL_TLS = 282
TLS_RX = 2
# struct tls12_crypto_info_aes_gcm_128: TLS 1.2, the cipher, keys of zeros
TLS_INFO = struct.pack("=HH", 0x303, 51).ljust(40, b"\0")
# An application data record of length 0, which cannot hold the cipher's tag
BAD_RECORD = bytes.fromhex("1703030000").ljust(64, b"\0")


def keep_alive(sock):
    """Let TCP send a packet each second while it is idle."""
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_KEEPIDLE, 1)
    sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_KEEPINTVL, 1)


def urgent(sock):
    """Send an urgent byte on demand, and wait for the answer."""
    sock.recv(1)
    sock.send(b"u", socket.MSG_OOB)
    sock.recv(1)


def orphan(sock):
    """Send as many bytes as fit; the server does not read them."""
    keep_alive(sock)
    sock.setblocking(False)
    try:
        while True:
            sock.send(CHUNK)
    except BlockingIOError:
        pass


def buffers(sock):
    """Fill the buffers of a child that is not accepted; smcr may be slow."""
    sock.settimeout(1)
    try:
        while True:
            sock.send(CHUNK)
    except TimeoutError:
        pass
    os.write(1, b"done\n")
    sys.stdin.read()


def sleeps(thread):
    """Return True if a thread sleeps for longer than for Python's own lock."""
    for _ in range(5):
        with open(f"/proc/self/task/{thread.native_id}/stat",
                  encoding="ascii") as stat:
            if stat.read().rpartition(")")[2].split()[0] != "S":
                return False
        time.sleep(0.002)
    return True


def reader(sock):
    """Start a thread that sleeps in recv() and prints the result."""
    thread = threading.Thread(
        target=lambda: print("reader", word(sock.recv, 1), flush=True),
        daemon=True)
    thread.start()
    while not sleeps(thread):
        pass
    os.write(1, b"done\n")
    return thread


def unreachable(sock):
    """Let a reader wait for an error that does not end the connection."""
    sock.setsockopt(socket.IPPROTO_IP, IP_RECVERR, 1)
    thread = reader(sock)
    sys.stdin.readline()
    sock.send(b"x")
    thread.join(SECONDS)


def record(sock):
    """Let a reader wait for an error of TLS, which the connection survives."""
    sock.setsockopt(socket.IPPROTO_TCP, TCP_ULP, b"tls")
    sock.setsockopt(SOL_TLS, TLS_RX, TLS_INFO)
    thread = reader(sock)
    sock.send(b"x")
    thread.join(SECONDS)


def idle(sock):
    """Echo a byte over RDMA after TCP has met errors."""
    sock.setsockopt(socket.IPPROTO_IP, IP_RECVERR, 1)
    os.write(1, b"done\n")
    sys.stdin.readline()
    sock.sendall(b"x")
    came = word(sock.recv, 1)
    print("byte", came, flush=True)
    if not came.startswith("E"):
        exact(came, str(b"x"))


def join(group):
    """Move this process into a cgroup."""
    with open(group + "/cgroup.procs", "w", encoding="ascii") as procs:
        procs.write(str(os.getpid()))


def client(mode, address, protocol, uid):
    """Run the client, in a process of its own."""
    pid = os.fork()
    if pid:
        return pid
    os.setuid(uid)
    with stream(protocol) as sock:
        sock.connect(address)
        {"urgent": urgent, "orphan": orphan, "buffers": buffers,
         "unreachable": unreachable, "record": record,
         "idle": idle}[mode](sock)
    os._exit(status())


def main():
    """Run both ends."""
    mode, protocol = sys.argv[1], int(sys.argv[4])
    address = sys.argv[2], int(sys.argv[3])
    signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGURG])
    ready_r, ready_w = os.pipe()
    server = os.fork()
    if not server:
        if len(sys.argv) > 7:
            join(sys.argv[7])
        os.setuid(int(sys.argv[5]))
        with stream(protocol) as listener:
            if mode in ("urgent", "unreachable", "record"):
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
            if mode in ("unreachable", "record", "idle"):
                if mode == "idle":
                    keep_alive(conn)
                # Standard input belongs to the client.
                got = conn.recv(1)
                if mode == "record":
                    conn.send(BAD_RECORD)
                elif mode == "idle":
                    conn.send(got)
                # The client's end, or a reset because of bytes it did not read
                word(conn.recv, 1)
                os._exit(0)
            sys.stdin.read()
        os._exit(0)
    os.read(ready_r, 1)
    if mode == "buffers":
        protocol = 0
    ended = os.waitpid(client(mode, address, protocol, int(sys.argv[6])), 0)
    if os.waitstatus_to_exitcode(ended[1]) == WRONG_BYTES:
        wrong_bytes()
    if mode in ("urgent", "orphan"):
        print("done", flush=True)
    os.waitpid(server, 0)
    return status()


sys.exit(main())
