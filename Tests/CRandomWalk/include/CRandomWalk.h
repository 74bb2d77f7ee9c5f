// SPDX-License-Identifier: Apache-2.0
// A kernel without IPv6, from the view of this process.
#ifndef CRANDOMWALK_H
#define CRANDOMWALK_H

// From now on, requests of this process about IPv6 reach the kernel's routing tables as ones about a family that the
// kernel does not have. So the kernel answers as it does after booting with ipv6.disable=1.
void random_walk_hide_ipv6(void);

#endif
