// The minimum that the kernel allows: the yardstick of the benchmarks, and tools that change networks. Times are in
// nanoseconds of CLOCK_MONOTONIC, addresses are IPv4 as numbers. A failed call prints the reason and ends the process.
#ifndef CRAW_H
#define CRAW_H

#include <stddef.h>
#include <stdint.h>

// The time now.
int64_t raw_now(void);

// MARK: Lookups

// Times the given number of lookups of an IPv4 address: one request, one answer, over one connected socket.
void raw_lookups(const char *address, size_t count, int64_t *samples);

// Takes a link down, and returns the time until a thread blocked in recv() has looked up the given number of addresses:
// 128 requests with one send(), and their answers with recvmmsg(). Afterwards the link is up again.
int64_t raw_reask(const char *link, uint32_t first, size_t count);

// Returns the number of kernel lookups of this process while counting was enabled.
void raw_count_lookups(int counts);
size_t raw_counted_lookups(void);

// MARK: Changes

// Opens a socket for the calls below.
int raw_open_changer(void);

// Adds (or deletes) the route `blackhole 198.51.100.1/32`; returns the time immediately before the request.
int64_t raw_change(int changer, int adds);

// Adds (or deletes) a route that discards packets; the type is RTN_BLACKHOLE or similar.
int64_t raw_change_route(int changer, uint32_t address, int length, int type, int adds);

// Takes a link up or down; returns the time immediately before the request.
int64_t raw_set_link(int changer, const char *name, int up);

// Adds routes `16.0.0.0/24`, `16.0.1.0/24` and so on via a gateway, as fast as the kernel accepts them.
void raw_add_routes(size_t count, const char *gateway);

// Adds and deletes unrelated routes, at a rate a second for a duration.
void raw_churn(size_t rate, double seconds);

// Makes the given number of changes as fast as the kernel accepts them, a tenth of them to 198.51.100.1/32, which has
// no route at the end. Then adds `prohibit 198.51.100.1/32` and returns the time immediately before that.
int64_t raw_storm(size_t count);

// MARK: Events

// Times the given number of route changes from the request until a thread blocked in recv() has the message; or, with a
// function to hand over to, until raw_handed_over() is called.
void raw_events(size_t count, int64_t *samples, void (*hand_over)(void));

// Ends the time of the last handed-over change; from any thread.
void raw_handed_over(void);

// Receives forever through a kernel filter that drops routes other than the default route and those of the address.
// Calls note() after each message.
_Noreturn void raw_receive_filtered(uint32_t address, void (*note)(void));

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

// Returns the number of bytes allocated by malloc().
size_t raw_allocated(void);

// Returns unused memory of malloc() to the system.
void raw_trim(void);

#endif
