// The least that the kernel allows: the yardstick of the benchmarks.
// Times are in nanoseconds of CLOCK_MONOTONIC. A call that fails says why and ends the process.
#ifndef CRAW_H
#define CRAW_H

#include <stddef.h>
#include <stdint.h>

// The time now.
int64_t raw_now(void);

// Times that many look-ups of an IPv4 address: one request, one answer, over one connected socket.
void raw_lookups(const char *address, size_t count, int64_t *samples);

// Times that many route changes from the request until a thread that blocks in recv() has the message; or, with a
// function to hand over to, until that function has let raw_handed_over() be called.
void raw_events(size_t count, int64_t *samples, void (*hand_over)(void));

// Ends the time of the change that was handed over last; from any thread.
void raw_handed_over(void);

// Opens a socket for raw_change().
int raw_open_changer(void);

// Adds (or deletes) the route `blackhole 198.51.100.1/32`; returns the time just before the request.
int64_t raw_change(int changer, int adds);

// Times whole runs of a command, from its start to its end; its standard output is thrown away.
void raw_runs(char *const arguments[], size_t count, int64_t *samples);

#endif
