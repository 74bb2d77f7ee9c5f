// SPDX-License-Identifier: Apache-2.0
// Declarations that the files of this module share.
#ifndef CRAW_INTERNAL_H
#define CRAW_INTERNAL_H

#include "CRaw.h"

#include <linux/netlink.h>
#include <linux/rtnetlink.h>

#pragma GCC visibility push(hidden)

_Noreturn void fail(const char *format, ...) __attribute__((format(printf, 1, 2)));
void pause_ns(long nanoseconds);

// A request with room for the one address attribute that each of them carries.
struct request {
    struct nlmsghdr header;
    struct rtmsg route;
    struct rtattr attribute;
    uint8_t address[4];
};

union buffer {
    struct nlmsghdr header;
    uint8_t bytes[8192];
};

struct request make_request(uint16_t type, uint16_t flags, uint32_t address);
uint32_t parse_address(const char *text);

// Opens a socket connected to the kernel, so that send() and recv() need no address.
int open_socket(void);
void join_group(int socket_fd, int group);
void receive(int socket_fd, union buffer *buffer);

// Sends a request; returns 0, or the kernel's error number.
int exchange(int socket_fd, const struct nlmsghdr *request, union buffer *buffer);

#pragma GCC visibility pop

#endif
