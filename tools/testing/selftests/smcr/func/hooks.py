#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Connections whose destination a BPF program changes inside connect().

"serve" echoes, over smcr. "break" echoes to TCP clients, and answers the SMC-R
option, but resets a client that sends a CLC message. "attach" puts a program
on CGROUP that sends connect(ADDRESS, PORT) to TO and TO-PORT. "ask" connects in
CGROUP, with protocol PROTOCOL (0 is TCP), sends some bytes, and prints "ok" if
they come back, or else the name of an errno.

usage: hooks.py serve|break ADDRESS PORT
       hooks.py attach CGROUP ADDRESS PORT TO TO-PORT
       hooks.py ask CGROUP PROTOCOL ADDRESS PORT
"""
import errno
import fcntl
import os
import socket
import struct
import sys

from lib import bpf, sock

# Where struct bpf_sock_addr has the words of the address, and the program type
FAMILIES = {socket.AF_INET: ((4,), bpf.CONNECT4),
            socket.AF_INET6: ((8, 12, 16, 20), bpf.CONNECT6)}
USER_PORT = 24
SYNOPT_MARK = ord("y") << 8 | 1
EYE_CATCHER = b"\xe2\xd4\xc3\xd9"


def family(address):
    """Return the address family of a numeric address."""
    return socket.AF_INET6 if ":" in address else socket.AF_INET


def words(address):
    """Return an address as the numbers that a program sees."""
    packed = socket.inet_pton(family(address), address)
    return struct.unpack(f"={len(packed) // 4}I", packed)


def program(address, port, to_address, to_port):
    """Return the code; r1 is the struct bpf_sock_addr."""
    offsets, _ = FAMILIES[family(address)]
    fields = list(zip(offsets, words(address), words(to_address)))
    fields.append((USER_PORT, socket.htons(port), socket.htons(to_port)))
    count = len(fields)
    code = b""
    for nth, (offset, is_now, _) in enumerate(fields):
        # Each field takes two instructions here, and two below.
        code += bpf.insn(0x61, 2, 1, offset)
        code += bpf.insn(0x56, 2, 0, 2 * (count - nth - 1) + 2 * count, is_now)
    for offset, _, becomes in fields:
        code += bpf.insn(0xb4, 3, imm=becomes) + bpf.insn(0x63, 1, 3, offset)
    return code + bpf.insn(0xb7, imm=1) + bpf.insn(0x95)


def attach(cgroup, address, port, to_address, to_port):
    """Attach a program for good."""
    _, kind = FAMILIES[family(address)]
    bpf.attach(cgroup, kind, program(address, port, to_address, to_port),
               bpf.ALLOW_MULTI)


def ask(cgroup, protocol, address, port):
    """Return what becomes of one connection."""
    with open(cgroup + "/cgroup.procs", "w", encoding="utf-8") as file:
        file.write(str(os.getpid()))
    client = socket.socket(family(address), socket.SOCK_STREAM, protocol)
    client.settimeout(60)
    try:
        client.connect((address, port))
        client.sendall(b"hello")
        return "ok" if sock.exact(sock.heard(client, 100), b"hello") else \
            "other bytes"
    except OSError as err:
        return errno.errorcode.get(err.errno, str(err))


def echo(client):
    """Serve one connection, whatever its client does."""
    try:
        client.sendall(client.recv(100))
    except OSError:
        pass
    client.close()


def serve(address):
    """Echo over smcr, until killed."""
    listener = socket.socket(family(address[0]), socket.SOCK_STREAM,
                             sock.IPPROTO_SMCR)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    listener.bind(address)
    listener.listen()
    print("serving", flush=True)
    while True:
        echo(listener.accept()[0])


def serve_badly(address):
    """Echo over TCP, and answer the option."""
    listener = socket.socket(family(address[0]))
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    with open("/dev/synopt", "rb") as file:
        fcntl.ioctl(file, SYNOPT_MARK, listener.fileno())
    listener.bind(address)
    listener.listen()
    print("serving", flush=True)
    while True:
        client, _ = listener.accept()
        data = client.recv(100)
        if data.startswith(EYE_CATCHER):
            client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER,
                              struct.pack("ii", 1, 0))
        else:
            client.sendall(data)
        client.close()


def main():
    """Do what the command says."""
    command, args = sys.argv[1], sys.argv[2:]
    if command == "attach":
        attach(args[0], args[1], int(args[2]), args[3], int(args[4]))
    elif command == "ask":
        print(ask(args[0], int(args[1]), args[2], int(args[3])))
        sys.exit(sock.status())
    elif command == "break":
        serve_badly((args[0], int(args[1])))
    else:
        serve((args[0], int(args[1])))


if __name__ == "__main__":
    main()
