// SPDX-License-Identifier: GPL-2.0

// go_echo is a server and a client as programs in Go have them. They know
// nothing of smcr, and of MPTCP only what GODEBUG says.
//
//	go_echo serve ADDRESS           echo each connection, until killed
//	go_echo ask ADDRESS COUNT BYTES connect COUNT times at once, send BYTES
//	                                on each and compare what comes back
//
// The exit status is 9 if a byte is wrong or missing.
package main

import (
	"bytes"
	"fmt"
	"io"
	"math/rand"
	"net"
	"os"
	"strconv"
)

const wrongBytes = 9

func die(status int, what ...any) {
	fmt.Fprintln(os.Stderr, what...)
	os.Exit(status)
}

func echo(conn net.Conn) {
	if _, err := io.Copy(conn, conn); err != nil {
		die(1, "echo:", err)
	}
	conn.Close()
}

func serve(address string) {
	listener, err := net.Listen("tcp", address)
	if err != nil {
		die(1, err)
	}
	fmt.Println("serving")
	for {
		conn, err := listener.Accept()
		if err != nil {
			die(1, err)
		}
		go echo(conn)
	}
}

// send ends the stream after the last byte, so the echo ends there, too.
func send(conn net.Conn, data []byte, failed chan<- error) {
	_, err := conn.Write(data)
	if err == nil {
		err = conn.(*net.TCPConn).CloseWrite()
	}
	failed <- err
}

func ask(address string, data []byte, result chan<- error) {
	conn, err := net.Dial("tcp", address)
	if err != nil {
		result <- err
		return
	}
	defer conn.Close()
	failed := make(chan error, 1)
	go send(conn, data, failed)
	got, err := io.ReadAll(conn)
	if err == nil {
		err = <-failed
	}
	if err == nil && !bytes.Equal(got, data) {
		die(wrongBytes, len(got), "bytes came back for", len(data))
	}
	result <- err
}

func askMany(address string, count int, size int) {
	results := make(chan error)
	for i := 0; i < count; i++ {
		data := make([]byte, size)
		rand.New(rand.NewSource(int64(i))).Read(data)
		go ask(address, data, results)
	}
	for i := 0; i < count; i++ {
		if err := <-results; err != nil {
			die(1, err)
		}
	}
}

func number(word string) int {
	n, err := strconv.Atoi(word)
	if err != nil {
		die(2, err)
	}
	return n
}

func main() {
	switch {
	case len(os.Args) == 3 && os.Args[1] == "serve":
		serve(os.Args[2])
	case len(os.Args) == 5 && os.Args[1] == "ask":
		askMany(os.Args[2], number(os.Args[3]), number(os.Args[4]))
	default:
		die(2, "usage: go_echo serve ADDRESS | ask ADDRESS COUNT BYTES")
	}
}
