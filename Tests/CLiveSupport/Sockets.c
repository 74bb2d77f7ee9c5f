// SPDX-License-Identifier: Apache-2.0
#if defined(__linux__) && !defined(__ANDROID__)

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include "CLiveSupport.h"

#include <errno.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <linux/securebits.h>
#include <linux/tcp.h>
#include <netinet/in.h>
#include <poll.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

union address {
    struct sockaddr any;
    struct sockaddr_in v4;
    struct sockaddr_in6 v6;
};

static socklen_t set_address(union address *address, const unsigned char *bytes, int length, unsigned interface,
                             unsigned short port) {
    *address = (union address){0};
    if (length == 4) {
        address->v4.sin_family = AF_INET;
        address->v4.sin_port = htons(port);
        memcpy(&address->v4.sin_addr, bytes, 4);
        return sizeof address->v4;
    }
    address->v6.sin6_family = AF_INET6;
    address->v6.sin6_port = htons(port);
    memcpy(&address->v6.sin6_addr, bytes, 16);
    bool is_local = (bytes[0] == 0xfe && (bytes[1] & 0xc0) == 0x80) || bytes[0] == 0xff;
    if (is_local) address->v6.sin6_scope_id = interface;
    return sizeof address->v6;
}

// Returns -1 with errno.
static int open_bound(const unsigned char *source, int length, unsigned interface, unsigned mark, int type,
                      int protocol) {
    union address address;
    const int yes = 1;
    const int index = (int)interface;
    int socket_ = socket(length == 4 ? AF_INET : AF_INET6, type | SOCK_CLOEXEC | SOCK_NONBLOCK, protocol);
    if (socket_ < 0) return -1;
    setsockopt(socket_, SOL_SOCKET, SO_BROADCAST, &yes, sizeof yes);
    bool fits = interface == 0 || setsockopt(socket_, SOL_SOCKET, SO_BINDTOIFINDEX, &index, sizeof index) == 0;
    fits = fits && (mark == 0 || setsockopt(socket_, SOL_SOCKET, SO_MARK, &mark, sizeof mark) == 0);
    if (fits && source != NULL) {
        socklen_t size = set_address(&address, source, length, interface, 0);
        fits = bind(socket_, &address.any, size) == 0;
    }
    if (fits) return socket_;
    int error = errno;
    close(socket_);
    errno = error;
    return -1;
}

struct live_connection live_connect(const unsigned char *destination, const unsigned char *source, int length,
                                    unsigned interface, unsigned mark, int protocol, unsigned short port) {
    struct live_connection result = {0};
    int type = protocol == IPPROTO_TCP ? SOCK_STREAM : SOCK_DGRAM;
    int socket_ = open_bound(source, length, interface, mark, type, protocol);
    if (socket_ < 0) {
        result.error = errno;
        return result;
    }
    union address address;
    socklen_t size = set_address(&address, destination, length, interface, port);
    bool is_refused = connect(socket_, &address.any, size) != 0 && errno != EINPROGRESS;
    size = sizeof address;
    if (is_refused || getsockname(socket_, &address.any, &size) != 0) {
        result.error = errno;
    } else if (length == 4) {
        memcpy(result.source, &address.v4.sin_addr, 4);
    } else {
        memcpy(result.source, &address.v6.sin6_addr, 16);
    }
    close(socket_);
    return result;
}

// MARK: Users

int live_become(unsigned user) {
    // The library's setresuid() would change all threads, and the kernel would drop the capabilities.
    if (prctl(PR_SET_SECUREBITS, SECBIT_NO_SETUID_FIXUP) != 0) return errno;
    return syscall(SYS_setresuid, -1, user, -1) == 0 ? 0 : errno;
}

int live_enter_mapped_user_namespace(unsigned user) {
    char map[32];
    snprintf(map, sizeof map, "%u %u 1", user, user);
    if (setresgid(user, user, user) != 0 || setresuid(user, user, user) != 0) return errno;
    // A process that changed its user may not open its own /proc files otherwise.
    if (prctl(PR_SET_DUMPABLE, 1) != 0 || unshare(CLONE_NEWUSER) != 0) return errno;
    int error = live_write("/proc/self/setgroups", "deny");
    if (error == 0) error = live_write("/proc/self/uid_map", map);
    return error == 0 ? live_write("/proc/self/gid_map", map) : error;
}

