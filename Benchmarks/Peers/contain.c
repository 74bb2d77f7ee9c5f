// SPDX-License-Identifier: Apache-2.0
// Runs a program with its own processes, /run and /sys, in the network namespace of the caller.
//
//   contain [--until-end] [--hide FOLDER]… PROGRAM [ARGUMENT…]
//
// /sys shows this network namespace, and is read-only: udev runs outside, so services must not wait for it.
// --until-end also ends the program when standard input ends; --hide covers a folder with an empty one.
// All processes that the program started end with it, and on SIGTERM. Exit status: that of the program; 0 after SIGTERM
// or the end of the input; 3 if something failed.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

static void require(int condition, const char *what) {
    if (condition) return;
    fprintf(stderr, "contain: %s: %s\n", what, strerror(errno));
    exit(3);
}

static int status_of(int status) { return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status); }

/// The first process of the new process namespace: the kernel ends all others with it.
static void run_inside(char **hidden, int count, char **program, const sigset_t *signals) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    require(!mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL), "mount /");
    require(!mount("proc", "/proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL), "mount /proc");
    require(!mount("sysfs", "/sys", "sysfs", MS_RDONLY | MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL), "mount /sys");
    for (int i = 0; i < count; i++)
        require(!mount("tmpfs", hidden[i], "tmpfs", MS_NOSUID | MS_NODEV, "mode=755"), hidden[i]);
    pid_t child = fork();
    require(child >= 0, "fork");
    if (child == 0) {
        sigprocmask(SIG_UNBLOCK, signals, NULL);
        int nothing = open("/dev/null", O_RDONLY);
        require(nothing >= 0 && dup2(nothing, 0) == 0, "/dev/null");
        if (nothing > 2) close(nothing);
        execvp(program[0], program);
        require(0, program[0]);
    }
    for (int status;;) {
        pid_t ended = wait(&status);
        if (ended == child) _exit(status_of(status));
        require(ended >= 0 || errno == EINTR, "wait");
    }
}

int main(int count, char **arguments) {
    char *hidden[count + 1];
    int hides = 0, until_end = 0, next = 1;
    hidden[hides++] = "/run";
    for (; next < count && !strncmp(arguments[next], "--", 2); next++)
        if (!strcmp(arguments[next], "--until-end")) until_end = 1;
        else if (!strcmp(arguments[next], "--hide") && next + 1 < count) hidden[hides++] = arguments[++next];
        else next = count;
    if (next >= count) {
        fprintf(stderr, "usage: contain [--until-end] [--hide FOLDER]... PROGRAM [ARGUMENT...]\n");
        return 3;
    }

    sigset_t signals;
    sigemptyset(&signals);
    for (const int *signal = (int[]){SIGTERM, SIGINT, SIGHUP, SIGCHLD, 0}; *signal; signal++)
        sigaddset(&signals, *signal);
    sigprocmask(SIG_BLOCK, &signals, NULL);
    int received = signalfd(-1, &signals, SFD_CLOEXEC);
    require(received >= 0, "signalfd");
    require(!unshare(CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWUTS | CLONE_NEWIPC), "unshare");
    pid_t first = fork();
    require(first >= 0, "fork");
    if (first == 0) run_inside(hidden, hides, &arguments[next], &signals);

    struct pollfd polled[] = {{.fd = received, .events = POLLIN}, {.fd = until_end ? 0 : -1, .events = POLLIN}};
    int result = -1, status;
    while (result < 0) {
        if (poll(polled, 2, -1) < 0) continue;
        struct signalfd_siginfo information;
        if (polled[0].revents && read(received, &information, sizeof information) == sizeof information) {
            if (information.ssi_signo != SIGCHLD) result = 0;
            else if (waitpid(first, &status, WNOHANG) == first) return status_of(status);
        }
        char ignored[256];
        if (polled[1].revents && read(0, ignored, sizeof ignored) <= 0) result = 0;
    }
    kill(first, SIGKILL);
    // Returns only when all processes of the namespace have ended.
    waitpid(first, &status, 0);
    return result;
}
