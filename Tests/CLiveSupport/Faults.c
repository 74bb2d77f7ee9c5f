// SPDX-License-Identifier: Apache-2.0
#if defined(__linux__) && !defined(__ANDROID__)

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include "CLiveSupport.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/netlink.h>
#include <linux/seccomp.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

// MARK: Refusals

static long number_of_call(const char *name) {
    static const struct { const char *name; long number; } calls[] = {
        {"bind", SYS_bind}, {"clone", SYS_clone}, {"clone3", SYS_clone3}, {"connect", SYS_connect}, {"eventfd2", SYS_eventfd2}, {"getsockname", SYS_getsockname},
        {"inotify_init1", SYS_inotify_init1}, {"read", SYS_read}, {"recvfrom", SYS_recvfrom}, {"sendto", SYS_sendto},
        {"fdatasync", SYS_fdatasync}, {"setns", SYS_setns}, {"setsockopt", SYS_setsockopt}, {"socket", SYS_socket}, {"timerfd_create", SYS_timerfd_create}};
    for (size_t index = 0; index < sizeof calls / sizeof *calls; index++) {
        if (strcmp(calls[index].name, name) == 0) return calls[index].number;
    }
    return -1;
}

int live_refuse(const char *call, int position, unsigned value, int error) {
    long number = number_of_call(call);
    if (number < 0) return ENOSYS;
    bool is_any = position < 0;
    size_t argument = offsetof(struct seccomp_data, args) + 8 * (size_t)(is_any ? 0 : position);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    argument += 4;
#endif
    struct sock_filter steps[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)number, 0, 3),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, (unsigned)argument),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, 0, is_any ? 0 : 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | (unsigned)error),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = {sizeof steps / sizeof *steps, steps};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return errno;
    return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0 ? 0 : errno;
}

// MARK: Descriptors

int live_limit_descriptors(long limit) {
    struct rlimit limits;
    if (getrlimit(RLIMIT_NOFILE, &limits) != 0) return errno;
    limits.rlim_cur = limit < 0 ? limits.rlim_max : (rlim_t)limit;
    return setrlimit(RLIMIT_NOFILE, &limits) == 0 ? 0 : errno;
}

int live_shrink(int socket) {
    int size = 1;
    return setsockopt(socket, SOL_SOCKET, SO_RCVBUF, &size, sizeof size) == 0 ? 0 : errno;
}

int live_leave_group(int socket, int group) {
    return setsockopt(socket, SOL_NETLINK, NETLINK_DROP_MEMBERSHIP, &group, sizeof group) == 0 ? 0 : errno;
}

int live_socket_family(int descriptor) {
    int family = -1;
    socklen_t size = sizeof family;
    return getsockopt(descriptor, SOL_SOCKET, SO_DOMAIN, &family, &size) == 0 ? family : -1;
}

int64_t live_processor_time(void) {
    struct timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

int live_replace(int descriptor, int other) { return dup3(other, descriptor, O_CLOEXEC) < 0 ? errno : 0; }

int live_fire_timer(int timer) {
    struct itimerspec soon = {.it_value.tv_nsec = 1};
    return timerfd_settime(timer, 0, &soon, NULL) == 0 ? 0 : errno;
}

// MARK: Memory

void live_use_one_arena(void) {
#ifdef __GLIBC__
    mallopt(M_ARENA_MAX, 1);
#endif
}

// MARK: Forks

int live_fork(int (*body)(void *), void *context, unsigned seconds, pid_t *child) {
    *child = fork();
    if (*child < 0) return errno;
    if (*child > 0) return 0;
    signal(SIGALRM, SIG_DFL);
    live_unblock_signals();
    alarm(seconds);
    _exit(body(context));
}

int live_await(pid_t child, int *status) {
    int word = 0;
    while (waitpid(child, &word, 0) < 0) {
        if (errno != EINTR) return errno;
    }
    *status = WIFEXITED(word) ? WEXITSTATUS(word) : 128 + WTERMSIG(word);
    return 0;
}

// MARK: Signals

struct live_interruption {
    pid_t target;
    pthread_t thread;
    atomic_bool is_over;
};

static atomic_long interruptions;

static void note_interruption(int number) {
    (void)number;
    atomic_fetch_add(&interruptions, 1);
}

static void *interrupt(void *argument) {
    struct live_interruption *interruption = argument;
    while (!atomic_load(&interruption->is_over)) {
        syscall(SYS_tgkill, getpid(), interruption->target, SIGUSR2);
        nanosleep(&(struct timespec){.tv_nsec = 20000}, NULL);
    }
    return NULL;
}

struct live_interruption *live_interrupt(void) {
    // Without SA_RESTART, so that calls end with EINTR.
    struct sigaction action = {.sa_handler = note_interruption};
    if (sigaction(SIGUSR2, &action, NULL) != 0) return NULL;
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, SIGUSR2);
    pthread_sigmask(SIG_UNBLOCK, &signals, NULL);
    struct live_interruption *interruption = calloc(1, sizeof *interruption);
    if (interruption == NULL) return NULL;
    interruption->target = live_thread_id();
    if (pthread_create(&interruption->thread, NULL, interrupt, interruption) == 0) return interruption;
    free(interruption);
    return NULL;
}

void live_interrupt_end(struct live_interruption *interruption) {
    atomic_store(&interruption->is_over, true);
    pthread_join(interruption->thread, NULL);
    free(interruption);
}

long live_interruptions(void) { return atomic_load(&interruptions); }

void live_unblock_signals(void) {
    sigset_t none;
    sigemptyset(&none);
    pthread_sigmask(SIG_SETMASK, &none, NULL);
}

#endif
