/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The counters of /proc/net/smcr_stat, in the order of that file.
 *
 * SMCR_MIB_LIST(X, F, R) expands X(FIELD, Name, "meaning") for each counter,
 * and F and R for the counters by fallback and reset reason. FIELD is the name
 * in capitals, from which mib.h makes SMCR_MIB_FIELD. Objects that come and go
 * have a pair of counters, so that no counter ever decreases.
 */
#ifndef _SMCR_MIB_LIST_H
#define _SMCR_MIB_LIST_H

#include "mib_reasons.h"

/* Sockets */
#define SMCR_MIB_SOCKETS(X) \
	X(ACTIVEOPENS, ActiveOpens, \
	  "connections over RDMA that connect() opened") \
	X(PASSIVEOPENS, PassiveOpens, \
	  "connections over RDMA that a listener accepted") \
	X(HANDSHAKESSTARTED, HandshakesStarted, \
	  "handshakes that began, both roles") \
	X(HANDSHAKESDONE, HandshakesDone, "handshakes that led to RDMA") \
	X(HANDSHAKESMOVED, HandshakesMoved, \
	  "connections not on the link of the Accept, as that had failed (3.5.2.3)") \
	X(HANDSHAKESENDED, HandshakesEnded, \
	  "handshakes that ended, whatever the result") \
	X(HANDSHAKESREFUSED, HandshakesRefused, \
	  "SYNs answered without the option because of net.smcr.max_handshakes") \
	X(SOURCESREFUSED, SourcesRefused, \
	  "the same, or Proposals declined, because of max_handshakes_per_source") \
	X(HANDSHAKETIMEOUTS, HandshakeTimeouts, \
	  "handshakes that missed their deadline") \
	X(ACCEPTSDEFERRED, AcceptsDeferred, \
	  "connections that TCP_DEFER_ACCEPT kept from accept() after a handshake") \
	X(GROUPTIMEOUTS, GroupTimeouts, "waits for a group that became TCP") \
	X(SYNSPLAIN, SynsPlain, \
	  "handshakes whose SYN was repeated without the option") \
	X(CROSSEDSYNS, CrossedSyns, \
	  "handshakes in which both ends were clients") \
	X(LATEPROPOSALS, LateProposals, \
	  "connections reset, as a Proposal came after they had become TCP") \
	X(CROSSEDDECLINES, CrossedDeclines, \
	  "handshakes that both ends declined at the same time") \
	X(NEGATIVEFORGIVEN, NegativeForgiven, \
	  "handshakes cut short by a server that used SMC-R before") \
	X(NEGATIVENOTED, NegativeNoted, \
	  "first failures of RDMA over a path, which do not list it") \
	X(NEGATIVEADDED, NegativeAdded, \
	  "failures that put a peer on the negative list") \
	X(MTUREDUCED, MtuReduced, \
	  "first contacts with a smaller MTU, as their path loses long packets") \
	X(FALLBACKS, Fallbacks, \
	  "connections that fell back to TCP, every reason")

/* Link groups */
#define SMCR_MIB_GROUPS(X) \
	X(FIRSTCONTACTS, FirstContacts, \
	  "connections that created a link group (3.5.1)") \
	X(SUBSEQUENTCONTACTS, SubsequentContacts, \
	  "connections that used an existing link group (3.5.2)") \
	X(LINKGROUPS, LinkGroups, "link groups created") \
	X(LINKGROUPSFREED, LinkGroupsFreed, "link groups freed") \
	X(GROUPSREFUSED, GroupsRefused, \
	  "link groups not created because of net.smcr.max_lgrs") \
	X(GROUPSFULL, GroupsFull, \
	  "times that a connection found a group full (net.smcr.max_conns_per_lgr)") \
	X(QPSREFUSED, QpsRefused, \
	  "links not created because of net.smcr.max_qps") \
	X(LINKS, Links, "links created") \
	X(LINKSFREED, LinksFreed, "links freed") \
	X(LINKSFAILED, LinksFailed, "links that failed or were deleted") \
	X(LINKSSILENT, LinksSilent, \
	  "links given up, as no completion came for their retry time") \
	X(LINKSUNDRAINED, LinksUndrained, \
	  "links destroyed undrained, as the device did not drain them") \
	X(DESTROYSFAILED, DestroysFailed, \
	  "objects of links and RMBs that the device did not destroy") \
	X(LINKSREPLACED, LinksReplaced, \
	  "asymmetric links deleted, as symmetric ones replaced them (2.2.1)") \
	X(PATHSBACK, PathsBack, \
	  "lost paths whose neighbour was silent and answered again (C.8)") \
	X(FAILOVERSHORT, FailoverShort, \
	  "lost links whose connections moved within 100 ms of its last success") \
	X(FAILOVERMEDIUM, FailoverMedium, "the same, within 1 s") \
	X(FAILOVERLONG, FailoverLong, "the same, within 10 s") \
	X(FAILOVERLONGER, FailoverLonger, "the same, later")

