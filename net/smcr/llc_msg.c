// SPDX-License-Identifier: GPL-2.0
/*
 * LLC messages (RFC 7609, A.3): encode, decode, validate.
 *
 * Each message has 44 bytes; unused bytes are zero. The Linux dialect differs
 * in the layout of one message, ADD LINK.
 */
#include <linux/string.h>
#include <linux/unaligned.h>

#include "llc_msg.h"

static enum smcr_llc_fault
confirm_link_decode(const struct smcr_wire_confirm_link *w,
		    struct smcr_llc_confirm_link *m)
{
	memcpy(m->mac, w->mac, sizeof(m->mac));
	memcpy(m->gid, w->gid, sizeof(m->gid));
	m->qpn = get_unaligned_be24(w->qpn);
	m->link_num = w->link_num;
	m->link_uid = be32_to_cpu(w->link_uid);
	m->max_links = w->max_links;
	m->no_eye = (w->hdr.flags & SMCR_LLC_F_NO_EYE) == SMCR_LLC_F_NO_EYE;
	if (!m->link_num)
		return SMCR_LLC_BAD_LINK_NUM;
	return m->qpn < 2 ? SMCR_LLC_BAD_QPN : SMCR_LLC_OK;
}

static void confirm_link_encode(struct smcr_wire_confirm_link *w,
				const struct smcr_llc_confirm_link *m)
{
	memcpy(w->mac, m->mac, sizeof(w->mac));
	memcpy(w->gid, m->gid, sizeof(w->gid));
	put_unaligned_be24(m->qpn, w->qpn);
	w->link_num = m->link_num;
	w->link_uid = cpu_to_be32(m->link_uid);
	w->max_links = m->max_links;
	if (m->no_eye)
		w->hdr.flags |= SMCR_LLC_F_NO_EYE;
}

/*
 * Link number and queue pair number may be 0 in a refusal and in a client's
 * request, so only a positive reply is checked for them here.
 */
static enum smcr_llc_fault
add_link_decode(const u8 *buf, enum smcr_dialect dialect, bool reply,
		struct smcr_llc_add_link *m)
{
	const struct smcr_wire_add_link *rfc = (const void *)buf;
	const struct smcr_wire_add_link_linux *lnx = (const void *)buf;
	const struct smcr_wire_add_link_tail *t;

	t = dialect == SMCR_DIALECT_LINUX ? &lnx->tail : &rfc->tail;
	memcpy(m->mac, rfc->mac, sizeof(m->mac));
	memcpy(m->gid, t->gid, sizeof(m->gid));
	m->qpn = get_unaligned_be24(t->qpn);
	m->link_num = t->link_num;
	m->mtu = t->mtu & 0xF;
	m->psn = get_unaligned_be24(t->psn);
	m->reject = rfc->hdr.flags & SMCR_LLC_F_ADD_REJECT;
	m->reason = rfc->hdr.reason & 0xF;
	if (!reply || m->reject)
		return SMCR_LLC_OK;
	if (!m->link_num)
		return SMCR_LLC_BAD_LINK_NUM;
	return m->qpn < 2 ? SMCR_LLC_BAD_QPN : SMCR_LLC_OK;
}

static void add_link_encode(u8 *buf, enum smcr_dialect dialect,
			    const struct smcr_llc_add_link *m)
{
	struct smcr_wire_add_link_linux *lnx = (void *)buf;
	struct smcr_wire_add_link *rfc = (void *)buf;
	struct smcr_wire_add_link_tail *t;

	t = dialect == SMCR_DIALECT_LINUX ? &lnx->tail : &rfc->tail;
	memcpy(rfc->mac, m->mac, sizeof(rfc->mac));
	memcpy(t->gid, m->gid, sizeof(t->gid));
	put_unaligned_be24(m->qpn, t->qpn);
	t->link_num = m->link_num;
	t->mtu = m->mtu & 0xF;
	put_unaligned_be24(m->psn, t->psn);
	if (m->reject) {
		rfc->hdr.flags |= SMCR_LLC_F_ADD_REJECT;
		rfc->hdr.reason = m->reason & 0xF;
	}
}

static bool pair_empty(const struct smcr_llc_pair *p)
{
	return !p->ref_rkey && !p->rkey && !p->vaddr;
}

