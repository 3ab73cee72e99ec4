// The sum of a tensor over all processes, with the same bits however many there are.
#pragma once

#include "attend/collective/collective.h"
#include "attend/tensor/tensor.h"

namespace attend {

// Replaces the elements of `values` (f32, [P], equally many on every process) by their sums over
// all processes. The sums of 2i and 2i + 1 are added, then those sums in pairs, and so on: with
// four processes (v0 + v1) + (v2 + v3). Floating-point addition is commutative, so every process
// gets the same bits, and those that one process gets that adds up in this order.
//
// Two neighbors exchange halves of their buffers and each adds up one half; the next exchanges are
// of quarters, then of eighths. The finished parts return the same way (recursive halving and
// doubling; Thakur, Rabenseifner & Gropp 2005). With R processes, each sends 2 P (R - 1) / R
// elements in 2 log2(R) messages, as few as any all-reduce: the fixed order costs no traffic.
//
// Takes memory for P / 2 elements. Throws ConfigError unless the number of processes is a power of
// two.
void sum_over_processes(Collective& processes, const Tensor& values);

}  // namespace attend
