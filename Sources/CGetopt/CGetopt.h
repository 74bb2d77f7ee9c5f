// getopt_long, which Swift's view of the C library leaves out on Linux.
#ifndef CGETOPT_H
#define CGETOPT_H

#include <getopt.h>

#endif
