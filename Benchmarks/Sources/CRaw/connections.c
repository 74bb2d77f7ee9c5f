// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include "internal.h"

#include <arpa/inet.h>
#include <errno.h>
#include <linux/inet_diag.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

static void raise_limit(size_t count) {
    struct rlimit limit;
    getrlimit(RLIMIT_NOFILE, &limit);
    if (limit.rlim_cur < count + 100) limit.rlim_cur = limit.rlim_max;
    setrlimit(RLIMIT_NOFILE, &limit);
}

static struct sockaddr_in endpoint(uint32_t address, uint16_t port) {
    return (struct sockaddr_in){.sin_family = AF_INET, .sin_addr.s_addr = htonl(address), .sin_port = htons(port)};
}

static int open_stream(void) {
    int socket_fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (socket_fd < 0) fail("cannot open a TCP socket: %s", strerror(errno));
    return socket_fd;
}

int raw_listen(uint16_t port, size_t count) {
    raise_limit(count);
    int socket_fd = open_stream();
    struct sockaddr_in address = endpoint(INADDR_ANY, port);
    if (bind(socket_fd, (struct sockaddr *)&address, sizeof address) < 0 || listen(socket_fd, 4096) < 0)
        fail("cannot listen: %s", strerror(errno));
    return socket_fd;
}

void raw_accept(int socket_fd, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (accept4(socket_fd, NULL, NULL, SOCK_CLOEXEC) < 0) fail("cannot accept: %s", strerror(errno));
}

void raw_connect(uint32_t address, uint16_t port, size_t count) {
    raise_limit(count);
    for (size_t i = 0; i < count; i++) {
        // Addresses differ, so that each connection has a peer of its own.
        struct sockaddr_in peer = endpoint(address + (uint32_t)i, port);
        if (connect(open_stream(), (struct sockaddr *)&peer, sizeof peer) < 0)
            fail("cannot connect: %s", strerror(errno));
    }
}

static int64_t processor_time(void) {
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

size_t raw_list_connections(int64_t *time) {
    static char buffer[32768];
    struct {
        struct nlmsghdr header;
        struct inet_diag_req request;
    } message = {
        .header = {.nlmsg_len = sizeof message, .nlmsg_type = TCPDIAG_GETSOCK, .nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP},
        // The states from TCP_ESTABLISHED to TCP_CLOSING, without TCP_CLOSE and TCP_LISTEN.
        .request = {.idiag_ext = 1 << (INET_DIAG_INFO - 1), .idiag_states = 0xb7e},
    };
    int socket_fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_INET_DIAG);
    if (socket_fd < 0) fail("cannot open a socket for sock_diag: %s", strerror(errno));
    int64_t start = processor_time();
    if (send(socket_fd, &message, sizeof message, 0) < 0) fail("cannot list connections: %s", strerror(errno));
    size_t count = 0;
    for (;;) {
        ssize_t size = recv(socket_fd, buffer, sizeof buffer, 0);
        if (size < 0) fail("cannot list connections: %s", strerror(errno));
        for (struct nlmsghdr *h = (struct nlmsghdr *)buffer; NLMSG_OK(h, size); h = NLMSG_NEXT(h, size)) {
            if (h->nlmsg_type == NLMSG_ERROR) fail("the kernel refuses to list connections");
            if (h->nlmsg_type == NLMSG_DONE) {
                *time = processor_time() - start;
                close(socket_fd);
                return count;
            }
            count++;
        }
    }
}

int64_t raw_children_time(void) {
    struct rusage usage;
    getrusage(RUSAGE_CHILDREN, &usage);
    return (int64_t)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1000000000 +
           (int64_t)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) * 1000;
}
