// SPDX-License-Identifier: GPL-2.0
/*
 * Tables of objects and columns, and the decoding of single attributes.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include <linux/smcr.h>
#include <rdma/rdma_netlink.h>

#include "genl_names.h"
#include "schema.h"

#define NAME(value, name)	[value] = name,
#define BIT_NAME(bit, name)	[__builtin_ctz(bit)] = name,

static const char *const role_names[] = {
	SMCR_LINKGROUP_ROLE_NAMES(NAME) NULL
};

static const char *const linkgroup_state_names[] = {
	SMCR_LINKGROUP_STATE_NAMES(NAME) NULL
};

static const char *const linkgroup_reason_names[] = {
	SMCR_LINKGROUP_REASON_NAMES(NAME) NULL
};

static const char *const link_state_names[] = {
	SMCR_LINK_STATE_NAMES(NAME) NULL
};

static const char *const link_reason_names[] = {
	SMCR_LINK_REASON_NAMES(NAME) NULL
};

static const char *const dialect_names[] = {
	SMCR_DIALECT_NAMES(NAME) NULL
};

static const char *const port_state_names[] = {
	SMCR_PORT_STATE_NAMES(NAME) NULL
};

static const char *const conn_state_names[] = {
	SMCR_CONN_STATE_NAMES(NAME) NULL
};

static const char *const reset_names[] = {
	SMCR_RESET_REASON_NAMES(NAME) NULL
};

static const char *const negative_kind_names[] = {
	SMCR_NEGATIVE_KIND_NAMES(NAME) NULL
};

static const char *const negative_state_names[] = {
	SMCR_NEGATIVE_STATE_NAMES(NAME) NULL
};

static const char *const device_change_names[] = {
	SMCR_DEVICE_CHANGE_NAMES(NAME) NULL
};

static const char *const fallback_names[] = {
	SMCR_FALLBACK_REASON_NAMES(NAME) NULL
};

const char *const monitor_names[] = {
	SMCR_MONITOR_NAMES(NAME) NULL
};

static const char *const gid_type_names[] = {
	SMCR_GID_TYPE_NAMES(BIT_NAME) NULL
};

static const struct column device_columns[] = {
	{ "device", SMCR_A_DEVICE_DEVICE, COL_STRING, COL_WITH_PORT, NULL },
	{ "port", SMCR_A_DEVICE_PORT, COL_U32, 0, NULL },
	{ "state", SMCR_A_DEVICE_STATE, COL_ENUM, 0, port_state_names },
	{ "ifindex", SMCR_A_DEVICE_IFINDEX, COL_U32, 0, NULL },
	{ "mtu", SMCR_A_DEVICE_MTU, COL_U32, 0, NULL },
	{ "gid-index", SMCR_A_DEVICE_GID_INDEX, COL_U32, COL_DETAIL, NULL },
	{ "gid", SMCR_A_DEVICE_GID, COL_GID, 0, NULL },
	{ "mac", SMCR_A_DEVICE_MAC, COL_MAC, COL_DETAIL, NULL },
	{ "gid-types", SMCR_A_DEVICE_GID_TYPES, COL_FLAGS, 0, gid_type_names },
	{ "change", SMCR_A_DEVICE_CHANGE, COL_ENUM, 0, device_change_names },
	{ NULL, 0, 0, 0, NULL }
};

static const struct column linkgroup_columns[] = {
	{ "linkgroup", SMCR_A_LINKGROUP_LINKGROUP, COL_U32, 0, NULL },
	{ "role", SMCR_A_LINKGROUP_ROLE, COL_ENUM, 0, role_names },
	{ "state", SMCR_A_LINKGROUP_STATE, COL_ENUM, 0,
	  linkgroup_state_names },
	{ "dialect", SMCR_A_LINKGROUP_DIALECT, COL_ENUM, COL_DETAIL,
	  dialect_names },
	{ "links", SMCR_A_LINKGROUP_LINKS, COL_U32, 0, NULL },
	{ "max-links", SMCR_A_LINKGROUP_MAX_LINKS, COL_U32, COL_DETAIL, NULL },
	{ "conns", SMCR_A_LINKGROUP_CONNS, COL_U32, 0, NULL },
	{ "rmbs", SMCR_A_LINKGROUP_RMBS, COL_U32, 0, NULL },
	{ "rmb-bytes", SMCR_A_LINKGROUP_RMB_BYTES, COL_UINT, 0, NULL },
	{ "peer-id", SMCR_A_LINKGROUP_PEER_ID, COL_HEX, 0, NULL },
	{ "reason", SMCR_A_LINKGROUP_REASON, COL_ENUM, 0,
	  linkgroup_reason_names },
	{ "age-ms", SMCR_A_LINKGROUP_AGE_MS, COL_UINT, 0, NULL },
	{ "last-link", SMCR_A_LINKGROUP_LAST_LINK, COL_U32, 0, NULL },
	{ "last-link-reason", SMCR_A_LINKGROUP_LAST_LINK_REASON, COL_ENUM, 0,
	  link_reason_names },
	{ "last-link-age-ms", SMCR_A_LINKGROUP_LAST_LINK_AGE_MS, COL_UINT, 0,
	  NULL },
	{ NULL, 0, 0, 0, NULL }
};

static const struct column link_columns[] = {
	{ "linkgroup", SMCR_A_LINK_LINKGROUP, COL_U32, 0, NULL },
	{ "link", SMCR_A_LINK_LINK, COL_U32, 0, NULL },
	{ "state", SMCR_A_LINK_STATE, COL_ENUM, 0, link_state_names },
	{ "device", SMCR_A_LINK_DEVICE, COL_STRING, COL_WITH_PORT, NULL },
	{ "port", SMCR_A_LINK_PORT, COL_U32, 0, NULL },
	{ "ifindex", SMCR_A_LINK_IFINDEX, COL_U32, 0, NULL },
	{ "mtu", SMCR_A_LINK_MTU, COL_U32, COL_DETAIL, NULL },
	{ "uid", SMCR_A_LINK_UID, COL_U32, COL_DETAIL, NULL },
	{ "peer-uid", SMCR_A_LINK_PEER_UID, COL_U32, COL_DETAIL, NULL },
	{ "qpn", SMCR_A_LINK_QPN, COL_U32, COL_DETAIL | COL_NO_REPORT, NULL },
	{ "peer-qpn", SMCR_A_LINK_PEER_QPN, COL_U32,
	  COL_DETAIL | COL_NO_REPORT, NULL },
	{ "gid", SMCR_A_LINK_GID, COL_GID, 0, NULL },
	{ "peer-gid", SMCR_A_LINK_PEER_GID, COL_GID, 0, NULL },
	{ "mac", SMCR_A_LINK_MAC, COL_MAC, COL_DETAIL, NULL },
	{ "peer-mac", SMCR_A_LINK_PEER_MAC, COL_MAC, COL_DETAIL, NULL },
	{ "reason", SMCR_A_LINK_REASON, COL_ENUM, 0, link_reason_names },
	{ "age-ms", SMCR_A_LINK_AGE_MS, COL_UINT, 0, NULL },
	{ NULL, 0, 0, 0, NULL }
};

static const struct column conn_columns[] = {
	{ "conn", SMCR_A_CONN_CONN, COL_U32, 0, NULL },
	{ "linkgroup", SMCR_A_CONN_LINKGROUP, COL_U32, 0, NULL },
	{ "link", SMCR_A_CONN_LINK, COL_U32, 0, NULL },
	{ "state", SMCR_A_CONN_STATE, COL_ENUM, 0, conn_state_names },
	{ "local", SMCR_A_CONN_LOCAL, COL_ADDR, COL_WITH_PORT, NULL },
	{ "local-port", SMCR_A_CONN_LOCAL_PORT, COL_U32, 0, NULL },
	{ "peer", SMCR_A_CONN_PEER, COL_ADDR, COL_WITH_PORT, NULL },
	{ "peer-port", SMCR_A_CONN_PEER_PORT, COL_U32, 0, NULL },
	{ "inode", SMCR_A_CONN_INODE, COL_UINT, COL_DETAIL | COL_NO_REPORT,
	  NULL },
	{ "uid", SMCR_A_CONN_UID, COL_U32, COL_DETAIL | COL_NO_REPORT, NULL },
	{ "rx-size", SMCR_A_CONN_RX_SIZE, COL_U32, COL_DETAIL, NULL },
	{ "rx-queued", SMCR_A_CONN_RX_QUEUED, COL_UINT, 0, NULL },
	{ "rx-bytes", SMCR_A_CONN_RX_BYTES, COL_UINT, 0, NULL },
	{ "tx-size", SMCR_A_CONN_TX_SIZE, COL_U32, COL_DETAIL, NULL },
	{ "tx-queued", SMCR_A_CONN_TX_QUEUED, COL_UINT, 0, NULL },
	{ "tx-unread", SMCR_A_CONN_TX_UNREAD, COL_UINT, COL_DETAIL, NULL },
	{ "tx-bytes", SMCR_A_CONN_TX_BYTES, COL_UINT, 0, NULL },
	{ "reset-reason", SMCR_A_CONN_RESET_REASON, COL_ENUM, COL_DETAIL,
	  reset_names },
	{ NULL, 0, 0, 0, NULL }
};

static const struct column negative_columns[] = {
	{ "kind", SMCR_A_NEGATIVE_KIND, COL_ENUM, 0, negative_kind_names },
	{ "peer", SMCR_A_NEGATIVE_PEER, COL_ADDR, COL_WITH_PORT, NULL },
	{ "peer-port", SMCR_A_NEGATIVE_PEER_PORT, COL_U32, 0, NULL },
	{ "state", SMCR_A_NEGATIVE_STATE, COL_ENUM, 0, negative_state_names },
	{ "failures", SMCR_A_NEGATIVE_FAILURES, COL_U32, 0, NULL },
	{ "remaining-ms", SMCR_A_NEGATIVE_REMAINING_MS, COL_UINT, 0, NULL },
	{ "mtu", SMCR_A_NEGATIVE_MTU, COL_U32, 0, NULL },
	{ "peer-id", SMCR_A_NEGATIVE_PEER_ID, COL_HEX, COL_DETAIL, NULL },
	{ "gid", SMCR_A_NEGATIVE_GID, COL_GID, COL_DETAIL, NULL },
	{ "peer-gid", SMCR_A_NEGATIVE_PEER_GID, COL_GID, COL_DETAIL, NULL },
	{ NULL, 0, 0, 0, NULL }
};

static const struct column pnet_columns[] = {
	{ "name", SMCR_A_PNET_NAME, COL_STRING, 0, NULL },
	{ "netdev", SMCR_A_PNET_NETDEV, COL_STRING, 0, NULL },
	{ "device", SMCR_A_PNET_DEVICE, COL_STRING, COL_WITH_PORT, NULL },
	{ "port", SMCR_A_PNET_PORT, COL_U32, 0, NULL },
	{ NULL, 0, 0, 0, NULL }
};

static const struct column stats_columns[] = {
	{ "name", SMCR_A_STATS_NAME, COL_STRING, 0, NULL },
	{ "value", SMCR_A_STATS_VALUE, COL_UINT, 0, NULL },
	{ NULL, 0, 0, 0, NULL }
};

const struct object objects[] = {
	{ "device", "Devices", "RoCE ports that SMC-R may use",
	  SMCR_CMD_DEVICE_GET, 0, 0, false, device_columns },
	{ "linkgroup", "Link groups", "links and memory that two hosts share",
	  SMCR_CMD_LINKGROUP_GET, 0, 0, false, linkgroup_columns },
	{ "link", "Links", "queue pairs of the link groups",
	  SMCR_CMD_LINK_GET, SMCR_A_LINK_LINKGROUP, 1, false, link_columns },
	{ "conn", "Connections", "connections that use RDMA",
	  SMCR_CMD_CONN_GET, SMCR_A_CONN_LINKGROUP, 0, false, conn_columns },
	{ "negative", "Negative list", "peers without SMC-R for a while",
	  SMCR_CMD_NEGATIVE_GET, 0, 0, false, negative_columns },
	{ "pnet", "PNET table", "netdevs and ports that are tied together",
	  SMCR_CMD_PNET_GET, 0, 0, false, pnet_columns },
	{ "stats", "Counters", "counters; those that are zero with -d",
	  SMCR_CMD_STATS_GET, 0, 0, true, stats_columns },
};

const size_t n_objects = ARRAY_SIZE(objects);

static const struct column fallback_columns[] = {
	{ "reason", SMCR_A_FALLBACK_REASON, COL_ENUM, 0, fallback_names },
	{ "diagnosis", SMCR_A_FALLBACK_DIAGNOSIS, COL_DIAG, 0, NULL },
	{ "local", SMCR_A_FALLBACK_LOCAL, COL_ADDR, COL_WITH_PORT, NULL },
	{ "local-port", SMCR_A_FALLBACK_LOCAL_PORT, COL_U32, 0, NULL },
	{ "peer", SMCR_A_FALLBACK_PEER, COL_ADDR, COL_WITH_PORT, NULL },
	{ "peer-port", SMCR_A_FALLBACK_PEER_PORT, COL_U32, 0, NULL },
	{ NULL, 0, 0, 0, NULL }
};

static const struct column dropped_columns[] = {
	{ "monitor", SMCR_A_DROPPED_MONITOR, COL_ENUM, 0, monitor_names },
	{ "count", SMCR_A_DROPPED_COUNT, COL_U32, 0, NULL },
	{ NULL, 0, 0, 0, NULL }
};

const struct object events[] = {
	{ "device", NULL, NULL, SMCR_CMD_DEVICE_NTF, 0, 0, false,
	  device_columns },
	{ "linkgroup", NULL, NULL, SMCR_CMD_LINKGROUP_NTF, 0, 0, false,
	  linkgroup_columns },
	{ "link", NULL, NULL, SMCR_CMD_LINK_NTF, 0, 0, false, link_columns },
	{ "fallback", NULL, NULL, SMCR_CMD_FALLBACK_NTF, 0, 0, false,
	  fallback_columns },
	{ "dropped", NULL, NULL, SMCR_CMD_DROPPED_NTF, 0, 0, false,
	  dropped_columns },
};

const size_t n_events = ARRAY_SIZE(events);

const struct command commands[] = {
	{ "conn", "abort", "reset a connection", SMCR_CMD_CONN_ABORT, "CONN" },
	{ "linkgroup", "terminate", "end a group and its connections",
	  SMCR_CMD_LINKGROUP_DEL, "LINKGROUP" },
	{ "link", "del", "delete a link, a drill for its loss",
	  SMCR_CMD_LINK_DEL, "LINK [linkgroup LINKGROUP]" },
	{ "pnet", "add", "have a netdev use ports of the same NAME",
	  SMCR_CMD_PNET_ADD, "NAME {netdev NETDEV | device DEV/PORT}" },
	{ "pnet", "del", "delete an entry, or all of a NAME",
	  SMCR_CMD_PNET_DEL, "NAME [netdev NETDEV | device DEV/PORT]" },
	{ "pnet", "flush", "delete all entries", SMCR_CMD_PNET_DEL, "" },
};

const size_t n_commands = ARRAY_SIZE(commands);

/* enum ib_port_state */
static const char *const rdma_state_names[] = {
	"none", "down", "init", "armed", "active", "active-defer", NULL
};

