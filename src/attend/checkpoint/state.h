// The state of a training run in a checkpoint. Each object (optimizer, schedule, batcher, early
// stopping) writes and reads its part under its own prefix, beside the model's tensors or in a
// separate file.
//
//   Checkpoint checkpoint;
//   StateWriter writer(checkpoint, "state.");
//   writer.put("step", step);
//   writer.scope("adam").put("mean", mean);
//   save_checkpoint(path, checkpoint);
//
//   const Checkpoint saved = load_checkpoint(path);
//   const StateReader reader(saved, "state.");
//   step = reader.get<std::int64_t>("step");
//   reader.scope("adam").copy_to("mean", mean);
//
// Numbers become metadata strings that read back as the same bits.
#pragma once

#include <charconv>
#include <concepts>
#include <string>
#include <string_view>
#include <type_traits>

#include "attend/checkpoint/checkpoint.h"

namespace attend {

template <class T>
concept StateNumber = std::integral<T> || std::floating_point<T>;

class StateWriter {
 public:
  // `target` must outlive the writer.
  explicit StateWriter(Checkpoint& target, std::string prefix = "")
      : target_(&target), prefix_(std::move(prefix)) {}

  // A writer with a longer prefix: this one's, then `name` and a dot.
  StateWriter scope(std::string_view name) const {
    return StateWriter(*target_, prefix_ + std::string(name) + ".");
  }

  // Keeps a tensor's handle, not a copy of its elements: save before they change. Throws
  // ConfigError for a duplicate name.
  void put(std::string_view name, const Tensor& tensor) const;
  void put(std::string_view name, std::string_view text) const;
  void put(std::string_view name, const char* text) const { put(name, std::string_view(text)); }
  template <StateNumber T>
  void put(std::string_view name, T value) const;

 private:
  Checkpoint* target_;
  std::string prefix_;
};

class StateReader {
 public:
  // `source` must outlive the reader.
  explicit StateReader(const Checkpoint& source, std::string prefix = "")
      : source_(&source), prefix_(std::move(prefix)) {}

  StateReader scope(std::string_view name) const {
    return StateReader(*source_, prefix_ + std::string(name) + ".");
  }

  // Whether there is a tensor or value of that name.
  bool contains(std::string_view name) const;

  // All of these throw DataError, naming the file, if the name is missing or has another type.
  Tensor tensor(std::string_view name) const;
  // Copies into existing memory of the same type and shape.
  void copy_to(std::string_view name, const Tensor& destination) const;
  // Copies elements of a tensor [whole], from `begin` on, into existing memory [n] of the same
  // type.
  struct Part {
    std::int64_t begin = 0, whole = 0;
  };
  void copy_part_to(std::string_view name, const Part& part, const Tensor& destination) const;
  std::string text(std::string_view name) const;
  template <StateNumber T>
  T get(std::string_view name) const;

 private:
  Tensor tensor_like(std::string_view name, DType dtype, const Shape& shape) const;
  [[noreturn]] void fail_number(std::string_view name, const std::string& found) const;

  const Checkpoint* source_;
  std::string prefix_;
};

template <StateNumber T>
void StateWriter::put(std::string_view name, T value) const {
  if constexpr (std::same_as<T, bool>) {
    put(name, std::string_view(value ? "1" : "0"));
  } else {
    char buffer[64];  // the shortest text that reads back as the same number
    const auto result = std::to_chars(buffer, buffer + sizeof buffer, value);
    put(name, std::string_view(buffer, static_cast<std::size_t>(result.ptr - buffer)));
  }
}

template <StateNumber T>
T StateReader::get(std::string_view name) const {
  const std::string found = text(name);
  if constexpr (std::same_as<T, bool>) {
    if (found != "0" && found != "1") fail_number(name, found);
    return found == "1";
  } else {
    T value{};
    const auto [end, error] = std::from_chars(found.data(), found.data() + found.size(), value);
    if (error != std::errc() || end != found.data() + found.size()) fail_number(name, found);
    return value;
  }
}

}  // namespace attend
