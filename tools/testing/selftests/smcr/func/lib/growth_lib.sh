# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# What a connection costs, by slope. To be sourced after lib.sh, from which
# tmp comes.
# shellcheck disable=SC2034,SC2154

few=16
many=512
[ "${SMCR_SOAK:-0}" != 1 ] || many=4096
ELEM=16384

meminfo() {
	awk -v name="$1:" '$1 == name { print $2 * 1024 }' /proc/meminfo
}

# memory NAME: what is there now
memory() {
	local what

	sync
	echo 3 >/proc/sys/vm/drop_caches
	for what in MemAvailable Slab VmallocUsed; do
		meminfo $what >"$tmp/$what.$1"
	done
	save "$1"
}

grown() {
	echo $(($(cat "$tmp/$1.many") - $(cat "$tmp/$1.few")))
}

# slopes: from few to many. Without the RMB that is there in advance (75 %),
# of 2 MB at the most, a connection costs its element and little else.
slopes() {
	local n=$((many - few)) bytes rmb=$((2 << 20)) mrs

	bytes=$(($(grown Slab) + $(grown VmallocUsed)))
	echo "# bytes a connection: slab $(($(grown Slab) / n))," \
		"vmalloc (RMBs) $(($(grown VmallocUsed) / n))," \
		"MemAvailable $((-$(grown MemAvailable) / n))"
	check "a connection costs $(((bytes - rmb) / n)) bytes (24576 at most)" \
		test $((bytes - rmb)) -le $((24576 * n))
	mrs=$(delta few MrRegistrations)
	echo "# memory regions a connection: $mrs / $n"
	check "one memory region for 100 connections or more" \
		test "$mrs" -le $((n / 100 + 1))
	grew few Links -eq 0
	grew few LinkGroups -eq 0
	grew few ConfirmRkeySent -eq "$mrs"
	grew few TxChunkAllocs -le 64
}
