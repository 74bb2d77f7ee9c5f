// The least the kernel allows: a yardstick for the Swift benchmarks.
//
// Build: gcc -std=c11 -O2 -Wall -Wextra -Werror -pthread -o raw raw.c
// Run inside a network namespace with lo up: see usage().

#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <ifaddrs.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { pause_ns = 200 * 1000, silence_s = 2, max_count = 10 * 1000 * 1000 };

static const char host_route[] = "198.51.100.1";

static _Noreturn void usage(FILE *out, int status) {
  fputs("usage: raw lookup ADDRESS COUNT   time COUNT route lookups (RTM_GETROUTE)\n"
        "       raw events COUNT           time COUNT route changes until their event arrives\n"
        "\n"
        "Prints one JSON line; all times are in nanoseconds.\n"
        "`events` adds and deletes the route `blackhole 198.51.100.1/32`, so it needs root\n"
        "and refuses to run outside a network namespace where only lo is up. For example:\n"
        "\n"
        "  unshare -n sh -c 'ip link set lo up && exec ./raw events 1000'\n"
        "  unshare -n sh -c 'ip link set lo up && exec ./raw lookup 127.0.0.1 100000'\n",
        out);
  exit(status);
}

static _Noreturn void fail(const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  fputs("raw: ", stderr);
  vfprintf(stderr, format, arguments);
  fputc('\n', stderr);
  va_end(arguments);
  exit(1);
}

static int64_t now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

// A request with room for the one address attribute that each of them carries.
struct request {
  struct nlmsghdr header;
  struct rtmsg route;
  struct rtattr attribute;
  uint8_t address[16];
};

static struct request make_request(uint16_t type, uint16_t flags, int family,
                                   const void *address) {
  size_t size = family == AF_INET ? 4 : 16;
  struct request request = {
      .header = {.nlmsg_type = type, .nlmsg_flags = NLM_F_REQUEST | flags},
      .route = {.rtm_family = (uint8_t)family, .rtm_dst_len = (uint8_t)(size * 8)},
      .attribute = {.rta_type = RTA_DST, .rta_len = (uint16_t)RTA_LENGTH(size)},
  };
  memcpy(request.address, address, size);
  request.header.nlmsg_len = (uint32_t)(offsetof(struct request, address) + size);
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
  if (size < 0 && errno == EAGAIN) fail("nothing arrived for %d s", silence_s);
  if (size < 0) fail("cannot receive: %s", strerror(errno));
  if ((size_t)size < sizeof buffer->header || buffer->header.nlmsg_len > (size_t)size)
    fail("received a message that is cut short (%zd bytes)", size);
}

// 0, or the error number that the kernel answered with.
static int answered_error(const union buffer *buffer) {
  if (buffer->header.nlmsg_type != NLMSG_ERROR) return 0;
  if (buffer->header.nlmsg_len < NLMSG_LENGTH(sizeof(struct nlmsgerr)))
    fail("received an error message that is cut short");
  const struct nlmsgerr *error = NLMSG_DATA(&buffer->header);
  return -error->error;
}

static int exchange(int socket_fd, struct request *request, union buffer *buffer) {
  if (send(socket_fd, request, request->header.nlmsg_len, 0) < 0)
    fail("cannot send: %s", strerror(errno));
  receive(socket_fd, buffer);
  if (buffer->header.nlmsg_seq != request->header.nlmsg_seq)
    fail("received answer %u to request %u", buffer->header.nlmsg_seq,
         request->header.nlmsg_seq);
  return answered_error(buffer);
}

static int ascending(const void *left, const void *right) {
  int64_t a = *(const int64_t *)left, b = *(const int64_t *)right;
  return (a > b) - (a < b);
}

static int64_t *make_samples(size_t count) {
  int64_t *samples = malloc(count * sizeof *samples);
  if (!samples) fail("not enough memory for %zu samples", count);
  // Touched now, so that no page fault falls into a measurement.
  memset(samples, 1, count * sizeof *samples);
  return samples;
}

static void report(const char *what, int64_t *samples, size_t count, int64_t total) {
  qsort(samples, count, sizeof *samples, ascending);
  printf("{\"what\":\"%s\",\"count\":%zu,\"median_ns\":%lld,\"p99_ns\":%lld,\"total_ns\":%lld}\n",
         what, count, (long long)samples[count / 2], (long long)samples[count * 99 / 100],
         (long long)total);
}

static int lookup(const char *text, size_t count) {
  uint8_t address[16];
  int family = AF_INET;
  if (inet_pton(AF_INET, text, address) != 1) {
    family = AF_INET6;
    if (inet_pton(AF_INET6, text, address) != 1) fail("not an IP address: %s", text);
  }
  int64_t *samples = make_samples(count);
  int socket_fd = open_socket();
  struct request request = make_request(RTM_GETROUTE, 0, family, address);
  union buffer buffer;
  // That no route leads there is an answer too, and takes its time.
  int error = exchange(socket_fd, &request, &buffer);
  if (error && error != ENETUNREACH && error != EHOSTUNREACH && error != EACCES && error != EINVAL)
    fail("cannot look up %s: %s", text, strerror(error));

  int64_t start = now();
  for (size_t i = 0; i < count; i++) {
    request.header.nlmsg_seq = (uint32_t)i + 1;
    int64_t before = now();
    exchange(socket_fd, &request, &buffer);
    samples[i] = now() - before;
  }
  report("lookup", samples, count, now() - start);
  free(samples);
  close(socket_fd);
  return 0;
}

