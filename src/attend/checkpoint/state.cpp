#include "attend/checkpoint/state.h"

#include <fmt/format.h>

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
  return source_->tensor(prefix_ + std::string(name));
}

Tensor StateReader::tensor_like(std::string_view name, DType dtype, const Shape& shape) const {
  const Tensor found = tensor(name);
  if (found.dtype() != dtype || found.shape() != shape) {
    throw DataError(fmt::format("{}: tensor '{}{}': expected {} {}, got {} {}", source_->source,
                                prefix_, name, name_of(dtype), to_string(shape),
                                name_of(found.dtype()), to_string(found.shape())));
  }
  return found;
}

void StateReader::copy_to(std::string_view name, const Tensor& destination) const {
  destination.copy_from(tensor_like(name, destination.dtype(), destination.shape()));
}

void StateReader::copy_part_to(std::string_view name, const Part& part,
                               const Tensor& destination) const {
  const Tensor found = tensor_like(name, destination.dtype(), {part.whole});
  destination.copy_from(found.slice_rows(part.begin, part.begin + destination.size()));
}

std::string StateReader::text(std::string_view name) const {
  return source_->text(prefix_ + std::string(name));
}

void StateReader::fail_number(std::string_view name, const std::string& found) const {
  throw DataError(fmt::format("{}: metadata '{}{}': expected a number, got '{}'", source_->source,
                              prefix_, name, found.substr(0, 40)));
}

}  // namespace attend
