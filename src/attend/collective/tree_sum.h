// The sum of a tensor over all processes, with the same bits however many there are.
#pragma once

#include <array>
#include <span>
#include <string_view>

#include "attend/collective/collective.h"
#include "attend/tensor/tensor.h"

namespace attend {

// The type of the numbers that are sent. bf16: half the bytes. So that a sum does not depend on who
// computes it, every process then rounds (to nearest even) what it adds up, what it sends and what
// it keeps alike; the addition itself is in f32.
enum class Wire { f32, bf16 };
inline std::span<const std::string_view> enum_names(Wire) {
  static constexpr std::array<std::string_view, 2> kNames{"f32", "bf16"};
  return kNames;
}

// A node of the tree: values <- values + other (f32, [P]), both rounded to the type of the wire
// first. `other` is overwritten.
void add_branch(const Tensor& other, const Tensor& values, Wire wire);

// Replaces the elements of `values` (f32, [P], equally many on every process) by their sums over
// all processes. The sums of 2i and 2i + 1 are added, then those sums in pairs, and so on: with
// four processes (v0 + v1) + (v2 + v3). Floating-point addition is commutative, so every process
// gets the same bits, and those that one process gets that adds up in this order with add_branch().
// The total is rounded to the type of the wire, even that of one process.
//
// Two neighbors exchange halves of their buffers and each adds up one half; the next exchanges are
// of quarters, then of eighths. The finished parts return the same way (recursive halving and
// doubling; Thakur, Rabenseifner & Gropp 2005). With R processes, each sends 2 P (R - 1) / R
// elements, as few as any all-reduce: the fixed order costs no traffic. Messages have at most a
// million elements.
//
// Takes a few MiB of memory. Throws ConfigError unless the number of processes is a power of two.
void sum_over_processes(Collective& processes, const Tensor& values, Wire wire = Wire::f32);

}  // namespace attend
