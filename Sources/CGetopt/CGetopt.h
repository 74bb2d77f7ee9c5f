// SPDX-License-Identifier: Apache-2.0
// getopt_long, which Swift's import of the C library lacks on Linux, and accessors of its global variables, which Swift
// rejects as shared between threads.
#ifndef CGETOPT_H
#define CGETOPT_H

#include <getopt.h>

// The value of the last option read.
static inline char *cgetopt_value(void) { return optarg; }

// The index of the next word.
static inline int cgetopt_index(void) { return optind; }

// The option that is unknown or lacks its value.
static inline int cgetopt_offender(void) { return optopt; }

// Starts a scan that prints no messages about mistakes.
static inline void cgetopt_reset(void) {
  opterr = 0;
#ifdef __APPLE__
  optreset = 1;
  optind = 1;
#else
  // Not 1, which would keep the state of an earlier scan.
  optind = 0;
#endif
}

#endif
