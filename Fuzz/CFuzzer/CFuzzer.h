// SPDX-License-Identifier: Apache-2.0
// The part of libFuzzer that a custom mutator builds upon.
#ifndef CFUZZER_H
#define CFUZZER_H

#include <stddef.h>
#include <stdint.h>

// Mutates bytes by libFuzzer's default methods, and returns the new length.
size_t LLVMFuzzerMutate(uint8_t *bytes, size_t count, size_t limit);

#endif
