/* SPDX-License-Identifier: ((GPL-2.0 WITH Linux-syscall-note) OR BSD-3-Clause) */
/* Do not edit directly, auto-generated from: */
/*	Documentation/netlink/specs/smcr.yaml */
/* YNL-GEN uapi header */

#ifndef _UAPI_LINUX_SMCR_NETLINK_H
#define _UAPI_LINUX_SMCR_NETLINK_H

#define SMCR_FAMILY_NAME	"smcr"
#define SMCR_FAMILY_VERSION	1

/**
 * enum smcr_fallback_reason - why a connection fell back to TCP
 * @SMCR_FALLBACK_NONE: it did not fall back
 * @SMCR_FALLBACK_NO_OPTION: the peer's SYN or SYN-ACK had no SMC-R option
 * @SMCR_FALLBACK_NO_RNIC: the connection's netdev has no RoCE port
 * @SMCR_FALLBACK_NO_GID: the RoCE port has no usable GID
 * @SMCR_FALLBACK_PEER_DECLINED: the peer sent a Decline; its diagnosis gives
 *   the reason
 * @SMCR_FALLBACK_SUBNET: client and server are not in one subnet
 * @SMCR_FALLBACK_IPSEC: an IPsec policy covers the connection
 * @SMCR_FALLBACK_MD5: TCP-MD5 or TCP-AO protects the connection
 * @SMCR_FALLBACK_VRF: the route leads through a VRF
 * @SMCR_FALLBACK_FASTOPEN: the program asked for TCP Fast Open
 * @SMCR_FALLBACK_ULP: the program set a TCP upper layer protocol before
 *   connect
 * @SMCR_FALLBACK_REPAIR: the program asked for TCP repair mode
 * @SMCR_FALLBACK_LOCAL_ADDR: the peer is this host, and net.smcr.loopback is 0
 * @SMCR_FALLBACK_RESOURCE_LIMIT: a limit on groups, RMBs, connections or
 *   memory is reached
 * @SMCR_FALLBACK_MEMORY: an allocation failed
 * @SMCR_FALLBACK_CONGESTED: the listener or the source had too many handshakes
 *   at once
 * @SMCR_FALLBACK_CROSSED_SYN: both ends connected at the same time, so both
 *   are clients
 * @SMCR_FALLBACK_QP: a queue pair could not be set up
 * @SMCR_FALLBACK_VERSION: both ends have no protocol version in common
 * @SMCR_FALLBACK_PEER_ID: the peer ID, GID, MAC or queue pair in a CLC message
 *   is invalid
 * @SMCR_FALLBACK_OUT_OF_SYNC: the peer named a link group that this end does
 *   not have (C.4)
 * @SMCR_FALLBACK_BAD_ENUM: a CLC message had an enumerated value out of range
 *   (C.6)
 * @SMCR_FALLBACK_CONFIRM_LINK: the first link did not come up (3.5.1.5)
 * @SMCR_FALLBACK_NEG_DESTINATION: this destination recently broke the CLC
 *   handshake, or answered no SYN with the option
 * @SMCR_FALLBACK_NEG_PATH: RDMA to this peer recently failed
 * @SMCR_FALLBACK_DEVICE_LIMIT: the RDMA device lacks a capability; the log
 *   names it
 * @SMCR_FALLBACK_GID_KIND: the server named another kind of GID than the
 *   Proposal
 * @SMCR_FALLBACK_LINK_LOST: the link that the server named has failed, but not
 *   its link group
 * @SMCR_FALLBACK_SYN_UNANSWERED: only a SYN that was repeated without the
 *   option was answered
 * @SMCR_FALLBACK_NO_PROPOSAL: the client's SYN had the option, but no Proposal
 *   came
 * @SMCR_FALLBACK_NEG_SOURCE: no Proposal came recently from this client's
 *   address
 * @SMCR_FALLBACK_GATEWAY: the route to the peer has a gateway
 *   (net.smcr.on_link_only)
 * @SMCR_FALLBACK_MTU: the path loses packets as long as the RoCE MTU
 * @SMCR_FALLBACK_SHUTDOWN: the program called shutdown() before connect() or
 *   listen()
 */