static enum smcr_llc_fault
add_cont_decode(const struct smcr_wire_add_link_cont *w,
		struct smcr_llc_add_cont *m)
{
	unsigned int i;

	m->link_num = w->link_num;
	m->nr_left = w->nr_left;
	for (i = 0; i < SMCR_LLC_ADD_CONT_PAIRS; i++) {
		m->pair[i].ref_rkey = be32_to_cpu(w->pair[i].ref_rkey);
		m->pair[i].rkey = be32_to_cpu(w->pair[i].rkey);
		m->pair[i].vaddr = be64_to_cpu(w->pair[i].vaddr);
		if (i >= m->nr_left && !pair_empty(&m->pair[i]))
			return SMCR_LLC_BAD_PADDING;
	}
	if (!m->link_num)
		return SMCR_LLC_BAD_LINK_NUM;
	if (m->nr_left > 1 && m->pair[0].ref_rkey == m->pair[1].ref_rkey)
		return SMCR_LLC_DUPLICATE;
	return SMCR_LLC_OK;
}

static void add_cont_encode(struct smcr_wire_add_link_cont *w,
			    const struct smcr_llc_add_cont *m)
{
	unsigned int i;

	w->link_num = m->link_num;
	w->nr_left = m->nr_left;
	for (i = 0; i < SMCR_LLC_ADD_CONT_PAIRS && i < m->nr_left; i++) {
		w->pair[i].ref_rkey = cpu_to_be32(m->pair[i].ref_rkey);
		w->pair[i].rkey = cpu_to_be32(m->pair[i].rkey);
		w->pair[i].vaddr = cpu_to_be64(m->pair[i].vaddr);
	}
}

static enum smcr_llc_fault
delete_link_decode(const struct smcr_wire_delete_link *w,
		   struct smcr_llc_delete_link *m)
{
	m->link_num = w->link_num;
	m->reason = be32_to_cpu(w->reason);
	m->all = w->hdr.flags & SMCR_LLC_F_DELETE_ALL;
	m->orderly = w->hdr.flags & SMCR_LLC_F_DELETE_ORDERLY;
	return SMCR_LLC_OK;
}

static void delete_link_encode(struct smcr_wire_delete_link *w,
			       const struct smcr_llc_delete_link *m)
{
	w->link_num = m->all ? 0 : m->link_num;
	w->reason = cpu_to_be32(m->reason);
	if (m->all)
		w->hdr.flags |= SMCR_LLC_F_DELETE_ALL;
	if (m->orderly)
		w->hdr.flags |= SMCR_LLC_F_DELETE_ORDERLY;
}

/* The first @nr of @room entries are used, and each names a different link. */
static enum smcr_llc_fault
link_rkeys_decode(const struct smcr_wire_link_rkey *w, unsigned int room,
		  unsigned int nr, struct smcr_llc_link_rkey *m)
{
	unsigned int i, j;

	for (i = 0; i < room; i++) {
		m[i].link_num = w[i].link_num;
		m[i].rkey = be32_to_cpu(w[i].rkey);
		m[i].vaddr = be64_to_cpu(w[i].vaddr);
		if (i >= nr) {
			if (m[i].link_num || m[i].rkey || m[i].vaddr)
				return SMCR_LLC_BAD_PADDING;
			continue;
		}
		if (!m[i].link_num)
			return SMCR_LLC_BAD_LINK_NUM;
		for (j = 0; j < i; j++)
			if (m[j].link_num == m[i].link_num)
				return SMCR_LLC_DUPLICATE;
	}
	return SMCR_LLC_OK;
}

static void link_rkeys_encode(struct smcr_wire_link_rkey *w, unsigned int room,
			      unsigned int nr,
			      const struct smcr_llc_link_rkey *m)
{
	unsigned int i;

	for (i = 0; i < room && i < nr; i++) {
		w[i].link_num = m[i].link_num;
		w[i].rkey = cpu_to_be32(m[i].rkey);
		w[i].vaddr = cpu_to_be64(m[i].vaddr);
	}
}

