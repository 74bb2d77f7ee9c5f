// SPDX-License-Identifier: Apache-2.0
// The calls that make namespaces and confine a process, which Swift's import of the C library lacks on Linux. The numbers
// of the newer calls are the same for all processors; older C libraries lack their names.
#ifndef CNAMESPACES_H
#define CNAMESPACES_H

#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

// The most descriptors in one message.
enum { cns_descriptor_limit = 8 };

// For a process with one thread. Swift does not import fork, which is unsafe where others hold locks.
static inline pid_t cns_fork(void) { return fork(); }

// The calls without their C declarations' differences: mount's flags are unsigned long, its data a string.
static inline int cns_mount(
    const char *source, const char *target, const char *type, unsigned long flags, const char *data) {
    return mount(source, target, type, flags, data);
}
static inline int cns_detach(const char *target) { return umount2(target, 2); }
static inline int cns_pivot_root(const char *root, const char *old) {
    return (int)syscall(SYS_pivot_root, root, old);
}

// pidfd_open, since Linux 5.3.
static inline long cns_open_process(pid_t process) { return syscall(434, process, 0U); }

// The requests of ioctl whose argument is zero.
static inline int cns_control(int descriptor, unsigned long request) { return ioctl(descriptor, request, 0); }

// Unlocks the other end of a new terminal, TIOCSPTLCK, and passes the size of a terminal on, TIOCGWINSZ and TIOCSWINSZ.
static inline int cns_unlock_terminal(int descriptor) {
    int zero = 0;
    return ioctl(descriptor, 0x40045431UL, &zero);
}
static inline int cns_get_size(int descriptor, struct winsize *size) { return ioctl(descriptor, TIOCGWINSZ, size); }
static inline int cns_set_size(int descriptor, const struct winsize *size) { return ioctl(descriptor, TIOCSWINSZ, size); }
// Declared by the C library only with GNU extensions.
int ptsname_r(int descriptor, char *name, size_t size);

// Makes the kernel act on a changed carrier now, for which it may take a second: SIOCETHTOOL with ETHTOOL_GLINK.
static inline int cns_synchronize_link(int socket, const char *name) {
    struct { uint32_t command, value; } request = {0xa, 0};
    struct { char name[16]; void *data; char padding[16]; } argument = {{0}, &request, {0}};
    strncpy(argument.name, name, sizeof argument.name - 1);
    return ioctl(socket, 0x8946UL, &argument);
}

// mount_setattr for a mount and all below it: MOUNT_ATTR_RDONLY, NOSUID and NODEV. Since Linux 5.12.
static inline int cns_make_read_only(const char *path) {
    uint64_t attributes[4] = {0x1 | 0x2 | 0x4, 0, 0, 0};
    return (int)syscall(442, -100, path, 0x8000, attributes, sizeof attributes);
}

// Installs a seccomp filter: a program of `count` sock_filter. PR_SET_SECCOMP, SECCOMP_MODE_FILTER.
static inline int cns_set_filter(uint16_t count, const void *instructions) {
    struct { uint16_t count; const void *instructions; } program = {count, instructions};
    return prctl(22, 2UL, &program, 0UL, 0UL);
}

// Limits a resource of this process, the soft and the hard limit.
static inline int cns_limit(int resource, uint64_t value) {
    struct rlimit limit = {value, value};
    return setrlimit(resource, &limit);
}

// AUDIT_ARCH_… of this processor; 0 where its calls are not known here.
static inline uint32_t cns_architecture(void) {
#if defined(__x86_64__) && !defined(__ILP32__)
    return 0xc000003e;
#elif defined(__aarch64__) && !defined(__AARCH64EB__)
    return 0xc00000b7;
#else
    return 0;
#endif
}

static inline uint32_t cns_call_socket(void) { return SYS_socket; }
static inline uint32_t cns_call_socketpair(void) { return SYS_socketpair; }
static inline uint32_t cns_call_setsockopt(void) { return SYS_setsockopt; }
static inline uint32_t cns_call_clone(void) { return SYS_clone; }
static inline uint32_t cns_call_ioctl(void) { return SYS_ioctl; }

