// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include "internal.h"

#include <arpa/inet.h>
#include <errno.h>
#include <linux/filter.h>
#include <string.h>
#include <sys/socket.h>

int raw_open_events(void) {
    int events = open_socket();
    join_group(events, RTNLGRP_IPV4_ROUTE);
    return events;
}

void raw_receive(int events) {
    union buffer buffer;
    receive(events, &buffer);
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

int raw_open_filtered_events(uint32_t address) {
    static const int groups[] = {
        RTNLGRP_LINK,      RTNLGRP_IPV4_IFADDR, RTNLGRP_IPV6_IFADDR, RTNLGRP_IPV4_ROUTE,
        RTNLGRP_IPV6_ROUTE, RTNLGRP_IPV4_RULE,   RTNLGRP_IPV6_RULE,   RTNLGRP_NEXTHOP,
    };
    int events = open_socket();
    attach_filter(events, address);
    for (size_t i = 0; i < sizeof groups / sizeof groups[0]; i++) join_group(events, groups[i]);
    return events;
}
