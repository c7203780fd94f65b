# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# ESP for the connections to one port.

# Keys for a test: 16 and 32 bytes
IPSEC_ENC=0x000102030405060708090a0b0c0d0e0f
IPSEC_AUTH=$IPSEC_ENC${IPSEC_ENC#0x}

ipsec_state() {
	ip xfrm state add src "$1" dst "$2" proto esp spi "$3" mode transport \
		enc 'cbc(aes)' "$IPSEC_ENC" auth 'hmac(sha256)' "$IPSEC_AUTH"
}

# ipsec_policy SRC DST DIRECTION SELECTOR...
ipsec_policy() {
	ip xfrm policy add src "$1" dst "$2" proto tcp "${@:4}" dir "$3" \
		tmpl src "$1" dst "$2" proto esp mode transport
}

# ipsec_on CLIENT SERVER DIRECTION: protect $PORT; packets to the server go in
# DIRECTION (out on the client, in on the server)
ipsec_on() {
	local back=in

	[ "$3" = out ] || back=out
	ipsec_state "$1" "$2" 0x101 && ipsec_state "$2" "$1" 0x102 &&
		ipsec_policy "$1" "$2" "$3" dport "$PORT" &&
		ipsec_policy "$2" "$1" "$back" sport "$PORT"
}

ipsec_off() {
	ip xfrm policy flush && ip xfrm state flush
}
