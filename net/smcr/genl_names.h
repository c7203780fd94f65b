/* SPDX-License-Identifier: ((GPL-2.0 WITH Linux-syscall-note) OR BSD-3-Clause) */
/* Do not edit directly, auto-generated from: */
/*	Documentation/netlink/specs/smcr.yaml */
/* scripts/genl: names of values, as lists of X(VALUE, "name") */

#ifndef _LINUX_SMCR_GEN_NAMES_H
#define _LINUX_SMCR_GEN_NAMES_H

/* An enumeration of a list's values: enum e { LIST(SMCR_ENUM_VALUE) }; */
#define SMCR_ENUM_VALUE(value, name) value,

#define SMCR_FALLBACK_REASON_NAMES(X) \
	X(SMCR_FALLBACK_NONE, "none") \
	X(SMCR_FALLBACK_NO_OPTION, "no-option") \
	X(SMCR_FALLBACK_NO_RNIC, "no-rnic") \
	X(SMCR_FALLBACK_NO_GID, "no-gid") \
	X(SMCR_FALLBACK_PEER_DECLINED, "peer-declined") \
	X(SMCR_FALLBACK_SUBNET, "subnet") \
	X(SMCR_FALLBACK_IPSEC, "ipsec") \
	X(SMCR_FALLBACK_MD5, "md5") \
	X(SMCR_FALLBACK_VRF, "vrf") \
	X(SMCR_FALLBACK_FASTOPEN, "fastopen") \
	X(SMCR_FALLBACK_ULP, "ulp") \
	X(SMCR_FALLBACK_REPAIR, "repair") \
	X(SMCR_FALLBACK_LOCAL_ADDR, "local-addr") \
	X(SMCR_FALLBACK_RESOURCE_LIMIT, "resource-limit") \
	X(SMCR_FALLBACK_MEMORY, "memory") \
	X(SMCR_FALLBACK_CONGESTED, "congested") \
	X(SMCR_FALLBACK_CROSSED_SYN, "crossed-syn") \
	X(SMCR_FALLBACK_QP, "qp") \
	X(SMCR_FALLBACK_VERSION, "version") \
	X(SMCR_FALLBACK_PEER_ID, "peer-id") \
	X(SMCR_FALLBACK_OUT_OF_SYNC, "out-of-sync") \
	X(SMCR_FALLBACK_BAD_ENUM, "bad-enum") \
	X(SMCR_FALLBACK_CONFIRM_LINK, "confirm-link") \
	X(SMCR_FALLBACK_NEG_DESTINATION, "neg-destination") \
	X(SMCR_FALLBACK_NEG_PATH, "neg-path") \
	X(SMCR_FALLBACK_DEVICE_LIMIT, "device-limit") \
	X(SMCR_FALLBACK_GID_KIND, "gid-kind") \
	X(SMCR_FALLBACK_LINK_LOST, "link-lost") \
	X(SMCR_FALLBACK_SYN_UNANSWERED, "syn-unanswered") \
	X(SMCR_FALLBACK_NO_PROPOSAL, "no-proposal") \
	X(SMCR_FALLBACK_NEG_SOURCE, "neg-source") \
	X(SMCR_FALLBACK_GATEWAY, "gateway") \
	X(SMCR_FALLBACK_MTU, "mtu") \
	X(SMCR_FALLBACK_SHUTDOWN, "shutdown")

#define SMCR_RESET_REASON_NAMES(X) \
	X(SMCR_RESET_NONE, "none") \
	X(SMCR_RESET_PEER_ABORT, "peer-abort") \
	X(SMCR_RESET_TCP_RST, "tcp-rst") \
	X(SMCR_RESET_UNREAD_DATA, "unread-data") \
	X(SMCR_RESET_LINGER, "linger") \
	X(SMCR_RESET_LINK_DOWN, "link-down") \
	X(SMCR_RESET_GROUP_DELETED, "group-deleted") \
	X(SMCR_RESET_CDC_INVALID, "cdc-invalid") \
	X(SMCR_RESET_EYE_CATCHER, "eye-catcher") \
	X(SMCR_RESET_CLOSE_TIMEOUT, "close-timeout") \
	X(SMCR_RESET_ORPHAN_TIMEOUT, "orphan-timeout") \
	X(SMCR_RESET_RMBE_CONFLICT, "rmbe-conflict") \
	X(SMCR_RESET_DEVICE_REMOVED, "device-removed") \
	X(SMCR_RESET_NETNS_EXIT, "netns-exit") \
	X(SMCR_RESET_UNLOAD, "unload") \
	X(SMCR_RESET_HANDSHAKE, "handshake") \
	X(SMCR_RESET_DISCONNECT, "disconnect") \
	X(SMCR_RESET_PEER_CLOSED, "peer-closed") \
	X(SMCR_RESET_ORPHAN_LIMIT, "orphan-limit") \
	X(SMCR_RESET_TCP_DATA, "tcp-data") \
	X(SMCR_RESET_DATA_LOST, "data-lost") \
	X(SMCR_RESET_USER_TIMEOUT, "user-timeout") \
	X(SMCR_RESET_ADDRESS_GONE, "address-gone") \
	X(SMCR_RESET_OPERATOR, "operator")

#define SMCR_LINKGROUP_ROLE_NAMES(X) \
	X(SMCR_CLIENT, "client") \
	X(SMCR_SERVER, "server")

