// getopt_long, which Swift's view of the C library leaves out on Linux, and what it keeps in global variables, which
// Swift takes for shared by threads.
#ifndef CGETOPT_H
#define CGETOPT_H

#include <getopt.h>

// The value of the option that was read last.
static inline char *cgetopt_value(void) { return optarg; }

// The index of the next word.
static inline int cgetopt_index(void) { return optind; }

// The option that is wrong.
static inline int cgetopt_offender(void) { return optopt; }

// Begins a scan that is silent about mistakes.
static inline void cgetopt_reset(void) {
  opterr = 0;
#ifdef __APPLE__
  optreset = 1;
  optind = 1;
#else
  // Not 1: that would keep what an earlier scan left behind.
  optind = 0;
#endif
}

#endif
