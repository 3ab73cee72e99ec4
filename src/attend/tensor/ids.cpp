#include "attend/tensor/ids.h"

#include <algorithm>
#include <mutex>
#include <utility>

#include "attend/tensor/memory.h"

namespace attend {

struct Ids::Values {
  explicit Values(std::vector<std::int32_t> values) : host(std::move(values)) {}

  // All values in the memory of a device.
  Tensor in(Memory& memory) const {
    const std::lock_guard lock(mutex);
    const auto found = std::find_if(devices.begin(), devices.end(),
                                    [&](const auto& device) { return device.first == &memory; });
    if (found != devices.end()) return found->second;
    return devices.emplace_back(&memory, Tensor::from(host, {std::ssize(host)})).second;
  }

  const std::vector<std::int32_t> host;
  mutable std::mutex mutex;
  // Copies in memories other than the host's.
  mutable std::vector<std::pair<Memory*, Tensor>> devices;
};

Ids::Ids(std::vector<std::int32_t> values)
    : values_(std::make_shared<const Values>(std::move(values))), host_(values_->host) {}

Ids Ids::slice(std::int64_t begin, std::int64_t end) const {
  Ids part = *this;
  part.host_ =
      host_.subspan(static_cast<std::size_t>(begin), static_cast<std::size_t>(end - begin));
  return part;
}

Tensor Ids::tensor() const {
  if (values_ == nullptr) return {};
  Memory& memory = current_memory();
  if (&memory == &host_memory()) {
    auto owner = std::const_pointer_cast<Values>(values_);
    return Tensor::wrap(std::move(owner), const_cast<std::int32_t*>(host_.data()), {size()},
                        DType::i32);
  }
  const std::int64_t begin = host_.data() - values_->host.data();
  return values_->in(memory).slice_rows(begin, begin + size());
}

bool operator==(const Ids& a, const Ids& b) {
  return bool(a) == bool(b) && std::ranges::equal(a.host_, b.host_);
}

}  // namespace attend
