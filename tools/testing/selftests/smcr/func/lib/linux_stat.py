#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Print the counters of Linux's own SMC-R, a line "Name value" each, as in
/proc/net/smcr_stat: from its generic netlink family (<linux/smc.h>). Debian has
no package of smc-tools, which show them."""
import socket
import struct

NETLINK_GENERIC = 16
CTRL_ID, CTRL_GETFAMILY, CTRL_FAMILY_ID, CTRL_FAMILY_NAME = 16, 3, 1, 2
REQUEST_ACK, REQUEST_DUMP = 0x5, 0x301
NLMSG_ERROR, NLMSG_DONE = 2, 3
NLA_TYPE_MASK = 0x3fff
GET_LGR, GET_LINK, GET_STATS, GET_FALLBACKS = 2, 3, 7, 8
# Attributes of the answers
TOP = {GET_LGR: 2, GET_LINK: 3, GET_STATS: 7, GET_FALLBACKS: 8}
STATS_SMCR, STATS_CLIENT_ERRORS, STATS_SERVER_ERRORS = 2, 3, 4
COUNTERS = {7: "ClientV1", 8: "ClientV2", 9: "ServerV1", 10: "ServerV2",
            15: "Urgent", 16: "RxBytes", 17: "TxBytes", 18: "RxCalls",
            19: "TxCalls"}
FALLBACK_SERVER, FALLBACK_CLIENT, FALLBACK_CODE, FALLBACK_COUNT = 2, 3, 4, 5


def attributes(data):
    """Return the attributes of a message or nest, by type."""
    found = {}
    while len(data) >= 4:
        size, kind = struct.unpack_from("HH", data)
        found[kind & NLA_TYPE_MASK] = data[4:size]
        data = data[size + (-size % 4):]
    return found


def number(data):
    """Return an attribute's unsigned number."""
    return int.from_bytes(data, "little")


def ask(sock, family, command, flags, payload=b""):
    """Send a request; return the attributes of each answer."""
    body = struct.pack("BBH", command, 1, 0) + payload
    sock.send(struct.pack("IHHII", 16 + len(body), family, flags, 1, 0) + body)
    answers = []
    while True:
        data = sock.recv(65536)
        while data:
            size, kind = struct.unpack_from("IH", data)
            if kind in (NLMSG_ERROR, NLMSG_DONE):
                error = -struct.unpack_from("i", data, 16)[0]
                if error:
                    raise OSError(error, "SMC_GEN_NETLINK")
                return answers
            answers.append(attributes(data[20:size]))
            data = data[size + (-size % 4):]


def family_id(sock):
    """Return the number of the family."""
    name = b"SMC_GEN_NETLINK\0"
    answers = ask(sock, CTRL_ID, CTRL_GETFAMILY, REQUEST_ACK,
                  struct.pack("HH", 4 + len(name), CTRL_FAMILY_NAME) + name)
    return number(answers[0][CTRL_FAMILY_ID])


def main():
    """Print the counters."""
    with socket.socket(socket.AF_NETLINK, socket.SOCK_RAW,
                       NETLINK_GENERIC) as sock:
        sock.bind((0, 0))
        family = family_id(sock)

        def get(command):
            return [attributes(a[TOP[command]])
                    for a in ask(sock, family, command, REQUEST_DUMP)
                    if TOP[command] in a]

        stats = get(GET_STATS)[0]
        smcr = attributes(stats[STATS_SMCR])
        for kind, name in COUNTERS.items():
            print(name, number(smcr[kind]))
        print("ClientErrors", number(stats[STATS_CLIENT_ERRORS]))
        print("ServerErrors", number(stats[STATS_SERVER_ERRORS]))
        print("LinkGroups", len(get(GET_LGR)))
        print("Links", len(get(GET_LINK)))
        total = {FALLBACK_SERVER: 0, FALLBACK_CLIENT: 0}
        for entry in get(GET_FALLBACKS):
            for kind in total:
                total[kind] = max(total[kind], number(entry.get(kind, b"")))
            code = number(entry.get(FALLBACK_CODE, b""))
            if code:
                print(f"Fallback_{code:08x}",
                      number(entry.get(FALLBACK_COUNT, b"")))
        print("Fallbacks", sum(total.values()))


main()
