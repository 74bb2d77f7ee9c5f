// SPDX-License-Identifier: Apache-2.0
#if defined(__linux__) && !defined(__ANDROID__)

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include "CLiveSupport.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/if.h>
#include <linux/if_tun.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

// MARK: Files

int live_write(const char *path, const char *text) {
    int file = open(path, O_WRONLY | O_CLOEXEC);
    if (file < 0) return errno;
    ssize_t length = (ssize_t)strlen(text);
    ssize_t written = write(file, text, (size_t)length);
    int error = written == length ? 0 : written < 0 ? errno : EIO;
    close(file);
    return error;
}

int live_memory_file(void) { return memfd_create("live", MFD_CLOEXEC); }

// MARK: The user namespace

static struct live_user_namespace user_namespace;

struct live_user_namespace live_user_namespace_outcome(void) { return user_namespace; }

enum { unsharing, denying_groups, mapping_user, mapping_group, step_count };
static const char *const steps[step_count] = {
    "unshare(CLONE_NEWUSER)", "/proc/self/setgroups", "/proc/self/uid_map", "/proc/self/gid_map"};

// Returns the step that failed, or step_count.
static int become_root_of_user_namespace(int *error) {
    char user[32], group[32];
    snprintf(user, sizeof user, "0 %u 1", (unsigned)geteuid());
    snprintf(group, sizeof group, "0 %u 1", (unsigned)getegid());
    if (unshare(CLONE_NEWUSER) != 0) {
        *error = errno;
        return unsharing;
    }
    const char *texts[step_count] = {NULL, "deny", user, group};
    for (int step = denying_groups; step < step_count; step++) {
        *error = live_write(steps[step], texts[step]);
        if (*error != 0) return step;
    }
    return step_count;
}

// The kernel lets only a process with one thread change its user namespace, hence before main(). A change is
// irreversible, and some systems allow it but not the mapping that must follow (AppArmor on Ubuntu);
// so a child tries first.
__attribute__((constructor)) static void enter_user_namespace(void) {
    if (geteuid() == 0) return;
    int result[2] = {unsharing, EIO}; // the step that failed, its error
    int ends[2];
    pid_t child = -1;
    if (pipe2(ends, O_CLOEXEC) == 0) {
        child = fork();
        if (child == 0) {
            result[0] = become_root_of_user_namespace(&result[1]);
            _exit(write(ends[1], result, sizeof result) != sizeof result);
        }
        if (child < 0) result[1] = errno;
        close(ends[1]);
        while (child > 0 && read(ends[0], result, sizeof result) < 0 && errno == EINTR) {}
        close(ends[0]);
        while (child > 0 && waitpid(child, NULL, 0) < 0 && errno == EINTR) {}
    } else {
        result[1] = errno;
    }
    if (result[0] == step_count) result[0] = become_root_of_user_namespace(&result[1]);
    if (result[0] != step_count) {
        user_namespace.step = steps[result[0]];
        user_namespace.error = result[1];
    }
}

// MARK: Threads

int live_unshare_network(void) { return unshare(CLONE_NEWNET) == 0 ? 0 : errno; }

int live_unshare_mounts(void) {
    if (unshare(CLONE_NEWNS) != 0) return errno;
    return mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0 ? 0 : errno;
}

int live_drop_capabilities(void) {
    // Version 3 of the kernel's interface: two words of each set.
    struct { unsigned version; int thread; } header = {0x20080522, 0};
    struct { unsigned effective, permitted, inheritable; } none[2] = {0};
    return syscall(SYS_capset, &header, none) == 0 ? 0 : errno;
}

pid_t live_thread_id(void) { return (pid_t)syscall(SYS_gettid); }

struct start {
    void (*body)(void *);
    void *context;
};

static void *run(void *argument) {
    struct start start = *(struct start *)argument;
    free(argument);
    start.body(start.context);
    return NULL;
}

int live_thread_start(void (*body)(void *), void *context, uintptr_t *thread) {
    struct start *start = malloc(sizeof *start);
    if (start == NULL) return ENOMEM;
    *start = (struct start){body, context};
    pthread_t created;
    int error = pthread_create(&created, NULL, run, start);
    if (error != 0) {
        free(start);
        return error;
    }
    *thread = (uintptr_t)created;
    return 0;
}

int live_thread_end(uintptr_t thread, int seconds) {
    pthread_t ending = (pthread_t)thread;
    int error = EDEADLK;
    if (!pthread_equal(ending, pthread_self())) {
        struct timespec deadline;
        clock_gettime(CLOCK_REALTIME, &deadline);
        deadline.tv_sec += seconds;
        error = pthread_timedjoin_np(ending, NULL, &deadline);
    }
    if (error != 0) pthread_detach(ending);
    return error;
}

// MARK: Child processes

