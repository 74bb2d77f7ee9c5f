/* SPDX-License-Identifier: Apache-2.0 */
#ifndef REACHABILITY_H
#define REACHABILITY_H

/*
 * Network reachability on Linux: whether packets can leave this machine for a target, over which interface, and if not,
 * why not; and each change, at the moment it happens. The kernel answers over rtnetlink. No daemon and no privilege is
 * needed, and no packet is sent, except DNS queries where a target is a host name.
 *
 *     reachability_monitor *monitor = reachability_monitor_shared();
 *     reachability_target *target = reachability_target_create("10.9.0.1", NULL);
 *     reachability_status status = {.size = sizeof status};
 *     if (target == NULL || reachability_current_status(monitor, target, &status) != REACHABILITY_OK)
 *       fprintf(stderr, "%s\n", reachability_last_error_text());
 *     else if (status.state == REACHABILITY_NOT_REACHABLE)
 *       printf("not reachable: %s\n", status.reason_text);
 *     reachability_target_destroy(target);
 *
 * Threads    Any thread may call any function at any time. Functions that wait say so; all others return at once. The
 *            library starts a thread when something is first observed, waited for, or looked up. Its threads block all
 *            signals but those that report a fault of the thread itself.
 * Handles    Pointers to monitors, targets, observations and queues are names of objects, not addresses. A handle that
 *            is null, destroyed, or of another type makes a call return REACHABILITY_ERROR_INVALID_HANDLE. A handle is
 *            never used again for another object. A destroyed object lives on while another one needs it: a target or a
 *            monitor may be destroyed while it is observed.
 * Strings    Arguments are null-terminated UTF-8, and are copied. A function that returns 'char *' gives the string to
 *            the caller, who ends it with reachability_free. A 'const char *' in a struct is a constant: it lives as
 *            long as the process.
 * Structs    The caller owns them, and sets 'size' to their size before a call. Later versions add members at the end:
 *            a call fills as many bytes as the library and the caller know, and clears the rest.
 * Errors     A function that fails returns a code, or null, and stores both its code and a text for this thread. Not
 *            reachable is a status, not an error.
 * Processes  In a child made by fork, handles of its parent are invalid; the child may create its own, if the parent's
 *            other threads did not use the library during the fork. All descriptors are closed on exec.
 * Times      Milliseconds. A time limit below zero is no limit.
 *
 * The library changes nothing in its process: no signal handler, no locale, no folder, no environment. It cannot be
 * unloaded.
 */

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Errors ---- */

typedef enum reachability_error {
  REACHABILITY_OK = 0,
  /* An argument is null, too small, out of its range, or no UTF-8. */
  REACHABILITY_ERROR_INVALID_ARGUMENT = 1,
  /* A handle is null, destroyed, of another type, or from before a fork. */
  REACHABILITY_ERROR_INVALID_HANDLE = 2,
  /* The text is no target; or no change of the network can make the target reachable. */
  REACHABILITY_ERROR_INVALID_TARGET = 3,
  /* There is no such network namespace. */
  REACHABILITY_ERROR_NAMESPACE_NOT_FOUND = 4,
  /* This process may not do that: enter the namespace, or use netlink. */
  REACHABILITY_ERROR_NOT_PERMITTED = 5,
  /* The system refused something else: a socket, a thread, a descriptor. */
  REACHABILITY_ERROR_SYSTEM = 6,
  /* The time limit has passed. */
  REACHABILITY_ERROR_TIMED_OUT = 7,
  /* Nothing is left to take. */
  REACHABILITY_ERROR_EMPTY = 8,
  /* A callback must not wait: it runs on the thread that it would wait for. */
  REACHABILITY_ERROR_WOULD_DEADLOCK = 9
} reachability_error;

/* Returns the code of this thread's last failed call, or REACHABILITY_OK if none has failed. */
reachability_error reachability_last_error(void);

/* Returns what went wrong in this thread's last failed call, as an English sentence without a full stop; never null. The
 * string lives until the next call of this thread fails, or the thread ends. */