enum smcr_fallback_reason {
	SMCR_FALLBACK_NONE,
	SMCR_FALLBACK_NO_OPTION,
	SMCR_FALLBACK_NO_RNIC,
	SMCR_FALLBACK_NO_GID,
	SMCR_FALLBACK_PEER_DECLINED,
	SMCR_FALLBACK_SUBNET,
	SMCR_FALLBACK_IPSEC,
	SMCR_FALLBACK_MD5,
	SMCR_FALLBACK_VRF,
	SMCR_FALLBACK_FASTOPEN,
	SMCR_FALLBACK_ULP,
	SMCR_FALLBACK_REPAIR,
	SMCR_FALLBACK_LOCAL_ADDR,
	SMCR_FALLBACK_RESOURCE_LIMIT,
	SMCR_FALLBACK_MEMORY,
	SMCR_FALLBACK_CONGESTED,
	SMCR_FALLBACK_CROSSED_SYN,
	SMCR_FALLBACK_QP,
	SMCR_FALLBACK_VERSION,
	SMCR_FALLBACK_PEER_ID,
	SMCR_FALLBACK_OUT_OF_SYNC,
	SMCR_FALLBACK_BAD_ENUM,
	SMCR_FALLBACK_CONFIRM_LINK,
	SMCR_FALLBACK_NEG_DESTINATION,
	SMCR_FALLBACK_NEG_PATH,
	SMCR_FALLBACK_DEVICE_LIMIT,
	SMCR_FALLBACK_GID_KIND,
	SMCR_FALLBACK_LINK_LOST,
	SMCR_FALLBACK_SYN_UNANSWERED,
	SMCR_FALLBACK_NO_PROPOSAL,
	SMCR_FALLBACK_NEG_SOURCE,
	SMCR_FALLBACK_GATEWAY,
	SMCR_FALLBACK_MTU,
	SMCR_FALLBACK_SHUTDOWN,

	/* private: */
	__SMCR_FALLBACK_MAX,
	SMCR_FALLBACK_MAX = (__SMCR_FALLBACK_MAX - 1)
};

/**
 * enum smcr_reset_reason - why a connection was reset
 * @SMCR_RESET_NONE: it was not reset
 * @SMCR_RESET_PEER_ABORT: a CDC message with the abnormal close flag arrived
 *   (4.8.2)
 * @SMCR_RESET_TCP_RST: the TCP connection was reset
 * @SMCR_RESET_UNREAD_DATA: the program closed with unread bytes, or bytes
 *   arrived after close() or after shutdown(SHUT_RDWR)
 * @SMCR_RESET_LINGER: the program closed with SO_LINGER and a time of 0
 * @SMCR_RESET_LINK_DOWN: the last link of the group failed
 * @SMCR_RESET_GROUP_DELETED: the peer deleted the link group
 * @SMCR_RESET_CDC_INVALID: a CDC message had impossible cursors or flags
 * @SMCR_RESET_EYE_CATCHER: the eye catcher of the local RMB element was
 *   overwritten
 * @SMCR_RESET_CLOSE_TIMEOUT: the peer did not answer a close in time
 * @SMCR_RESET_ORPHAN_TIMEOUT: the peer took no bytes in time after the program
 *   closed
 * @SMCR_RESET_RMBE_CONFLICT: the peer gave one of its RMB elements to two
 *   connections
 * @SMCR_RESET_DEVICE_REMOVED: the RDMA device went away
 * @SMCR_RESET_NETNS_EXIT: the network namespace was torn down
 * @SMCR_RESET_UNLOAD: the module was unloaded
 * @SMCR_RESET_HANDSHAKE: the handshake failed when fallback was no longer
 *   possible
 * @SMCR_RESET_DISCONNECT: the program called connect() with AF_UNSPEC
 * @SMCR_RESET_PEER_CLOSED: the program sent to a peer that had closed
 * @SMCR_RESET_ORPHAN_LIMIT: the program closed while there were too many
 *   orphans
 * @SMCR_RESET_TCP_DATA: bytes arrived over TCP on a connection that uses RDMA
 *   (C.6)
 * @SMCR_RESET_DATA_LOST: the peer moved to another link, and bytes were lost
 *   before (4.6.1)
 * @SMCR_RESET_USER_TIMEOUT: sent bytes made no progress for TCP_USER_TIMEOUT
 * @SMCR_RESET_ADDRESS_GONE: the local address has left the host
 * @SMCR_RESET_OPERATOR: smcr-ctl ended it
 */
