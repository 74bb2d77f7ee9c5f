// SPDX-License-Identifier: Apache-2.0
#if defined(__linux__) && !defined(__ANDROID__)

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include "CRandomTraffic.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/sock_diag.h>
#include <linux/tcp.h>
#include <netinet/in.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

int traffic_open_namespace(int thread) {
    char path[64];
    snprintf(path, sizeof path, "/proc/self/task/%d/ns/net", thread);
    return open(path, O_RDONLY | O_CLOEXEC);
}

int traffic_enter(int name_space) { return setns(name_space, CLONE_NEWNET) == 0 ? 0 : errno; }

void traffic_unblock(int descriptor) { fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK); }

// Native IPv4 where it is IPv4, as most programs use it.
static socklen_t socket_address(struct traffic_address from, struct sockaddr_storage *to, int *family) {
    static const unsigned char mapped[12] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};
    memset(to, 0, sizeof *to);
    if (memcmp(from.octets, mapped, sizeof mapped) == 0) {
        struct sockaddr_in *four = (struct sockaddr_in *)to;
        *family = four->sin_family = AF_INET;
        four->sin_port = htons(from.port);
        memcpy(&four->sin_addr, from.octets + 12, 4);
        return sizeof *four;
    }
    struct sockaddr_in6 *six = (struct sockaddr_in6 *)to;
    *family = six->sin6_family = AF_INET6;
    six->sin6_port = htons(from.port);
    memcpy(&six->sin6_addr, from.octets, 16);
    return sizeof *six;
}

int traffic_connect(struct traffic_address peer) {
    struct sockaddr_storage address;
    int family;
    socklen_t length = socket_address(peer, &address, &family);
    int descriptor = socket(family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, IPPROTO_TCP);
    if (descriptor < 0) return -1;
    if (connect(descriptor, (struct sockaddr *)&address, length) == 0 || errno == EINPROGRESS) return descriptor;
    int error = errno;
    close(descriptor);
    errno = error;
    return -1;
}

int traffic_listen(struct traffic_address from, int backlog) {
    struct sockaddr_storage address;
    int family, yes = 1;
    socklen_t length = socket_address(from, &address, &family);
    int descriptor = socket(family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, IPPROTO_TCP);
    if (descriptor < 0) return -1;
    setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    if (bind(descriptor, (struct sockaddr *)&address, length) == 0 && listen(descriptor, backlog) == 0)
        return descriptor;
    int error = errno;
    close(descriptor);
    errno = error;
    return -1;
}

int traffic_accept(int listener, struct traffic_address *peer) {
    struct sockaddr_storage address;
    socklen_t length = sizeof address;
    int descriptor = accept4(listener, (struct sockaddr *)&address, &length, SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (descriptor < 0) return -1;
    memset(peer, 0, sizeof *peer);
    if (address.ss_family == AF_INET) {
        struct sockaddr_in *four = (struct sockaddr_in *)&address;
        peer->octets[10] = peer->octets[11] = 0xff;
        memcpy(peer->octets + 12, &four->sin_addr, 4);
        peer->port = ntohs(four->sin_port);
    } else {
        struct sockaddr_in6 *six = (struct sockaddr_in6 *)&address;
        memcpy(peer->octets, &six->sin6_addr, 16);
        peer->port = ntohs(six->sin6_port);
    }
    return descriptor;
}

void traffic_limit_window(int socket, int bytes) { setsockopt(socket, SOL_SOCKET, SO_RCVBUF, &bytes, sizeof bytes); }

void traffic_keep_alive(int socket, int seconds) {
    int yes = 1, count = 100;
    setsockopt(socket, SOL_SOCKET, SO_KEEPALIVE, &yes, sizeof yes);
    setsockopt(socket, IPPROTO_TCP, TCP_KEEPIDLE, &seconds, sizeof seconds);
    setsockopt(socket, IPPROTO_TCP, TCP_KEEPINTVL, &seconds, sizeof seconds);
    setsockopt(socket, IPPROTO_TCP, TCP_KEEPCNT, &count, sizeof count);
}

void traffic_abort(int socket) {
    struct linger none = {.l_onoff = 1};
    setsockopt(socket, SOL_SOCKET, SO_LINGER, &none, sizeof none);
    close(socket);
}

int traffic_open_destroyer(void) {
    return socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, NETLINK_SOCK_DIAG);
}