const char *reachability_last_error_text(void);

/* Returns the version of the library, for example "0.1.0". */
const char *reachability_version(void);

/* Frees a string that a function of this library gave to the caller, and nothing else; null is ignored. */
void reachability_free(char *string);

/* ---- Monitors ---- */

typedef struct reachability_monitor reachability_monitor;

/* Returns the monitor that the whole process shares, of the network namespace in which it is first used. It is never
 * destroyed. Where the system refuses netlink, all its statuses are unknown, with the reason "systemError". */
reachability_monitor *reachability_monitor_shared(void);

/* Creates a monitor.
 *
 * network_namespace  null for that of this thread; else a name listed by 'ip netns', a process ID, or a path with a
 *                    slash. Another namespace takes CAP_SYS_ADMIN, during this call only. No thread of the caller is
 *                    moved.
 *
 * Returns null with INVALID_ARGUMENT, NAMESPACE_NOT_FOUND, NOT_PERMITTED or SYSTEM. */
reachability_monitor *reachability_monitor_create(const char *network_namespace);

/* Destroys a monitor. INVALID_ARGUMENT for the shared one. */
reachability_error reachability_monitor_destroy(reachability_monitor *monitor);

/* ---- Targets ---- */

typedef struct reachability_target reachability_target;

/* What packets to a target must use. */
typedef struct reachability_constraints {
  size_t size;
  /* The name or the index of the interface that packets leave by, or null. */
  const char *interface;
  /* The local address that packets are sent from, or null. */
  const char *source;
  /* The firewall mark of the packets, SO_MARK; 0 is none. */
  uint32_t mark;
} reachability_constraints;

/* Creates a target from 'default' (the default route), an address, an address with a zone ('fe80::1%eth0'), a host name,
 * or a URL with a host ('tcp://db.test:5432').
 *
 * constraints  null for none
 *
 * Returns null with INVALID_TARGET or INVALID_ARGUMENT. */
reachability_target *reachability_target_create(const char *text, const reachability_constraints *constraints);

/* Destroys a target. */
reachability_error reachability_target_destroy(reachability_target *target);

/* ---- Statuses ---- */

typedef enum reachability_state {
  /* Not known yet, or the system could not be queried; never to be shown as not reachable. */
  REACHABILITY_UNKNOWN = 0,
  REACHABILITY_NOT_REACHABLE = 1,
  /* A packet that is sent now would leave this machine, or be delivered on it; not that anything answers. */
  REACHABILITY_REACHABLE = 2
} reachability_state;

typedef enum reachability_interface_kind {
  REACHABILITY_KIND_OTHER = 0,
  REACHABILITY_KIND_LOOPBACK = 1,
  REACHABILITY_KIND_WIRED = 2,
  REACHABILITY_KIND_WIFI = 3,
  REACHABILITY_KIND_CELLULAR = 4,
  REACHABILITY_KIND_BLUETOOTH = 5
} reachability_interface_kind;

/* An interface. Its size never changes. */
typedef struct reachability_interface {
  /* The kernel's index, from 1; 0 if there is no interface, and then the other members are 0. */
  uint32_t index;
  reachability_interface_kind kind;
  /* 1 if packets are wrapped into others, as by a VPN; else 0. */
  int32_t is_tunnel;
  /* The name; bytes that are no UTF-8 became U+FFFD. */
  char name[48];
} reachability_interface;

typedef struct reachability_status {
  size_t size;
  reachability_state state;
  /* The status as numbers of Apple's SCNetworkReachabilityFlags. */
  uint32_t flags;
  /* Why the target is not reachable or unknown: a name for programs ("noRoute", "noCarrier", "resolving"), and words
   * ("no route"). Null if it is reachable. Later versions add names. */
  const char *reason;
  const char *reason_text;
  /* The interface that packets leave by, or that stops them. */
  reachability_interface interface;
  /* The next hop; empty if the destination is on the link or on this machine. */
  char gateway[46];
  /* The local address that packets are sent from; empty if it is not known. */
  char source[46];
} reachability_status;

