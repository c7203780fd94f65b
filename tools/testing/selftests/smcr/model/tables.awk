# SPDX-License-Identifier: GPL-2.0
# Turn the verdict tables of llc_flow.c into Promela: the kinds of messages as
# mtype, the columns as numbers, and a macro for each role, which looks up the
# verdict on a kind in a column. A verdict takes three bits of a row's number.

BEGIN {
	n = split("PROC NEGA QUEU DROP SYNC TERM IFRK", names, " ")
	for (i = 1; i <= n; i++) {
		verdict[names[i]] = i - 1
		print "#define " names[i] "\t" i - 1
	}
}

/^enum (kind|column) \{/ { list = $2; next }
/^\};/ { list = table = "" }
list != "" && /^\t[A-Z_]+,/ && !/NR_/ {
	gsub(/[\t,]/, "")
	if (list == "kind")
		kinds = kinds (kinds == "" ? "" : ", ") $0
	else
		print "#define " $0 "\t" columns++
}

/^static const u8 at_(server|client)/ {
	table = toupper(substr($4, 1, 9))
	rows = 0
}
table != "" && /^\t\[[A-Z_]+\] *= *\{/ {
	kind = $1
	gsub(/[\[\]]/, "", kind)
	sub(/.*\{ */, "")
	sub(/ *\}.*/, "")
	if (split($0, cells, /, */) != columns)
		exit wrong = 1
	value = 0
	for (i = columns; i > 0; i--) {
		if (!(cells[i] in verdict))
			exit wrong = 1
		value = value * 8 + verdict[cells[i]]
	}
	text[table] = text[table] "(k) == " kind " -> " value " : ("
	close_[table] = close_[table] ")"
	count++
}

END {
	if (wrong || count != 2 * split(kinds, k, ", ") || columns > 10) {
		print "llc_flow.c does not look as expected" >"/dev/stderr"
		exit 1
	}
	print "mtype = { " kinds " };"
	for (table in text)
		print "#define " table "(k, c)\t(((" text[table] "0" \
			close_[table] ") >> (3 * (c))) & 7)"
}
