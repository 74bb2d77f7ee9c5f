// What Swift's view of the C library leaves out on Linux. Nothing of the kernel's own headers is needed: not every
// C library comes with them.
#ifndef CPOSIX_H
#define CPOSIX_H

#include <stddef.h>
#include <stdint.h>

#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/timerfd.h>

// The kernel's sockaddr_nl.
struct cposix_address {
    uint16_t family;
    uint16_t padding;
    uint32_t port;
    uint32_t groups;
};

// The kernel's sock_fprog: a program of so many sock_filter.
struct cposix_filter {
    uint16_t count;
    const void *instructions;
};

// The kernel's mmsghdr: a message, and how many bytes came.
struct cposix_message {
    struct msghdr header;
    unsigned length;
};

// recvmmsg, under a name of its own: whether the C library's header declares it hangs on what is asked of that. No
// time limit is the only one.
int cposix_receive_many(
    int socket, struct cposix_message *messages, unsigned count, int flags, void *limit) __asm__("recvmmsg");

// The scheduler's calls under names of their own, with plain types: those of the C libraries differ. The first argument
// of the priority's is what the second is about, 0 for a thread.
int cposix_get_affinity(int thread, size_t size, void *set) __asm__("sched_getaffinity");
int cposix_set_affinity(int thread, size_t size, const void *set) __asm__("sched_setaffinity");
int cposix_get_priority(int kind, unsigned thread) __asm__("getpriority");
int cposix_set_priority(int kind, unsigned thread, int value) __asm__("setpriority");

// A function with a variable number of arguments is nothing that Swift can call.
static inline void cposix_name_thread(const char *name) {
    prctl(PR_SET_NAME, name);
}

// Declared by the C library's own header only where all of its extensions are asked for.
int setns(int descriptor, int kind);
int unshare(int kinds);
char *secure_getenv(const char *name);

#endif