/* enum ib_port_phys_state */
static const char *const rdma_physical_names[] = {
	"none", "sleep", "polling", "disabled", "training", "link-up",
	"error-recovery", "test", NULL
};

/* Requests for the ports of a device need its index. */
static const struct column rdma_device_columns[] = {
	{ "index", RDMA_NLDEV_ATTR_DEV_INDEX, COL_U32, COL_NO_REPORT, NULL },
	{ "rdma-device", RDMA_NLDEV_ATTR_DEV_NAME, COL_STRING, 0, NULL },
	{ "ports", RDMA_NLDEV_ATTR_PORT_INDEX, COL_U32, 0, NULL },
	{ "protocol", RDMA_NLDEV_ATTR_DEV_PROTOCOL, COL_STRING, 0, NULL },
	{ "firmware", RDMA_NLDEV_ATTR_FW_VERSION, COL_STRING, 0, NULL },
	{ NULL, 0, 0, 0, NULL }
};

static const struct column rdma_port_columns[] = {
	{ "rdma-port", RDMA_NLDEV_ATTR_DEV_NAME, COL_STRING, COL_WITH_PORT,
	  NULL },
	{ "port", RDMA_NLDEV_ATTR_PORT_INDEX, COL_U32, 0, NULL },
	{ "state", RDMA_NLDEV_ATTR_PORT_STATE, COL_ENUM, 0, rdma_state_names },
	{ "physical-state", RDMA_NLDEV_ATTR_PORT_PHYS_STATE, COL_ENUM, 0,
	  rdma_physical_names },
	{ "ifindex", RDMA_NLDEV_ATTR_NDEV_INDEX, COL_U32, 0, NULL },
	{ "netdev", RDMA_NLDEV_ATTR_NDEV_NAME, COL_STRING, 0, NULL },
	{ NULL, 0, 0, 0, NULL }
};

