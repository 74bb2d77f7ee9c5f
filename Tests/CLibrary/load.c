/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Loads the library that is named into a process without an environment, such as a daemon that called clearenv, and
 * expects that loading changes no handler of a signal.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <reachability.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A function of the library. ISO C knows no conversion from an object to a function. */
static void find(void *library, const char *name, void *function) {
  void *address = dlsym(library, name);
  memcpy(function, &address, sizeof address);
}

int main(int count, char **words) {
  reachability_monitor *(*shared)(void);
  reachability_target *(*create)(const char *, const reachability_constraints *);
  reachability_error (*current)(reachability_monitor *, reachability_target *, reachability_status *);
  reachability_status status = {.size = sizeof status};
  struct sigaction before[65], after;
  if (count != 2) return 2;
  memset(before, 0, sizeof before);
  for (int signal = 1; signal <= 64; signal++) sigaction(signal, NULL, &before[signal]);
  clearenv();
  void *library = dlopen(words[1], RTLD_NOW);
  if (library == NULL) return fprintf(stderr, "error: %s\n", dlerror()), 1;
  find(library, "reachability_monitor_shared", &shared);
  find(library, "reachability_target_create", &create);
  find(library, "reachability_current_status", &current);
  if (current(shared(), create("127.0.0.1", NULL), &status) != REACHABILITY_OK || status.state != REACHABILITY_REACHABLE)
    return fprintf(stderr, "error: no status\n"), 1;
  for (int signal = 1; signal <= 64; signal++) {
    memset(&after, 0, sizeof after);
    sigaction(signal, NULL, &after);
    if (after.sa_handler != before[signal].sa_handler) return fprintf(stderr, "error: signal %d is handled\n", signal), 1;
  }
  return dlclose(library);
}