void traffic_destroy(int destroyer, struct traffic_address local, struct traffic_address peer) {
    struct {
        struct nlmsghdr header;
        struct inet_diag_req_v2 body;
    } request = {.header = {.nlmsg_len = sizeof request, .nlmsg_type = SOCK_DESTROY, .nlmsg_flags = NLM_F_REQUEST}};
    struct sockaddr_storage addresses[2];
    int family;
    socket_address(peer, &addresses[0], &family);
    size_t start = family == AF_INET ? 12 : 0;
    request.body.sdiag_family = (unsigned char)family;
    request.body.sdiag_protocol = IPPROTO_TCP;
    request.body.idiag_states = ~0u;
    request.body.id.idiag_sport = htons(local.port);
    request.body.id.idiag_dport = htons(peer.port);
    memcpy(request.body.id.idiag_src, local.octets + start, 16 - start);
    memcpy(request.body.id.idiag_dst, peer.octets + start, 16 - start);
    request.body.id.idiag_cookie[0] = request.body.id.idiag_cookie[1] = INET_DIAG_NOCOOKIE;
    send(destroyer, &request, sizeof request, 0);
    // An error is answered: the connection is gone already.
    while (recv(destroyer, &request, sizeof request, 0) > 0) {}
}

uint16_t traffic_port(int socket) {
    struct sockaddr_storage address;
    socklen_t length = sizeof address;
    if (getsockname(socket, (struct sockaddr *)&address, &length) != 0) return 0;
    return ntohs(address.ss_family == AF_INET ? ((struct sockaddr_in *)&address)->sin_port
                                              : ((struct sockaddr_in6 *)&address)->sin6_port);
}

void traffic_close(int descriptor) { close(descriptor); }

void traffic_finish(int socket) { shutdown(socket, SHUT_WR); }

int traffic_is_connected(int socket) {
    struct sockaddr_storage address;
    socklen_t length = sizeof address;
    return getpeername(socket, (struct sockaddr *)&address, &length) == 0;
}

int traffic_timeout(int socket) {
    struct tcp_info info;
    socklen_t length = sizeof info;
    memset(&info, 0, sizeof info);
    if (getsockopt(socket, IPPROTO_TCP, TCP_INFO, &info, &length) != 0) return 0;
    return (int)((info.tcpi_rto >> (info.tcpi_backoff < 16 ? info.tcpi_backoff : 16)) / 1000);
}

// glibc's structure ends before these members of the kernel's.
struct extended_info {
    struct tcp_info info;
    uint8_t more[200];
};

struct traffic_losses traffic_losses(int socket) {
    struct extended_info extended;
    socklen_t length = sizeof extended;
    struct traffic_losses losses = {0, 0};
    memset(&extended, 0, sizeof extended);
    if (getsockopt(socket, IPPROTO_TCP, TCP_INFO, &extended, &length) != 0) return losses;
    losses.lost = extended.info.tcpi_total_retrans;
    // tcpi_data_segs_out
    memcpy(&losses.sent, (char *)&extended + 156, sizeof losses.sent);
    return losses;
}

int traffic_epoll(void) { return epoll_create1(EPOLL_CLOEXEC); }

int traffic_watch(int epoll, int descriptor, uint64_t key, int for_writing) {
    struct epoll_event event = {.events = EPOLLIN | EPOLLRDHUP, .data.u64 = key};
    if (for_writing) event.events |= EPOLLOUT | EPOLLET;
    return epoll_ctl(epoll, EPOLL_CTL_ADD, descriptor, &event) == 0 ? 0 : errno;
}

int traffic_wait(int epoll, struct traffic_event *events, int capacity, int64_t nanoseconds) {
    struct epoll_event found[128];
    struct timespec limit = {.tv_sec = nanoseconds / 1000000000, .tv_nsec = nanoseconds % 1000000000};
    int count = epoll_pwait2(epoll, found, capacity < 128 ? capacity : 128, &limit, NULL);
    for (int index = 0; index < count; index++) {
        uint32_t bits = found[index].events;
        events[index] = (struct traffic_event){
            .key = found[index].data.u64, .is_readable = (bits & (EPOLLIN | EPOLLRDHUP)) != 0,
            .is_writable = (bits & EPOLLOUT) != 0, .is_closed = (bits & (EPOLLERR | EPOLLHUP)) != 0};
    }
    return count < 0 ? 0 : count;
}

void traffic_raise_limit(void) {
    struct rlimit limits;
    if (getrlimit(RLIMIT_NOFILE, &limits) != 0) return;
    limits.rlim_cur = limits.rlim_max;
    setrlimit(RLIMIT_NOFILE, &limits);
}

int64_t traffic_now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

#endif
