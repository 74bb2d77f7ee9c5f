// SPDX-License-Identifier: Apache-2.0
// Makes a program see a kernel booted with ipv6.disable=1 (LD_PRELOAD).
//
// Requests of rtnetlink about IPv6 are sent for a family without handlers in the kernel, so the errors are the
// kernel's. IPv6 sockets are refused. The network must have no IPv6 addresses and routes already.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <linux/netlink.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

// Amateur radio; none of its modules ever had rtnetlink handlers.
enum { unsupported_family = AF_ROSE };

static int is_rtnetlink(int descriptor) {
    int domain = 0, protocol = -1;
    socklen_t size = sizeof domain;
    if (getsockopt(descriptor, SOL_SOCKET, SO_DOMAIN, &domain, &size) != 0 || domain != AF_NETLINK) return 0;
    size = sizeof protocol;
    return getsockopt(descriptor, SOL_SOCKET, SO_PROTOCOL, &protocol, &size) == 0 && protocol == NETLINK_ROUTE;
}

static void rewrite(unsigned char *bytes, size_t length) {
    for (size_t start = 0; length - start > sizeof(struct nlmsghdr);) {
        struct nlmsghdr header;
        memcpy(&header, bytes + start, sizeof header);
        if (header.nlmsg_len <= sizeof header || header.nlmsg_len > length - start) return;
        unsigned char *family = bytes + start + sizeof header;
        if (*family == AF_INET6) *family = unsupported_family;
        start += NLMSG_ALIGN(header.nlmsg_len);
        if (start >= length) return;
    }
}

static void *next(const char *name) {
    void *function = dlsym(RTLD_NEXT, name);
    if (!function) abort();
    return function;
}

int socket(int domain, int type, int protocol) {
    if (domain == AF_INET6) {
        errno = EAFNOSUPPORT;
        return -1;
    }
    return ((int (*)(int, int, int))next("socket"))(domain, type, protocol);
}

ssize_t sendto(int descriptor, const void *bytes, size_t length, int flags, const struct sockaddr *to,
               socklen_t size) {
    ssize_t (*original)(int, const void *, size_t, int, const struct sockaddr *, socklen_t) = next("sendto");
    if (!is_rtnetlink(descriptor)) return original(descriptor, bytes, length, flags, to, size);
    unsigned char *copy = malloc(length);
    if (!copy) return -1;
    memcpy(copy, bytes, length);
    rewrite(copy, length);
    ssize_t sent = original(descriptor, copy, length, flags, to, size);
    int error = errno;
    free(copy);
    errno = error;
    return sent;
}

ssize_t send(int descriptor, const void *bytes, size_t length, int flags) {
    return sendto(descriptor, bytes, length, flags, NULL, 0);
}

// iproute2 sends one buffer at a time, which may be modified.
ssize_t sendmsg(int descriptor, const struct msghdr *message, int flags) {
    if (is_rtnetlink(descriptor)) {
        for (size_t piece = 0; piece < message->msg_iovlen; piece++)
            rewrite(message->msg_iov[piece].iov_base, message->msg_iov[piece].iov_len);
    }
    return ((ssize_t(*)(int, const struct msghdr *, int))next("sendmsg"))(descriptor, message, flags);
}
