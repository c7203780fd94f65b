#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""The end of a listener with children that were not accepted.

"steps" prints what the program sees, which must be the same over TCP (protocol
0) and over smcr (257); also when a connection is destroyed, and for link-local
addresses. The queue of a listener that lives on is part of it.

"migrate" runs a TCP listener that gets the child of another listener, and its
client. It prints "listening" and "accepted", and continues at a line of input.

"queued" connects to its own listener, which accepts at a line of input. It
prints "queued" with the length of the queue, and the number of bytes received.

"destroy" does what "ss -K" does to the one of several listeners on a port that
has a mark. TCP looks listeners up by the addresses of a client, so "destroy"
tries client addresses until one leads to that listener.

"overlap" closes an smcr listener while TCP handles a SYN, which is held at the
Nth point where it asks for the listener (../mod/overlap.c).

usage: listener.py steps ADDRESS PROTOCOL
       listener.py migrate ADDRESS PORT
       listener.py queued ADDRESS PORT
       listener.py destroy ADDRESS PORT MARK
       listener.py overlap ADDRESS N
"""
import re
import select
import socket
import struct
import subprocess
import sys
import threading
import time

from lib.sock import exact, status, stream, word

CHILDREN = 3
MS = 30000
SMCR = 257
NETLINK_SOCK_DIAG = 4
SOCK_DESTROY = 21
NLM_F_REQUEST = 1
NLM_F_ACK = 4
TCP_LISTEN = 10
SECONDS = 10
OVERLAP = "/proc/overlap"
NETSTAT = "/proc/net/netstat"
TCPI_UNACKED = 24
MASKS = ((select.POLLIN, "in"), (select.POLLERR, "err"),
         (select.POLLHUP, "hup"), (select.POLLRDHUP, "rdhup"))


def events(sock, wanted):
    """Poll until a wanted event occurs; return all events that are set then."""
    poll = select.poll()
    poll.register(sock, select.POLLIN | select.POLLRDHUP)
    while True:
        found = poll.poll(MS)
        if not found:
            return "nothing"
        if found[0][1] & wanted:
            return "+".join(n for bit, n in MASKS if found[0][1] & bit)


def queue(listener):
    """Return how many connections wait for accept(), and the backlog."""
    info = listener.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, 256)
    return struct.unpack_from("=2I", info, TCPI_UNACKED)


def await_queue(listener, length):
    """Wait until the queue has this length; return what queue() returned."""
    end = time.monotonic() + SECONDS
    while (told := queue(listener))[0] != length and time.monotonic() < end:
        time.sleep(0.001)
    return told


def dropped():
    """Return TCP's counts of what full queues have cost."""
    with open(NETSTAT, encoding="ascii") as file:
        names, values = [line.split() for line in file
                         if line.startswith("TcpExt:")]
    stat = dict(zip(names, values))
    return int(stat["ListenOverflows"]), int(stat["ListenDrops"])