enum smcr_reset_reason {
	SMCR_RESET_NONE,
	SMCR_RESET_PEER_ABORT,
	SMCR_RESET_TCP_RST,
	SMCR_RESET_UNREAD_DATA,
	SMCR_RESET_LINGER,
	SMCR_RESET_LINK_DOWN,
	SMCR_RESET_GROUP_DELETED,
	SMCR_RESET_CDC_INVALID,
	SMCR_RESET_EYE_CATCHER,
	SMCR_RESET_CLOSE_TIMEOUT,
	SMCR_RESET_ORPHAN_TIMEOUT,
	SMCR_RESET_RMBE_CONFLICT,
	SMCR_RESET_DEVICE_REMOVED,
	SMCR_RESET_NETNS_EXIT,
	SMCR_RESET_UNLOAD,
	SMCR_RESET_HANDSHAKE,
	SMCR_RESET_DISCONNECT,
	SMCR_RESET_PEER_CLOSED,
	SMCR_RESET_ORPHAN_LIMIT,
	SMCR_RESET_TCP_DATA,
	SMCR_RESET_DATA_LOST,
	SMCR_RESET_USER_TIMEOUT,
	SMCR_RESET_ADDRESS_GONE,
	SMCR_RESET_OPERATOR,

	/* private: */
	__SMCR_RESET_MAX,
	SMCR_RESET_MAX = (__SMCR_RESET_MAX - 1)
};

/**
 * enum smcr_role - role of this host in the link group's first contact
 * @SMCR_CLIENT: this host sent the Proposal
 * @SMCR_SERVER: this host sent the Accept, and manages the links (2.2.3)
 */
enum smcr_role {
	SMCR_CLIENT,
	SMCR_SERVER,
};

/**
 * enum smcr_lgr_state - states of a link group
 * @SMCR_LGR_FORMING: first contact is under way
 * @SMCR_LGR_ACTIVE: new connections may use it
 * @SMCR_LGR_CLOSING: no new connection may use it
 * @SMCR_LGR_DEAD: its links stop and its connections are reset
 */
enum smcr_lgr_state {
	SMCR_LGR_FORMING,
	SMCR_LGR_ACTIVE,
	SMCR_LGR_CLOSING,
	SMCR_LGR_DEAD,
};

/**
 * enum smcr_lgr_reason - why a link group is in its state
 * @SMCR_LGR_R_FIRST_CONTACT: first contact is under way
 * @SMCR_LGR_R_READY: first contact is complete
 * @SMCR_LGR_R_IDLE: no connection used it for net.smcr.lgr_linger_ms
 * @SMCR_LGR_R_MAKE_ROOM: it was idle, and another group needed its place
 *   (net.smcr.max_lgrs)
 * @SMCR_LGR_R_OPERATOR: smcr-ctl terminated it
 * @SMCR_LGR_R_PEER: the peer deleted it, or its only link
 * @SMCR_LGR_R_NO_LINK: its last link was lost
 * @SMCR_LGR_R_DEVICE_REMOVED: the RDMA device of its last link went away
 * @SMCR_LGR_R_HANDSHAKE: first contact failed
 * @SMCR_LGR_R_EXIT: the network namespace ends, or the module is unloaded
 */
enum smcr_lgr_reason {
	SMCR_LGR_R_FIRST_CONTACT,
	SMCR_LGR_R_READY,
	SMCR_LGR_R_IDLE,
	SMCR_LGR_R_MAKE_ROOM,
	SMCR_LGR_R_OPERATOR,
	SMCR_LGR_R_PEER,
	SMCR_LGR_R_NO_LINK,
	SMCR_LGR_R_DEVICE_REMOVED,
	SMCR_LGR_R_HANDSHAKE,
	SMCR_LGR_R_EXIT,

	/* private: */
	__SMCR_LGR_R_MAX,
	SMCR_LGR_R_MAX = (__SMCR_LGR_R_MAX - 1)
};

