#define _GNU_SOURCE
#include "internal.h"

#include <arpa/inet.h>
#include <errno.h>
#include <linux/filter.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { pause_between = 200 * 1000, silence_s = 2 };

struct changes {
    size_t count;
    // The time of the newest request; the receiver waits for it after that change's message.
    _Atomic int64_t sent;
    _Atomic size_t made, received;
};

static void *make_changes(void *argument) {
    struct changes *changes = argument;
    int changer = open_socket();
    for (size_t i = 0; i < changes->count; i++) {
        pause_ns(pause_between);
        atomic_store(&changes->sent, raw_change(changer, i % 2 == 0));
        atomic_store(&changes->made, i + 1);
        while (atomic_load(&changes->received) <= i) pause_ns(pause_between / 10);
    }
    close(changer);
    return NULL;
}

static _Atomic int64_t handed_over;

void raw_handed_over(void) { atomic_store(&handed_over, raw_now()); }

void raw_events(size_t count, int64_t *samples, void (*hand_over)(void)) {
    int socket_fd = open_socket();
    join_group(socket_fd, RTNLGRP_IPV4_ROUTE);
    struct timeval limit = {.tv_sec = silence_s};
    setsockopt(socket_fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);

    struct changes changes = {.count = count};
    pthread_t thread;
    int error = pthread_create(&thread, NULL, make_changes, &changes);
    if (error) fail("cannot start a thread: %s", strerror(error));
    union buffer buffer;
    for (size_t i = 0; i < count; i++) {
        receive(socket_fd, &buffer);
        int64_t received = raw_now();
        if (hand_over) {
            atomic_store(&handed_over, 0);
            hand_over();
            while (atomic_load(&handed_over) == 0) pause_ns(pause_between / 10);
            received = atomic_load(&handed_over);
        }
        while (atomic_load(&changes.made) <= i) pause_ns(pause_between / 10);
        samples[i] = received - atomic_load(&changes.sent);
        atomic_store(&changes.received, i + 1);
    }
    pthread_join(thread, NULL);
    close(socket_fd);
}

// Passes everything but routes that contain neither the address nor all addresses. Netlink numbers are in host byte
// order, and the filter reads them in network byte order. Jumps count from the following instruction.
static void attach_filter(int socket_fd, uint32_t address) {
    enum { family = sizeof(struct nlmsghdr), length, attributes = sizeof(struct nlmsghdr) + sizeof(struct rtmsg) };
    struct sock_filter code[] = {
        /* 0 */ BPF_STMT(BPF_LD | BPF_H | BPF_ABS, 4),
        /* 1 */ BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, htons(RTM_NEWROUTE), 1, 0),
        /* 2 */ BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, htons(RTM_DELROUTE), 0, 24 - 3),
        /* 3 */ BPF_STMT(BPF_LD | BPF_B | BPF_ABS, length),
        /* 4 */ BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 0, 24 - 5, 0),
        /* 5 */ BPF_STMT(BPF_ST, 0),
        /* 6 */ BPF_STMT(BPF_LD | BPF_B | BPF_ABS, family),
        /* 7 */ BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, AF_INET, 0, 23 - 8),
        /* 8 */ BPF_STMT(BPF_LD | BPF_IMM, attributes),
        /* 9 */ BPF_STMT(BPF_LDX | BPF_IMM, RTA_DST),
        /* 10 */ BPF_STMT(BPF_LD | BPF_W | BPF_ABS, (uint32_t)(SKF_AD_OFF + SKF_AD_NLATTR)),
        /* 11 */ BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 0, 24 - 12, 0),
        /* 12 */ BPF_STMT(BPF_MISC | BPF_TAX, 0),
        /* 13 */ BPF_STMT(BPF_LD | BPF_W | BPF_IND, 4),
        /* 14 */ BPF_STMT(BPF_ALU | BPF_XOR | BPF_K, address),
        /* 15 */ BPF_STMT(BPF_ST, 1),
        /* 16 */ BPF_STMT(BPF_LD | BPF_IMM, 32),
        /* 17 */ BPF_STMT(BPF_LDX | BPF_MEM, 0),
        /* 18 */ BPF_STMT(BPF_ALU | BPF_SUB | BPF_X, 0),
        /* 19 */ BPF_STMT(BPF_MISC | BPF_TAX, 0),
        /* 20 */ BPF_STMT(BPF_LD | BPF_MEM, 1),
        /* 21 */ BPF_STMT(BPF_ALU | BPF_RSH | BPF_X, 0),
        /* 22 */ BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 0, 1, 0),
        /* 23 */ BPF_STMT(BPF_RET | BPF_K, 0),
        /* 24 */ BPF_STMT(BPF_RET | BPF_K, 0xffffffff),
    };
    struct sock_fprog program = {.len = sizeof code / sizeof code[0], .filter = code};
    if (setsockopt(socket_fd, SOL_SOCKET, SO_ATTACH_FILTER, &program, sizeof program) < 0)
        fail("cannot attach the filter: %s", strerror(errno));
}

void raw_receive_filtered(uint32_t address, void (*note)(void)) {
    static const int groups[] = {
        RTNLGRP_LINK,      RTNLGRP_IPV4_IFADDR, RTNLGRP_IPV6_IFADDR, RTNLGRP_IPV4_ROUTE,
        RTNLGRP_IPV6_ROUTE, RTNLGRP_IPV4_RULE,   RTNLGRP_IPV6_RULE,   RTNLGRP_NEXTHOP,
    };
    int socket_fd = open_socket();
    attach_filter(socket_fd, address);
    for (size_t i = 0; i < sizeof groups / sizeof groups[0]; i++) join_group(socket_fd, groups[i]);
    union buffer buffer;
    while (1) {
        receive(socket_fd, &buffer);
        note();
    }
}
