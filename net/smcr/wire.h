/* SPDX-License-Identifier: GPL-2.0 */
/*
 * RFC 7609 on the wire: limits and enumerations that all messages share.
 *
 * The formats are in wire_clc.h and wire_roce.h. Only the codecs (clc_msg.c,
 * llc_msg.c, cdc_msg.c) touch those structures; all other files use the
 * codecs' structures in host order. All fields are big endian.
 */
#ifndef _SMCR_WIRE_H
#define _SMCR_WIRE_H

#include <linux/build_bug.h>
#include <linux/types.h>
#include <uapi/linux/smcr_netlink.h>

/* TCP option, section A.1: kind 254, length 6, ExID "SMCR" in IBM-1047 */
#define SMCR_TCPOPT_KIND		254
#define SMCR_TCPOPT_LEN			6
#define SMCR_TCPOPT_EXID		0xE2D4C3D9U

#define SMCR_VERSION			1

#define SMCR_PEER_ID_LEN		8
#define SMCR_GID_LEN			16
#define SMCR_MAC_LEN			6

/* Sections 2.2.2, 2.2.4, 2.1, A.3.3 */
#define SMCR_MAX_LINKS			8
#define SMCR_MAX_LINK_NUM		255
#define SMCR_MAX_RMBS			255
#define SMCR_MAX_RMBES			255
#define SMCR_MAX_PREFIXES		8
#define SMCR_QPN_MAX			0xFFFFFF
#define SMCR_PSN_MASK			0xFFFFFF

/* Section 4.4.1: a pattern at the start of each RMBE that shows whether the
 * peer has overwritten it; only the RMBE's owner reads it
 */
#define SMCR_RMBE_EYE_CATCHER		0xE2D4C3D9U
#define SMCR_RMBE_EYE_LEN		4

/**
 * smcr_dialect_origin() - offset of the first data byte in an RMBE
 * @dialect: dialect of the link group
 *
 * Return: 4 in the RFC dialect, where the eye catcher comes first, otherwise 0.
 */
static inline u32 smcr_dialect_origin(enum smcr_dialect dialect)
{
	return dialect == SMCR_DIALECT_RFC ? SMCR_RMBE_EYE_LEN : 0;
}

/* RMBE size code, A.2.3: 2^(code + 4) KB; only Linux peers send more than 5 */
#define SMCR_BSIZE_MAX			5
#define SMCR_BSIZE_LINUX_MAX		15
#define SMCR_RMBE_SIZE_MIN		(16U * 1024)
#define SMCR_RMBE_SIZE_MAX		(512U * 1024)

/**
 * smcr_bsize_to_bytes() - size of an RMBE
 * @code: size code, 0..15
 *
 * Return: bytes, eye catcher included.
 */
static inline u32 smcr_bsize_to_bytes(u8 code)
{
	return SMCR_RMBE_SIZE_MIN << (code & 0xF);
}

/**
 * smcr_bytes_to_bsize() - smallest size class that holds that many bytes
 * @bytes: wanted size, eye catcher included
 *
 * Return: a code of 0..5; more than 512 KB gives 5.
 */
static inline u8 smcr_bytes_to_bsize(u32 bytes)
{
	u8 code = 0;

	while (code < SMCR_BSIZE_MAX && smcr_bsize_to_bytes(code) < bytes)
		code++;
	return code;
}

/* MTU code, A.2.3: 256 << (code - 1) bytes; the same numbers as verbs use */
enum smcr_mtu {
	SMCR_MTU_256 = 1,
	SMCR_MTU_512,
	SMCR_MTU_1024,
	SMCR_MTU_2048,
	SMCR_MTU_4096,
};

static inline bool smcr_mtu_valid(u8 mtu)
{
	return mtu >= SMCR_MTU_256 && mtu <= SMCR_MTU_4096;
}

static inline u32 smcr_mtu_bytes(u8 mtu)
{
	return mtu ? 128U << mtu : 0;
}

static inline bool smcr_wire_zero(const u8 *p, unsigned int len)
{
	while (len--)
		if (*p++)
			return false;
	return true;
}

/* May a port have this GID? Not if it is zero or multicast. */
static inline bool smcr_gid_usable(const u8 *gid)
{
	return gid[0] != 0xFF && !smcr_wire_zero(gid, SMCR_GID_LEN);
}

/* May a port have this MAC address? Not if it is zero, multicast or broadcast.
 */
static inline bool smcr_mac_usable(const u8 *mac)
{
	return !(mac[0] & 1) && !smcr_wire_zero(mac, SMCR_MAC_LEN);
}

#endif /* _SMCR_WIRE_H */