struct changes {
  size_t count;
  // When the newest change was sent. The receiver reads it only after that change's event.
  _Atomic int64_t sent;
  _Atomic size_t received;
};

static void *make_changes(void *argument) {
  struct changes *changes = argument;
  uint8_t address[4];
  inet_pton(AF_INET, host_route, address);
  struct request add = make_request(RTM_NEWROUTE, NLM_F_ACK | NLM_F_CREATE | NLM_F_EXCL, AF_INET,
                                    address);
  add.route.rtm_table = RT_TABLE_MAIN;
  add.route.rtm_protocol = RTPROT_STATIC;
  add.route.rtm_type = RTN_BLACKHOLE;
  struct request delete = add;
  delete.header.nlmsg_type = RTM_DELROUTE;
  delete.header.nlmsg_flags = NLM_F_REQUEST | NLM_F_ACK;

  int socket_fd = open_socket();
  union buffer buffer;
  // One more than asked for when the number is odd, so that the route is gone in the end.
  for (size_t i = 0; i < changes->count + changes->count % 2; i++) {
    struct request *request = i % 2 ? &delete : &add;
    request->header.nlmsg_seq = (uint32_t)i + 1;
    nanosleep(&(struct timespec){.tv_nsec = pause_ns}, NULL);
    atomic_store(&changes->sent, now());
    int error = exchange(socket_fd, request, &buffer);
    if (error)
      fail("cannot %s the route blackhole %s/32: %s", i % 2 ? "delete" : "add", host_route,
           strerror(error));
    while (i < changes->count && atomic_load(&changes->received) <= i)
      nanosleep(&(struct timespec){.tv_nsec = pause_ns / 10}, NULL);
  }
  close(socket_fd);
  return NULL;
}

// Tunnel drivers put interfaces of their own into every new namespace; those are down.
static bool only_loopback_is_up(void) {
  struct ifaddrs *all;
  if (getifaddrs(&all) < 0) fail("cannot list interfaces: %s", strerror(errno));
  bool alone = true;
  for (struct ifaddrs *i = all; i; i = i->ifa_next)
    if ((i->ifa_flags & IFF_UP) && !(i->ifa_flags & IFF_LOOPBACK)) alone = false;
  freeifaddrs(all);
  return alone;
}

static int events(size_t count) {
  if (!only_loopback_is_up())
    fail("`events` changes routes: run it in a network namespace of its own (unshare -n)");
  int64_t *samples = make_samples(count);
  int socket_fd = open_socket();
  int group = RTNLGRP_IPV4_ROUTE;
  if (setsockopt(socket_fd, SOL_NETLINK, NETLINK_ADD_MEMBERSHIP, &group, sizeof group) < 0)
    fail("cannot join the group RTNLGRP_IPV4_ROUTE: %s", strerror(errno));
  // Ends the wait should an event never come.
  struct timeval limit = {.tv_sec = silence_s};
  if (setsockopt(socket_fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit) < 0)
    fail("cannot set a receive timeout: %s", strerror(errno));

  struct changes changes = {.count = count};
  pthread_t thread;
  int error = pthread_create(&thread, NULL, make_changes, &changes);
  if (error) fail("cannot start a thread: %s", strerror(error));

  union buffer buffer;
  int64_t start = now();
  for (size_t i = 0; i < count; i++) {
    receive(socket_fd, &buffer);
    samples[i] = now() - atomic_load(&changes.sent);
    uint16_t expected = i % 2 ? RTM_DELROUTE : RTM_NEWROUTE;
    if (buffer.header.nlmsg_type != expected)
      fail("received message type %u, expected %u: does something else change routes here?",
           (unsigned)buffer.header.nlmsg_type, (unsigned)expected);
    atomic_store(&changes.received, i + 1);
  }
  int64_t total = now() - start;
  pthread_join(thread, NULL);
  report("events", samples, count, total);
  free(samples);
  close(socket_fd);
  return 0;
}

static size_t parse_count(const char *text) {
  char *end;
  errno = 0;
  long count = strtol(text, &end, 10);
  if (errno || end == text || *end || count < 1 || count > max_count)
    fail("COUNT must be a number from 1 to %d, not `%s`", (int)max_count, text);
  return (size_t)count;
}

int main(int argc, char **argv) {
  if (argc == 2 && (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h"))) usage(stdout, 0);
  if (argc == 4 && !strcmp(argv[1], "lookup")) return lookup(argv[2], parse_count(argv[3]));
  if (argc == 3 && !strcmp(argv[1], "events")) return events(parse_count(argv[2]));
  usage(stderr, 2);
}
