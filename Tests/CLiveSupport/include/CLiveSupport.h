// What live tests need of Linux and Swift cannot call, or can call only with many pointers.
// Functions return 0 or an error number unless their comment says otherwise.
#ifndef CLIVESUPPORT_H
#define CLIVESUPPORT_H

#if defined(__linux__) && !defined(__ANDROID__)

#include <stdint.h>
#include <sys/types.h>

// How the change to a user namespace went that an ordinary user's process makes before main().
struct live_user_namespace {
    const char *step; // the call that failed; NULL if none did or the process is root's
    int error;        // its error number
};
struct live_user_namespace live_user_namespace_outcome(void);

// Moves the calling thread into a new network namespace.
int live_unshare_network(void);

// Moves the calling thread into a new mount namespace; what is mounted there, nobody else sees.
int live_unshare_mounts(void);

// Takes all capabilities from the calling thread, and from no other; also root is then an ordinary user.
int live_drop_capabilities(void);

// The kernel's number of the calling thread.
pid_t live_thread_id(void);

// Starts a thread; it must be ended with live_thread_end once.
int live_thread_start(void (*body)(void *), void *context, uintptr_t *thread);

// Waits for a thread's end for at most so many seconds; a thread that is still running then, or is the
// calling thread, goes on and frees its memory by itself (ETIMEDOUT, EDEADLK).
int live_thread_end(uintptr_t thread, int seconds);

// Writes text to a file that exists, in one piece.
int live_write(const char *path, const char *text);

// An empty file in memory with a descriptor that children do not inherit; -1 with errno on failure.
int live_memory_file(void);

// Makes a tunnel device in the calling thread's namespace, which lasts for as long as its descriptor and has a carrier;
// -1 if that can't be.
int live_open_tunnel(const char *name);

// close(2), which has the name of many other things in Swift.
void live_close(int descriptor);

// Runs a program from the calling thread, thus in its namespace, in a process group of its own, with the two
// files as standard output and error. Afterwards, or after so many seconds (ETIMEDOUT), what is left of the
// group is killed. The status is the exit status, or 128 and the signal.
int live_execute(const char *path, char *const arguments[], int output, int errors, int seconds, int *status);

// Starts a program from the calling thread, thus in its namespace, in a process group of its own. What is written to
// the first descriptor it reads; what it writes to standard output and error is read from the second.
int live_start(const char *path, char *const arguments[], int descriptors[2], pid_t *child);

// Kills what live_start started, and waits for its end; both descriptors are closed.
void live_end(const int descriptors[2], pid_t child);

// Waits for bytes for at most so many seconds, and reads some: their number, 0 at the end, or -1 with errno, which is
// ETIMEDOUT if none came.
ssize_t live_read(int descriptor, void *bytes, size_t capacity, int seconds);

// Writes all bytes.
int live_write_all(int descriptor, const void *bytes, size_t count);

// What the kernel makes of a socket of a protocol (IPPROTO_UDP or IPPROTO_TCP) that is bound to a source, an interface and
// a mark, each if given (not empty, not 0), and connected to a port of a destination. Addresses have 4 or 16 bytes. A UDP
// socket sends nothing; a TCP socket sends its first segment, and one that is refused at once (ECONNREFUSED) found a way.
struct live_connection {
    int error;             // of bind or connect, or 0
    unsigned char source[16]; // the local address that the kernel chose
};
struct live_connection live_connect(const unsigned char *destination, const unsigned char *source, int length,
                                    unsigned interface, unsigned mark, int protocol, unsigned short port);

// MARK: Packets

// Lets the calling thread act for another user, with all its rights; its real user stays, and no other thread changes.
int live_become(unsigned user);

// Moves this process, which has one thread, to a user and then to a user namespace that maps this user only.
int live_enter_mapped_user_namespace(unsigned user);

// Sends packets with a number, each from a socket of its own, connected or not: datagrams to a port (IPPROTO_UDP), or
// segments that belong to no connection and have no ports (IPPROTO_TCP). Returns how many the kernel took.
int live_send(const unsigned char *destination, const unsigned char *source, int length, unsigned interface,
              unsigned mark, int protocol, unsigned short port, int count, int connects, uint64_t number);

// A socket that receives the frames that arrive in the calling thread's namespace; -1 with errno.
int live_open_tap(void);

// A socket that receives the datagrams for a port of any address in the calling thread's namespace; -1 with errno.
int live_open_inbox(unsigned short port);

// A packet of live_send that arrived: as a frame, as a packet of a tunnel device, or as a datagram.
struct live_arrival {
    uint64_t number;
    int is_frame;                // whether both of these are known
    unsigned char sender[6], receiver[6];
};

// Reads what arrived until that is a packet of live_send: 1, or 0 if nothing more is there within so many milliseconds.
int live_next_arrival(int descriptor, int milliseconds, struct live_arrival *arrival);

// How many instructions the program has that the kernel runs on what comes to a socket: 0 without one, or of another
// file.
int live_filter_length(int descriptor);

// MARK: Faults

// Lets a system call of the calling thread fail with the error from now on, and of all that it starts; for good. The
// argument at the position must have the value; every call fails if the position is negative. ENOSYS: not a call that
// this knows.
int live_refuse(const char *call, int position, unsigned value, int error);

// Sets how many descriptors this process may open; a negative number is as many as it ever may.
int live_limit_descriptors(long limit);

// Makes a socket's receive buffer as small as the kernel allows.
int live_shrink(int socket);

// Has a netlink socket leave a multicast group, behind its owner's back.
int live_leave_group(int socket, int group);

// Lets a timer (timerfd) have expired now.
int live_fire_timer(int timer);

// The protocol family of a socket; -1 for what is none.
int live_socket_family(int descriptor);

// Has a descriptor stand for what another one stands for.
int live_replace(int descriptor, int other);

// How much processor time this process has used, in nanoseconds.
int64_t live_processor_time(void);

// Has the allocator (glibc's) keep nothing for single threads.
void live_use_one_arena(void);

// Forks without exec: the child runs the body, exits with what that returns, and is killed after so many seconds.
int live_fork(int (*body)(void *), void *context, unsigned seconds, pid_t *child);

// Waits for a child's end. The status is the exit status, or 128 and the signal.
int live_await(pid_t child, int *status);

// Interrupts the calling thread with signals every few microseconds, without restarting its system calls, until the end;
// NULL if that can't be.
struct live_interruption *live_interrupt(void);
void live_interrupt_end(struct live_interruption *interruption);

// How many signals interrupted threads so far.
long live_interruptions(void);

// Lets the calling thread, and those that it starts, take all signals.
void live_unblock_signals(void);

#endif
#endif