const struct object rdma_device = {
	"rdma-device", "RDMA devices", "devices of the RDMA core",
	RDMA_NLDEV_CMD_GET, 0, 1, false, rdma_device_columns
};

const struct object rdma_port = {
	"rdma-port", "RDMA ports", "ports of the RDMA core",
	RDMA_NLDEV_CMD_PORT_GET, RDMA_NLDEV_ATTR_DEV_INDEX, 0, false,
	rdma_port_columns
};

/**
 * object_find() - find an object by its name or a unique prefix of it
 * @name: name or prefix, from the command line
 * @ambiguous: set if @name is a prefix of several names
 *
 * Return: the object, or NULL.
 */
const struct object *object_find(const char *name, bool *ambiguous)
{
	const struct object *found = NULL;
	size_t i, len = strlen(name);

	*ambiguous = false;
	for (i = 0; i < n_objects; i++) {
		if (!strcmp(objects[i].name, name))
			return &objects[i];
		if (!len || strncmp(objects[i].name, name, len))
			continue;
		*ambiguous |= !!found;
		found = &objects[i];
	}
	return *ambiguous ? NULL : found;
}

/**
 * command_find() - find a command of an object
 * @obj: the object
 * @name: whole name of the command
 *
 * Return: the command, or NULL.
 */