/**
 * enum smcr_link_state - states of a link
 * @SMCR_LINK_INIT: the peer's queue pair is not known yet
 * @SMCR_LINK_READY: the queue pair is up, CONFIRM LINK is not exchanged yet
 * @SMCR_LINK_ACTIVE: connections may use it
 * @SMCR_LINK_FAILED: no work request can be posted any more
 * @SMCR_LINK_DEAD: its queue pair is drained
 */
enum smcr_link_state {
	SMCR_LINK_INIT,
	SMCR_LINK_READY,
	SMCR_LINK_ACTIVE,
	SMCR_LINK_FAILED,
	SMCR_LINK_DEAD,
};

/**
 * enum smcr_link_reason - why a link was added, or why it failed
 * @SMCR_LINK_R_FIRST_CONTACT: it is the first link of its group
 * @SMCR_LINK_R_ADDED: it was added so that the group survives the loss of a
 *   link
 * @SMCR_LINK_R_REPLACEMENT: it was added after a link was lost (C.8)
 * @SMCR_LINK_R_NO_ANSWER: the peer or its adapter did not answer in time
 * @SMCR_LINK_R_PEER_DELETED: the peer deleted it
 * @SMCR_LINK_R_PEER_LEFT: the peer's connections moved from it to another link
 *   (4.6.1)
 * @SMCR_LINK_R_PROTOCOL: the peer broke the protocol
 * @SMCR_LINK_R_REMOTE_ERROR: the peer's adapter refused a request
 * @SMCR_LINK_R_DEVICE_ERROR: the local adapter, or this host, could not carry
 *   out a request
 * @SMCR_LINK_R_DEVICE_REMOVED: the local RDMA device went away
 * @SMCR_LINK_R_OPERATOR: smcr-ctl deleted it
 * @SMCR_LINK_R_ENDED: its group ended, or it ended before it was used
 * @SMCR_LINK_R_REPLACED: it was asymmetric, and symmetric links have replaced
 *   it (2.2.1)
 */
enum smcr_link_reason {
	SMCR_LINK_R_FIRST_CONTACT,
	SMCR_LINK_R_ADDED,
	SMCR_LINK_R_REPLACEMENT,
	SMCR_LINK_R_NO_ANSWER,
	SMCR_LINK_R_PEER_DELETED,
	SMCR_LINK_R_PEER_LEFT,
	SMCR_LINK_R_PROTOCOL,
	SMCR_LINK_R_REMOTE_ERROR,
	SMCR_LINK_R_DEVICE_ERROR,
	SMCR_LINK_R_DEVICE_REMOVED,
	SMCR_LINK_R_OPERATOR,
	SMCR_LINK_R_ENDED,
	SMCR_LINK_R_REPLACED,

	/* private: */
	__SMCR_LINK_R_MAX,
	SMCR_LINK_R_MAX = (__SMCR_LINK_R_MAX - 1)
};

/**
 * enum smcr_dialect - dialect of a link group, fixed at CONFIRM LINK
 * @SMCR_DIALECT_RFC: as RFC 7609 specifies it: each RMB element begins with an
 *   eye catcher of 4 bytes, and cursors begin at 4 (A.4)
 * @SMCR_DIALECT_LINUX: as Linux's AF_SMC implements it: no eye catcher,
 *   cursors begin at 0, and ADD LINK has two more reserved bytes
 */
enum smcr_dialect {
	SMCR_DIALECT_RFC,
	SMCR_DIALECT_LINUX,
};

/**
 * enum smcr_conn_state - states of a connection (RFC 7609, Figures 22 and 23).
 *   C, D and A are the close, done and abort flags of CDC messages
 * @SMCR_CONN_INIT: handshake in progress; the figures have no name for it
 * @SMCR_CONN_ACTIVE: bytes flow both ways
 * @SMCR_CONN_APPL_CLOSE_WAIT1: the peer sent D or C, this end sent neither
 * @SMCR_CONN_APPL_CLOSE_WAIT2: the peer sent D or C, then this end sent D
 * @SMCR_CONN_APPL_FIN_CLOSE_WAIT: this end sent D, then the peer sent C; C of
 *   this end is due
 * @SMCR_CONN_PEER_CLOSE_WAIT1: this end sent D or C, the peer sent neither
 * @SMCR_CONN_PEER_CLOSE_WAIT2: this end sent D or C, then the peer sent D
 * @SMCR_CONN_PEER_FIN_CLOSE_WAIT: the peer sent D, then this end sent C; C of
 *   the peer is due
 * @SMCR_CONN_PEER_ABORT_WAIT: this end sent A; A of the peer is due
 * @SMCR_CONN_PROCESS_ABORT: A of this end waits to be posted; nothing else is
 *   awaited
 * @SMCR_CONN_CLOSED: final state
 */
