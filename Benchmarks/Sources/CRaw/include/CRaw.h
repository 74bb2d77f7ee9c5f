// SPDX-License-Identifier: Apache-2.0
// The minimum that the kernel allows: the yardstick of the benchmarks, and tools that change networks. Times are in
// nanoseconds of CLOCK_MONOTONIC, addresses are IPv4 as numbers. A failed call prints the reason and ends the process.
#ifndef CRAW_H
#define CRAW_H

#include <stddef.h>
#include <stdint.h>

// The time now.
int64_t raw_now(void);

// MARK: Lookups

// Looks up an IPv4 address: one request, one answer, over a connected socket.
void raw_look_up(int socket_fd, uint32_t address);

// Takes a link down, and returns the time until a thread blocked in recv() has looked up the given number of addresses:
// 128 requests with one send(), and their answers with recvmmsg(). Afterwards the link is up again.
int64_t raw_reask(const char *link, uint32_t first, size_t count);

// Returns the number of kernel lookups of this process while counting was enabled.
void raw_count_lookups(int counts);
size_t raw_counted_lookups(void);

// Times repetitions of the counted lookups: the same requests, each with its answer, over one connected socket.
void raw_repeat_lookups(size_t count, int64_t *samples);

// MARK: Changes

// Opens a socket for the calls below.
int raw_open_changer(void);

// Adds (or deletes) the route `blackhole 198.51.100.1/32`; returns the time immediately before the request.
int64_t raw_change(int changer, int adds);

// Adds (or deletes) a route that discards packets; the type is RTN_BLACKHOLE or similar.
int64_t raw_change_route(int changer, uint32_t address, int length, int type, int adds);

// Adds (or deletes) the route `default via GATEWAY`.
int64_t raw_change_default(int changer, const char *gateway, int adds);

// Adds (or deletes) routes `blackhole ADDRESS/32` of successive addresses, as fast as the kernel accepts them; returns
// the time immediately before the first request.
int64_t raw_change_routes(int changer, uint32_t first, size_t count, int adds);

// Takes a link up or down; returns the time immediately before the request.
int64_t raw_set_link(int changer, const char *name, int up);

// Adds routes `16.0.0.0/24`, `16.0.1.0/24` and so on via a gateway, as fast as the kernel accepts them.
void raw_add_routes(size_t count, const char *gateway);

// Adds and deletes unrelated routes, at a rate a second for a duration.
void raw_churn(size_t rate, double seconds);

// Makes the given number of changes as fast as the kernel accepts them, a tenth of them to 198.51.100.1/32, which has
// no route at the end. Then adds `prohibit 198.51.100.1/32` and returns the time immediately before that.
int64_t raw_storm(size_t count);

// MARK: Connections

// Listens on a TCP port of all addresses; the process may then accept the given number.
int raw_listen(uint16_t port, size_t count);

// Accepts connections, and keeps them.
void raw_accept(int socket_fd, size_t count);

// Connects to a port of successive addresses, and keeps the connections.
void raw_connect(uint32_t address, uint16_t port, size_t count);

// Lists the TCP connections of this network namespace with their metrics, one datagram of 32 KiB after the other;
// returns their number, and the processor time that this took.
size_t raw_list_connections(int64_t *time);

// The processor time of all processes that this one started and that have ended.
int64_t raw_children_time(void);

// MARK: Events

// Opens a socket that receives changes of IPv4 routes; or all that can change a status, through a kernel filter that
// drops routes other than the default route and those of the address.
int raw_open_events(void);
int raw_open_filtered_events(uint32_t address);

// Waits for a change.
void raw_receive(int events);

// MARK: Networks and processes

// Enters a new network namespace and returns a descriptor of it, or returns that of the present one.
int raw_new_network(void);
int raw_present_network(void);

// Moves this thread, and what it starts, to the network namespace.
void raw_enter_network(int network);

// Times complete runs of a command; its standard output is discarded.
void raw_runs(char *const arguments[], size_t count, int64_t *samples);

// Starts a command with pipes as its standard input and output; returns its process id.
int raw_start(char *const arguments[], int *input, int *output);

// Ends this process when its parent ends.
void raw_end_with_parent(void);

// Returns the number of bytes allocated by malloc().
size_t raw_allocated(void);

// Returns unused memory of malloc() to the system.
void raw_trim(void);

#endif
