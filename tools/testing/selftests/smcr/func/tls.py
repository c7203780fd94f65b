#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""A server and a client that talk TLS over smcr.

The server echoes. The client prints "exact" if each byte came back, or what
went wrong. The two do not authenticate each other, so they need no certificate.

usage: tls.py serve ADDRESS PORT
       tls.py talk ADDRESS PORT BYTES
"""
import socket
import ssl
import sys

from lib import sock as smcr

TCP_ULP = 31
CIPHERS = "AECDH-AES256-SHA:@SECLEVEL=0"


def context(protocol):
    """Return a context of one side."""
    made = ssl.SSLContext(protocol)
    made.check_hostname = False
    made.verify_mode = ssl.CERT_NONE
    # Later versions have no such cipher
    made.maximum_version = ssl.TLSVersion.TLSv1_2
    made.set_ciphers(CIPHERS)
    return made


def echo(conn):
    """Serve one connection."""
    with context(ssl.PROTOCOL_TLS_SERVER).wrap_socket(
            conn, server_side=True) as tls:
        while data := tls.recv(16384):
            tls.sendall(data)


def talk(address, size):
    """Return the result of a client, which reads what it has sent in turn."""
    sock = smcr.connected(address)
    kernel = smcr.word(sock.setsockopt, socket.IPPROTO_TCP, TCP_ULP, b"tls")
    if kernel != "ENOENT":
        return f"TCP_ULP: {kernel}"
    data = bytes(i * 7 % 251 for i in range(size))
    with context(ssl.PROTOCOL_TLS_CLIENT).wrap_socket(sock) as tls:
        for at in range(0, size, 10000):
            part = data[at:at + 10000]
            tls.sendall(part)
            if not smcr.exact(smcr.heard(tls, len(part)), part):
                return f"other bytes, or the end, after {at}"
    return "exact"


if __name__ == "__main__":
    place = (sys.argv[2], int(sys.argv[3]))
    if sys.argv[1] == "serve":
        smcr.serve(place, echo)
    else:
        print(talk(place, int(sys.argv[4])))
        sys.exit(smcr.status())