class Steps:
    """The steps for one address and one protocol."""

    def __init__(self, address, protocol):
        self.address = address
        self.protocol = protocol

    def listener(self):
        """Return a new listener."""
        sock = stream(self.protocol)
        sock.bind((self.address, 0))
        sock.listen(8)
        return sock

    def clients(self, listener):
        """Return CHILDREN connected clients; the last one's child is ready."""
        socks = [stream(self.protocol) for _ in range(CHILDREN)]
        for sock in socks:
            sock.connect(listener.getsockname())
        events(listener, select.POLLIN)
        return socks

    @staticmethod
    def reset(socks):
        """Print what the clients read once there is a byte or an error."""
        for sock in socks:
            events(sock, select.POLLIN | select.POLLERR)
            print("client", word(sock.recv, 1))
            sock.close()

    def serve_again(self, listener):
        """Listen again, and receive a byte from a child."""
        print("listen", word(listener.listen, 8))
        with stream(self.protocol) as client:
            client.connect(listener.getsockname())
            with listener.accept()[0] as conn:
                for option in (socket.SO_TYPE, socket.SO_ACCEPTCONN):
                    print("child", conn.getsockopt(socket.SOL_SOCKET, option))
                conn.sendall(b"x")
                got = client.recv(1)
                print("byte", got)
                exact(got, b"x")

    def destroyed(self):
        """ss -K."""
        listener = self.listener()
        socks = self.clients(listener)
        port = listener.getsockname()[1]
        subprocess.run(["ss", "-Kltn", f"sport = :{port}"], check=True,
                       stdout=subprocess.DEVNULL)
        print("poll", events(listener, select.POLLERR | select.POLLHUP))
        print("error", listener.getsockopt(socket.SOL_SOCKET,
                                           socket.SO_ERROR))
        print("accept", word(listener.accept))
        self.reset(socks)
        # The listener stays shut down, but no count is wrong.
        print("listen", word(listener.listen, 8))
        print("shutdown", word(listener.shutdown, socket.SHUT_RD))
        listener.close()

    def shut_down(self):
        """shutdown()."""
        listener = self.listener()
        socks = self.clients(listener)
        print("shutdown", word(listener.shutdown, socket.SHUT_RD))
        self.reset(socks)
        self.serve_again(listener)
        listener.close()

    def closed(self):
        """close()."""
        listener = self.listener()
        socks = self.clients(listener)
        listener.close()
        self.reset(socks)

    def fallen_back(self):
        """A listener that only TCP can serve."""
        with stream(self.protocol) as listener:
            listener.bind((self.address, 0))
            listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_FASTOPEN, 5)
            for call in (lambda: listener.listen(8),
                         lambda: listener.shutdown(socket.SHUT_RD),
                         lambda: listener.listen(8)):
                call()
                print("accepts", listener.getsockopt(socket.SOL_SOCKET,
                                                     socket.SO_ACCEPTCONN))
            self.serve_again(listener)
            port = listener.getsockname()[1]
            subprocess.run(["ss", "-Kltn", f"sport = :{port}"], check=True,
                           stdout=subprocess.DEVNULL)
            print("poll", events(listener, select.POLLERR | select.POLLHUP))
            for option in (socket.SO_ACCEPTCONN, socket.SO_ERROR):
                print("value", listener.getsockopt(socket.SOL_SOCKET, option))

    def cut(self):
        """ss -K of a connection, also after the peer's shutdown()."""
        for half in (False, True):
            with self.listener() as listener, stream(self.protocol) as client:
                client.connect(listener.getsockname())
                with listener.accept()[0] as conn:
                    if half:
                        conn.shutdown(socket.SHUT_WR)
                        events(client, select.POLLRDHUP)
                    port = client.getsockname()[1]
                    subprocess.run(["ss", "-Ktn", f"sport = :{port}"],
                                   check=True, stdout=subprocess.DEVNULL)
                    print("poll", events(client, select.POLLERR))
                    print("error", client.getsockopt(socket.SOL_SOCKET,
                                                     socket.SO_ERROR)
                          if half else word(client.recv, 1))
                    print("recv", word(client.recv, 1))
                    print("peer", events(conn, select.POLLERR))
                    print("recv", word(conn.recv, 1))

    def overflow(self, listener):
        """Let the full queue drop a client's first SYN."""
        before = dropped()
        with stream(self.protocol) as client:
            client.setblocking(False)
            client.connect_ex(listener.getsockname())
            end = time.monotonic() + SECONDS
            while time.monotonic() < end:
                overflows, drops = map(int.__sub__, dropped(), before)
                if overflows and drops:
                    break
                time.sleep(0.001)
        print("overflow", overflows > 0, drops == overflows)

    def told(self):
        """The length of the queue, as TCP_INFO and counters tell it."""
        with self.listener() as listener:
            listener.listen(2)
            print("empty", queue(listener))
            clients = []
            for protocol in (self.protocol, 0, self.protocol):
                clients.append(stream(protocol))
                clients[-1].connect(listener.getsockname())
                print("grows", await_queue(listener, len(clients)))
            self.overflow(listener)
            print("full", queue(listener))
            # One that ends before accept() counts until then.
            clients[0].setsockopt(socket.SOL_SOCKET, socket.SO_LINGER,
                                  struct.pack("ii", 1, 0))
            clients[0].close()
            print("as full", queue(listener))
            with listener.accept()[0] as conn:
                print("shrinks", queue(listener))
                events(conn, select.POLLERR)
                print("ended", word(conn.recv, 1))
            listener.accept()[0].close()
            print("shrinks", queue(listener))
            for size in (4, 8, 1000):
                info = listener.getsockopt(socket.IPPROTO_TCP,
                                           socket.TCP_INFO, size)
                print("length", len(info), "state", info[0])
            listener.shutdown(socket.SHUT_RD)
            print("state", listener.getsockopt(socket.IPPROTO_TCP,
                                               socket.TCP_INFO, 1))
            for client in clients:
                client.close()

    def told_of_deferred(self):
        """With TCP_DEFER_ACCEPT a client counts once it has sent a byte."""
        with self.listener() as listener, \
             stream(self.protocol) as silent, \
             stream(self.protocol) as client:
            listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_DEFER_ACCEPT,
                                600)
            silent.connect(listener.getsockname())
            client.connect(listener.getsockname())
            print("silent", queue(listener))
            client.sendall(b"x")
            print("one speaks", await_queue(listener, 1))
            silent.sendall(b"x")
            print("both do", await_queue(listener, 2))
            listener.accept()[0].close()
            print("one is accepted", queue(listener))

    def link_local(self):
        """The device that a link-local address binds a socket to."""
        address, index = link_local()
        with socket.socket(socket.AF_INET6, socket.SOCK_STREAM,
                           self.protocol) as listener, \
             socket.socket(socket.AF_INET6, socket.SOCK_STREAM,
                           self.protocol) as client:
            listener.bind((address, 0, 0, index))
            print("bound", device(listener))
            listener.listen(8)
            client.connect(listener.getsockname())
            print("connected", device(client))
            with listener.accept()[0] as conn:
                print("accepted", device(conn))


