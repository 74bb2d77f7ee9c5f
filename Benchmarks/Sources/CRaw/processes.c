// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include "internal.h"

#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

int raw_present_network(void) {
    int network = open("/proc/thread-self/ns/net", O_RDONLY | O_CLOEXEC);
    if (network < 0) fail("cannot open the network namespace: %s", strerror(errno));
    return network;
}

int raw_new_network(void) {
    if (unshare(CLONE_NEWNET) < 0) fail("cannot make a network namespace: %s", strerror(errno));
    return raw_present_network();
}

void raw_enter_network(int network) {
    if (setns(network, CLONE_NEWNET) < 0) fail("cannot enter a network namespace: %s", strerror(errno));
}

void raw_runs(char *const arguments[], size_t count, int64_t *samples) {
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
    for (size_t i = 0; i < count; i++) {
        pid_t child;
        int64_t before = raw_now();
        int error = posix_spawnp(&child, arguments[0], &actions, NULL, arguments, environ);
        if (error) fail("cannot start %s: %s", arguments[0], strerror(error));
        int status;
        while (waitpid(child, &status, 0) < 0 && errno == EINTR) {}
        samples[i] = raw_now() - before;
        if (!WIFEXITED(status) || WEXITSTATUS(status) > 1) fail("%s failed", arguments[0]);
    }
    posix_spawn_file_actions_destroy(&actions);
}

int raw_start(char *const arguments[], int *input, int *output) {
    int to[2], from[2];
    if (pipe2(to, O_CLOEXEC) < 0 || pipe2(from, O_CLOEXEC) < 0) fail("cannot make a pipe: %s", strerror(errno));
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, to[0], 0);
    posix_spawn_file_actions_adddup2(&actions, from[1], 1);
    pid_t child;
    int error = posix_spawnp(&child, arguments[0], &actions, NULL, arguments, environ);
    if (error) fail("cannot start %s: %s", arguments[0], strerror(error));
    posix_spawn_file_actions_destroy(&actions);
    close(to[0]);
    close(from[1]);
    *input = to[1];
    *output = from[0];
    return child;
}

void raw_end_with_parent(void) { prctl(PR_SET_PDEATHSIG, SIGKILL); }

void raw_trim(void) { malloc_trim(0); }

size_t raw_allocated(void) {
    struct mallinfo2 info = mallinfo2();
    return info.uordblks + info.hblkhd;
}