const struct command *command_find(const struct object *obj, const char *name)
{
	size_t i;

	for (i = 0; i < n_commands; i++)
		if (!strcmp(commands[i].object, obj->name) &&
		    !strcmp(commands[i].name, name))
			return &commands[i];
	return NULL;
}

/**
 * column_find() - find a column by its key
 * @obj: the object
 * @key: the whole key
 *
 * Return: index of the column, or -1.
 */
int column_find(const struct object *obj, const char *key)
{
	int i;

	for (i = 0; obj->columns[i].key; i++)
		if (!strcmp(obj->columns[i].key, key))
			return i;
	return -1;
}

/**
 * column_is_number() - test whether a column is a number without names
 * @col: the column
 *
 * JSON has such a column without quotes.
 */
bool column_is_number(const struct column *col)
{
	return col->type == COL_U32 || col->type == COL_UINT;
}

static int decode_number(const void *data, size_t len, uint64_t *num)
{
	uint32_t val32;

	if (len == sizeof(*num)) {
		memcpy(num, data, len);
		return 0;
	}
	if (len == 1) {
		*num = *(const uint8_t *)data;
		return 0;
	}
	if (len != sizeof(val32))
		return -EINVAL;
	memcpy(&val32, data, len);
	*num = val32;
	return 0;
}