// MARK: Packets

// The trailer of each packet.
struct content {
    unsigned char mark[8];
    uint64_t number;
};

static const unsigned char mark_of_content[8] = {'r', 'n', 'd', 'w', 'a', 'l', 'k', 0};

enum { udp_header = 8, tcp_header = 20, v4_header = 20, v6_header = 40, ethernet_header = 14 };

// The TCP segment has an arbitrary header.
static ssize_t send_content(int socket_, int is_segment, const struct content *content, const union address *address,
                            socklen_t size, int connects) {
    unsigned char bytes[tcp_header + sizeof *content] = {0};
    size_t header = is_segment ? tcp_header : 0;
    if (is_segment) bytes[12] = tcp_header << 2;
    memcpy(bytes + header, content, sizeof *content);
    if (!connects) return sendto(socket_, bytes, header + sizeof *content, 0, &address->any, size);
    if (connect(socket_, &address->any, size) != 0) return -1;
    return send(socket_, bytes, header + sizeof *content, 0);
}

int live_send(const unsigned char *destination, const unsigned char *source, int length, unsigned interface,
              unsigned mark, int protocol, unsigned short port, int count, int connects, uint64_t number) {
    struct content content = {.number = number};
    memcpy(content.mark, mark_of_content, sizeof content.mark);
    const int is_segment = protocol == IPPROTO_TCP;
    int taken = 0;
    for (int position = 0; position < count; position++) {
        int type = is_segment ? SOCK_RAW : SOCK_DGRAM;
        int socket_ = open_bound(source, length, interface, mark, type, protocol);
        if (socket_ < 0) return taken;
        union address address;
        socklen_t size = set_address(&address, destination, length, interface, is_segment ? 0 : port);
        if (send_content(socket_, is_segment, &content, &address, size, connects) > 0) taken++;
        close(socket_);
    }
    return taken;
}

int live_open_stream(const unsigned char *destination, const unsigned char *source, int length, unsigned interface,
                     unsigned short source_port, unsigned short port) {
    const int on = 1, off = -1;
    int socket_ = open_bound(NULL, length, interface, 0, SOCK_STREAM, IPPROTO_TCP);
    if (socket_ < 0) return -1;
    union address here, there;
    const unsigned char none[16] = {0};
    socklen_t here_size = set_address(&here, source != NULL ? source : none, length, interface, source_port);
    socklen_t there_size = set_address(&there, destination, length, interface, port);
    const struct tcp_repair_window window = {.snd_wnd = 65535, .max_window = 65535, .rcv_wnd = 65535};
    // In repair mode the kernel sends nothing; -1 leaves it without a probe.
    bool fits = setsockopt(socket_, IPPROTO_TCP, TCP_REPAIR, &on, sizeof on) == 0 &&
                setsockopt(socket_, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on) == 0 &&
                setsockopt(socket_, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) == 0 &&
                bind(socket_, &here.any, here_size) == 0 && connect(socket_, &there.any, there_size) == 0 &&
                setsockopt(socket_, IPPROTO_TCP, TCP_REPAIR_WINDOW, &window, sizeof window) == 0 &&
                setsockopt(socket_, IPPROTO_TCP, TCP_REPAIR, &off, sizeof off) == 0;
    if (fits) return socket_;
    int error = errno;
    live_close_stream(socket_);
    errno = error;
    return -1;
}

int live_stream_source(int stream, unsigned char source[16], unsigned short *port) {
    union address address;
    socklen_t size = sizeof address;
    if (getsockname(stream, &address.any, &size) != 0) return errno;
    bool is_v4 = address.any.sa_family == AF_INET;
    memcpy(source, is_v4 ? (void *)&address.v4.sin_addr : (void *)&address.v6.sin6_addr, is_v4 ? 4 : 16);
    *port = ntohs(is_v4 ? address.v4.sin_port : address.v6.sin6_port);
    return 0;
}

int live_send_over_stream(int stream, uint64_t number) {
    struct content content = {.number = number};
    memcpy(content.mark, mark_of_content, sizeof content.mark);
    return send(stream, &content, sizeof content, MSG_NOSIGNAL) == sizeof content ? 0 : errno;
}