// An input below 0 stands for an empty one.
static int start(const char *path, char *const arguments[], int input, int output, int errors, pid_t *child) {
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    sigset_t none, defaults;
    // Dispatch's threads block signals, which a child would inherit; SIGPIPE may be ignored in this process.
    sigemptyset(&none);
    sigemptyset(&defaults);
    sigaddset(&defaults, SIGPIPE);
    posix_spawn_file_actions_init(&actions);
    posix_spawnattr_init(&attributes);
    if (input < 0) {
        posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    } else {
        posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO);
    }
    posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions, errors, STDERR_FILENO);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setsigdefault(&attributes, &defaults);
    posix_spawnattr_setpgroup(&attributes, 0);
    posix_spawnattr_setflags(&attributes,
                             POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP);
    int error = posix_spawn(child, path, &actions, &attributes, arguments, environ);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    return error;
}

static bool has_ended(pid_t child, int milliseconds) {
    for (;;) {
        // Without reaping: until then no other process group can have the child's number.
        siginfo_t info = {0};
        int answer = waitid(P_PID, (id_t)child, &info, WEXITED | WNOHANG | WNOWAIT);
        if ((answer == 0 && info.si_pid == child) || (answer < 0 && errno != EINTR)) return true;
        if (milliseconds-- <= 0) return false;
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    }
}

int live_execute(const char *path, char *const arguments[], int output, int errors, int seconds,
                 int *status) {
    pid_t child;
    int error = start(path, arguments, -1, output, errors, &child);
    if (error != 0) return error;
    bool in_time = has_ended(child, seconds * 1000);
    kill(-child, SIGKILL);
    if (!in_time && !has_ended(child, 2000)) return ETIMEDOUT;
    int wait_status = 0;
    while (waitpid(child, &wait_status, 0) < 0) {
        if (errno != EINTR) return errno;
    }
    if (!in_time) return ETIMEDOUT;
    *status = WIFEXITED(wait_status) ? WEXITSTATUS(wait_status) : 128 + WTERMSIG(wait_status);
    return 0;
}

// MARK: Dialogues

int live_start(const char *path, char *const arguments[], int descriptors[2], pid_t *child) {
    int input[2], output[2];
    if (pipe2(input, O_CLOEXEC) != 0) return errno;
    if (pipe2(output, O_CLOEXEC) != 0) {
        int error = errno;
        close(input[0]);
        close(input[1]);
        return error;
    }
    // A capacity that lets each side write without waiting for the other; on failure, the default capacity.
    fcntl(input[1], F_SETPIPE_SZ, 1 << 20);
    fcntl(output[1], F_SETPIPE_SZ, 1 << 20);
    int error = start(path, arguments, input[0], output[1], output[1], child);
    close(input[0]);
    close(output[1]);
    descriptors[0] = input[1];
    descriptors[1] = output[0];
    if (error != 0) {
        close(descriptors[0]);
        close(descriptors[1]);
    }
    return error;
}

void live_end(const int descriptors[2], pid_t child) {
    close(descriptors[0]);
    close(descriptors[1]);
    kill(-child, SIGKILL);
    while (waitpid(child, NULL, 0) < 0 && errno == EINTR) {}
}

ssize_t live_read(int descriptor, void *bytes, size_t capacity, int seconds) {
    struct pollfd wanted = {.fd = descriptor, .events = POLLIN};
    for (;;) {
        int count = poll(&wanted, 1, seconds * 1000);
        if (count == 0) errno = ETIMEDOUT;
        if (count == 0 || (count < 0 && errno != EINTR)) return -1;
        if (count < 0) continue;
        ssize_t length = read(descriptor, bytes, capacity);
        if (length >= 0 || errno != EINTR) return length;
    }
}

int live_write_all(int descriptor, const void *bytes, size_t count) {
    const char *rest = bytes;
    while (count > 0) {
        ssize_t length = write(descriptor, rest, count);
        if (length < 0 && errno != EINTR) return errno;
        if (length < 0) continue;
        rest += length;
        count -= (size_t)length;
    }
    return 0;
}

// MARK: Tunnels

int live_open_tunnel(const char *name) {
    int device = open("/dev/net/tun", O_RDWR | O_CLOEXEC);
    if (device < 0) return -1;
    struct ifreq request = {.ifr_flags = IFF_TUN | IFF_NO_PI};
    strncpy(request.ifr_name, name, IFNAMSIZ - 1);
    if (ioctl(device, TUNSETIFF, &request) == 0) return device;
    close(device);
    return -1;
}

void live_close(int descriptor) {
    close(descriptor);
}

int live_filter_length(int descriptor) {
    socklen_t length = 0;
    return getsockopt(descriptor, SOL_SOCKET, SO_GET_FILTER, NULL, &length) == 0 ? (int)length : 0;
}

#endif