static void name_number(const struct column *col, struct value *out)
{
	uint64_t i = 0;

	if (col->names)
		while (i < out->num && col->names[i])
			i++;
	if (col->names && col->names[i])
		snprintf(out->text, sizeof(out->text), "%s", col->names[i]);
	else
		snprintf(out->text, sizeof(out->text), "%" PRIu64, out->num);
}

/* Format flags as "v2,v1". Bits without a name, which a newer kernel may set,
 * follow as one number.
 */
static void name_flags(const struct column *col, struct value *out)
{
	uint64_t rest = out->num;
	size_t pos = 0;
	int i;

	for (i = 0; col->names[i]; i++) {
		if (!(rest & 1ULL << i))
			continue;
		rest &= ~(1ULL << i);
		pos += snprintf(out->text + pos, sizeof(out->text) - pos,
				"%s%s", pos ? "," : "", col->names[i]);
	}
	if (rest || !pos)
		snprintf(out->text + pos, sizeof(out->text) - pos,
			 "%s%#" PRIx64, pos ? "," : "", rest);
}

/* Diagnoses of a Decline. RFC 7609 leaves them to the implementation; these are
 * Linux's. Those whose last byte is 0x80 or more are smcr's own.
 */
static const struct {
	uint32_t	num;
	const char	*name;
} diagnoses[] = {
	{ 0x00000000, "none" },
	{ 0x01010000, "memory" },
	{ 0x01010080, "limit" },
	{ 0x02010000, "confirm-link-timeout" },
	{ 0x02020000, "add-link-timeout" },
	{ 0x03000000, "configuration" },
	{ 0x03000080, "policy" },
	{ 0x03000081, "same-host" },
	{ 0x03010000, "no-option" },
	{ 0x03020000, "ipsec" },
	{ 0x03020080, "tcp-auth" },
	{ 0x03020081, "vrf" },
	{ 0x03030000, "no-device" },
	{ 0x03030001, "no-smcd-device" },
	{ 0x03030002, "no-smcr-device" },
	{ 0x03030080, "no-gid" },
	{ 0x03030081, "gid-kind" },
	{ 0x03040000, "mode" },
	{ 0x03050000, "eye-catcher" },
	{ 0x03060000, "socket-option" },
	{ 0x03070000, "subnet" },
	{ 0x03080000, "vlan" },
	{ 0x03090000, "vlan" },
	{ 0x030a0000, "no-active-link" },
	{ 0x030b0000, "unknown-link" },
	{ 0x030c0000, "version" },
	{ 0x030c0080, "bad-value" },
	{ 0x030c0081, "bad-identity" },
	{ 0x04000000, "out-of-sync" },
	{ 0x05000000, "peer-declined" },
	{ 0x09990000, "internal" },
	{ 0x09990001, "rtoken" },
	{ 0x09990002, "link-setup" },
	{ 0x09990003, "registration" },
};

