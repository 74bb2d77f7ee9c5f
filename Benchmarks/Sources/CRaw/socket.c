// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include "internal.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>

void fail(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    fputs("error: ", stderr);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
    exit(1);
}

int64_t raw_now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

void pause_ns(long nanoseconds) { nanosleep(&(struct timespec){.tv_nsec = nanoseconds}, NULL); }

uint32_t parse_address(const char *text) {
    uint32_t address;
    if (inet_pton(AF_INET, text, &address) != 1) fail("not an IPv4 address: %s", text);
    return ntohl(address);
}

struct request make_request(uint16_t type, uint16_t flags, uint32_t address) {
    struct request request = {
        .header = {.nlmsg_len = sizeof request, .nlmsg_type = type, .nlmsg_flags = NLM_F_REQUEST | flags},
        .route = {.rtm_family = AF_INET, .rtm_dst_len = 32},
        .attribute = {.rta_type = RTA_DST, .rta_len = RTA_LENGTH(4)},
    };
    address = htonl(address);
    memcpy(request.address, &address, 4);
    return request;
}

int open_socket(void) {
    int socket_fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE);
    if (socket_fd < 0) fail("cannot open a netlink socket: %s", strerror(errno));
    struct sockaddr_nl kernel = {.nl_family = AF_NETLINK};
    if (connect(socket_fd, (struct sockaddr *)&kernel, sizeof kernel) < 0)
        fail("cannot connect to the kernel: %s", strerror(errno));
    return socket_fd;
}

void join_group(int socket_fd, int group) {
    if (setsockopt(socket_fd, SOL_NETLINK, NETLINK_ADD_MEMBERSHIP, &group, sizeof group) < 0)
        fail("cannot join group %d: %s", group, strerror(errno));
}

void receive(int socket_fd, union buffer *buffer) {
    ssize_t size = recv(socket_fd, buffer, sizeof *buffer, 0);
    if (size < 0) fail("nothing received: %s", strerror(errno));
    if ((size_t)size < sizeof buffer->header || buffer->header.nlmsg_len > (size_t)size)
        fail("received a truncated message (%zd bytes)", size);
}

int exchange(int socket_fd, const struct nlmsghdr *request, union buffer *buffer) {
    if (send(socket_fd, request, request->nlmsg_len, 0) < 0) fail("cannot send: %s", strerror(errno));
    receive(socket_fd, buffer);
    if (buffer->header.nlmsg_type != NLMSG_ERROR) return 0;
    const struct nlmsgerr *error = NLMSG_DATA(&buffer->header);
    return -error->error;
}
