/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A program with a guest: the library must change nothing in it, keep nothing, and survive everything.
 *
 *     guest manners            what the process has is as before
 *     guest garbage            arguments that no caller should give
 *     guest refused            netlink is refused, as in a sandbox
 *     guest cycles COUNT       everything is created and ended again and again, without growth
 *     guest cost               the times in ms of the first status and of another one, and the memory in KiB
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <locale.h>
#include <poll.h>
#include <reachability.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "sandbox.h"

static int failures;

#define EXPECT(condition)                                                                    \
  do {                                                                                       \
    if (!(condition)) {                                                                      \
      fprintf(stderr, "error: line %d: not %s; %s\n", __LINE__, #condition, reachability_last_error_text()); \
      failures++;                                                                            \
    }                                                                                        \
  } while (0)

extern char **environ;

static double milliseconds(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * 1e3 + time.tv_nsec / 1e6;
}

/* The number after a label in a file of /proc, for example 'VmRSS:' or 'SigBlk:'; the highest of a thread that ended. */
static unsigned long long number(const char *path, const char *label, int base) {
  FILE *file = fopen(path, "r");
  char line[256];
  unsigned long long value = ULLONG_MAX;
  if (file == NULL) return value;
  while (fgets(line, sizeof line, file) != NULL)
    if (strncmp(line, label, strlen(label)) == 0) value = strtoull(line + strlen(label), NULL, base);
  fclose(file);
  return value;
}

/* Calls a function with each numeric name in a folder, and returns how many there are. */
static int each(const char *path, void (*body)(int)) {
  DIR *folder = opendir(path);
  int count = 0, own;
  if (folder == NULL) return -1;
  own = dirfd(folder);
  for (struct dirent *entry; (entry = readdir(folder)) != NULL;) {
    if (entry->d_name[0] == '.' || atoi(entry->d_name) == own) continue;
    count++;
    if (body != NULL) body(atoi(entry->d_name));
  }
  closedir(folder);
  return count;
}

/* ---- Callbacks ---- */

static atomic_int calls, releases;

static void count_status(const reachability_status *status, const reachability_status *previous, void *context) {
  EXPECT(status->size == sizeof *status && context == &calls && (previous == NULL || previous->size != 0));
  calls++;
}

static void count_path(const reachability_path *path, void *context) {
  EXPECT(path->size == sizeof *path && context == &calls);
  calls++;
}

static void count_release(void *context) {
  EXPECT(context == &calls);
  releases++;
}

/* Waits until a counter has a value, for 60 seconds at most. */
static void wait_for(atomic_int *counter, int value) {
  for (double end = milliseconds() + 60000; *counter < value && milliseconds() < end;) usleep(100);
  EXPECT(*counter >= value);
}

/* ---- Everything once ---- */

static void everything(void) {
  reachability_monitor *monitor = reachability_monitor_create(NULL);
  reachability_constraints constraints = {.size = sizeof constraints, .source = "127.0.0.1"};
  reachability_target *target = reachability_target_create("127.0.0.1", &constraints);
  reachability_status status = {.size = sizeof status}, previous = {.size = sizeof previous};
  reachability_path path = {.size = sizeof path};
  reachability_evidence evidence = {.size = sizeof evidence};
  int begun = calls, ended = releases;
  EXPECT(monitor != NULL && target != NULL);
  EXPECT(reachability_current_status(monitor, target, &status) == REACHABILITY_OK);
  EXPECT(status.state == REACHABILITY_REACHABLE && strcmp(status.interface.name, "lo") == 0);
  EXPECT(reachability_wait_until_known(monitor, target, 0, &status) == REACHABILITY_OK);
  EXPECT(reachability_wait_until_reachable(monitor, target, 0, &status) == REACHABILITY_OK);
  EXPECT(reachability_current_path(monitor, &path) == REACHABILITY_OK);
  EXPECT(reachability_current_evidence(monitor, target, &evidence) == REACHABILITY_OK);
  for (int format = REACHABILITY_TEXT; format <= REACHABILITY_JSON; format++) {
    char *text = reachability_explain(monitor, target, (reachability_format)format);
    EXPECT(text != NULL && strlen(text) > 50);
    reachability_free(text);
  }
  char *json = reachability_path_json(monitor);
  EXPECT(json != NULL && json[0] == '{');
  reachability_free(json);
  EXPECT(reachability_target_create("no target", NULL) == NULL);
  EXPECT(reachability_last_error() == REACHABILITY_ERROR_INVALID_TARGET);

  reachability_observation *one =
      reachability_observe(monitor, target, 0, count_status, &calls, count_release);
  reachability_observation *two = reachability_observe_path(monitor, count_path, &calls, count_release);
  EXPECT(one != NULL && two != NULL);
  wait_for(&calls, begun + 2);
  EXPECT(reachability_observation_end(one) == REACHABILITY_OK);
  EXPECT(reachability_observation_end(two) == REACHABILITY_OK);
  wait_for(&releases, ended + 2);

  reachability_queue *queue = reachability_queue_create();
  one = reachability_queue_observe(queue, monitor, target, 10, &status);
  two = reachability_queue_observe_path(queue, monitor, &path);
  EXPECT(one != NULL && two != NULL);
  for (int taken = 0; taken < 2;) {
    struct pollfd descriptor = {.fd = reachability_queue_descriptor(queue), .events = POLLIN};
    void *context = NULL;
    EXPECT(poll(&descriptor, 1, 60000) == 1);
    reachability_observation *next = reachability_queue_next(queue, &context);
    if (next == one) EXPECT(context == &status && reachability_take_status(one, &status, &previous) == 0);
    if (next == two) EXPECT(context == &path && reachability_take_path(two, &path) == REACHABILITY_OK);
    if (next != NULL) taken++;
    if (failures > 0) break;
  }
  EXPECT(reachability_observation_end(one) == REACHABILITY_OK);
  EXPECT(reachability_queue_destroy(queue) == REACHABILITY_OK);
  EXPECT(reachability_target_destroy(target) == REACHABILITY_OK);
  EXPECT(reachability_monitor_destroy(monitor) == REACHABILITY_OK);
}

/* ---- Manners ---- */

/* The descriptors that the process was started with. */
static char inherited[1024];

static void note_inherited(int descriptor) {
  if (descriptor < (int)sizeof inherited) inherited[descriptor] = 1;
}

static void expect_close_on_exec(int descriptor) {
  if (descriptor < (int)sizeof inherited && !inherited[descriptor]) EXPECT(fcntl(descriptor, F_GETFD) & FD_CLOEXEC);
}

static void expect_blocked_signals(int thread) {
  char path[64];
  if (thread == getpid()) return;
  snprintf(path, sizeof path, "/proc/self/task/%d/status", thread);
  unsigned long long blocked = number(path, "SigBlk:", 16);
  for (int signal = 1; signal < 32; signal++) {
    const int own[] = {SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGKILL, SIGPROF, SIGSEGV, SIGSTOP, SIGSYS, SIGTRAP};
    int is_own = 0;
    for (size_t index = 0; index < sizeof own / sizeof own[0]; index++) is_own |= own[index] == signal;
    if (!is_own && !(blocked >> (signal - 1) & 1)) {
      fprintf(stderr, "error: thread %d does not block signal %d\n", thread, signal);
      failures++;
    }
  }
}

/* A signal that is handled when the program begins is handled by what was loaded with it. */
static void expect_no_handlers(void) {
  for (int signal = 1; signal <= 64; signal++) {
    struct sigaction action;
    if (sigaction(signal, NULL, &action) == 0) EXPECT(action.sa_handler == SIG_DFL || action.sa_handler == SIG_IGN);
  }
}

static void manners(void) {
  struct sigaction before[65], after;
  sigset_t mask_before, mask_after;
  char folder_before[4096], folder_after[4096], locale_before[256];
  char **environment = environ, *first = environ[0];
  int count = 0;
  expect_no_handlers();
  memset(before, 0, sizeof before);
  for (int signal = 1; signal <= 64; signal++) sigaction(signal, NULL, &before[signal]);
  sigprocmask(SIG_SETMASK, NULL, &mask_before);
  EXPECT(getcwd(folder_before, sizeof folder_before) != NULL);
  snprintf(locale_before, sizeof locale_before, "%s", setlocale(LC_ALL, NULL));
  while (environ[count] != NULL) count++;
  each("/proc/self/fd", note_inherited);

  reachability_target *target = reachability_target_create("127.0.0.1", NULL);
  reachability_status status = {.size = sizeof status};
  EXPECT(reachability_current_status(reachability_monitor_shared(), target, &status) == REACHABILITY_OK);
  EXPECT(each("/proc/self/task", NULL) == 1);
  reachability_observation *observation =
      reachability_observe(reachability_monitor_shared(), target, 0, count_status, &calls, count_release);
  wait_for(&calls, 1);
  EXPECT(each("/proc/self/task", expect_blocked_signals) > 1);
  each("/proc/self/fd", expect_close_on_exec);
  everything();
  EXPECT(reachability_observation_end(observation) == REACHABILITY_OK);

  for (int signal = 1; signal <= 64; signal++) {
    memset(&after, 0, sizeof after);
    sigaction(signal, NULL, &after);
    EXPECT(after.sa_handler == before[signal].sa_handler && after.sa_flags == before[signal].sa_flags);
  }
  sigprocmask(SIG_SETMASK, NULL, &mask_after);
  EXPECT(memcmp(&mask_before, &mask_after, sizeof mask_after) == 0);
  EXPECT(getcwd(folder_after, sizeof folder_after) != NULL && strcmp(folder_before, folder_after) == 0);
  EXPECT(strcmp(locale_before, setlocale(LC_ALL, NULL)) == 0);
  EXPECT(environ == environment && environ[0] == first);
  for (int index = 0; index < count; index++) EXPECT(environ[index] != NULL);
  EXPECT(environ[count] == NULL);
}

/* ---- Garbage ---- */

static void garbage(void) {
  static const char *const texts[] = {"", "%", "\xff\xfe", "[", "tcp://", "http://[::1", "1.2.3.4.5", "a b", "\x1b[2J", NULL};
  void *handles[] = {NULL, (void *)1, (void *)8, (void *)-1, &failures, stdout};
  for (size_t index = 0; index < sizeof texts / sizeof texts[0]; index++) {
    EXPECT(reachability_target_create(texts[index], NULL) == NULL);
    EXPECT(reachability_last_error() != REACHABILITY_OK && reachability_last_error_text()[0] != 0);
    if (texts[index] != NULL) EXPECT(reachability_monitor_create(texts[index]) == NULL);
  }
  for (size_t index = 0; index < sizeof handles / sizeof handles[0]; index++) {
    void *handle = handles[index];
    reachability_status status = {.size = sizeof status};
    reachability_path path = {.size = sizeof path};
    reachability_evidence evidence = {.size = sizeof evidence};
    EXPECT(reachability_current_status(handle, handle, &status) == REACHABILITY_ERROR_INVALID_HANDLE);
    EXPECT(reachability_current_status(handle, handle, NULL) != REACHABILITY_OK);
    EXPECT(reachability_wait_until_known(handle, handle, -1, &status) != REACHABILITY_OK);
    EXPECT(reachability_wait_until_reachable(handle, handle, -1, &status) != REACHABILITY_OK);
    EXPECT(reachability_current_path(handle, &path) != REACHABILITY_OK);
    EXPECT(reachability_current_evidence(handle, handle, &evidence) != REACHABILITY_OK);
    EXPECT(reachability_explain(handle, handle, (reachability_format)-1) == NULL);
    EXPECT(reachability_path_json(handle) == NULL);
    EXPECT(reachability_observe(handle, handle, 0, NULL, &calls, count_release) == NULL);
    EXPECT(reachability_observe_path(handle, NULL, &calls, count_release) == NULL);
    EXPECT(reachability_observation_end(handle) != REACHABILITY_OK);
    EXPECT(reachability_queue_descriptor(handle) == -1);
    EXPECT(reachability_queue_observe(handle, handle, handle, -1, handle) == NULL);
    EXPECT(reachability_queue_observe_path(handle, handle, handle) == NULL);
    EXPECT(reachability_queue_next(handle, NULL) == NULL);
    EXPECT(reachability_take_status(handle, &status, &status) != REACHABILITY_OK);
    EXPECT(reachability_take_path(handle, &path) != REACHABILITY_OK);
    EXPECT(reachability_queue_destroy(handle) != REACHABILITY_OK);
    EXPECT(reachability_target_destroy(handle) != REACHABILITY_OK);
    EXPECT(reachability_monitor_destroy(handle) != REACHABILITY_OK);
    EXPECT(status.state == REACHABILITY_UNKNOWN && path.state == REACHABILITY_PATH_UNKNOWN);
  }
  EXPECT(releases == 2 * (int)(sizeof handles / sizeof handles[0]));
}

/* ---- A sandbox without netlink ---- */

static void refused(void) {
  EXPECT(refuse_netlink() == 0);
  EXPECT(reachability_monitor_create(NULL) == NULL);
  EXPECT(reachability_last_error() == REACHABILITY_ERROR_NOT_PERMITTED ||
         reachability_last_error() == REACHABILITY_ERROR_SYSTEM);
  puts(reachability_last_error_text());
  reachability_target *target = reachability_target_create("127.0.0.1", NULL);
  reachability_status status = {.size = sizeof status};
  EXPECT(reachability_current_status(reachability_monitor_shared(), target, &status) == REACHABILITY_OK);
  EXPECT(status.state == REACHABILITY_UNKNOWN && strcmp(status.reason, "systemError") == 0);
  EXPECT(reachability_wait_until_reachable(reachability_monitor_shared(), target, 50, &status) ==
         REACHABILITY_ERROR_TIMED_OUT);
}

/* ---- Growth and cost ---- */

static void cycles(int count) {
  long before = 0;
  int descriptors = 0;
  for (int cycle = 0; cycle < count && failures == 0; cycle++) {
    /* The first ones allocate what is kept. */
    if (cycle == count / 5) {
      before = (long)number("/proc/self/status", "VmRSS:", 10);
      descriptors = each("/proc/self/fd", NULL);
    }
    everything();
  }
  long growth = (long)number("/proc/self/status", "VmRSS:", 10) - before;
  printf("%d cycles: %ld KiB more than after %d\n", count, growth, count / 5);
  EXPECT(getenv("IGNORE_MEMORY") != NULL || growth < 1024);
  /* The threads of the last monitors may not have ended yet. */
  for (double end = milliseconds() + 20000; each("/proc/self/fd", NULL) > descriptors && milliseconds() < end;) usleep(1000);
  EXPECT(each("/proc/self/fd", NULL) <= descriptors);
}

static void cost(void) {
  long before = (long)number("/proc/self/smaps_rollup", "Private_Dirty:", 10);
  reachability_status status = {.size = sizeof status};
  double start = milliseconds();
  reachability_target *target = reachability_target_create("127.0.0.1", NULL);
  reachability_current_status(reachability_monitor_shared(), target, &status);
  double first = milliseconds();
  reachability_current_status(reachability_monitor_shared(), target, &status);
  double second = milliseconds();
  printf("%.3f %.3f %ld\n", first - start, second - first,
         (long)number("/proc/self/smaps_rollup", "Private_Dirty:", 10) - before);
}

int main(int count, char **words) {
  const char *mode = count > 1 ? words[1] : "";
  if (strcmp(mode, "manners") == 0) manners();
  else if (strcmp(mode, "garbage") == 0) garbage();
  else if (strcmp(mode, "refused") == 0) refused();
  else if (strcmp(mode, "cycles") == 0 && count > 2) cycles(atoi(words[2]));
  else if (strcmp(mode, "cost") == 0) cost();
  else return 2;
  return failures > 0;
}
