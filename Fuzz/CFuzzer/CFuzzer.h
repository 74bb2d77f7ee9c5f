// Of libFuzzer what a mutator of one's own builds upon.
#ifndef CFUZZER_H
#define CFUZZER_H

#include <stddef.h>
#include <stdint.h>

// Changes bytes in one of libFuzzer's own ways, and returns how many there are then.
size_t LLVMFuzzerMutate(uint8_t *bytes, size_t count, size_t limit);

#endif
