#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Check with tshark a capture of two hosts whose GIDs are link-local: print how
many messages of each type each address has sent, and fail if the dissectors of
SMC and InfiniBand find fault with a frame, a SEND is no message that they know,
or a message or packet has another kind of GID.

usage: decode.py CAPTURE"""
import collections
import subprocess
import sys

CLC = {1: "Proposal", 2: "Accept", 3: "Confirm", 4: "Decline"}
LLC = {1: "ConfirmLink", 2: "AddLink", 3: "AddLinkCont", 4: "DeleteLink",
       6: "ConfirmRkey", 7: "TestLink", 8: "ConfirmRkeyCont", 9: "DeleteRkey",
       0xfe: "Cdc"}
GIDS = ["smc.proposal.client.preferred.gid",
        "smc.accept.server.preferred.gid", "smc.client.gid",
        "smc.sender.gid", "smc.add.link.sender.gid"]
REPLIES = ["smc.confirm.link.response", "smc.add.link.response",
           "smc.add.link.cont.response", "smc.delete.link.response",
           "smc.confirm.rkey.response", "smc.delete.rkey.response",
           "smc.test.link.response"]
OTHER = ["frame.number", "frame.protocols", "ip.src", "ipv6.src", "ipv6.dst",
         "infiniband.bth.opcode", "smc.clc_msg", "smc.llc_msg",
         "smc.proposal.smc.version", "smc.proposal.smcv1_subnet_ext_offset",
         "_ws.expert.severity", "_ws.expert.group", "_ws.expert.message"]
# Soft-RoCE sends no UDP checksum over IPv6, which RoCEv2 allows.
OPTIONS = ["-o", "udp.ignore_ipv6_zero_checksum:TRUE"]
SEND_ONLY, WRITES = 4, range(6, 12)
WARN = 0x00600000


def frames(capture):
    """Yield the fields of each frame of a connection or queue pair."""
    fields = OTHER + GIDS + REPLIES
    command = ["tshark", "-r", capture, *OPTIONS, "-Y", "infiniband || smc",
               "-T", "fields", "-E", "separator=|", "-E", "aggregator=;"]
    for field in fields:
        command += ["-e", field]
    with subprocess.Popen(command, stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL, text=True) as run:
        for line in run.stdout:
            yield dict(zip(fields, line.rstrip("\n").split("|")))
    if run.returncode:
        sys.exit(f"tshark ended with status {run.returncode}")


def number(text):
    """Return a field's number, or None."""
    return int(text, 0) if text else None


def message(frame):
    """Return the name of the SMC message in a frame, or None."""
    if number(frame["infiniband.bth.opcode"]) in WRITES:
        return None
    if frame["smc.clc_msg"]:
        kind = number(frame["smc.clc_msg"])
        return CLC.get(kind, f"Clc{kind}")
    if frame["smc.llc_msg"]:
        kind = number(frame["smc.llc_msg"])
        # A reply has its flag set; tshark prints 1 or True.
        reply = any(frame[f] in ("1", "True") for f in REPLIES)
        return LLC.get(kind, f"Llc{kind}") + ("Reply" if reply else "")
    return None


def excused(frame):
    """True for a Proposal in the layout of RFC 7609. The dissector reads the
    40 bytes of SMC version 2 in each Proposal, and runs over the end of one
    that has none (Wireshark 4.0)."""
    return (frame["smc.clc_msg"] == "1"
            and number(frame["smc.proposal.smc.version"]) == 1
            and number(frame["smc.proposal.smcv1_subnet_ext_offset"]) == 0
            and frame["_ws.expert.message"].count(";") == 0)


def faults(frame):
    """Yield what is wrong with a frame. The dissectors guess at the payload of
    a WRITE, which is the program's."""
    opcode = number(frame["infiniband.bth.opcode"])
    severities = [number(s) for s in frame["_ws.expert.severity"].split(";")
                  if s]
    if opcode not in WRITES and not excused(frame) \
            and any(s >= WARN for s in severities):
        yield frame["_ws.expert.message"]
    if opcode == SEND_ONLY and not frame["smc.llc_msg"]:
        yield "a SEND that is no message"
    for gid in GIDS:
        if frame[gid] and not frame[gid].startswith("fe80:"):
            yield f"{gid} is {frame[gid]}"
    if opcode is not None:
        for end in ("ipv6.src", "ipv6.dst"):
            address = frame[end].split(";")[0]
            if not address.startswith("fe80:"):
                yield f"RoCE {end} is {address or 'of IPv4'}"


def main():
    """Print the messages and the faults."""
    seen = collections.Counter()
    bad = 0
    for frame in frames(sys.argv[1]):
        name = message(frame)
        if name:
            seen[frame["ip.src"] or frame["ipv6.src"], name] += 1
        for fault in faults(frame):
            bad += 1
            if bad <= 20:
                print(f"fault frame {frame['frame.number']} "
                      f"({frame['frame.protocols']}): {fault}")
    for (source, name), count in sorted(seen.items()):
        print(source, name, count)
    sys.exit(bad > 0 or not seen)


main()