static enum smcr_llc_fault
confirm_rkey_decode(const struct smcr_wire_confirm_rkey *w,
		    struct smcr_llc_confirm_rkey *m)
{
	m->nr_others = w->nr_others;
	m->rkey = be32_to_cpu(w->rkey);
	m->vaddr = be64_to_cpu(w->vaddr);
	m->negative = w->hdr.flags & SMCR_LLC_F_RKEY_NEGATIVE;
	m->retry = w->hdr.flags & SMCR_LLC_F_RKEY_RETRY;
	if (m->nr_others > SMCR_MAX_LINKS - 1)
		return SMCR_LLC_BAD_COUNT;
	return link_rkeys_decode(w->other, SMCR_LLC_CONFIRM_RKEY_OTHERS,
				 m->nr_others, m->other);
}

static void confirm_rkey_encode(struct smcr_wire_confirm_rkey *w,
				const struct smcr_llc_confirm_rkey *m)
{
	w->nr_others = m->nr_others;
	w->rkey = cpu_to_be32(m->rkey);
	w->vaddr = cpu_to_be64(m->vaddr);
	link_rkeys_encode(w->other, SMCR_LLC_CONFIRM_RKEY_OTHERS,
			  m->nr_others, m->other);
	if (m->negative)
		w->hdr.flags |= SMCR_LLC_F_RKEY_NEGATIVE;
	if (m->retry)
		w->hdr.flags |= SMCR_LLC_F_RKEY_RETRY;
}

static enum smcr_llc_fault
rkey_cont_decode(const struct smcr_wire_confirm_rkey_cont *w,
		 struct smcr_llc_rkey_cont *m)
{
	m->nr_left = w->nr_left;
	m->negative = w->hdr.flags & SMCR_LLC_F_RKEY_NEGATIVE;
	if (!m->nr_left || m->nr_left > SMCR_MAX_LINKS - 1)
		return SMCR_LLC_BAD_COUNT;
	return link_rkeys_decode(w->other, SMCR_LLC_RKEY_CONT_OTHERS,
				 m->nr_left, m->other);
}

static void rkey_cont_encode(struct smcr_wire_confirm_rkey_cont *w,
			     const struct smcr_llc_rkey_cont *m)
{
	w->nr_left = m->nr_left;
	link_rkeys_encode(w->other, SMCR_LLC_RKEY_CONT_OTHERS, m->nr_left,
			  m->other);
	if (m->negative)
		w->hdr.flags |= SMCR_LLC_F_RKEY_NEGATIVE;
}

static enum smcr_llc_fault
delete_rkey_decode(const struct smcr_wire_delete_rkey *w,
		   struct smcr_llc_delete_rkey *m)
{
	unsigned int i;

	m->count = w->count;
	m->error_mask = w->error_mask;
	m->negative = w->hdr.flags & SMCR_LLC_F_RKEY_NEGATIVE;
	for (i = 0; i < SMCR_LLC_DELETE_RKEYS; i++)
		m->rkey[i] = be32_to_cpu(w->rkey[i]);
	if (!m->count || m->count > SMCR_LLC_DELETE_RKEYS)
		return SMCR_LLC_BAD_COUNT;
	return SMCR_LLC_OK;
}

static void delete_rkey_encode(struct smcr_wire_delete_rkey *w,
			       const struct smcr_llc_delete_rkey *m)
{
	unsigned int i;

	w->count = m->count;
	w->error_mask = m->error_mask;
	for (i = 0; i < SMCR_LLC_DELETE_RKEYS && i < m->count; i++)
		w->rkey[i] = cpu_to_be32(m->rkey[i]);
	if (m->negative)
		w->hdr.flags |= SMCR_LLC_F_RKEY_NEGATIVE;
}

static bool known_type(u8 type)
{
	return type >= SMCR_LLC_CONFIRM_LINK && type <= SMCR_LLC_DELETE_RKEY &&
	       type != SMCR_LLC_DELETE_LINK + 1;
}

static enum smcr_llc_fault body_decode(const u8 *buf, enum smcr_dialect dialect,
				       struct smcr_llc_msg *out)
{
	const struct smcr_wire_test_link *test;

