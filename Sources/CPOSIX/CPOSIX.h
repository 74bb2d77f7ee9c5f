// SPDX-License-Identifier: Apache-2.0
// Declarations that Swift's import of the C library lacks on Linux. They use no kernel headers, because not every C
// library includes those.
#ifndef CPOSIX_H
#define CPOSIX_H

#include <stddef.h>
#include <stdint.h>

#include <sys/auxv.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <sys/vfs.h>
#include <unistd.h>

// The kernel's sockaddr_nl.
struct cposix_address {
    uint16_t family;
    uint16_t padding;
    uint32_t port;
    uint32_t groups;
};

// The kernel's sock_fprog: a program of `count` sock_filter.
struct cposix_filter {
    uint16_t count;
    const void *instructions;
};

// The kernel's mmsghdr: a message and its received length.
struct cposix_message {
    struct msghdr header;
    unsigned length;
};

// recvmmsg, under another name: the C library declares it only with GNU extensions. The limit must be a null pointer,
// that is no time limit.
int cposix_receive_many(
    int socket, struct cposix_message *messages, unsigned count, int flags, void *limit) __asm__("recvmmsg");

// The scheduler's calls under other names, with plain types: the C libraries' types differ. The first argument of the
// priority calls says what the second identifies, 0 for a thread.
int cposix_get_affinity(int thread, size_t size, void *set) __asm__("sched_getaffinity");
int cposix_set_affinity(int thread, size_t size, const void *set) __asm__("sched_setaffinity");
int cposix_get_priority(int kind, unsigned thread) __asm__("getpriority");
int cposix_set_priority(int kind, unsigned thread, int value) __asm__("setpriority");

// Swift cannot call a function with variable arguments.
static inline void cposix_name_thread(const char *name) {
    prctl(PR_SET_NAME, name);
}

// The calls of prctl whose arguments are numbers.
static inline int cposix_process_control(int what, unsigned long first, unsigned long second) {
    return prctl(what, first, second, 0UL, 0UL);
}

// The kernel's __user_cap_header_struct and __user_cap_data_struct, in version 3: the lower half of each set, then the
// upper one. The C library has the calls without a declaration.
struct cposix_capability_header {
    uint32_t version;
    int32_t process;
};
struct cposix_capabilities {
    uint32_t effective, permitted, inheritable;
    uint32_t upper_effective, upper_permitted, upper_inheritable;
};
int cposix_get_capabilities(
    struct cposix_capability_header *header, struct cposix_capabilities *capabilities) __asm__("capget");
int cposix_set_capabilities(
    struct cposix_capability_header *header, const struct cposix_capabilities *capabilities) __asm__("capset");

// close_range from a descriptor on, by its number, which is the same for all processors: older C libraries lack it.
static inline int cposix_close_from(unsigned first) {
    return (int)syscall(436, first, ~0U, 0U);
}

// The arguments of this process as the kernel left them on the stack, by the System V ABI: their number, their
// addresses, a null pointer, and the environment. Swift's own function needs /proc. Null if the environment has
// moved since.
static inline char **cposix_arguments(void) {
    extern char **environ;
    // The path of the program lies above the environment. Linux limits what lies between to 6 MiB.
    uintptr_t distance = getauxval(AT_EXECFN) - (uintptr_t)environ;
    if (distance > 6 << 20) return NULL;
    char **last = environ - 1;
    uintptr_t count = 0;
    while ((uintptr_t)*(last - count - 1) != count) count++;
    return last - count;
}

// Chooses where the C library looks entries of a database up, by the words of nsswitch.conf. Only in the GNU C library.
int cposix_choose_sources(const char *database, const char *sources) __asm__("__nss_configure_lookup");

// The C library declares these only with GNU extensions.
int setns(int descriptor, int kind);
int unshare(int kinds);
char *secure_getenv(const char *name);

#endif
