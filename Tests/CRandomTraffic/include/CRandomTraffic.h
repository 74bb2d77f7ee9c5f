// SPDX-License-Identifier: Apache-2.0
// Sockets and tunnel devices of many network namespaces, for one thread.
#ifndef CRANDOMTRAFFIC_H
#define CRANDOMTRAFFIC_H

#include <stdint.h>

// Opens the network namespace of a thread of this process; -1 with errno.
int traffic_open_namespace(int thread);

// Moves the calling thread to an open network namespace; 0, or an error number.
int traffic_enter(int name_space);

// Makes reads and writes of a descriptor return at once.
void traffic_unblock(int descriptor);

// An address and a port; IPv4 is mapped into IPv6.
struct traffic_address {
    unsigned char octets[16];
    uint16_t port;
};

// Starts to connect a TCP socket; -1 with errno. Sockets are created in the calling thread's network namespace.
int traffic_connect(struct traffic_address peer);

// Opens a listening TCP socket; an address of zeros stands for all of both families. -1 with errno.
int traffic_listen(struct traffic_address address, int backlog);

// Accepts a connection, and sets the address of its other end; -1 with errno.
int traffic_accept(int listener, struct traffic_address *peer);

// Shrinks the buffer for received bytes, before the window is announced.
void traffic_limit_window(int socket, int bytes);

// Sends keep-alive probes after this many idle seconds, and as often.
void traffic_keep_alive(int socket, int seconds);

// Closes a connection with RST.
void traffic_abort(int socket);

// Opens a socket that destroys connections of the calling thread's network namespace; -1 with errno.
int traffic_open_destroyer(void);

// Removes what is left of a connection that was closed; does not wait.
void traffic_destroy(int destroyer, struct traffic_address local, struct traffic_address peer);

// Returns the local port of a socket, or 0.
uint16_t traffic_port(int socket);

// Closes a descriptor.
void traffic_close(int descriptor);

// Ends one direction: what the socket sends.
void traffic_finish(int socket);

// Whether a connecting socket is connected.
int traffic_is_connected(int socket);

// Returns a connection's retransmission timeout in milliseconds before doubling; 0 if it can't be read.
int traffic_timeout(int socket);

// Whether a connection retransmitted at least two segments, and one of a hundred.
/// How many segments with data a connection sent, and how many were lost.
struct traffic_losses {
    uint32_t sent;
    uint32_t lost;
};
struct traffic_losses traffic_losses(int socket);

// What epoll reports.
struct traffic_event {
    uint64_t key;
    int is_readable, is_writable, is_closed;
};

int traffic_epoll(void);
// Watches a descriptor; for writing, only changes are reported.
int traffic_watch(int epoll, int descriptor, uint64_t key, int for_writing);
int traffic_wait(int epoll, struct traffic_event *events, int capacity, int64_t nanoseconds);

// Allows this process as many descriptors as possible.
void traffic_raise_limit(void);

// The time of CLOCK_MONOTONIC in nanoseconds.
int64_t traffic_now(void);

#endif