/* Connections over RDMA */
#define SMCR_MIB_CONNS(X) \
	X(CONNSOPENED, ConnsOpened, "connections created") \
	X(CONNSCLOSED, ConnsClosed, "connections freed") \
	X(CONNSMOVED, ConnsMoved, "connections moved to another link (4.6)") \
	X(CONNSBALANCED, ConnsBalanced, \
	  "those of them that moved to a link with fewer connections (2.3)") \
	X(MOVERETRIES, MoveRetries, "tries to move that found no memory") \
	X(CONNSAWAY, ConnsAway, \
	  "connections that stopped, as their address had left the host") \
	X(CONNSBACK, ConnsBack, \
	  "those of them that went on, as it came back") \
	X(ORPHANSOPENED, OrphansOpened, \
	  "connections that outlived their socket") \
	X(ORPHANSCLOSED, OrphansClosed, "orphans that ended") \
	X(TCPPROBES, TcpProbes, "probes of idle TCP connections sent (4.5.3)") \
	X(TCPSILENT, TcpSilent, \
	  "times that TCP answered no probe while the link answered TEST LINK") \
	X(TCPLOST, TcpLost, \
	  "connections that go on without TCP, which was reset or has given up") \
	X(TCPUNANSWERED, TcpUnanswered, \
	  "connections that ended with TCP, as the peer's end did not answer") \
	X(ABORTS, Aborts, "connections that were reset, every reason")

/* Data path */
#define SMCR_MIB_DATA(X) \
	X(TXBYTES, TxBytes, "payload bytes written to peers") \
	X(RXBYTES, RxBytes, "payload bytes read by programs") \
	X(RDMAWRITES, RdmaWrites, "RDMA WRITE work requests") \
	X(WORKREQUESTS, WorkRequests, "work requests posted by the data path") \
	X(DOORBELLS, Doorbells, "calls of ib_post_send() by the data path") \
	X(SENDCOMPLETIONS, SendCompletions, \
	  "completions that the data path requested") \
	X(RECVCOMPLETIONS, RecvCompletions, "completions of receive queues") \
	X(RECVREPOSTS, RecvReposts, \
	  "calls of ib_post_recv() that post buffers again") \
	X(READERPOLLS, ReaderPolls, \
	  "events of a completion queue that a sleeping reader handled") \
	X(READERPOLLSLATE, ReaderPollsLate, \
	  "such events that a softirq handled, as the reader did not run") \
	X(READERSPINS, ReaderSpins, \
	  "completions that a reader found before it slept (SO_BUSY_POLL)") \
	X(TXMESSAGES, TxMessages, "CDC messages that announced data") \
	X(CURSORUPDATES, CursorUpdates, "CDC messages without data") \
	X(CDCSENT, CdcSent, "CDC messages sent") \
	X(CDCRECEIVED, CdcReceived, "CDC messages received") \
	X(CDCIGNORED, CdcIgnored, \
	  "CDC messages for no connection, after its end, or out of date") \
	X(EARLYENDS, EarlyEnds, \
	  "connections whose Linux peer sent D or C before its last bytes") \
	X(UNPROVENENDS, UnprovenEnds, \
	  "streams of a Linux peer that ended without a proof of the last byte") \
	X(CDCGAPS, CdcGaps, "CDC messages missing by sequence number") \
	X(WRITERBLOCKED, WriterBlocked, \
	  "CDC messages sent with B, as the window blocked the writer (4.7)") \
	X(TXBYTESREPLAYED, TxBytesReplayed, \
	  "payload bytes written once more, over another link (4.6.2)") \
	X(URGENTSENT, UrgentSent, \
	  "urgent bytes accepted from send() with MSG_OOB (4.7.5)") \
	X(URGENTRECEIVED, UrgentReceived, \
	  "urgent bytes that the peer announced with U") \
	X(VALIDATIONSSENT, ValidationsSent, \
	  "CDC messages sent with F, to validate a move (4.6.1)") \
	X(VALIDATIONSRECEIVED, ValidationsReceived, \
	  "CDC messages received with F") \
	X(VALIDATIONSFAILED, ValidationsFailed, \
	  "moves of a peer that reset a connection, as bytes were lost") \
	X(TXCHUNKALLOCS, TxChunkAllocs, \
	  "chunks of send space allocated because the pool was empty") \
	X(TXCHUNKSSMALLER, TxChunksSmaller, \
	  "times that there was no memory for a chunk of 64 KB, but of 16 KB") \
	X(TXTURNS, TxTurns, \
	  "times that bytes waited for those of other connections of the link") \
	X(TXCHUNKWAITS, TxChunkWaits, \
	  "times that send() found no memory for a chunk")