/* Reads the status of a target at this moment, in some microseconds.
 *
 * A host name that is not known yet is looked up in the background, and is unknown ("resolving") until then. */
reachability_error reachability_current_status(
    reachability_monitor *monitor, reachability_target *target, reachability_status *status);

/* Waits until the status of a target is known: for the lookup of a host name.
 *
 * TIMED_OUT after the time limit; the status is then that of the last moment. WOULD_DEADLOCK in a callback. */
reachability_error reachability_wait_until_known(
    reachability_monitor *monitor, reachability_target *target, int64_t timeout, reachability_status *status);

/* Waits until a target is reachable.
 *
 * TIMED_OUT after the time limit, INVALID_TARGET as soon as no change of the network can make it reachable (the name does
 * not exist); the status then says why not. WOULD_DEADLOCK in a callback.
 *
 * status  where to store the status, or null */
reachability_error reachability_wait_until_reachable(
    reachability_monitor *monitor, reachability_target *target, int64_t timeout, reachability_status *status);

typedef enum reachability_format {
  /* The summary, then a line for each step, with 'problem:' and 'advice:' below a step that has them. */
  REACHABILITY_TEXT = 0,
  /* One object, with the members of 'reachability explain --json', without a line feed. */
  REACHABILITY_JSON = 1
} reachability_format;

/* Explains the status of a target at this moment: each fact that decides it, and what to do about each problem.
 *
 * Takes a few dozen queries to the kernel, and does not wait for the lookup of a name.
 *
 * Returns a string that the caller frees with reachability_free, or null. */
char *reachability_explain(
    reachability_monitor *monitor, reachability_target *target, reachability_format format);

/* ---- The path ---- */

typedef enum reachability_path_state {
  REACHABILITY_PATH_UNKNOWN = 0,
  REACHABILITY_PATH_UNSATISFIED = 1,
  REACHABILITY_PATH_SATISFIED = 2,
  /* A connection would have to be established first, for example a dial-up. */
  REACHABILITY_PATH_REQUIRES_CONNECTION = 3
} reachability_path_state;

/* How packets leave this machine by default. Numbers that answer a question are 1 for yes, 0 for no, -1 for unknown. */
typedef struct reachability_path {
  size_t size;
  reachability_path_state state;
  int32_t supports_ipv4;
  int32_t supports_ipv6;
  /* Whether packets can leave for a configured name server. */
  int32_t supports_dns;
  /* Whether the traffic of the first interface is paid for by its volume. */
  int32_t is_expensive;
  int32_t is_constrained;
  /* Why the path is not satisfied, as in reachability_status; else null. */
  const char *reason;
  const char *reason_text;
  /* The number of interfaces that can be used, and the first of them. */
  uint32_t interface_count;
  reachability_interface interface;
  /* The first next hop of the first interface; empty if it has none. */
  char gateway[46];
} reachability_path;

/* Reads the path at this moment. */
reachability_error reachability_current_path(reachability_monitor *monitor, reachability_path *path);

/* Returns the path with all interfaces and name servers: an object with the members of 'reachability path --json', which
 * the caller frees with reachability_free; or null. */
char *reachability_path_json(reachability_monitor *monitor);

/* ---- Evidence ---- */

typedef enum reachability_verdict {
  /* No connection of this machine says anything. */
  REACHABILITY_NO_EVIDENCE = 0,
  REACHABILITY_ANSWERING = 1,
  REACHABILITY_STALLED = 2
} reachability_verdict;

/* What this machine's TCP connections say about whether a target answers. */
typedef struct reachability_evidence {
  size_t size;
  reachability_verdict verdict;
  /* 1 if the evidence is about this very target, 0 if it is about others on its path. */
  int32_t is_strong;
  /* Of a stalled verdict, where the fault lies ("network", "peer", "thisMachine"), or null. */
  const char *fault;
  /* Why there is no evidence ("notPermitted"), or null. */
  const char *obstacle;
  /* How long ago something was received, and for how long connections have waited for an answer; -1 if not known. */
  int64_t received;
  int64_t stalled;
  uint32_t connections;
  uint32_t stalled_connections;
  uint32_t answering_peers;
  uint32_t stalled_peers;
} reachability_evidence;

