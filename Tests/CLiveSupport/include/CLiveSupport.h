// What live tests need of Linux and Swift cannot call, or can call only with many pointers.
// Functions return 0 or an error number unless their comment says otherwise.
#ifndef CLIVESUPPORT_H
#define CLIVESUPPORT_H

#if defined(__linux__) && !defined(__ANDROID__)

#include <stdint.h>
#include <sys/types.h>

// How the change to a user namespace went that an ordinary user's process makes before main().
struct live_user_namespace {
    const char *step; // the call that failed; NULL if none did or the process is root's
    int error;        // its error number
};
struct live_user_namespace live_user_namespace_outcome(void);

// Moves the calling thread into a new network namespace.
int live_unshare_network(void);

// Moves the calling thread into a new mount namespace; what is mounted there, nobody else sees.
int live_unshare_mounts(void);

// Takes all capabilities from the calling thread, and from no other; also root is then an ordinary user.
int live_drop_capabilities(void);

// The kernel's number of the calling thread.
pid_t live_thread_id(void);

// Starts a thread; it must be ended with live_thread_end once.
int live_thread_start(void (*body)(void *), void *context, uintptr_t *thread);

// Waits for a thread's end for at most so many seconds; a thread that is still running then, or is the
// calling thread, goes on and frees its memory by itself (ETIMEDOUT, EDEADLK).
int live_thread_end(uintptr_t thread, int seconds);

// Writes text to a file that exists, in one piece.
int live_write(const char *path, const char *text);

// An empty file in memory with a descriptor that children do not inherit; -1 with errno on failure.
int live_memory_file(void);

// Makes a tunnel device in the calling thread's namespace, which lasts for as long as its descriptor and has a carrier;
// -1 if that can't be.
int live_open_tunnel(const char *name);

// close(2), which has the name of many other things in Swift.
void live_close(int descriptor);

// Runs a program from the calling thread, thus in its namespace, in a process group of its own, with the two
// files as standard output and error. Afterwards, or after so many seconds (ETIMEDOUT), what is left of the
// group is killed. The status is the exit status, or 128 and the signal.
int live_execute(const char *path, char *const arguments[], int output, int errors, int seconds, int *status);

#endif
#endif
