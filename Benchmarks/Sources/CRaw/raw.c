#define _GNU_SOURCE
#include "CRaw.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <pthread.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { pause_ns = 200 * 1000, silence_s = 2 };

extern char **environ;

static _Noreturn void fail(const char *format, ...) {
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

// A request with room for the one address attribute that each of them carries.
struct request {
    struct nlmsghdr header;
    struct rtmsg route;
    struct rtattr attribute;
    uint8_t address[4];
};

static struct request make_request(uint16_t type, uint16_t flags, const char *address) {
    struct request request = {
        .header = {.nlmsg_len = sizeof request, .nlmsg_type = type, .nlmsg_flags = NLM_F_REQUEST | flags},
        .route = {.rtm_family = AF_INET, .rtm_dst_len = 32},
        .attribute = {.rta_type = RTA_DST, .rta_len = RTA_LENGTH(4)},
    };
    if (inet_pton(AF_INET, address, request.address) != 1) fail("not an IPv4 address: %s", address);
    return request;
}

// Connected to the kernel, so that send() and recv() do without an address.
static int open_socket(void) {
    int socket_fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE);
    if (socket_fd < 0) fail("cannot open a netlink socket: %s", strerror(errno));
    struct sockaddr_nl kernel = {.nl_family = AF_NETLINK};
    if (connect(socket_fd, (struct sockaddr *)&kernel, sizeof kernel) < 0)
        fail("cannot connect to the kernel: %s", strerror(errno));
    return socket_fd;
}

union buffer {
    struct nlmsghdr header;
    uint8_t bytes[8192];
};

static void receive(int socket_fd, union buffer *buffer) {
    ssize_t size = recv(socket_fd, buffer, sizeof *buffer, 0);
    if (size < 0) fail("nothing received: %s", strerror(errno));
    if ((size_t)size < sizeof buffer->header || buffer->header.nlmsg_len > (size_t)size)
        fail("received a message that is cut short (%zd bytes)", size);
}

// Returns 0, or the error number that the kernel answered with.
static int exchange(int socket_fd, struct request *request, union buffer *buffer) {
    if (send(socket_fd, request, request->header.nlmsg_len, 0) < 0) fail("cannot send: %s", strerror(errno));
    receive(socket_fd, buffer);
    if (buffer->header.nlmsg_type != NLMSG_ERROR) return 0;
    const struct nlmsgerr *error = NLMSG_DATA(&buffer->header);
    return -error->error;
}

void raw_lookups(const char *address, size_t count, int64_t *samples) {
    int socket_fd = open_socket();
    struct request request = make_request(RTM_GETROUTE, 0, address);
    union buffer buffer;
    for (size_t i = 0; i < count; i++) {
        request.header.nlmsg_seq = (uint32_t)i + 1;
        int64_t before = raw_now();
        exchange(socket_fd, &request, &buffer);
        samples[i] = raw_now() - before;
    }
    close(socket_fd);
}

int raw_open_changer(void) { return open_socket(); }

int64_t raw_change(int changer, int adds) {
    uint16_t flags = adds ? NLM_F_ACK | NLM_F_CREATE | NLM_F_EXCL : NLM_F_ACK;
    struct request request = make_request(adds ? RTM_NEWROUTE : RTM_DELROUTE, flags, "198.51.100.1");
    request.route.rtm_table = RT_TABLE_MAIN;
    request.route.rtm_protocol = RTPROT_STATIC;
    request.route.rtm_type = RTN_BLACKHOLE;
    union buffer buffer;
    int64_t before = raw_now();
    int error = exchange(changer, &request, &buffer);
    if (error) fail("cannot change the route: %s", strerror(error));
    return before;
}

struct changes {
    size_t count;
    // When the newest change was sent; the receiver waits for it after that change's message.
    _Atomic int64_t sent;
    _Atomic size_t made, received;
};

static void *make_changes(void *argument) {
    struct changes *changes = argument;
    int changer = open_socket();
    for (size_t i = 0; i < changes->count; i++) {
        nanosleep(&(struct timespec){.tv_nsec = pause_ns}, NULL);
        atomic_store(&changes->sent, raw_change(changer, i % 2 == 0));
        atomic_store(&changes->made, i + 1);
        while (atomic_load(&changes->received) <= i) nanosleep(&(struct timespec){.tv_nsec = pause_ns / 10}, NULL);
    }
    close(changer);
    return NULL;
}

static _Atomic int64_t handed_over;

void raw_handed_over(void) { atomic_store(&handed_over, raw_now()); }

void raw_events(size_t count, int64_t *samples, void (*hand_over)(void)) {
    int socket_fd = open_socket();
    int group = RTNLGRP_IPV4_ROUTE;
    if (setsockopt(socket_fd, SOL_NETLINK, NETLINK_ADD_MEMBERSHIP, &group, sizeof group) < 0)
        fail("cannot join the group RTNLGRP_IPV4_ROUTE: %s", strerror(errno));
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
            while (atomic_load(&handed_over) == 0) nanosleep(&(struct timespec){.tv_nsec = pause_ns / 10}, NULL);
            received = atomic_load(&handed_over);
        }
        while (atomic_load(&changes.made) <= i) nanosleep(&(struct timespec){.tv_nsec = pause_ns / 10}, NULL);
        samples[i] = received - atomic_load(&changes.sent);
        atomic_store(&changes.received, i + 1);
    }
    pthread_join(thread, NULL);
    close(socket_fd);
}

void raw_runs(char *const arguments[], size_t count, int64_t *samples) {
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
    for (size_t i = 0; i < count; i++) {
        pid_t child;
        int64_t before = raw_now();
        int error = posix_spawnp(&child, arguments[0], &actions, NULL, arguments, environ);
        if (error) fail("cannot start %s: %s", arguments[0], strerror(error));
        int status;
        while (waitpid(child, &status, 0) < 0 && errno == EINTR) {}
        samples[i] = raw_now() - before;
        if (!WIFEXITED(status) || WEXITSTATUS(status) > 1) fail("%s failed", arguments[0]);
    }
    posix_spawn_file_actions_destroy(&actions);
}