/* Reads the evidence at this moment, from the kernel's list of TCP connections; nothing is sent. */
reachability_error reachability_current_evidence(
    reachability_monitor *monitor, reachability_target *target, reachability_evidence *evidence);

/* ---- Changes ---- */

typedef struct reachability_observation reachability_observation;

/* Receives a status. 'previous' is the one before, or null at the first call. Both live until the callback returns. */
typedef void (*reachability_status_callback)(
    const reachability_status *status, const reachability_status *previous, void *context);

/* Receives a path, which lives until the callback returns. */
typedef void (*reachability_path_callback)(const reachability_path *path, void *context);

/* Receives the context of an observation when no callback runs, and none will. Null if nothing is to be released. */
typedef void (*reachability_release)(void *context);

/* Calls a callback with the current status of a target, then with each change of meaning.
 *
 * The callback runs on a thread of the library, one call after the other. It may call this library, except what waits,
 * and must return quickly: all observations of this monitor wait for it. No C++ exception may leave it.
 *
 * settling  how long a change must last before it is delivered; 0 delivers each
 * release   is called once with the context, also if this function fails
 *
 * Returns null with an error, or the observation, which lasts until it is ended. */
reachability_observation *reachability_observe(
    reachability_monitor *monitor, reachability_target *target, int64_t settling,
    reachability_status_callback callback, void *context, reachability_release release);

/* Calls a callback with the current path, then with each change of meaning; all else as reachability_observe. */
reachability_observation *reachability_observe_path(
    reachability_monitor *monitor, reachability_path_callback callback, void *context, reachability_release release);

/* Ends an observation: no further call of its callback begins. One that runs on another thread is waited for during at
 * most 50 ms; 'release' follows it. May be called in the callback. */
reachability_error reachability_observation_end(reachability_observation *observation);

/* ---- Changes for event loops ---- */

/* A queue collects changes, and has a descriptor for poll, epoll, GLib, libuv or asyncio. Any thread may take from it.
 *
 * If an observation changes again before it is taken, the newest value replaces the older one. */
typedef struct reachability_queue reachability_queue;

/* Creates a queue; null with SYSTEM if there is no descriptor left. */
reachability_queue *reachability_queue_create(void);

/* Destroys a queue, closes its descriptor and ends its observations. */
reachability_error reachability_queue_destroy(reachability_queue *queue);

/* Returns the descriptor, which is readable while an observation waits; or -1. The queue owns it: do not read or close
 * it. */
int reachability_queue_descriptor(reachability_queue *queue);

/* Observes the status of a target, as reachability_observe; reachability_queue_next returns the context. */
reachability_observation *reachability_queue_observe(
    reachability_queue *queue, reachability_monitor *monitor, reachability_target *target, int64_t settling,
    void *context);

/* Observes the path. */
reachability_observation *reachability_queue_observe_path(
    reachability_queue *queue, reachability_monitor *monitor, void *context);

/* Returns the observation that has waited longest, which has a value to take; null with EMPTY if none waits. It waits
 * again when its value changes again.
 *
 * context  where to store the context of the observation, or null */
reachability_observation *reachability_queue_next(reachability_queue *queue, void **context);

/* Takes the newest status of an observation of a queue; EMPTY if it has been taken.
 *
 * previous  where to store the status that was taken before (its state is unknown, and its reason null, if there is
 *           none), or null */
reachability_error reachability_take_status(
    reachability_observation *observation, reachability_status *status, reachability_status *previous);

/* Takes the newest path of an observation of a queue; EMPTY if it has been taken. */
reachability_error reachability_take_path(reachability_observation *observation, reachability_path *path);

#ifdef __cplusplus
}
#endif

#endif