static void name_diagnosis(struct value *out)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(diagnoses); i++) {
		if (diagnoses[i].num == out->num) {
			snprintf(out->text, sizeof(out->text), "%s",
				 diagnoses[i].name);
			return;
		}
	}
	snprintf(out->text, sizeof(out->text), "0x%08" PRIx64, out->num);
}

static int decode_string(const char *data, size_t len, struct value *out)
{
	size_t n = strnlen(data, len);

	if (n >= sizeof(out->text))
		return -EINVAL;
	memcpy(out->text, data, n);
	out->text[n] = '\0';
	return 0;
}

static int decode_bytes(const uint8_t *data, size_t len, const char *sep,
			struct value *out)
{
	size_t i, pos = 0;

	out->text[0] = '\0';
	if (len * 3 >= sizeof(out->text))
		return -EINVAL;
	for (i = 0; i < len; i++)
		pos += snprintf(out->text + pos, sizeof(out->text) - pos,
				"%s%02x", i ? sep : "", data[i]);
	return 0;
}

/* Prefix of an IPv4-mapped IPv6 address */
static const uint8_t v4_mapped[12] = { [10] = 0xff, [11] = 0xff };

static int decode_addr(const struct column *col, const void *data, size_t len,
		       struct value *out)
{
	int family = len == 16 ? AF_INET6 : AF_INET;

