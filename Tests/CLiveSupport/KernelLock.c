// SPDX-License-Identifier: Apache-2.0
#if defined(__linux__) && !defined(__ANDROID__)

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include "CLiveSupport.h"

#include <fcntl.h>
#include <linux/ethtool.h>
#include <linux/sockios.h>
#include <linux/userfaultfd.h>
#include <net/if.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

// A request to the driver of "lo", whose second number is on a page that is missing until the release. The kernel reads
// that number under the lock, and waits for the page.
struct live_kernel_lock {
    pthread_t thread;
    int faults;
    int socket;
    char *pages;
    size_t size;
};

static void *request(void *argument) {
    struct live_kernel_lock *lock = argument;
    struct ifreq question = {.ifr_data = lock->pages + lock->size - sizeof(uint32_t)};
    strcpy(question.ifr_name, "lo");
    ioctl(lock->socket, SIOCETHTOOL, &question);
    return NULL;
}

static void discard(struct live_kernel_lock *lock) {
    if (lock->pages != MAP_FAILED) munmap(lock->pages, 2 * lock->size);
    if (lock->faults >= 0) close(lock->faults);
    if (lock->socket >= 0) close(lock->socket);
    free(lock);
}

struct live_kernel_lock *live_hold_kernel_lock(void) {
    struct live_kernel_lock *lock = calloc(1, sizeof *lock);
    if (lock == NULL) return NULL;
    lock->size = (size_t)sysconf(_SC_PAGESIZE);
    lock->socket = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    lock->faults = (int)syscall(SYS_userfaultfd, O_CLOEXEC | O_NONBLOCK);
    lock->pages = mmap(NULL, 2 * lock->size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (lock->socket >= 0 && lock->faults >= 0 && lock->pages != MAP_FAILED) {
        uint32_t command = ETHTOOL_PERQUEUE;
        memcpy(lock->pages + lock->size - sizeof command, &command, sizeof command);
        struct uffdio_api version = {.api = UFFD_API};
        struct uffdio_register range = {
            .range = {.start = (uintptr_t)lock->pages + lock->size, .len = lock->size}, .mode = UFFDIO_REGISTER_MODE_MISSING};
        struct pollfd fault = {.fd = lock->faults, .events = POLLIN};
        if (ioctl(lock->faults, UFFDIO_API, &version) == 0 && ioctl(lock->faults, UFFDIO_REGISTER, &range) == 0
            && pthread_create(&lock->thread, NULL, request, lock) == 0) {
            if (poll(&fault, 1, 30000) == 1 && fault.revents == POLLIN) return lock;
            live_release_kernel_lock(lock);
            return NULL;
        }
    }
    discard(lock);
    return NULL;
}

void live_release_kernel_lock(struct live_kernel_lock *lock) {
    struct uffdio_zeropage page = {.range = {.start = (uintptr_t)lock->pages + lock->size, .len = lock->size}};
    ioctl(lock->faults, UFFDIO_ZEROPAGE, &page);
    // Also ends the wait for the page.
    close(lock->faults);
    lock->faults = -1;
    pthread_join(lock->thread, NULL);
    discard(lock);
}

#endif
