#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Server side of fallback_asked.sh.
# shellcheck source-path=SCRIPTDIR source=lib/lib.sh
. "$(dirname "$0")/lib/lib.sh"

addresses smcr4
for option in fastopen repair md5; do
	save "$option"
	if [ "$option" = md5 ]; then
		serve smcr4 "$SERVER" -O md5 -P "$CLIENT"
		wanted=Md5
	else
		serve smcr4 "$SERVER"
		wanted=NoOption
	fi
	together "$option.ready"
	served
	by_tcp "$option" "$wanted" 27
	no_conn_left
	together "$option.end"
done
finish
