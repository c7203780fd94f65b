#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# topology: pair
# fact: Options that only TCP can serve make a connection plain TCP
# kernel: turns fallback
# nics: 1
# shellcheck source-path=SCRIPTDIR source=lib/lib.sh
. "$(dirname "$0")/lib/lib.sh"

addresses smcr4
for pair in fastopen/Fastopen repair/Repair md5/Md5; do
	option=${pair%/*}
	together "$option.ready"
	save "$option"
	io_check "$option: streams of 1 byte to 16 MB" \
		smcr4 "$SERVER" sizes -O "$option"
	io_check "$option: end of the server" \
		smcr4 "$SERVER" quit -O "$option"
	by_tcp "$option" "${pair#*/}" 27
	no_conn_left
	together "$option.end"
done
finish
