// SPDX-License-Identifier: GPL-2.0
/*
 * CLC messages (RFC 7609, A.2): encode, decode, validate.
 *
 * A decoder reads at most @len bytes, copies the fields, and keeps no pointer
 * into the buffer. It checks the format of the whole message before it checks
 * any value, so that a malformed message is never answered with a Decline
 * (C.6). Reserved bits and bytes are sent as zero and never checked.
 */
#include <linux/errno.h>
#include <linux/string.h>
#include <linux/unaligned.h>

#include "clc_msg.h"

#define TRAILER_LEN	4

static const struct smcr_wire_clc_hdr *wire_hdr(const u8 *buf)
{
	return (const struct smcr_wire_clc_hdr *)buf;
}

static enum smcr_clc_typev1 typev1(const struct smcr_wire_clc_hdr *w)
{
	return w->version_flags & SMCR_CLC_TYPEV1_MASK;
}

/* Peers that offer SMC-D may use its eye catcher in these two messages */
static bool eye_valid(u32 eye, const struct smcr_wire_clc_hdr *w)
{
	if (eye == SMCR_EYE_CATCHER)
		return true;
	return eye == SMCR_EYE_CATCHER_D && typev1(w) == SMCR_CLC_TYPEV1_D &&
	       (w->type == SMCR_CLC_PROPOSAL || w->type == SMCR_CLC_DECLINE);
}

static bool length_valid(u8 type, u8 version, u16 length)
{
	switch (type) {
	case SMCR_CLC_PROPOSAL:
		if (length > SMCR_CLC_MAX_LEN)
			return false;
		if (version > 1)
			return length >= sizeof(struct smcr_wire_proposal) +
					 TRAILER_LEN;
		return length >= SMCR_CLC_PROPOSAL_LEN;
	case SMCR_CLC_DECLINE:
		return length == SMCR_CLC_DECLINE_LEN ||
		       (version > 1 && length == SMCR_CLC_DECLINE_V2_LEN);
	default:
		return length == SMCR_CLC_ACCEPT_LEN;
	}
}

/**
 * smcr_clc_msg_start() - does a stream begin with a CLC message?
 * @buf: the first bytes of the stream
 * @len: number of bytes in @buf; only the first four are used
 *
 * Either eye catcher makes it one, whatever follows.
 *
 * Return: enum smcr_clc_start.
 */
enum smcr_clc_start smcr_clc_msg_start(const u8 *buf, size_t len)
{
	const __be32 eye = cpu_to_be32(SMCR_EYE_CATCHER);
	const __be32 eye_d = cpu_to_be32(SMCR_EYE_CATCHER_D);

	if (!len)
		return SMCR_CLC_START_NONE;
	if (len > sizeof(eye))
		len = sizeof(eye);
	if (memcmp(buf, &eye, len) && memcmp(buf, &eye_d, len))
		return SMCR_CLC_START_OTHER;
	return len < sizeof(eye) ? SMCR_CLC_START_PART : SMCR_CLC_START_WHOLE;
}

/**
 * smcr_clc_msg_header() - decode and check the header of a CLC message
 * @buf: bytes received so far
 * @len: number of bytes in @buf; only the first %SMCR_CLC_HDR_LEN are used
 * @hdr: result, untouched on a fault
 *
 * The message is @hdr->length bytes long in all. A reader must not take more
 * from the stream, because the application's data may follow.
 *
 * Return: %SMCR_CLC_OK or a format fault (section A.2, hence C.6).
 */
enum smcr_clc_fault smcr_clc_msg_header(const u8 *buf, size_t len,
					struct smcr_clc_header *hdr)
{
	const struct smcr_wire_clc_hdr *w = wire_hdr(buf);
	u16 length;
	u8 version;

	if (len < SMCR_CLC_HDR_LEN)
		return SMCR_CLC_SHORT;
	if (!eye_valid(be32_to_cpu(w->eye), w))
		return SMCR_CLC_BAD_EYE;
	if (w->type < SMCR_CLC_PROPOSAL || w->type > SMCR_CLC_DECLINE)
		return SMCR_CLC_BAD_TYPE;
	version = w->version_flags >> 4;
	if (!version)
		return SMCR_CLC_BAD_VERSION;
	length = be16_to_cpu(w->length);
	if (!length_valid(w->type, version, length))
		return SMCR_CLC_BAD_LENGTH;

	hdr->type = w->type;
	hdr->length = length;
	hdr->version = version;
	hdr->flag = w->version_flags & SMCR_CLC_F_FIRST;
	return SMCR_CLC_OK;
}

/* Checks common to all decoders: header, type, length, last eye catcher */
static enum smcr_clc_fault frame_check(const u8 *buf, size_t len,
				       enum smcr_clc_type type,
				       struct smcr_clc_header *hdr)
{
	enum smcr_clc_fault fault = smcr_clc_msg_header(buf, len, hdr);

