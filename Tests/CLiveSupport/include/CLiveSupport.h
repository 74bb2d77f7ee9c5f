// SPDX-License-Identifier: Apache-2.0
// System calls for live tests that Swift cannot call, or only with many pointers.
// Functions return 0 or an error number unless their comment says otherwise.
#ifndef CLIVESUPPORT_H
#define CLIVESUPPORT_H

#if defined(__linux__) && !defined(__ANDROID__)

#include <stdint.h>
#include <sys/types.h>

// The result of the change of user namespace that an unprivileged process makes before main().
struct live_user_namespace {
    const char *step; // the failed call; NULL on success or if the process is root's
    int error;        // its error number
};
struct live_user_namespace live_user_namespace_outcome(void);

// Moves the calling thread into a new network namespace.
int live_unshare_network(void);

// Moves the calling thread into a new mount namespace with private mounts.
int live_unshare_mounts(void);

// Drops all capabilities of the calling thread only; even root then has an ordinary user's rights.
int live_drop_capabilities(void);

// The kernel's number of the calling thread.
pid_t live_thread_id(void);

// Starts a thread; call live_thread_end once for it.
int live_thread_start(void (*body)(void *), void *context, uintptr_t *thread);

// Waits for a thread's end for at most the given seconds. A thread that is still running, or is the calling thread,
// continues and frees its memory by itself (ETIMEDOUT, EDEADLK).
int live_thread_end(uintptr_t thread, int seconds);

// Writes text to an existing file with one call.
int live_write(const char *path, const char *text);

// Opens an empty file in memory with a close-on-exec descriptor; -1 with errno on failure.
int live_memory_file(void);

// Creates a tunnel device in the calling thread's namespace, with a carrier, until its descriptor is closed;
// -1 on failure.
int live_open_tunnel(const char *name);

// close(2); Swift has other functions of this name.
void live_close(int descriptor);

// Runs a program from the calling thread, in its namespace and a separate process group, with the two files as standard
// output and error. Afterwards, or after the given seconds (ETIMEDOUT), the rest of the group is killed. The status is
// the exit status, or 128 plus the signal.
int live_execute(const char *path, char *const arguments[], int output, int errors, int seconds, int *status);

// Starts a program from the calling thread, in its namespace and a separate process group. The first descriptor writes
// to its standard input, the second reads its standard output and error.
int live_start(const char *path, char *const arguments[], int descriptors[2], pid_t *child);

// Kills the program of live_start, waits for its end, and closes both descriptors.
void live_end(const int descriptors[2], pid_t child);

// Waits for bytes for at most the given seconds, and reads some. Returns their number, 0 at the end, or -1 with errno,
// which is ETIMEDOUT if none arrived.
ssize_t live_read(int descriptor, void *bytes, size_t capacity, int seconds);

// Writes all bytes.
int live_write_all(int descriptor, const void *bytes, size_t count);

// Connects a socket of a protocol (IPPROTO_UDP or IPPROTO_TCP) to a port of a destination, optionally bound to a
// source, an interface and a mark; empty or 0 stands for none. Addresses have 4 or 16 bytes. A UDP socket sends
// nothing; a TCP socket sends its first segment, and an immediate ECONNREFUSED proves that a route exists.
struct live_connection {
    int error;             // of bind or connect, or 0
    unsigned char source[16]; // the local address that the kernel chose
};
struct live_connection live_connect(const unsigned char *destination, const unsigned char *source, int length,
                                    unsigned interface, unsigned mark, int protocol, unsigned short port);

// MARK: Packets

// Changes the effective user of the calling thread only, which keeps its capabilities; its real user does not change.
int live_become(unsigned user);

// Moves this process, which has one thread, to a user and then to a user namespace that maps this user only.
int live_enter_mapped_user_namespace(unsigned user);

// Sends packets with a number, each from a new socket, connected or not: datagrams to a port (IPPROTO_UDP), or segments
// without a connection and ports (IPPROTO_TCP). Returns how many the kernel accepted.
int live_send(const unsigned char *destination, const unsigned char *source, int length, unsigned interface,
              unsigned mark, int protocol, unsigned short port, int count, int connects, uint64_t number);

// Opens an established TCP connection without its other end and without sending anything (TCP_REPAIR); -1 with errno.
// A source port of 0 and an empty source are chosen by the kernel.
int live_open_stream(const unsigned char *destination, const unsigned char *source, int length, unsigned interface,
                     unsigned short source_port, unsigned short port);

// Reads the local address and port of a connection of live_open_stream.
int live_stream_source(int stream, unsigned char source[16], unsigned short *port);

// Sends a segment with a number over a connection of live_open_stream.
int live_send_over_stream(int stream, uint64_t number);

// Closes a connection of live_open_stream without sending anything.
void live_close_stream(int stream);

// Opens a socket that receives the frames arriving in the calling thread's namespace; -1 with errno.
int live_open_tap(void);

// Opens a socket that receives datagrams for a port of any address in the calling thread's namespace; -1 with errno.
int live_open_inbox(unsigned short port);

// An arrived packet of live_send or live_send_over_stream: a frame, a packet of a tunnel device, or a datagram.
struct live_arrival {
    uint64_t number;
    int is_frame;                // whether both of these are known
    unsigned char sender[6], receiver[6];
};

// Reads until such a packet arrives: 1, or 0 if none arrives within the given milliseconds.
int live_next_arrival(int descriptor, int milliseconds, struct live_arrival *arrival);

// Returns the number of instructions of a socket's filter program: 0 without one, or for another file.
int live_filter_length(int descriptor);

// MARK: Faults

// Makes a system call fail with the error for good, in the calling thread and all that it starts. The argument at the
// position must have the value; every call fails if the position is negative. ENOSYS: an unsupported call.
int live_refuse(const char *call, int position, unsigned value, int error);

// Sets the limit of descriptors of this process; a negative number is the maximum.
int live_limit_descriptors(long limit);

// Shrinks a socket's receive buffer to the kernel's minimum.
int live_shrink(int socket);

// Makes a netlink socket leave a multicast group, without its owner's knowledge.
int live_leave_group(int socket, int group);

// Makes a timer (timerfd) expire now.
int live_fire_timer(int timer);

// Returns the protocol family of a socket; -1 for another descriptor.
int live_socket_family(int descriptor);

// Makes a descriptor refer to another one's file.
int live_replace(int descriptor, int other);

// Returns the processor time of this process, in nanoseconds.
int64_t live_processor_time(void);

// Disables the per-thread memory pools of the allocator (glibc).
void live_use_one_arena(void);

// Forks without exec: the child runs the body, exits with the returned status, and is killed after the given seconds.
int live_fork(int (*body)(void *), void *context, unsigned seconds, pid_t *child);

// Waits for a child's end. The status is the exit status, or 128 plus the signal.
int live_await(pid_t child, int *status);

// Holds the kernel's lock of all changes to links, addresses and rules (RTNL), in every network, until the release; NULL
// where the kernel or the user does not permit that.
struct live_kernel_lock *live_hold_kernel_lock(void);
void live_release_kernel_lock(struct live_kernel_lock *lock);

// Interrupts the calling thread with signals every few microseconds, without restarting its system calls, until the
// end; NULL on failure.
struct live_interruption *live_interrupt(void);
void live_interrupt_end(struct live_interruption *interruption);

// Returns the number of signals that have interrupted threads so far.
long live_interruptions(void);

// Unblocks all signals in the calling thread and the threads that it starts.
void live_unblock_signals(void);

#endif
#endif