	switch (out->type) {
	case SMCR_LLC_CONFIRM_LINK:
		return confirm_link_decode((const void *)buf,
					   &out->confirm_link);
	case SMCR_LLC_ADD_LINK:
		return add_link_decode(buf, dialect, out->reply,
				       &out->add_link);
	case SMCR_LLC_ADD_LINK_CONT:
		return add_cont_decode((const void *)buf, &out->add_cont);
	case SMCR_LLC_DELETE_LINK:
		return delete_link_decode((const void *)buf, &out->delete_link);
	case SMCR_LLC_CONFIRM_RKEY:
		return confirm_rkey_decode((const void *)buf,
					   &out->confirm_rkey);
	case SMCR_LLC_CONFIRM_RKEY_CONT:
		return rkey_cont_decode((const void *)buf, &out->rkey_cont);
	case SMCR_LLC_DELETE_RKEY:
		return delete_rkey_decode((const void *)buf, &out->delete_rkey);
	case SMCR_LLC_TEST_LINK:
		test = (const void *)buf;
		memcpy(out->test_link.data, test->data, sizeof(test->data));
		return SMCR_LLC_OK;
	}
	return SMCR_LLC_BAD_TYPE;
}

/**
 * smcr_llc_msg_decode() - decode and check an LLC message (A.3)
 * @buf: received bytes
 * @len: number of bytes
 * @dialect: dialect of the link group; any before CONFIRM LINK
 * @out: result; undefined after a fault
 *
 * The caller checks what the message means in the exchange under way, see
 * smcr_llc_flow_verdict(), and whether the links and RMBs in it exist.
 *
 * Return: %SMCR_LLC_OK, %SMCR_LLC_IGNORED, or a fault that fails the link.
 */
enum smcr_llc_fault smcr_llc_msg_decode(const u8 *buf, size_t len,
					enum smcr_dialect dialect,
					struct smcr_llc_msg *out)
{
	const struct smcr_wire_llc_hdr *hdr = (const void *)buf;

	memset(out, 0, sizeof(*out));
	if (len < sizeof(*hdr))
		return SMCR_LLC_BAD_LENGTH;
	if (!known_type(hdr->type))
		return (hdr->type & SMCR_LLC_CLASS_MASK) ==
		       SMCR_LLC_CLASS_OPTIONAL ?
		       SMCR_LLC_IGNORED : SMCR_LLC_BAD_TYPE;
	if (len != SMCR_ROCE_MSG_LEN || hdr->length != SMCR_ROCE_MSG_LEN)
		return SMCR_LLC_BAD_LENGTH;
	out->type = hdr->type;
	out->reply = hdr->flags & SMCR_LLC_F_REPLY;
	return body_decode(buf, dialect, out);
}

/**
 * smcr_llc_msg_encode() - build an LLC message
 * @buf: buffer of %SMCR_ROCE_MSG_LEN bytes; all of them are written
 * @dialect: dialect of the link group
 * @in: the message; entries beyond its counts are encoded as zeros
 *
 * A reply that repeats the request is the decoded request with @in->reply set.
 */
void smcr_llc_msg_encode(u8 *buf, enum smcr_dialect dialect,
			 const struct smcr_llc_msg *in)
{
	struct smcr_wire_llc_hdr *hdr = (void *)buf;
	struct smcr_wire_test_link *test = (void *)buf;

	memset(buf, 0, SMCR_ROCE_MSG_LEN);
	hdr->type = in->type;
	hdr->length = SMCR_ROCE_MSG_LEN;
	hdr->flags = in->reply ? SMCR_LLC_F_REPLY : 0;

	switch (in->type) {
	case SMCR_LLC_CONFIRM_LINK:
		confirm_link_encode((void *)buf, &in->confirm_link);
		break;
	case SMCR_LLC_ADD_LINK:
		add_link_encode(buf, dialect, &in->add_link);
		break;
	case SMCR_LLC_ADD_LINK_CONT:
		add_cont_encode((void *)buf, &in->add_cont);
		break;
	case SMCR_LLC_DELETE_LINK:
		delete_link_encode((void *)buf, &in->delete_link);
		break;
	case SMCR_LLC_CONFIRM_RKEY:
		confirm_rkey_encode((void *)buf, &in->confirm_rkey);
		break;
	case SMCR_LLC_CONFIRM_RKEY_CONT:
		rkey_cont_encode((void *)buf, &in->rkey_cont);
		break;
	case SMCR_LLC_DELETE_RKEY:
		delete_rkey_encode((void *)buf, &in->delete_rkey);
		break;
	case SMCR_LLC_TEST_LINK:
		memcpy(test->data, in->test_link.data, sizeof(test->data));
		break;
	}
}