	if (fault)
		return fault;
	if (hdr->type != type)
		return SMCR_CLC_BAD_TYPE;
	if (len < hdr->length)
		return SMCR_CLC_SHORT;
	if (!eye_valid(get_unaligned_be32(buf + hdr->length - TRAILER_LEN),
		       wire_hdr(buf)))
		return SMCR_CLC_BAD_EYE;
	return SMCR_CLC_OK;
}

/*
 * Decode the mask/prefix area. In version 1 it ends right before the trailer;
 * newer versions have more fields between the two.
 */
static enum smcr_clc_fault area_decode(const u8 *buf,
				       const struct smcr_clc_header *hdr,
				       struct smcr_clc_proposal *out)
{
	const struct smcr_wire_proposal *w = (const void *)buf;
	u32 at = sizeof(*w) + be16_to_cpu(w->area_offset);
	u32 room = hdr->length - TRAILER_LEN, end;
	const struct smcr_wire_prefix *prefix;
	const struct smcr_wire_area *area;
	unsigned int i;

	if (at + sizeof(*area) > room)
		return SMCR_CLC_BAD_OFFSET;
	area = (const void *)(buf + at);
	if (area->v4_len > 32)
		return SMCR_CLC_BAD_SUBNET;
	if (area->nr_prefixes > SMCR_MAX_PREFIXES)
		return SMCR_CLC_BAD_PREFIXES;
	prefix = (const void *)(area + 1);
	end = at + sizeof(*area) + area->nr_prefixes * sizeof(*prefix);
	if (end > room || (hdr->version == 1 && end != room))
		return SMCR_CLC_BAD_LENGTH;

	memcpy(out->v4_subnet, area->v4_subnet, sizeof(out->v4_subnet));
	out->v4_len = area->v4_len;
	out->nr_prefixes = area->nr_prefixes;
	for (i = 0; i < area->nr_prefixes; i++) {
		if (prefix[i].len > 128)
			return SMCR_CLC_BAD_SUBNET;
		memcpy(out->prefix[i].addr, prefix[i].addr,
		       sizeof(prefix[i].addr));
		out->prefix[i].len = prefix[i].len;
	}
	return SMCR_CLC_OK;
}

/* Check the values, whose faults are answered with a Decline */
static enum smcr_clc_fault proposal_values(const struct smcr_wire_proposal *w,
					   const struct smcr_clc_header *hdr)
{
	if (be32_to_cpu(w->hdr.eye) == SMCR_EYE_CATCHER_D)
		return SMCR_CLC_NO_SMCR;
	if (hdr->version > 1 && typev1(&w->hdr) == SMCR_CLC_TYPEV1_D)
		return SMCR_CLC_NO_SMCR;
	if (smcr_wire_zero(w->peer_id, SMCR_PEER_ID_LEN))
		return SMCR_CLC_BAD_PEER_ID;
	if (!smcr_gid_usable(w->gid))
		return SMCR_CLC_BAD_GID;
	if (!smcr_mac_usable(w->mac))
		return SMCR_CLC_BAD_MAC;
	return SMCR_CLC_OK;
}

/**
 * smcr_clc_proposal_decode() - decode and check an SMC Proposal (A.2.2)
 * @buf: the message
 * @len: number of bytes in @buf
 * @out: result; undefined on a fault
 *
 * The caller makes the checks that need more than the message: whether peer ID
 * and GID are those of this host, the subnet, and smcr_clc_proposal_fits().
 *
 * Return: %SMCR_CLC_OK or the first fault, format faults first.
 */
enum smcr_clc_fault smcr_clc_proposal_decode(const u8 *buf, size_t len,
					     struct smcr_clc_proposal *out)
{
	const struct smcr_wire_proposal *w = (const void *)buf;
	struct smcr_clc_header hdr;
	enum smcr_clc_fault fault;

	memset(out, 0, sizeof(*out));
	fault = frame_check(buf, len, SMCR_CLC_PROPOSAL, &hdr);
	if (fault)
		return fault;
	if (hdr.version > 1 && typev1(&w->hdr) == SMCR_CLC_TYPEV1_N)
		return SMCR_CLC_NO_SMCR;
	fault = area_decode(buf, &hdr, out);
	if (fault)
		return fault;

	out->version = hdr.version;
	memcpy(out->peer_id, w->peer_id, sizeof(out->peer_id));
	memcpy(out->gid, w->gid, sizeof(out->gid));
	memcpy(out->mac, w->mac, sizeof(out->mac));
	return proposal_values(w, &hdr);
}

