#include "attend/backend/backend.h"

#include <cstdlib>
#include <string_view>
#include <vector>

#include "attend/core/threads/runtime.h"

namespace attend {

namespace {

Backend& default_backend() {
  static Backend& chosen = [&]() -> Backend& {
    const char* wanted = std::getenv("ATTEND_BACKEND");
    return wanted != nullptr && std::string_view(wanted) == "reference" ? reference_backend()
                                                                        : fast_backend();
  }();
  return chosen;
}

}  // namespace

Ids slot_ids(std::span<const CacheSlot> slots) {
  std::vector<std::int32_t> numbers(2 * slots.size());
  for (std::size_t i = 0; i < slots.size(); ++i) {
    numbers[2 * i] = slots[i].page;
    numbers[2 * i + 1] = slots[i].row;
  }
  return numbers;
}

KernelCall backend() {
  const auto [memory, named] = Runtime::current().device();
  return {named != nullptr ? *named : default_backend(), memory};
}

}  // namespace attend