static bool rkey_echoed(const struct smcr_llc_confirm_rkey *a,
			const struct smcr_llc_confirm_rkey *b)
{
	unsigned int i;

	if (a->nr_others != b->nr_others || a->rkey != b->rkey ||
	    a->vaddr != b->vaddr)
		return false;
	for (i = 0; i < SMCR_LLC_CONFIRM_RKEY_OTHERS && i < a->nr_others; i++)
		if (a->other[i].link_num != b->other[i].link_num ||
		    a->other[i].rkey != b->other[i].rkey ||
		    a->other[i].vaddr != b->other[i].vaddr)
			return false;
	return true;
}

/**
 * smcr_llc_msg_answers() - does a reply belong to this request?
 * @reply: a decoded reply
 * @request: the unanswered request, of any type; type 0 if there is none
 *
 * A reply repeats the contents of the request (A.3.4 to A.3.8), so a reply with
 * other contents does not belong to it. The link number may be 0 in a refusal
 * of ADD LINK. Replies to CONFIRM LINK and to continuations have contents of
 * their own, which are not checked here.
 *
 * Return: true if the reply belongs to the request.
 */
bool smcr_llc_msg_answers(const struct smcr_llc_msg *reply,
			  const struct smcr_llc_msg *request)
{
	if (reply->type != request->type)
		return false;
	switch (reply->type) {
	case SMCR_LLC_ADD_LINK:
		return reply->add_link.link_num == request->add_link.link_num ||
		       (reply->add_link.reject && !reply->add_link.link_num);
	case SMCR_LLC_DELETE_LINK:
		return reply->delete_link.link_num ==
		       request->delete_link.link_num;
	case SMCR_LLC_CONFIRM_RKEY:
		return rkey_echoed(&reply->confirm_rkey,
				   &request->confirm_rkey);
	case SMCR_LLC_DELETE_RKEY:
		return reply->delete_rkey.count == request->delete_rkey.count &&
		       !memcmp(reply->delete_rkey.rkey,
			       request->delete_rkey.rkey,
			       sizeof(request->delete_rkey.rkey));
	case SMCR_LLC_TEST_LINK:
		return !memcmp(reply->test_link.data, request->test_link.data,
			       sizeof(request->test_link.data));
	default:
		return true;
	}
}

/**
 * smcr_llc_type_name() - return a message type's name for logs and traces
 * @type: any value
 *
 * Return: a name, never NULL.
 */
const char *smcr_llc_type_name(enum smcr_llc_type type)
{
	switch (type) {
	case SMCR_LLC_CONFIRM_LINK:
		return "CONFIRM LINK";
	case SMCR_LLC_ADD_LINK:
		return "ADD LINK";
	case SMCR_LLC_ADD_LINK_CONT:
		return "ADD LINK CONTINUATION";
	case SMCR_LLC_DELETE_LINK:
		return "DELETE LINK";
	case SMCR_LLC_CONFIRM_RKEY:
		return "CONFIRM RKEY";
	case SMCR_LLC_TEST_LINK:
		return "TEST LINK";
	case SMCR_LLC_CONFIRM_RKEY_CONT:
		return "CONFIRM RKEY CONTINUATION";
	case SMCR_LLC_DELETE_RKEY:
		return "DELETE RKEY";
	}
	return "unknown";
}

/**
 * smcr_llc_fault_name() - return a fault's name for logs and traces
 * @fault: any value
 *
 * Return: a name, never NULL.
 */
const char *smcr_llc_fault_name(enum smcr_llc_fault fault)
{
	static const char *const names[] = {
		[SMCR_LLC_OK]		= "ok",
		[SMCR_LLC_IGNORED]	= "ignored",
		[SMCR_LLC_BAD_LENGTH]	= "length",
		[SMCR_LLC_BAD_TYPE]	= "type",
		[SMCR_LLC_BAD_LINK_NUM]	= "link-number",
		[SMCR_LLC_BAD_QPN]	= "qpn",
		[SMCR_LLC_BAD_COUNT]	= "count",
		[SMCR_LLC_BAD_PADDING]	= "padding",
		[SMCR_LLC_DUPLICATE]	= "duplicate",
	};

	if ((unsigned int)fault >= SMCR_LLC_FAULT_MAX)
		return "unknown";
	return names[fault];
}