static void accept_copy(const struct smcr_wire_accept *w,
			const struct smcr_clc_header *hdr,
			struct smcr_clc_accept *out)
{
	out->type = hdr->type;
	out->version = hdr->version;
	out->first_contact = hdr->flag;
	memcpy(out->peer_id, w->peer_id, sizeof(out->peer_id));
	memcpy(out->gid, w->gid, sizeof(out->gid));
	memcpy(out->mac, w->mac, sizeof(out->mac));
	out->qpn = get_unaligned_be24(w->qpn);
	out->rkey = be32_to_cpu(w->rkey);
	out->rmbe_idx = w->rmbe_idx;
	out->alert_token = be32_to_cpu(w->alert_token);
	out->bsize = w->bsize_mtu >> 4;
	out->mtu = w->bsize_mtu & 0xF;
	out->vaddr = be64_to_cpu(w->vaddr);
	out->psn = get_unaligned_be24(w->psn);
}

static bool rmbe_valid(const struct smcr_clc_accept *msg)
{
	u64 span = (u64)msg->rmbe_idx * smcr_bsize_to_bytes(msg->bsize);

	return msg->rmbe_idx && msg->vaddr + span >= span;
}

static enum smcr_clc_fault accept_values(const struct smcr_clc_accept *msg,
					 u8 max_bsize, bool first)
{
	if (msg->bsize > max_bsize)
		return SMCR_CLC_BAD_BSIZE;
	if (!first)
		return SMCR_CLC_OK;
	if (!smcr_mtu_valid(msg->mtu))
		return SMCR_CLC_BAD_MTU;
	if (!smcr_gid_usable(msg->gid))
		return SMCR_CLC_BAD_GID;
	if (!smcr_mac_usable(msg->mac))
		return SMCR_CLC_BAD_MAC;
	if (msg->qpn < 2)
		return SMCR_CLC_BAD_QPN;
	return SMCR_CLC_OK;
}

/**
 * smcr_clc_accept_decode() - decode and check an Accept or Confirm
 * @buf: the message
 * @len: number of bytes in @buf
 * @expect: which of the two is due, and in which kind of contact
 * @out: result; undefined on a fault
 *
 * GID, MAC, QPN and MTU are checked in a first contact only (A.2.3). In a
 * subsequent contact the caller checks that GID, MAC and QPN name a known link.
 * It also compares the peer ID of a Confirm with that of the Proposal. In the
 * Confirm of a subsequent contact a bad value counts as a format fault, because
 * no Decline may answer it (C.1).
 *
 * Return: %SMCR_CLC_OK or the first fault, format faults first.
 */
enum smcr_clc_fault smcr_clc_accept_decode(const u8 *buf, size_t len,
					   const struct smcr_clc_expect *expect,
					   struct smcr_clc_accept *out)
{
	struct smcr_clc_header hdr;
	enum smcr_clc_fault fault;
	bool first;

	memset(out, 0, sizeof(*out));
	fault = frame_check(buf, len, expect->type, &hdr);
	if (fault)
		return fault;
	accept_copy((const void *)buf, &hdr, out);
	if (!rmbe_valid(out))
		return SMCR_CLC_BAD_RMBE;

	first = expect->type == SMCR_CLC_ACCEPT ? out->first_contact :
						  expect->first_contact;
	fault = accept_values(out, expect->max_bsize, first);
	if (fault && expect->type == SMCR_CLC_CONFIRM && !first)
		return SMCR_CLC_LATE_VALUE;
	return fault;
}

/**
 * smcr_clc_decline_decode() - decode and check an SMC Decline (A.2.5)
 * @buf: the message
 * @len: number of bytes in @buf
 * @out: result; undefined on a fault
 *
 * Return: %SMCR_CLC_OK or a format fault.
 */
enum smcr_clc_fault smcr_clc_decline_decode(const u8 *buf, size_t len,
					    struct smcr_clc_decline *out)
{
	const struct smcr_wire_decline *w = (const void *)buf;
	struct smcr_clc_header hdr;
	enum smcr_clc_fault fault;

	memset(out, 0, sizeof(*out));
	fault = frame_check(buf, len, SMCR_CLC_DECLINE, &hdr);
	if (fault)
		return fault;
	out->version = hdr.version;
	out->out_of_sync = hdr.flag;
	memcpy(out->peer_id, w->peer_id, sizeof(out->peer_id));
	out->diagnosis = be32_to_cpu(w->diagnosis);
	return SMCR_CLC_OK;
}

static void hdr_encode(struct smcr_wire_clc_hdr *w, enum smcr_clc_type type,
		       size_t length, u8 flags)
{
	w->eye = cpu_to_be32(SMCR_EYE_CATCHER);
	w->type = type;
	w->length = cpu_to_be16((u16)length);
	w->version_flags = SMCR_VERSION << 4 | flags;
}

/**
 * smcr_clc_proposal_encode() - encode an SMC Proposal, version 1
 * @buf: result
 * @cap: size of @buf
 * @in: content; @in->version is ignored
 *
 * Return: length of the message; -EMSGSIZE if it does not fit, -EINVAL for
 * more than %SMCR_MAX_PREFIXES prefixes.
 */
