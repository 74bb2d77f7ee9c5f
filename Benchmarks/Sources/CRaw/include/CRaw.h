// The least that the kernel allows: the yardstick of the benchmarks, and the tools to change networks with.
// Times are in nanoseconds of CLOCK_MONOTONIC, addresses are IPv4 as numbers. A call that fails says why and ends the
// process.
#ifndef CRAW_H
#define CRAW_H

#include <stddef.h>
#include <stdint.h>

// The time now.
int64_t raw_now(void);

// MARK: Look-ups

// Times that many look-ups of an IPv4 address: one request, one answer, over one connected socket.
void raw_lookups(const char *address, size_t count, int64_t *samples);

// Takes a link down, and returns how long it took until a thread that blocks in recv() for it had looked up that many
// addresses: 128 requests with one send(), and their answers with recvmmsg(). The link is up again afterwards.
int64_t raw_reask(const char *link, uint32_t first, size_t count);

// How many look-ups this process asked the kernel for while it was told to count.
void raw_count_lookups(int counts);
size_t raw_counted_lookups(void);

// MARK: Changes

// Opens a socket for the calls below.
int raw_open_changer(void);

// Adds (or deletes) the route `blackhole 198.51.100.1/32`; returns the time just before the request.
int64_t raw_change(int changer, int adds);

// Adds (or deletes) a route that discards packets: the type is RTN_BLACKHOLE or the like.
int64_t raw_change_route(int changer, uint32_t address, int length, int type, int adds);

// Takes a link up or down; returns the time just before the request.
int64_t raw_set_link(int changer, const char *name, int up);

// Adds routes `16.0.0.0/24`, `16.0.1.0/24` and so on by a gateway, as fast as the kernel takes them.
void raw_add_routes(size_t count, const char *gateway);

// Adds and deletes routes that concern nobody, so many a second for so long.
void raw_churn(size_t rate, double seconds);

// Makes that many changes as fast as the kernel takes them, a tenth of which are to 198.51.100.1/32, which has no route
// at the end; then adds `prohibit 198.51.100.1/32` and returns the time just before that.
int64_t raw_storm(size_t count);

// MARK: Events

// Times that many route changes from the request until a thread that blocks in recv() has the message; or, with a
// function to hand over to, until that function has let raw_handed_over() be called.
void raw_events(size_t count, int64_t *samples, void (*hand_over)(void));

// Ends the time of the change that was handed over last; from any thread.
void raw_handed_over(void);

// Receives for ever what a filter in the kernel lets through: all but routes that concern neither the default route nor
// that address. Notes when the last message came.
_Noreturn void raw_receive_filtered(uint32_t address, void (*note)(void));

// MARK: Networks and processes

// Enters a new network namespace and returns a descriptor of it; or returns that of the present one.
int raw_new_network(void);
int raw_present_network(void);

// Has this thread, and what it starts, be in that network namespace.
void raw_enter_network(int network);

// Times whole runs of a command, from its start to its end; its standard output is thrown away.
void raw_runs(char *const arguments[], size_t count, int64_t *samples);

// Starts a command with pipes at its standard input and output; returns its process id.
int raw_start(char *const arguments[], int *input, int *output);

// Bytes that malloc() has handed out.
size_t raw_allocated(void);

// Gives memory that malloc() does not need back to the system.
void raw_trim(void);

#endif