enum smcr_conn_state {
	SMCR_CONN_INIT,
	SMCR_CONN_ACTIVE,
	SMCR_CONN_APPL_CLOSE_WAIT1,
	SMCR_CONN_APPL_CLOSE_WAIT2,
	SMCR_CONN_APPL_FIN_CLOSE_WAIT,
	SMCR_CONN_PEER_CLOSE_WAIT1,
	SMCR_CONN_PEER_CLOSE_WAIT2,
	SMCR_CONN_PEER_FIN_CLOSE_WAIT,
	SMCR_CONN_PEER_ABORT_WAIT,
	SMCR_CONN_PROCESS_ABORT,
	SMCR_CONN_CLOSED,

	/* private: */
	__SMCR_CONN_MAX,
	SMCR_CONN_MAX = (__SMCR_CONN_MAX - 1)
};

/**
 * enum smcr_neglist_kind - why connections to a peer use TCP for a while
 * @SMCR_NEGLIST_DESTINATION: the peer agreed on SMC-R and then broke the CLC
 *   handshake
 * @SMCR_NEGLIST_PATH: the CLC handshake succeeded, RDMA failed
 * @SMCR_NEGLIST_SYN: the peer answers only SYNs without the SMC-R option
 * @SMCR_NEGLIST_SOURCE: the peer's SYN had the option, but no Proposal came
 * @SMCR_NEGLIST_MTU: long packets of RDMA are lost; a smaller MTU is used, or
 *   TCP
 */
enum smcr_neglist_kind {
	SMCR_NEGLIST_DESTINATION,
	SMCR_NEGLIST_PATH,
	SMCR_NEGLIST_SYN,
	SMCR_NEGLIST_SOURCE,
	SMCR_NEGLIST_MTU,
};

/**
 * enum smcr_neglist_state - what an entry of the negative list does to
 *   connections
 * @SMCR_NEGLIST_NOTED: nothing; the next failure makes it blocked
 * @SMCR_NEGLIST_BLOCKED: they use TCP or a smaller MTU until the time is up
 * @SMCR_NEGLIST_PROBING: one tries SMC-R or the whole MTU again, others are as
 *   in blocked
 */
enum smcr_neglist_state {
	SMCR_NEGLIST_NOTED,
	SMCR_NEGLIST_BLOCKED,
	SMCR_NEGLIST_PROBING,
};

enum smcr_nl_port_state {
	SMCR_NL_PORT_STATE_DOWN,
	SMCR_NL_PORT_STATE_ACTIVE,
};

/**
 * enum smcr_nl_device_change - what happened to a port, in a notification
 * @SMCR_NL_DEVICE_ADDED: its device has come
 * @SMCR_NL_DEVICE_REMOVED: its device goes away
 * @SMCR_NL_DEVICE_EVENT: the device has reported an event; the port has its
 *   state since
 */
enum smcr_nl_device_change {
	SMCR_NL_DEVICE_ADDED,
	SMCR_NL_DEVICE_REMOVED,
	SMCR_NL_DEVICE_EVENT,

	/* private: */
	__SMCR_NL_DEVICE_MAX,
	SMCR_NL_DEVICE_MAX = (__SMCR_NL_DEVICE_MAX - 1)
};

/**
 * enum smcr_nl_monitor - kinds of notifications, in the order of the multicast
 *   groups
 */
enum smcr_nl_monitor {
	SMCR_NL_MONITOR_DEVICE,
	SMCR_NL_MONITOR_LINKGROUP,
	SMCR_NL_MONITOR_LINK,
	SMCR_NL_MONITOR_FALLBACK,