def link_local():
    """Return a link-local address of this host, and the index of its netdev."""
    with open("/proc/net/if_inet6", encoding="ascii") as file:
        for line in file:
            address, index, _, _, _, _ = line.split()
            if address.startswith("fe80"):
                return (socket.inet_ntop(socket.AF_INET6,
                                         bytes.fromhex(address)),
                        int(index, 16))
    sys.exit("no link-local address")


def device(sock):
    """Return the device that a socket is bound to."""
    return sock.getsockopt(socket.SOL_SOCKET, socket.SO_BINDTODEVICE, 16)


def migrate(address):
    """Accept a child of another listener on the same port."""
    client = stream()
    client.connect(address)
    listener = stream()
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
    listener.bind(address)
    listener.listen(8)
    print("listening", flush=True)
    conn = listener.accept()[0]
    print("accepted", flush=True)
    sys.stdin.readline()
    client.sendall(b"x")
    conn.sendall(conn.recv(1))
    got = client.recv(1)
    print("byte", got, flush=True)
    exact(got, b"x")


def queued(address):
    """Queue children that smcr has no memory to accept."""
    listener = stream(257)
    listener.bind(address)
    listener.listen(8)
    socks = [stream(257) for _ in range(CHILDREN)]
    for sock in socks:
        sock.setblocking(False)
        sock.connect_ex(address)
    print("queued", await_queue(listener, CHILDREN)[0], flush=True)
    sys.stdin.readline()
    for _ in socks:
        if events(listener, select.POLLIN) != "in":
            break
        conn = listener.accept()[0]
        conn.sendall(b"x")
        conn.close()
    print("bytes", sum(events(sock, select.POLLIN) != "nothing" and
                       len(sock.recv(1)) for sock in socks), flush=True)


def destroy(address, mark):
    """Destroy the listener at an address that has this mark."""
    out = subprocess.run(["ss", "-Hltne", f"fwmark = {mark}"], check=True,
                         capture_output=True, text=True).stdout
    cookie = int(re.search(r"sk:([0-9a-f]+)", out)[1], 16)
    sock = socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, NETLINK_SOCK_DIAG)
    for port in range(1, 257):
        req = struct.pack("=BBBBI", socket.AF_INET, socket.IPPROTO_TCP, 0, 0,
                          1 << TCP_LISTEN)
        req += struct.pack("!HH", address[1], port)
        req += socket.inet_aton(address[0]).ljust(16, b"\0")
        req += socket.inet_aton(address[0]).ljust(16, b"\0")
        req += struct.pack("=IQ", 0, cookie)
        head = struct.pack("=IHHII", 16 + len(req), SOCK_DESTROY,
                           NLM_F_REQUEST | NLM_F_ACK, 1, 0)
        sock.send(head + req)
        if struct.unpack("=i", sock.recv(4096)[16:20])[0] == 0:
            return
    sys.exit("not found")


def await_overlap(name):
    """Wait until the module shows this state."""
    end = time.monotonic() + SECONDS
    while time.monotonic() < end:
        with open(OVERLAP, encoding="ascii") as show:
            if f"{name} 1\n" in show.read():
                return
        time.sleep(0.001)
    sys.exit(f"not {name}")


def tell_overlap(number):
    """Write a command to the module, unbuffered, so that errors show here."""
    with open(OVERLAP, "wb", buffering=0) as file:
        file.write(b"%d" % number)


def overlap(address, nth):
    """Close a listener while TCP handles a SYN in the client's thread."""
    listener = stream(SMCR)
    listener.bind((address, 0))
    listener.listen(8)
    client = stream(SMCR)
    thread = threading.Thread(target=lambda: print(
        "connect", word(client.connect, listener.getsockname())))
    tell_overlap(nth)
    thread.start()
    await_overlap("waiting")
    listener.close()
    await_overlap("dropped")
    tell_overlap(0)
    thread.join()


def main():
    """Run the mode that was asked for."""
    if sys.argv[1] == "migrate":
        migrate((sys.argv[2], int(sys.argv[3])))
        return
    if sys.argv[1] == "queued":
        queued((sys.argv[2], int(sys.argv[3])))
        return
    if sys.argv[1] == "destroy":
        destroy((sys.argv[2], int(sys.argv[3])), int(sys.argv[4]))
        return
    if sys.argv[1] == "overlap":
        overlap(sys.argv[2], int(sys.argv[3]))
        return
    steps = Steps(sys.argv[2], int(sys.argv[3]))
    for step in (steps.destroyed, steps.shut_down, steps.closed,
                 steps.fallen_back, steps.cut, steps.told,
                 steps.told_of_deferred, steps.link_local):
        print(step.__doc__)
        step()


main()
sys.exit(status())
