#include "attend/checkpoint/state.h"

#include <fmt/format.h>

#include <algorithm>

#include "attend/error.h"

namespace attend {

void StateWriter::put(std::string_view name, const Tensor& tensor) const {
  const std::string key = prefix_ + std::string(name);
  if (target_->find(key) != nullptr)
    throw ConfigError(fmt::format("checkpoint: the tensor '{}' is put twice", key));
  target_->tensors.push_back({key, tensor});
}

void StateWriter::put(std::string_view name, std::string_view text) const {
  const std::string key = prefix_ + std::string(name);
  if (!target_->metadata.emplace(key, text).second)
    throw ConfigError(fmt::format("checkpoint: the value '{}' is put twice", key));
}

bool StateReader::contains(std::string_view name) const {
  const std::string key = prefix_ + std::string(name);
  return source_->find(key) != nullptr || source_->metadata.contains(key);
}

Tensor StateReader::tensor(std::string_view name) const {
  const std::string key = prefix_ + std::string(name);
  const Tensor& found = source_->tensor(key);
  if (found.bytes() != nullptr) return found;
  const Tensor read = Tensor::empty_on_host(found.shape(), found.dtype());
  source_->copy_to(key, read);
  return read;
}

// Perhaps without memory.
Tensor StateReader::tensor_like(std::string_view name, DType dtype, const Shape& shape) const {
  const Tensor& found = source_->tensor(prefix_ + std::string(name));
  if (found.dtype() != dtype || found.shape() != shape) {
    throw DataError(fmt::format("{}: tensor '{}{}': expected {} {}, got {} {}", source_->source,
                                prefix_, name, name_of(dtype), to_string(shape),
                                name_of(found.dtype()), to_string(found.shape())));
  }
  return found;
}

void StateReader::copy_to(std::string_view name, const Tensor& destination) const {
  static_cast<void>(tensor_like(name, destination.dtype(), destination.shape()));
  source_->copy_to(prefix_ + std::string(name), destination);
}

void StateReader::copy_part_to(std::string_view name, const Part& part,
                               const Tensor& destination) const {
  const Tensor found = tensor_like(name, destination.dtype(), {part.whole});
  const std::int64_t first = part.begin, last = part.begin + destination.size();
  if (found.bytes() != nullptr) return destination.copy_from(found.slice_rows(first, last));
  source_->read_rows(prefix_ + std::string(name), 1,
                     [&](std::int64_t begin, std::int64_t end, const Checkpoint::ReadRows& read) {
                       const std::int64_t from = std::max(begin, first), to = std::min(end, last);
                       if (from >= to) return;
                       const Tensor wanted = destination.slice_rows(from - first, to - first);
                       if (to - from == end - begin) return read(wanted);
                       const Tensor all = Tensor::empty({end - begin}, found.dtype());
                       read(all);
                       wanted.copy_from(all.slice_rows(from - begin, to - begin));
                     });
}

std::string StateReader::text(std::string_view name) const {
  return source_->text(prefix_ + std::string(name));
}

void StateReader::fail_number(std::string_view name, const std::string& found) const {
  throw DataError(fmt::format("{}: metadata '{}{}': expected a number, got '{}'", source_->source,
                              prefix_, name, found.substr(0, 40)));
}

}  // namespace attend