	/* private: */
	__SMCR_NL_MONITOR_MAX,
	SMCR_NL_MONITOR_MAX = (__SMCR_NL_MONITOR_MAX - 1)
};

/**
 * enum smcr_nl_gid_type - RoCE version and address of a GID
 * @SMCR_NL_GID_TYPE_V2: RoCEv2, with an address that routers forward
 * @SMCR_NL_GID_TYPE_V2_LINK_LOCAL: RoCEv2, with a link-local address
 * @SMCR_NL_GID_TYPE_V1: RoCEv1, with an address that routers would forward
 * @SMCR_NL_GID_TYPE_V1_LINK_LOCAL: RoCEv1, with a link-local address
 */
enum smcr_nl_gid_type {
	SMCR_NL_GID_TYPE_V2 = 1,
	SMCR_NL_GID_TYPE_V2_LINK_LOCAL = 2,
	SMCR_NL_GID_TYPE_V1 = 4,
	SMCR_NL_GID_TYPE_V1_LINK_LOCAL = 8,
};

enum {
	SMCR_A_DEVICE_DEVICE = 1,
	SMCR_A_DEVICE_PORT,
	SMCR_A_DEVICE_STATE,
	SMCR_A_DEVICE_IFINDEX,
	SMCR_A_DEVICE_MTU,
	SMCR_A_DEVICE_GID_INDEX,
	SMCR_A_DEVICE_GID,
	SMCR_A_DEVICE_MAC,
	SMCR_A_DEVICE_GID_TYPES,
	SMCR_A_DEVICE_CHANGE,

	__SMCR_A_DEVICE_MAX,
	SMCR_A_DEVICE_MAX = (__SMCR_A_DEVICE_MAX - 1)
};

enum {
	SMCR_A_LINKGROUP_LINKGROUP = 1,
	SMCR_A_LINKGROUP_ROLE,
	SMCR_A_LINKGROUP_STATE,
	SMCR_A_LINKGROUP_DIALECT,
	SMCR_A_LINKGROUP_LINKS,
	SMCR_A_LINKGROUP_MAX_LINKS,
	SMCR_A_LINKGROUP_CONNS,
	SMCR_A_LINKGROUP_RMBS,
	SMCR_A_LINKGROUP_RMB_BYTES,
	SMCR_A_LINKGROUP_PEER_ID,
	SMCR_A_LINKGROUP_REASON,
	SMCR_A_LINKGROUP_AGE_MS,
	SMCR_A_LINKGROUP_LAST_LINK,
	SMCR_A_LINKGROUP_LAST_LINK_REASON,
	SMCR_A_LINKGROUP_LAST_LINK_AGE_MS,

	__SMCR_A_LINKGROUP_MAX,
	SMCR_A_LINKGROUP_MAX = (__SMCR_A_LINKGROUP_MAX - 1)
};

enum {
	SMCR_A_LINK_LINKGROUP = 1,
	SMCR_A_LINK_LINK,
	SMCR_A_LINK_STATE,
	SMCR_A_LINK_DEVICE,
	SMCR_A_LINK_PORT,
	SMCR_A_LINK_IFINDEX,
	SMCR_A_LINK_MTU,
	SMCR_A_LINK_UID,
	SMCR_A_LINK_PEER_UID,
	SMCR_A_LINK_QPN,
	SMCR_A_LINK_PEER_QPN,
	SMCR_A_LINK_GID,
	SMCR_A_LINK_PEER_GID,
	SMCR_A_LINK_MAC,
	SMCR_A_LINK_PEER_MAC,
	SMCR_A_LINK_REASON,
	SMCR_A_LINK_AGE_MS,

	__SMCR_A_LINK_MAX,
	SMCR_A_LINK_MAX = (__SMCR_A_LINK_MAX - 1)
};

