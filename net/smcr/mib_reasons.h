/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The counters by fallback and reset reason of /proc/net/smcr_stat. What the
 * reasons mean is in smcr-counters.rst.
 */
#ifndef _SMCR_MIB_REASONS_H
#define _SMCR_MIB_REASONS_H

/* X(REASON, FIELD, Name, "name") for enum smcr_fallback_reason but for NONE */
#define SMCR_FALLBACK_LIST(X) \
	X(NO_OPTION, FALLBACKNOOPTION, FallbackNoOption, "no-option") \
	X(NO_RNIC, FALLBACKNORNIC, FallbackNoRnic, "no-rnic") \
	X(NO_GID, FALLBACKNOGID, FallbackNoGid, "no-gid") \
	X(PEER_DECLINED, FALLBACKPEERDECLINED, FallbackPeerDeclined, "peer-declined") \
	X(SUBNET, FALLBACKSUBNET, FallbackSubnet, "subnet") \
	X(IPSEC, FALLBACKIPSEC, FallbackIpsec, "ipsec") \
	X(MD5, FALLBACKMD5, FallbackMd5, "md5") \
	X(VRF, FALLBACKVRF, FallbackVrf, "vrf") \
	X(FASTOPEN, FALLBACKFASTOPEN, FallbackFastopen, "fastopen") \
	X(ULP, FALLBACKULP, FallbackUlp, "ulp") \
	X(REPAIR, FALLBACKREPAIR, FallbackRepair, "repair") \
	X(LOCAL_ADDR, FALLBACKLOCALADDR, FallbackLocalAddr, "local-addr") \
	X(RESOURCE_LIMIT, FALLBACKRESOURCELIMIT, FallbackResourceLimit, "resource-limit") \
	X(MEMORY, FALLBACKMEMORY, FallbackMemory, "memory") \
	X(CONGESTED, FALLBACKCONGESTED, FallbackCongested, "congested") \
	X(CROSSED_SYN, FALLBACKCROSSEDSYN, FallbackCrossedSyn, "crossed-syn") \
	X(QP, FALLBACKQP, FallbackQp, "qp") \
	X(VERSION, FALLBACKVERSION, FallbackVersion, "version") \
	X(PEER_ID, FALLBACKPEERID, FallbackPeerId, "peer-id") \
	X(OUT_OF_SYNC, FALLBACKOUTOFSYNC, FallbackOutOfSync, "out-of-sync") \
	X(BAD_ENUM, FALLBACKBADENUM, FallbackBadEnum, "bad-enum") \
	X(CONFIRM_LINK, FALLBACKCONFIRMLINK, FallbackConfirmLink, "confirm-link") \
	X(NEG_DESTINATION, FALLBACKNEGDESTINATION, FallbackNegDestination, "neg-destination") \
	X(NEG_PATH, FALLBACKNEGPATH, FallbackNegPath, "neg-path") \
	X(DEVICE_LIMIT, FALLBACKDEVICELIMIT, FallbackDeviceLimit, "device-limit") \
	X(GID_KIND, FALLBACKGIDKIND, FallbackGidKind, "gid-kind") \
	X(LINK_LOST, FALLBACKLINKLOST, FallbackLinkLost, "link-lost") \
	X(SYN_UNANSWERED, FALLBACKSYNUNANSWERED, FallbackSynUnanswered, "syn-unanswered") \
	X(NO_PROPOSAL, FALLBACKNOPROPOSAL, FallbackNoProposal, "no-proposal") \
	X(NEG_SOURCE, FALLBACKNEGSOURCE, FallbackNegSource, "neg-source") \
	X(GATEWAY, FALLBACKGATEWAY, FallbackGateway, "gateway") \
	X(MTU, FALLBACKMTU, FallbackMtu, "mtu") \
	X(SHUTDOWN, FALLBACKSHUTDOWN, FallbackShutdown, "shutdown")

/* The same for enum smcr_reset_reason */
#define SMCR_RESET_LIST(X) \
	X(PEER_ABORT, RESETPEERABORT, ResetPeerAbort, "peer-abort") \
	X(TCP_RST, RESETTCPRST, ResetTcpRst, "tcp-rst") \
	X(UNREAD_DATA, RESETUNREADDATA, ResetUnreadData, "unread-data") \
	X(LINGER, RESETLINGER, ResetLinger, "linger") \
	X(LINK_DOWN, RESETLINKDOWN, ResetLinkDown, "link-down") \
	X(GROUP_DELETED, RESETGROUPDELETED, ResetGroupDeleted, "group-deleted") \
	X(CDC_INVALID, RESETCDCINVALID, ResetCdcInvalid, "cdc-invalid") \
	X(EYE_CATCHER, RESETEYECATCHER, ResetEyeCatcher, "eye-catcher") \
	X(CLOSE_TIMEOUT, RESETCLOSETIMEOUT, ResetCloseTimeout, "close-timeout") \
	X(ORPHAN_TIMEOUT, RESETORPHANTIMEOUT, ResetOrphanTimeout, "orphan-timeout") \
	X(RMBE_CONFLICT, RESETRMBECONFLICT, ResetRmbeConflict, "rmbe-conflict") \
	X(DEVICE_REMOVED, RESETDEVICEREMOVED, ResetDeviceRemoved, "device-removed") \
	X(NETNS_EXIT, RESETNETNSEXIT, ResetNetnsExit, "netns-exit") \
	X(UNLOAD, RESETUNLOAD, ResetUnload, "unload") \
	X(HANDSHAKE, RESETHANDSHAKE, ResetHandshake, "handshake") \
	X(DISCONNECT, RESETDISCONNECT, ResetDisconnect, "disconnect") \
	X(PEER_CLOSED, RESETPEERCLOSED, ResetPeerClosed, "peer-closed") \
	X(ORPHAN_LIMIT, RESETORPHANLIMIT, ResetOrphanLimit, "orphan-limit") \
	X(TCP_DATA, RESETTCPDATA, ResetTcpData, "tcp-data") \
	X(DATA_LOST, RESETDATALOST, ResetDataLost, "data-lost") \
	X(USER_TIMEOUT, RESETUSERTIMEOUT, ResetUserTimeout, "user-timeout") \
	X(ADDRESS_GONE, RESETADDRESSGONE, ResetAddressGone, "address-gone") \
	X(OPERATOR, RESETOPERATOR, ResetOperator, "operator")

#endif /* _SMCR_MIB_REASONS_H */