// The calls that a confined process must not make; -1 after the last one.
static inline long cns_refused_call(unsigned position) {
    static const long calls[] = {
        // Other namespaces and mounts.
        SYS_setns, SYS_unshare, SYS_mount, SYS_umount2, SYS_pivot_root, SYS_chroot, 428, 429, 430, 431, 432, 433, 442, 467,
        // Other processes and the kernel.
        SYS_ptrace, SYS_process_vm_readv, SYS_process_vm_writev, SYS_kcmp, SYS_perf_event_open, SYS_bpf, SYS_userfaultfd,
        SYS_init_module, SYS_finit_module, SYS_delete_module, SYS_kexec_load, SYS_reboot, SYS_syslog, 438, 440,
        // Calls that no filter sees: io_uring.
        425, 426, 427,
        // Keys, files by their handles, and what belongs to the whole machine.
        SYS_add_key, SYS_request_key, SYS_keyctl, SYS_name_to_handle_at, SYS_open_by_handle_at, SYS_fanotify_init,
        SYS_swapon, SYS_swapoff, SYS_quotactl, 443, SYS_acct, SYS_settimeofday, SYS_clock_settime, SYS_clock_adjtime,
        SYS_adjtimex, SYS_sethostname, SYS_setdomainname, SYS_vhangup, SYS_personality,
#ifdef SYS_iopl
        SYS_iopl, SYS_ioperm,
#endif
#ifdef SYS_kexec_file_load
        SYS_kexec_file_load,
#endif
        // Memory that is no address space: memfd_create and memfd_secret.
        SYS_memfd_create, 447,
        SYS_mknodat,
#ifdef SYS_mknod
        SYS_mknod,
#endif
    };
    return position < sizeof calls / sizeof *calls ? calls[position] : -1;
}

// Sends bytes with descriptors; the call is sendmsg with SCM_RIGHTS.
static inline ssize_t cns_send(
    int socket, const void *bytes, size_t count, const int *descriptors, unsigned descriptor_count) {
    union { struct cmsghdr header; char room[CMSG_SPACE(sizeof(int) * cns_descriptor_limit)]; } control;
    struct iovec piece = {(void *)bytes, count};
    struct msghdr message = {0};
    message.msg_iov = &piece;
    message.msg_iovlen = 1;
    if (descriptor_count > 0 && descriptor_count <= cns_descriptor_limit) {
        memset(&control, 0, sizeof control);
        message.msg_control = &control;
        message.msg_controllen = CMSG_SPACE(sizeof(int) * descriptor_count);
        control.header.cmsg_level = SOL_SOCKET;
        control.header.cmsg_type = 1;
        control.header.cmsg_len = CMSG_LEN(sizeof(int) * descriptor_count);
        memcpy(CMSG_DATA(&control.header), descriptors, sizeof(int) * descriptor_count);
    }
    return sendmsg(socket, &message, MSG_NOSIGNAL);
}

// Receives bytes with descriptors, closed on exec; `descriptor_count` is that of the array, then that of the message.
static inline ssize_t cns_receive(
    int socket, void *bytes, size_t count, int *descriptors, unsigned *descriptor_count) {
    union { struct cmsghdr header; char room[CMSG_SPACE(sizeof(int) * cns_descriptor_limit)]; } control;
    struct iovec piece = {bytes, count};
    struct msghdr message = {0};
    message.msg_iov = &piece;
    message.msg_iovlen = 1;
    message.msg_control = &control;
    message.msg_controllen = sizeof control;
    ssize_t received = recvmsg(socket, &message, MSG_CMSG_CLOEXEC);
    unsigned room = *descriptor_count;
    *descriptor_count = 0;
    if (received < 0 || message.msg_controllen < CMSG_LEN(0)) return received;
    if (control.header.cmsg_level != SOL_SOCKET || control.header.cmsg_type != 1) return received;
    unsigned passed = (unsigned)((control.header.cmsg_len - CMSG_LEN(0)) / sizeof(int));
    for (unsigned i = 0; i < passed; i++) {
        int descriptor;
        memcpy(&descriptor, CMSG_DATA(&control.header) + i * sizeof(int), sizeof descriptor);
        if (i < room) descriptors[(*descriptor_count)++] = descriptor; else close(descriptor);
    }
    return received;
}

#endif
