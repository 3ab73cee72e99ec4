#include "attend/train/optimizer_state.h"

#include <algorithm>
#include <cstring>
#include <string>

namespace attend {

namespace {

constexpr std::int64_t kNoMore = -1;  // the number of a tensor: nothing else is asked for

std::int64_t element_bytes(const Tensor& tensor) {
  return static_cast<std::int64_t>(size_of(tensor.dtype()));
}

std::span<const std::byte> message_of(const Tensor& host) {
  return {host.bytes(), static_cast<std::size_t>(host.size() * element_bytes(host))};
}

}  // namespace

OptimizerState::OptimizerState(const Optimizer& optimizer, Collective* processes)
    : optimizer_(optimizer), processes_(processes) {
  if (processes != nullptr) {
    size_ = processes->size();
    rank_ = processes->rank();
  }
  for (const auto& [name, values] : optimizer.state()) {
    const auto own = static_cast<double>(values.size());
    const std::vector<double> sizes =
        processes == nullptr ? std::vector<double>{own} : gather_numbers(*processes, {&own, 1});
    std::vector<std::int64_t>& begins = begins_.emplace_back(1, 0);
    for (const double size : sizes)
      begins.push_back(begins.back() + static_cast<std::int64_t>(size));
  }
}

std::int64_t OptimizerState::begin_of(std::size_t tensor, int rank) const {
  return begins_[tensor][static_cast<std::size_t>(rank)];
}

std::int64_t OptimizerState::whole(std::size_t tensor) const { return begins_[tensor].back(); }

std::vector<std::int64_t> OptimizerState::bytes() const {
  std::vector<std::int64_t> bytes(static_cast<std::size_t>(size_));
  const auto state = optimizer_.state();
  for (std::size_t tensor = 0; tensor < state.size(); ++tensor)
    for (int rank = 0; rank < size_; ++rank)
      bytes[static_cast<std::size_t>(rank)] +=
          (begin_of(tensor, rank + 1) - begin_of(tensor, rank)) *
          element_bytes(state[tensor].second);
  return bytes;
}

void OptimizerState::add_to(Checkpoint& checkpoint, std::string_view prefix) const {
  const StateWriter writer(checkpoint, std::string(prefix));
  const auto state = optimizer_.state();
  for (std::size_t tensor = 0; tensor < state.size(); ++tensor) {
    const auto& [name, values] = state[tensor];
    const bool is_here = size_ == 1;
    writer.put(name,
               is_here ? values : Tensor::wrap(nullptr, nullptr, {whole(tensor)}, values.dtype()));
  }
  if (size_ == 1) return;
  checkpoint.fetch = [this, prefix = std::string(prefix)](
                         std::string_view name, std::uint64_t begin, std::span<std::byte> to) {
    const auto parts = optimizer_.state();
    const auto found = std::find_if(parts.begin(), parts.end(), [&](const auto& part) {
      return prefix + std::string(part.first) == name;
    });
    const std::int64_t width = element_bytes(found->second),
                       first = static_cast<std::int64_t>(begin) / width;
    read({found - parts.begin(), first, first + std::ssize(to) / width}, to);
  };
}

// From everyone who has a part of the range.
void OptimizerState::read(const Range& range, std::span<std::byte> to) const {
  const auto tensor = static_cast<std::size_t>(range.tensor);
  const std::int64_t width = std::ssize(to) / (range.end - range.begin);
  for (int rank = 0; rank < size_; ++rank) {
    const std::int64_t begin = std::max(range.begin, begin_of(tensor, rank)),
                       end = std::min(range.end, begin_of(tensor, rank + 1));
    if (begin >= end) continue;
    read_from(rank, {range.tensor, begin, end},
              to.subspan(static_cast<std::size_t>((begin - range.begin) * width),
                         static_cast<std::size_t>((end - begin) * width)));
  }
}

void OptimizerState::read_from(int rank, const Range& range, std::span<std::byte> to) const {
  if (rank == rank_) {
    const Tensor values = optimizer_.state()[static_cast<std::size_t>(range.tensor)].second;
    const Tensor host = values.slice_rows(range.begin, range.end).to_host();
    std::memcpy(to.data(), host.bytes(), to.size());
    return;
  }
  processes_->exchange(rank, std::as_bytes(std::span(&range, 1)), {});
  processes_->exchange(rank, {}, to);
}

void OptimizerState::answer() const {
  if (size_ == 1) return;
  const auto state = optimizer_.state();
  for (;;) {
    Range wanted;
    processes_->exchange(0, {}, std::as_writable_bytes(std::span(&wanted, 1)));
    if (wanted.tensor == kNoMore) return;
    const auto tensor = static_cast<std::size_t>(wanted.tensor);
    const std::int64_t begin = begin_of(tensor, rank_);
    const Tensor host =
        state[tensor].second.slice_rows(wanted.begin - begin, wanted.end - begin).to_host();
    processes_->exchange(0, message_of(host), {});
  }
}

void OptimizerState::release() const {
  const Range none{.tensor = kNoMore};
  for (int rank = 1; rank < size_; ++rank)
    processes_->exchange(rank, std::as_bytes(std::span(&none, 1)), {});
}

void OptimizerState::restore(const StateReader& saved) const {
  const auto state = optimizer_.state();
  for (std::size_t tensor = 0; tensor < state.size(); ++tensor) {
    const auto& [name, values] = state[tensor];
    saved.copy_part_to(name, {begin_of(tensor, rank_), whole(tensor)}, values);
  }
}

}  // namespace attend