	if (len != 4 && len != 16)
		return -EINVAL;
	/* A GID keeps the form of an IPv6 address. */
	if (col->type == COL_ADDR && len == 16 &&
	    !memcmp(data, v4_mapped, sizeof(v4_mapped))) {
		data = (const uint8_t *)data + sizeof(v4_mapped);
		family = AF_INET;
	}
	if (!inet_ntop(family, data, out->text, sizeof(out->text)))
		return -EINVAL;
	return 0;
}

/**
 * value_decode() - decode one attribute to a number and text
 * @col: column of the attribute
 * @data: payload, at any alignment
 * @len: bytes of @data
 * @out: result; @out->set is true on success only
 *
 * Return: 0, or -EINVAL if the payload is malformed.
 */
int value_decode(const struct column *col, const void *data, size_t len,
		 struct value *out)
{
	int err = -EINVAL;

	memset(out, 0, sizeof(*out));
	switch (col->type) {
	case COL_STRING:
		err = decode_string(data, len, out);
		break;
	case COL_U32:
	case COL_ENUM:
	case COL_UINT:
		err = decode_number(data, len, &out->num);
		name_number(col, out);
		break;
	case COL_FLAGS:
		err = decode_number(data, len, &out->num);
		name_flags(col, out);
		break;
	case COL_DIAG:
		err = decode_number(data, len, &out->num);
		name_diagnosis(out);
		break;
	case COL_GID:
	case COL_ADDR:
		err = decode_addr(col, data, len, out);
		break;
	case COL_MAC:
		err = decode_bytes(data, len, ":", out);
		break;
	case COL_HEX:
		err = decode_bytes(data, len, "", out);
		break;
	}
	out->set = !err;
	return err;
}

/**
 * value_with_port() - format a device or an address with its port
 * @col: column of COL_WITH_PORT
 * @val: value of the column, followed by that of the port
 * @out: result: "rxe0/1", "10.0.0.1:80" or "[fd09::1]:80"
 * @len: size of @out; VALUE_PORT_LEN is always enough
 */
void value_with_port(const struct column *col, const struct value *val,
		     char *out, size_t len)
{
	const char *fmt = "%s:%s";

	if (col->type == COL_STRING)
		fmt = "%s/%s";
	else if (strchr(val[0].text, ':'))
		fmt = "[%s]:%s";
	snprintf(out, len, fmt, val[0].text, val[1].text);
}

/**
 * value_matches() - test whether a row meets a filter
 * @obj: object that the row belongs to
 * @row: values of the row
 * @col: column of the filter
 * @wanted: value of the filter
 *
 * The name of a counter matches if it begins with @wanted, in either case.
 *
 * Return: true if the text of the column, with or without its port, is
 * @wanted.
 */
bool value_matches(const struct object *obj, const struct value *row,
		   unsigned int col, const char *wanted)
{
	const struct column *c = &obj->columns[col];
	const struct value *val = &row[col];
	char both[VALUE_PORT_LEN];

	if (!val->set)
		return false;
	if (obj->counters && c->type == COL_STRING)
		return !strncasecmp(val->text, wanted, strlen(wanted));
	if (!strcmp(val->text, wanted))
		return true;
	if (!(c->flags & COL_WITH_PORT) || !val[1].set)
		return false;
	value_with_port(c, val, both, sizeof(both));
	return !strcmp(both, wanted);
}