#define SMCR_LINKGROUP_STATE_NAMES(X) \
	X(SMCR_LGR_FORMING, "forming") \
	X(SMCR_LGR_ACTIVE, "active") \
	X(SMCR_LGR_CLOSING, "closing") \
	X(SMCR_LGR_DEAD, "dead")

#define SMCR_LINKGROUP_REASON_NAMES(X) \
	X(SMCR_LGR_R_FIRST_CONTACT, "first-contact") \
	X(SMCR_LGR_R_READY, "ready") \
	X(SMCR_LGR_R_IDLE, "idle") \
	X(SMCR_LGR_R_MAKE_ROOM, "make-room") \
	X(SMCR_LGR_R_OPERATOR, "operator") \
	X(SMCR_LGR_R_PEER, "peer") \
	X(SMCR_LGR_R_NO_LINK, "no-link") \
	X(SMCR_LGR_R_DEVICE_REMOVED, "device-removed") \
	X(SMCR_LGR_R_HANDSHAKE, "handshake") \
	X(SMCR_LGR_R_EXIT, "exit")

#define SMCR_LINK_STATE_NAMES(X) \
	X(SMCR_LINK_INIT, "init") \
	X(SMCR_LINK_READY, "ready") \
	X(SMCR_LINK_ACTIVE, "active") \
	X(SMCR_LINK_FAILED, "failed") \
	X(SMCR_LINK_DEAD, "dead")

#define SMCR_LINK_REASON_NAMES(X) \
	X(SMCR_LINK_R_FIRST_CONTACT, "first-contact") \
	X(SMCR_LINK_R_ADDED, "added") \
	X(SMCR_LINK_R_REPLACEMENT, "replacement") \
	X(SMCR_LINK_R_NO_ANSWER, "no-answer") \
	X(SMCR_LINK_R_PEER_DELETED, "peer-deleted") \
	X(SMCR_LINK_R_PEER_LEFT, "peer-left") \
	X(SMCR_LINK_R_PROTOCOL, "protocol") \
	X(SMCR_LINK_R_REMOTE_ERROR, "remote-error") \
	X(SMCR_LINK_R_DEVICE_ERROR, "device-error") \
	X(SMCR_LINK_R_DEVICE_REMOVED, "device-removed") \
	X(SMCR_LINK_R_OPERATOR, "operator") \
	X(SMCR_LINK_R_ENDED, "ended") \
	X(SMCR_LINK_R_REPLACED, "replaced")

#define SMCR_DIALECT_NAMES(X) \
	X(SMCR_DIALECT_RFC, "rfc") \
	X(SMCR_DIALECT_LINUX, "linux")

#define SMCR_CONN_STATE_NAMES(X) \
	X(SMCR_CONN_INIT, "init") \
	X(SMCR_CONN_ACTIVE, "active") \
	X(SMCR_CONN_APPL_CLOSE_WAIT1, "appl-close-wait1") \
	X(SMCR_CONN_APPL_CLOSE_WAIT2, "appl-close-wait2") \
	X(SMCR_CONN_APPL_FIN_CLOSE_WAIT, "appl-fin-close-wait") \
	X(SMCR_CONN_PEER_CLOSE_WAIT1, "peer-close-wait1") \
	X(SMCR_CONN_PEER_CLOSE_WAIT2, "peer-close-wait2") \
	X(SMCR_CONN_PEER_FIN_CLOSE_WAIT, "peer-fin-close-wait") \
	X(SMCR_CONN_PEER_ABORT_WAIT, "peer-abort-wait") \
	X(SMCR_CONN_PROCESS_ABORT, "process-abort") \
	X(SMCR_CONN_CLOSED, "closed")

#define SMCR_NEGATIVE_KIND_NAMES(X) \
	X(SMCR_NEGLIST_DESTINATION, "destination") \
	X(SMCR_NEGLIST_PATH, "path") \
	X(SMCR_NEGLIST_SYN, "syn") \
	X(SMCR_NEGLIST_SOURCE, "source") \
	X(SMCR_NEGLIST_MTU, "mtu")

#define SMCR_NEGATIVE_STATE_NAMES(X) \
	X(SMCR_NEGLIST_NOTED, "noted") \
	X(SMCR_NEGLIST_BLOCKED, "blocked") \
	X(SMCR_NEGLIST_PROBING, "probing")

#define SMCR_PORT_STATE_NAMES(X) \
	X(SMCR_NL_PORT_STATE_DOWN, "down") \
	X(SMCR_NL_PORT_STATE_ACTIVE, "active")

#define SMCR_DEVICE_CHANGE_NAMES(X) \
	X(SMCR_NL_DEVICE_ADDED, "added") \
	X(SMCR_NL_DEVICE_REMOVED, "removed") \
	X(SMCR_NL_DEVICE_EVENT, "event")

#define SMCR_MONITOR_NAMES(X) \
	X(SMCR_NL_MONITOR_DEVICE, "device") \
	X(SMCR_NL_MONITOR_LINKGROUP, "linkgroup") \
	X(SMCR_NL_MONITOR_LINK, "link") \
	X(SMCR_NL_MONITOR_FALLBACK, "fallback")

#define SMCR_GID_TYPE_NAMES(X) \
	X(SMCR_NL_GID_TYPE_V2, "v2") \
	X(SMCR_NL_GID_TYPE_V2_LINK_LOCAL, "v2-link-local") \
	X(SMCR_NL_GID_TYPE_V1, "v1") \
	X(SMCR_NL_GID_TYPE_V1_LINK_LOCAL, "v1-link-local")

#endif /* _LINUX_SMCR_GEN_NAMES_H */