/* Receive memory */
#define SMCR_MIB_MEMORY(X) \
	X(RMBSCREATED, RmbsCreated, "RMBs allocated") \
	X(RMBSFREED, RmbsFreed, "RMBs freed") \
	X(RMBSREFUSED, RmbsRefused, \
	  "RMBs not created because of net.smcr.max_rmb_bytes") \
	X(RMBSSMALLER, RmbsSmaller, \
	  "RMBs created with fewer elements than wanted, for lack of memory") \
	X(SENDSPACEREFUSED, SendSpaceRefused, \
	  "connections not created because of net.smcr.max_send_bytes") \
	X(SENDSPACEWAITS, SendSpaceWaits, \
	  "times that send() had to wait because of net.smcr.max_send_bytes") \
	X(CHARGESREFUSED, ChargesRefused, \
	  "connections whose memory could not be charged to their program") \
	X(MRREGISTRATIONS, MrRegistrations, "memory regions registered") \
	X(MRFREES, MrFrees, "memory regions freed") \
	X(ELEMENTSTAKEN, ElementsTaken, "RMB elements given to connections") \
	X(ELEMENTSRETURNED, ElementsReturned, \
	  "RMB elements that connections returned") \
	X(ELEMENTSQUARANTINED, ElementsQuarantined, \
	  "RMB elements held back after an abnormal end (4.4.2)") \
	X(RMBEEYECATCHERBAD, RmbeEyeCatcherBad, \
	  "RMB elements whose eye catcher was overwritten (4.4.1)")

/* Link group control */
#define SMCR_MIB_CONTROL(X) \
	X(LLCSENT, LlcSent, "LLC messages sent") \
	X(LLCRECEIVED, LlcReceived, "LLC messages received") \
	X(LLCIGNORED, LlcIgnored, \
	  "those of them that are optional and unknown here (A.3)") \
	X(CONFIRMLINKSENT, ConfirmLinkSent, "CONFIRM LINK requests sent") \
	X(PATHPROBES, PathProbes, \
	  "full packets of zeros written to prove the path of a first contact") \
	X(ADDLINKSENT, AddLinkSent, "ADD LINK requests sent") \
	X(ADDLINKEMPTY, AddLinkEmpty, "ADD LINK requests without a link") \
	X(ADDLINKREFUSED, AddLinkRefused, \
	  "ADD LINK replies with a refusal, sent or received") \
	X(ADDLINKWITHDRAWN, AddLinkWithdrawn, \
	  "ADD LINK requests that a Linux client did not answer in time") \
	X(ADDLINKGIVENUP, AddLinkGivenUp, \
	  "groups that try no more ports of other subnets") \
	X(LINKSADDED, LinksAdded, "links added to groups after the first one") \
	X(DELETELINKSENT, DeleteLinkSent, "DELETE LINK requests sent") \
	X(DELETELINKUNANSWERED, DeleteLinkUnanswered, \
	  "links whose DELETE LINK a Linux client never answered") \
	X(CONFIRMRKEYSENT, ConfirmRkeySent, "CONFIRM RKEY requests sent") \
	X(DELETERKEYSENT, DeleteRkeySent, "DELETE RKEY requests sent") \
	X(TESTLINKSENT, TestLinkSent, "TEST LINK requests sent") \
	X(LLCSLOW, LlcSlow, \
	  "times that an answer was waited for behind data of the link") \
	X(LLCTIMEOUTS, LlcTimeouts, \
	  "LLC messages that the peer owed and did not send in time (C.7)")

/* Faults of peers */
#define SMCR_MIB_BAD(X) \
	X(BADCLC, BadClc, "CLC messages refused by a check") \
	X(BADLLC, BadLlc, "LLC messages refused by a check") \
	X(BADCDC, BadCdc, "CDC messages refused by a check")

/* net.smcr.transparent */
#define SMCR_MIB_TRANSPARENT(X) \
	X(TRANSPARENTSOCKETS, TransparentSockets, \
	  "TCP sockets turned into SMC-R ones") \
	X(TRANSPARENTMPTCP, TransparentMptcp, \
	  "sockets for which a program asked for MPTCP") \
	X(PROBEMISSED, ProbeMissed, \
	  "calls of socket(), of any family, while no probe was free")

/* Netlink */
#define SMCR_MIB_NETLINK(X) \
	X(NOTIFICATIONSDROPPED, NotificationsDropped, \
	  "notifications not sent, since there were too many in a second")

#define SMCR_MIB_LIST(X, F, R) \
	SMCR_MIB_SOCKETS(X) \
	SMCR_FALLBACK_LIST(F) \
	SMCR_MIB_GROUPS(X) \
	SMCR_MIB_CONNS(X) \
	SMCR_RESET_LIST(R) \
	SMCR_MIB_DATA(X) \
	SMCR_MIB_MEMORY(X) \
	SMCR_MIB_CONTROL(X) \
	SMCR_MIB_BAD(X) \
	SMCR_MIB_TRANSPARENT(X) \
	SMCR_MIB_NETLINK(X)

#endif /* _SMCR_MIB_LIST_H */