void live_close_stream(int stream) {
    const int on = 1;
    setsockopt(stream, IPPROTO_TCP, TCP_REPAIR, &on, sizeof on);
    close(stream);
}

int live_open_tap(void) {
    int tap = socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, htons(ETH_P_ALL));
    const int size = 1 << 22;
    if (tap >= 0) setsockopt(tap, SOL_SOCKET, SO_RCVBUFFORCE, &size, sizeof size);
    return tap;
}

int live_open_inbox(unsigned short port) {
    int inbox = socket(AF_INET6, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (inbox < 0) return -1;
    union address address;
    const unsigned char any[16] = {0};
    socklen_t size = set_address(&address, any, sizeof any, 0, port);
    const int no = 0;
    setsockopt(inbox, IPPROTO_IPV6, IPV6_V6ONLY, &no, sizeof no);
    if (bind(inbox, &address.any, size) == 0) return inbox;
    int error = errno;
    close(inbox);
    errno = error;
    return -1;
}

static void read_frame(const unsigned char *end, size_t length, struct live_arrival *arrival) {
    static const struct { unsigned char protocol, header; } kinds[] = {{IPPROTO_UDP, udp_header}, {IPPROTO_TCP, tcp_header}};
    for (size_t kind = 0; kind < sizeof kinds / sizeof *kinds; kind++) {
        size_t content = sizeof(struct content) + kinds[kind].header;
        // The preceding header is IPv4 or IPv6; version and payload length must match.
        for (size_t header = v4_header; header <= v6_header; header += v6_header - v4_header) {
            if (length < content + header + ethernet_header) continue;
            const unsigned char *start = end - content - header;
            bool is_v4 = header == v4_header && start[0] == 0x45 && start[9] == kinds[kind].protocol;
            bool is_v6 = header == v6_header && start[0] >> 4 == 6 && start[6] == kinds[kind].protocol;
            if (!(is_v4 && start[3] == header + content) && !(is_v6 && start[5] == content)) continue;
            memcpy(arrival->receiver, start - ethernet_header, 6);
            memcpy(arrival->sender, start - ethernet_header + 6, 6);
            arrival->is_frame = 1;
            return;
        }
    }
}

// Whether a frame is an ICMP message, which may quote a packet that did not arrive.
static bool is_error(const unsigned char *frame, size_t length) {
    if (length < 34) return false;
    bool is_v4 = frame[12] == 0x08 && frame[13] == 0x00, is_v6 = frame[12] == 0x86 && frame[13] == 0xdd;
    return (is_v4 && frame[23] == IPPROTO_ICMP) || (is_v6 && frame[20] == IPPROTO_ICMPV6);
}

int live_next_arrival(int descriptor, int milliseconds, struct live_arrival *arrival) {
    unsigned char bytes[4096];
    for (;;) {
        struct pollfd wanted = {.fd = descriptor, .events = POLLIN};
        int count = poll(&wanted, 1, milliseconds);
        if (count < 0 && errno == EINTR) continue;
        if (count <= 0 || !(wanted.revents & POLLIN)) return 0;
        struct sockaddr_ll from = {0};
        socklen_t size = sizeof from;
        // A tunnel device is no socket.
        ssize_t length = recvfrom(descriptor, bytes, sizeof bytes, 0, (struct sockaddr *)&from, &size);
        if (length < 0 && errno == ENOTSOCK) length = read(descriptor, bytes, sizeof bytes);
        if (length < 0 && errno != EINTR) return 0;
        // A packet that only passes through the namespace has not arrived.
        bool is_leaving = from.sll_family == AF_PACKET && from.sll_pkttype == PACKET_OUTGOING;
        struct content content;
        if (length < (ssize_t)sizeof content || is_leaving) continue;
        memcpy(&content, bytes + length - sizeof content, sizeof content);
        if (memcmp(content.mark, mark_of_content, sizeof content.mark) != 0) continue;
        if (from.sll_family == AF_PACKET && is_error(bytes, (size_t)length)) continue;
        *arrival = (struct live_arrival){.number = content.number};
        if (from.sll_family == AF_PACKET) read_frame(bytes + length, (size_t)length, arrival);
        return 1;
    }
}

#endif
