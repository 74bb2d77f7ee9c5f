// SPDX-License-Identifier: Apache-2.0
// Runs a command and prints its peak memory, in KiB. A separate program, because the kernel's figure includes the
// memory of the process before exec, which is a copy of its parent.
#include <fcntl.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int count, char **arguments) {
    if (count < 2) return 2;
    pid_t child = fork();
    if (child == 0) {
        dup2(open("/dev/null", O_WRONLY), 1);
        execvp(arguments[1], arguments + 1);
        _exit(127);
    }
    int status;
    struct rusage usage;
    if (wait4(child, &status, 0, &usage) < 0 || !WIFEXITED(status) || WEXITSTATUS(status) > 1) return 1;
    printf("%ld\n", usage.ru_maxrss);
    return 0;
}
