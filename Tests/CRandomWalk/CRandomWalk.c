// SPDX-License-Identifier: Apache-2.0
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include "CRandomWalk.h"

#if defined(__linux__) && !defined(__ANDROID__)

#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

static atomic_bool hides_ipv6;

void random_walk_hide_ipv6(void) { atomic_store(&hides_ipv6, 1); }

// A family without routes on every kernel, AF_DECnet.
enum { absent_family = 12 };

static int is_route_socket(int descriptor) {
    int family = 0, protocol = -1;
    socklen_t size = sizeof family;
    if (getsockopt(descriptor, SOL_SOCKET, SO_DOMAIN, &family, &size) != 0 || family != AF_NETLINK) return 0;
    size = sizeof protocol;
    return getsockopt(descriptor, SOL_SOCKET, SO_PROTOCOL, &protocol, &size) == 0 && protocol == NETLINK_ROUTE;
}

// Replaces the library's function, which all requests of the Netlink module use.
ssize_t send(int descriptor, const void *bytes, size_t count, int flags) {
    unsigned char copy[1 << 16];
    if (atomic_load(&hides_ipv6) && count <= sizeof copy && is_route_socket(descriptor)) {
        memcpy(copy, bytes, count);
        for (size_t start = 0; start + sizeof(struct nlmsghdr) < count;) {
            struct nlmsghdr header;
            memcpy(&header, copy + start, sizeof header);
            unsigned char *family = copy + start + sizeof header;
            if (header.nlmsg_type >= RTM_BASE && *family == AF_INET6) *family = absent_family;
            if (header.nlmsg_len < sizeof header) break;
            start += NLMSG_ALIGN(header.nlmsg_len);
        }
        bytes = copy;
    }
    return syscall(SYS_sendto, descriptor, bytes, count, flags, NULL, 0);
}

#else

void random_walk_hide_ipv6(void) {}

#endif