int smcr_clc_proposal_encode(u8 *buf, size_t cap,
			     const struct smcr_clc_proposal *in)
{
	size_t len = SMCR_CLC_PROPOSAL_LEN +
		     in->nr_prefixes * sizeof(struct smcr_wire_prefix);
	struct smcr_wire_proposal *w = (void *)buf;
	struct smcr_wire_area *area = (void *)(w + 1);
	struct smcr_wire_prefix *prefix = (void *)(area + 1);
	unsigned int i;

	if (in->nr_prefixes > SMCR_MAX_PREFIXES)
		return -EINVAL;
	if (cap < len)
		return -EMSGSIZE;

	memset(buf, 0, len);
	hdr_encode(&w->hdr, SMCR_CLC_PROPOSAL, len, 0);
	memcpy(w->peer_id, in->peer_id, sizeof(w->peer_id));
	memcpy(w->gid, in->gid, sizeof(w->gid));
	memcpy(w->mac, in->mac, sizeof(w->mac));
	memcpy(area->v4_subnet, in->v4_subnet, sizeof(area->v4_subnet));
	area->v4_len = in->v4_len;
	area->nr_prefixes = in->nr_prefixes;
	for (i = 0; i < in->nr_prefixes; i++) {
		memcpy(prefix[i].addr, in->prefix[i].addr,
		       sizeof(prefix[i].addr));
		prefix[i].len = in->prefix[i].len;
	}
	put_unaligned_be32(SMCR_EYE_CATCHER, buf + len - TRAILER_LEN);
	return (int)len;
}

/**
 * smcr_clc_accept_encode() - encode an SMC Accept or Confirm, version 1
 * @buf: result
 * @cap: size of @buf
 * @in: content; @in->version is ignored, as is @in->first_contact in a Confirm
 *
 * Return: length of the message, -EMSGSIZE if it does not fit.
 */
int smcr_clc_accept_encode(u8 *buf, size_t cap,
			   const struct smcr_clc_accept *in)
{
	struct smcr_wire_accept *w = (void *)buf;
	u8 flags = 0;

	if (cap < sizeof(*w))
		return -EMSGSIZE;
	if (in->type == SMCR_CLC_ACCEPT && in->first_contact)
		flags = SMCR_CLC_F_FIRST;

	memset(w, 0, sizeof(*w));
	hdr_encode(&w->hdr, in->type, sizeof(*w), flags);
	memcpy(w->peer_id, in->peer_id, sizeof(w->peer_id));
	memcpy(w->gid, in->gid, sizeof(w->gid));
	memcpy(w->mac, in->mac, sizeof(w->mac));
	put_unaligned_be24(in->qpn, w->qpn);
	w->rkey = cpu_to_be32(in->rkey);
	w->rmbe_idx = in->rmbe_idx;
	w->alert_token = cpu_to_be32(in->alert_token);
	w->bsize_mtu = (u8)(in->bsize << 4 | (in->mtu & 0xF));
	w->vaddr = cpu_to_be64(in->vaddr);
	put_unaligned_be24(in->psn, w->psn);
	w->eye = cpu_to_be32(SMCR_EYE_CATCHER);
	return sizeof(*w);
}

/**
 * smcr_clc_decline_encode() - encode an SMC Decline, version 1
 * @buf: result
 * @cap: size of @buf
 * @in: content; @in->version is ignored
 *
 * Return: length of the message, -EMSGSIZE if it does not fit.
 */
int smcr_clc_decline_encode(u8 *buf, size_t cap,
			    const struct smcr_clc_decline *in)
{
	struct smcr_wire_decline *w = (void *)buf;

	if (cap < sizeof(*w))
		return -EMSGSIZE;
	memset(w, 0, sizeof(*w));
	hdr_encode(&w->hdr, SMCR_CLC_DECLINE, sizeof(*w),
		   in->out_of_sync ? SMCR_CLC_F_SYNC : 0);
	memcpy(w->peer_id, in->peer_id, sizeof(w->peer_id));
	w->diagnosis = cpu_to_be32(in->diagnosis);
	w->eye = cpu_to_be32(SMCR_EYE_CATCHER);
	return sizeof(*w);
}

/**
 * smcr_clc_rmbe_addr() - address of the peer's element
 * @msg: decoded Accept or Confirm
 *
 * Return: virtual address of the element (not of the RMB) on the link of the
 * message. It is the address of the eye catcher, if the dialect has one.
 */
u64 smcr_clc_rmbe_addr(const struct smcr_clc_accept *msg)
{
	return msg->vaddr +
	       (u64)(msg->rmbe_idx - 1) * smcr_bsize_to_bytes(msg->bsize);
}
