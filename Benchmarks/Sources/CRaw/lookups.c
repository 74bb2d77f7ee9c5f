// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include "internal.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { batch_limit = 128, answer_size = 512, recorded_limit = 16 };

void raw_look_up(int socket_fd, uint32_t address) {
    struct request request = make_request(RTM_GETROUTE, 0, address);
    union buffer buffer;
    exchange(socket_fd, &request.header, &buffer);
}

// The memory of a batch: 4.5 KiB of requests, 64 KiB of answers.
struct batch {
    struct request requests[batch_limit];
    uint8_t answers[batch_limit][answer_size];
    struct iovec places[batch_limit];
    struct mmsghdr messages[batch_limit];
};

static void look_up(int socket_fd, struct batch *batch, uint32_t first, size_t count) {
    for (size_t i = 0; i < count; i++) {
        batch->requests[i] = make_request(RTM_GETROUTE, 0, first + (uint32_t)i);
        batch->places[i] = (struct iovec){batch->answers[i], answer_size};
        batch->messages[i] = (struct mmsghdr){.msg_hdr = {.msg_iov = &batch->places[i], .msg_iovlen = 1}};
    }
    if (send(socket_fd, batch->requests, count * sizeof batch->requests[0], 0) < 0)
        fail("cannot send: %s", strerror(errno));
    for (size_t received = 0; received < count;) {
        int more = recvmmsg(socket_fd, batch->messages, (unsigned)(count - received), 0, NULL);
        if (more < 0) fail("nothing received: %s", strerror(errno));
        for (int i = 0; i < more; i++) {
            const struct nlmsghdr *header = (const void *)batch->answers[i];
            if (header->nlmsg_type != RTM_NEWROUTE) fail("a lookup was answered with %d", header->nlmsg_type);
        }
        received += (size_t)more;
    }
}

struct reask {
    int events;
    uint32_t first;
    size_t count;
    int64_t done;
};

static void *reask(void *argument) {
    struct reask *task = argument;
    static struct batch batch;
    int questions = open_socket();
    union buffer buffer;
    receive(task->events, &buffer);
    for (size_t done = 0; done < task->count; done += batch_limit) {
        size_t rest = task->count - done;
        look_up(questions, &batch, task->first + (uint32_t)done, rest < batch_limit ? rest : batch_limit);
    }
    task->done = raw_now();
    close(questions);
    return NULL;
}

int64_t raw_reask(const char *link, uint32_t first, size_t count) {
    struct reask task = {.events = open_socket(), .first = first, .count = count};
    join_group(task.events, RTNLGRP_LINK);
    pthread_t thread;
    int error = pthread_create(&thread, NULL, reask, &task);
    if (error) fail("cannot start a thread: %s", strerror(error));
    pause_ns(2000000);
    int changer = raw_open_changer();
    int64_t before = raw_set_link(changer, link, 0);
    pthread_join(thread, NULL);
    raw_set_link(changer, link, 1);
    close(changer);
    close(task.events);
    return task.done - before;
}

// MARK: Counting

// Interposes functions of the C library, to count the lookups of all callers.
static _Atomic int is_counting;
static _Atomic size_t lookups;
static struct {
    struct nlmsghdr header;
    uint8_t bytes[112];
} recorded[recorded_limit];

void raw_count_lookups(int counts) {
    if (counts) atomic_store(&lookups, 0);
    atomic_store(&is_counting, counts);
}

size_t raw_counted_lookups(void) { return atomic_load(&lookups); }

void raw_repeat_lookups(size_t count, int64_t *samples) {
    size_t number = raw_counted_lookups();
    if (number > recorded_limit) fail("cannot repeat %zu lookups", number);
    int socket_fd = open_socket();
    union buffer buffer;
    for (size_t i = 0; i < count; i++) {
        int64_t before = raw_now();
        for (size_t query = 0; query < number; query++) exchange(socket_fd, &recorded[query].header, &buffer);
        samples[i] = raw_now() - before;
    }
    close(socket_fd);
}

static void record_lookup(const void *bytes, size_t size) {
    size_t index = atomic_fetch_add(&lookups, 1);
    if (index >= recorded_limit) return;
    if (size > sizeof recorded[index]) fail("cannot repeat a lookup of %zu bytes", size);
    memcpy(&recorded[index], bytes, size);
}

static void count_lookups(const void *bytes, size_t size) {
    if (!atomic_load_explicit(&is_counting, memory_order_relaxed)) return;
    for (size_t at = 0; at + sizeof(struct nlmsghdr) <= size;) {
        struct nlmsghdr header;
        memcpy(&header, (const char *)bytes + at, sizeof header);
        if (header.nlmsg_len < sizeof header) return;
        if (header.nlmsg_type == RTM_GETROUTE && !(header.nlmsg_flags & NLM_F_DUMP))
            record_lookup((const char *)bytes + at, header.nlmsg_len);
        at += NLMSG_ALIGN(header.nlmsg_len);
    }
}

static void count_message(const struct msghdr *message) {
    for (size_t i = 0; i < message->msg_iovlen; i++)
        count_lookups(message->msg_iov[i].iov_base, message->msg_iov[i].iov_len);
}

ssize_t sendto(
    int socket_fd, const void *bytes, size_t size, int flags, const struct sockaddr *address, socklen_t length) {
    count_lookups(bytes, size);
    return syscall(SYS_sendto, socket_fd, bytes, size, flags, address, length);
}

ssize_t send(int socket_fd, const void *bytes, size_t size, int flags) {
    return sendto(socket_fd, bytes, size, flags, NULL, 0);
}

ssize_t sendmsg(int socket_fd, const struct msghdr *message, int flags) {
    count_message(message);
    return syscall(SYS_sendmsg, socket_fd, message, flags);
}

int sendmmsg(int socket_fd, struct mmsghdr *messages, unsigned count, int flags) {
    for (unsigned i = 0; i < count; i++) count_message(&messages[i].msg_hdr);
    return (int)syscall(SYS_sendmmsg, socket_fd, messages, count, flags);
}
