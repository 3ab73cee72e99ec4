#include "attend/collective/tensor_exchange.h"

#include <fmt/format.h>

#include <bit>

#include "attend/error.h"

namespace attend {

namespace {

std::span<std::byte> bytes_of(const Tensor& host) {
  return {host.bytes(), static_cast<std::size_t>(host.size()) * size_of(host.dtype())};
}

}  // namespace

void exchange(Collective& processes, int partner, const Tensor& sent, const Tensor& received) {
  const Tensor out = sent.to_host();
  const bool on_host = received.memory() == &host_memory();
  const Tensor in = on_host ? received : Tensor::empty_on_host(received.shape(), received.dtype());
  processes.exchange(partner, bytes_of(out), bytes_of(in));
  received.copy_from(in);
}

void require_power_of_two(const Collective& processes, const char* caller) {
  if (!std::has_single_bit(static_cast<unsigned>(processes.size())))
    throw ConfigError(
        fmt::format("[{}] expected 1, 2, 4, 8, ... processes, got {}", caller, processes.size()));
}

}  // namespace attend
