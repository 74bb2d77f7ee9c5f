// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include "internal.h"

#include <arpa/inet.h>
#include <errno.h>
#include <net/if.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

// 198.51.100.1, and the start of unrelated routes: 100.64.0.0.
static const uint32_t target = 0xc6336401, unrelated = 0x64400000;
enum { batch_limit = 100, unrelated_count = 0x10000 };

int raw_open_changer(void) { return open_socket(); }

static struct request make_change(uint32_t address, int length, int type, int adds) {
    uint16_t flags = adds ? NLM_F_CREATE | NLM_F_EXCL : 0;
    struct request request = make_request(adds ? RTM_NEWROUTE : RTM_DELROUTE, flags, address);
    request.route.rtm_dst_len = (uint8_t)length;
    request.route.rtm_table = RT_TABLE_MAIN;
    request.route.rtm_protocol = RTPROT_STATIC;
    request.route.rtm_type = (uint8_t)type;
    return request;
}

// A request for a route via a gateway.
struct gateway_request {
    struct request request;
    struct rtattr attribute;
    uint32_t gateway;
};

static struct gateway_request make_gateway_change(uint32_t address, int length, const char *gateway, int adds) {
    struct gateway_request request = {
        .request = make_change(address, length, RTN_UNICAST, adds),
        .attribute = {.rta_type = RTA_GATEWAY, .rta_len = RTA_LENGTH(4)},
        .gateway = htonl(parse_address(gateway)),
    };
    request.request.header.nlmsg_len = sizeof request;
    return request;
}

static int64_t change(int changer, struct nlmsghdr *request) {
    request->nlmsg_flags |= NLM_F_ACK;
    union buffer buffer;
    int64_t before = raw_now();
    int error = exchange(changer, request, &buffer);
    if (error) fail("cannot change the route: %s", strerror(error));
    return before;
}

int64_t raw_change_route(int changer, uint32_t address, int length, int type, int adds) {
    struct request request = make_change(address, length, type, adds);
    return change(changer, &request.header);
}

int64_t raw_change_default(int changer, const char *gateway, int adds) {
    struct gateway_request request = make_gateway_change(0, 0, gateway, adds);
    return change(changer, &request.request.header);
}

int64_t raw_change(int changer, int adds) { return raw_change_route(changer, target, 32, RTN_BLACKHOLE, adds); }

int64_t raw_set_link(int changer, const char *name, int up) {
    struct {
        struct nlmsghdr header;
        struct ifinfomsg link;
    } request = {
        .header = {.nlmsg_len = sizeof request, .nlmsg_type = RTM_NEWLINK, .nlmsg_flags = NLM_F_REQUEST | NLM_F_ACK},
        .link = {.ifi_index = (int)if_nametoindex(name), .ifi_flags = up ? IFF_UP : 0, .ifi_change = IFF_UP},
    };
    union buffer buffer;
    int64_t before = raw_now();
    int error = exchange(changer, &request.header, &buffer);
    if (error) fail("cannot change %s: %s", name, strerror(error));
    return before;
}

// The requests want no acknowledgement, so only a failure has an answer.
static void expect_silence(int changer) {
    union buffer buffer;
    if (recv(changer, &buffer, sizeof buffer, MSG_DONTWAIT) < 0) return;
    const struct nlmsgerr *error = NLMSG_DATA(&buffer.header);
    fail("cannot change routes: %s", strerror(-error->error));
}

static void send_batch(int changer, const void *requests, size_t size) {
    if (size && send(changer, requests, size, 0) < 0) fail("cannot send: %s", strerror(errno));
    expect_silence(changer);
}

int64_t raw_change_routes(int changer, uint32_t first, size_t count, int adds) {
    struct request batch[batch_limit];
    int64_t before = raw_now();
    for (size_t done = 0; done < count;) {
        size_t filled = 0;
        while (filled < batch_limit && done < count)
            batch[filled++] = make_change(first + (uint32_t)done++, 32, RTN_BLACKHOLE, adds);
        send_batch(changer, batch, filled * sizeof batch[0]);
    }
    return before;
}

void raw_add_routes(size_t count, const char *gateway) {
    struct gateway_request batch[batch_limit];
    int changer = open_socket();
    size_t filled = 0;
    for (size_t i = 0; i < count; i++) {
        batch[filled++] = make_gateway_change(0x10000000 + ((uint32_t)i << 8), 24, gateway, 1);
        if (filled < batch_limit && i + 1 < count) continue;
        send_batch(changer, batch, filled * sizeof batch[0]);
        filled = 0;
    }
    close(changer);
}

// The change with a number: even ones add what the next one deletes.
static struct request make_idle_change(size_t number) {
    return make_change(unrelated + (uint32_t)(number / 2 % unrelated_count), 32, RTN_BLACKHOLE, number % 2 == 0);
}

void raw_churn(size_t rate, double seconds) {
    int changer = open_socket();
    struct request batch[batch_limit];
    // Enough for a batch every millisecond; an even number, so that nothing is left over.
    size_t step = rate / 1000 / 2 * 2;
    if (step < 2 || step > batch_limit) fail("unsupported rate: %zu changes a second", rate);
    struct timespec next;
    clock_gettime(CLOCK_MONOTONIC, &next);
    size_t total = (size_t)((double)rate * seconds) / step * step;
    for (size_t done = 0; done < total; done += step) {
        for (size_t i = 0; i < step; i++) batch[i] = make_idle_change(done + i);
        send_batch(changer, batch, step * sizeof batch[0]);
        next.tv_nsec += (long)(step * 1000000000 / rate);
        if (next.tv_nsec >= 1000000000) next = (struct timespec){next.tv_sec + 1, next.tv_nsec - 1000000000};
        clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &next, NULL);
    }
    close(changer);
}

int64_t raw_storm(size_t count) {
    int changer = open_socket();
    struct request batch[batch_limit];
    size_t idle = 0;
    for (size_t done = 0; done < count; done += batch_limit) {
        for (size_t i = 0; i < batch_limit; i++) {
            int is_for_target = i % 10 == 9;
            batch[i] = is_for_target ? make_change(target, 32, RTN_BLACKHOLE, i % 20 == 9) : make_idle_change(idle++);
        }
        send_batch(changer, batch, sizeof batch);
    }
    int64_t before = raw_change_route(changer, target, 32, RTN_PROHIBIT, 1);
    close(changer);
    return before;
}
