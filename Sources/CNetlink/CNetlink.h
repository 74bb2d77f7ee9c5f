// What Swift's view of the C library leaves out: the kernel's own description of rtnetlink, and the descriptors
// that a thread can wait with.
#ifndef CNETLINK_H
#define CNETLINK_H

#include <linux/fib_rules.h>
#include <linux/if_addr.h>
#include <linux/if_link.h>
#include <linux/netconf.h>
#include <linux/netlink.h>
#include <linux/nexthop.h>
#include <linux/rtnetlink.h>

#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/timerfd.h>

// A function with a variable number of arguments is nothing that Swift can call.
static inline void cnetlink_name_thread(const char *name) {
    prctl(PR_SET_NAME, name);
}

#endif
