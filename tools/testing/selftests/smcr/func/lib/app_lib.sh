# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# Run unmodified programs whose TCP sockets use RDMA. Source this after lib.sh.
# Where Linux's own SMC-R runs, the programs get AF_SMC sockets by a preloaded
# library, as smc_run does; elsewhere net.smcr.transparent is set.
# shellcheck disable=SC2154 # what lib.sh sets

app_env=()
[ "${BED_LINUX:-}" != 1 ] ||
	app_env=(env "LD_PRELOAD=$FUNC_DIR/preload/preload.so")

# app COMMAND...: run a program for 60 s at most
app() {
	timeout $((60 * PATIENCE)) "${app_env[@]}" "$@"
}

# app_begin NAME COMMAND...: start a server; return when it listens
app_begin() {
	"${app_env[@]}" "${@:2}" >"$tmp/$1.log" 2>&1 &
	app_pid=$!
	jobs_started+=("$app_pid")
	wait_until "$1 listens" listens "$PORT"
}

# app_ended NAME: wait until the server exits; show its log and return its
# status
app_ended() {
	local rc=0

	wait "$app_pid" 2>/dev/null || rc=$?
	sed 's/^/# /' "$tmp/$1.log"
	return $rc
}

# app_end NAME SIGNAL: end the server with SIGNAL, for which it exits in order. A
# server that has crashed has the status of another signal.
app_end() {
	local rc=0

	check "end of $1" kill "-$2" "$app_pid"
	app_ended "$1" || rc=$?
	check "$1 exits with a status of its own" test $rc -lt 128
}

# iperf3

iperf3_begin() {
	app_begin iperf3 iperf3 -s -B "$1" -p "$PORT"
}

# iperf3_run ADDRESS OPTIONS...: move 16 MB
iperf3_run() {
	app iperf3 -c "$1" -p "$PORT" -n 16M -J "${@:2}" >"$tmp/iperf3.json" ||
	{
		cat "$tmp/iperf3.json"
		return 1
	}
}

# iperf3_moved SUM: print the bytes that iperf3 has counted
iperf3_moved() {
	python3 - "$tmp/iperf3.json" "$1" <<-'END'
	import json, sys
	end = json.load(open(sys.argv[1]))["end"]
	print(int(end[sys.argv[2]]["bytes"]))
	END
}

# iperf3_both_ways ADDRESS: check runs in each direction
iperf3_both_ways() {
	check "iperf3 moves 16 MB up" iperf3_run "$1"
	# iperf3's server drops the bytes that are in flight when the client has
	# sent all.
	check "16 MB were sent" test "$(iperf3_moved sum_sent)" -ge 16777216
	check "iperf3 moves 16 MB down" iperf3_run "$1" -R
	check "16 MB were received" \
		test "$(iperf3_moved sum_received)" -ge 16777216
	check "iperf3 moves 16 MB up on 4 connections" iperf3_run "$1" -P 4
}

# redis

redis_begin() {
	app_begin redis-server redis-server --bind "$1" --port "$PORT" \
		--save '' --appendonly no --protected-mode no --dir "$tmp"
}

redis_bench() {
	app redis-benchmark -h "$1" -p "$PORT" -q "${@:2}"
}

redis_do() {
	app redis-cli -h "$1" -p "$PORT" "${@:2}"
}

redis_set_big() {
	redis_do "$1" -x set big <"$tmp/big" | grep -q OK
}

redis_big_is_right() {
	redis_do "$1" --raw get big | tr -d '\n' | cmp - "$tmp/big"
}

# redis_requests ADDRESS REQUESTS: check many requests and a large value
redis_requests() {
	check "20 clients, $2 requests of each kind" \
		redis_bench "$1" -n "$2" -c 20 -t set,get,incr,lpush
	check "4 clients, values of 16 KB, 16 requests at a time" \
		redis_bench "$1" -n 500 -c 4 -d 16384 -P 16 -t set,get
	head -c 3000000 /dev/urandom | base64 -w 0 >"$tmp/big"
	check "a value of 4 MB is set" redis_set_big "$1"
	check "it is read back" redis_big_is_right "$1"
}

# nginx and curl

# nginx_begin ADDRESS: serve a file of 16 MB, one of 10 KB and their digests
nginx_begin() {
	mkdir "$tmp/www" "$tmp/body"
	chmod -R a+rX "$tmp"
	head -c 16777216 /dev/urandom >"$tmp/www/big"
	head -c 10000 /dev/urandom >"$tmp/www/small"
	(cd "$tmp/www" && sha256sum big small >sums)
	cat >"$tmp/nginx.conf" <<-END
		user root;
		worker_processes 1;
		pid $tmp/nginx.pid;
		error_log $tmp/error.log;
		events { }
		http {
			access_log off;
			sendfile on;
			tcp_nopush on;
			client_body_temp_path $tmp/body;
			server {
				listen $1:$PORT;
				root $tmp/www;
			}
		}
	END
	app_begin nginx nginx -e "$tmp/error.log" -c "$tmp/nginx.conf" \
		-g "daemon off;"
}

# curl_get ADDRESS PATH OPTIONS...: fetch a file to $tmp/PATH
curl_get() {
	app curl -sSf -o "$tmp/$2" "${@:3}" "http://$1:$PORT/$2"
}

# curl_get_many ADDRESS: fetch the small file 40 times, 20 at a time, and compare
# the copies with the one whose digest agrees
curl_get_many() {
	local i urls=()

	for i in $(seq 40); do
		urls+=(-o "$tmp/small.$i" "http://$1:$PORT/small?$i")
	done
	app curl -f --no-progress-meter -Z --parallel-max 20 "${urls[@]}" ||
		return 1
	for i in $(seq 40); do
		cmp "$tmp/small" "$tmp/small.$i" || return 1
	done
}

# curl_range ADDRESS: fetch the second 1000000 bytes of the large file, of which
# there is a copy, and compare them
curl_range() {
	mv "$tmp/big" "$tmp/whole"
	curl_get "$1" big -r 1000000-1999999 &&
		tail -c +1000001 "$tmp/whole" | head -c 1000000 |
			cmp - "$tmp/big"
}

# curl_files ADDRESS: check the files that arrive
curl_files() {
	check "a file of 16 MB is fetched" curl_get "$1" big
	check "a file of 10 KB is fetched" curl_get "$1" small
	check "their digests are fetched" curl_get "$1" sums
	check "the digests agree" sh -c "cd $tmp && sha256sum -c --quiet sums"
	check "a range of the large file has the right bytes" curl_range "$1"
	check "40 files of 10 KB are fetched, 20 at a time" curl_get_many "$1"
}