enum {
	SMCR_A_CONN_CONN = 1,
	SMCR_A_CONN_LINKGROUP,
	SMCR_A_CONN_LINK,
	SMCR_A_CONN_STATE,
	SMCR_A_CONN_LOCAL,
	SMCR_A_CONN_LOCAL_PORT,
	SMCR_A_CONN_PEER,
	SMCR_A_CONN_PEER_PORT,
	SMCR_A_CONN_INODE,
	SMCR_A_CONN_UID,
	SMCR_A_CONN_RX_SIZE,
	SMCR_A_CONN_RX_QUEUED,
	SMCR_A_CONN_RX_BYTES,
	SMCR_A_CONN_TX_SIZE,
	SMCR_A_CONN_TX_QUEUED,
	SMCR_A_CONN_TX_UNREAD,
	SMCR_A_CONN_TX_BYTES,
	SMCR_A_CONN_RESET_REASON,

	__SMCR_A_CONN_MAX,
	SMCR_A_CONN_MAX = (__SMCR_A_CONN_MAX - 1)
};

enum {
	SMCR_A_NEGATIVE_KIND = 1,
	SMCR_A_NEGATIVE_PEER,
	SMCR_A_NEGATIVE_PEER_PORT,
	SMCR_A_NEGATIVE_FAILURES,
	SMCR_A_NEGATIVE_REMAINING_MS,
	SMCR_A_NEGATIVE_PEER_ID,
	SMCR_A_NEGATIVE_GID,
	SMCR_A_NEGATIVE_PEER_GID,
	SMCR_A_NEGATIVE_MTU,
	SMCR_A_NEGATIVE_STATE,

	__SMCR_A_NEGATIVE_MAX,
	SMCR_A_NEGATIVE_MAX = (__SMCR_A_NEGATIVE_MAX - 1)
};

enum {
	SMCR_A_STATS_NAME = 1,
	SMCR_A_STATS_VALUE,

	__SMCR_A_STATS_MAX,
	SMCR_A_STATS_MAX = (__SMCR_A_STATS_MAX - 1)
};

enum {
	SMCR_A_PNET_NAME = 1,
	SMCR_A_PNET_NETDEV,
	SMCR_A_PNET_DEVICE,
	SMCR_A_PNET_PORT,

	__SMCR_A_PNET_MAX,
	SMCR_A_PNET_MAX = (__SMCR_A_PNET_MAX - 1)
};

enum {
	SMCR_A_FALLBACK_REASON = 1,
	SMCR_A_FALLBACK_DIAGNOSIS,
	SMCR_A_FALLBACK_LOCAL,
	SMCR_A_FALLBACK_LOCAL_PORT,
	SMCR_A_FALLBACK_PEER,
	SMCR_A_FALLBACK_PEER_PORT,

	__SMCR_A_FALLBACK_MAX,
	SMCR_A_FALLBACK_MAX = (__SMCR_A_FALLBACK_MAX - 1)
};

enum {
	SMCR_A_DROPPED_MONITOR = 1,
	SMCR_A_DROPPED_COUNT,

	__SMCR_A_DROPPED_MAX,
	SMCR_A_DROPPED_MAX = (__SMCR_A_DROPPED_MAX - 1)
};

enum smcr_cmd {
	SMCR_CMD_DEVICE_GET = 1,
	SMCR_CMD_LINKGROUP_GET,
	SMCR_CMD_LINK_GET,
	SMCR_CMD_CONN_GET,
	SMCR_CMD_STATS_GET,
	SMCR_CMD_NEGATIVE_GET,
	SMCR_CMD_LINK_DEL,
	SMCR_CMD_LINKGROUP_DEL,
	SMCR_CMD_DEVICE_NTF,
	SMCR_CMD_LINKGROUP_NTF,
	SMCR_CMD_LINK_NTF,
	SMCR_CMD_FALLBACK_NTF,
	SMCR_CMD_DROPPED_NTF,
	SMCR_CMD_PNET_GET,
	SMCR_CMD_PNET_ADD,
	SMCR_CMD_PNET_DEL,
	SMCR_CMD_CONN_ABORT,

	__SMCR_CMD_MAX,
	SMCR_CMD_MAX = (__SMCR_CMD_MAX - 1)
};

#define SMCR_MCGRP_DEVICE	"device"
#define SMCR_MCGRP_LINKGROUP	"linkgroup"
#define SMCR_MCGRP_LINK		"link"
#define SMCR_MCGRP_FALLBACK	"fallback"

#endif /* _UAPI_LINUX_SMCR_NETLINK_H */
