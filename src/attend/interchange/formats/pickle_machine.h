// The machine that reads a pickle. Private to interchange/.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "attend/core/files/byte_reader.h"
#include "attend/interchange/formats/pickle.h"

namespace attend {

class PickleMachine {
 public:
  PickleMachine(std::span<const std::byte> bytes, std::span<const std::string_view> functions,
                std::string where, OtherFunctions others)
      : input_(bytes, std::move(where)), bytes_(bytes), functions_(functions), others_(others) {}

  // Runs to the end of the pickle. Throws DataError.
  PickleRef run();

  std::size_t position() const { return input_.position(); }
  std::vector<PickleValue>& values() { return values_; }

 private:
  // Each runs the instruction if it handles its kind, and otherwise returns false.
  bool run_number(std::uint8_t instruction);
  bool run_empty(std::uint8_t instruction);
  bool run_collection(std::uint8_t instruction);
  bool run_memo(std::uint8_t instruction);
  bool run_object(std::uint8_t instruction);

  void push(PickleValue value);
  void push_integer(std::int64_t integer, PickleKind kind = PickleKind::integer);
  void push_long();
  void push_function();
  void push_tuple(std::size_t count);
  PickleRef top_ref() const;
  PickleRef pop();
  std::vector<PickleRef> pop_to_mark();
  PickleValue& top(PickleKind expected);
  void append(std::vector<PickleRef> items);
  void set_items(std::vector<PickleRef> items);
  void call();
  void build();
  // What is set in the object of a call: a dictionary or a list.
  PickleValue& set_in_object(PickleKind kind);
  void remember(std::uint32_t number);
  void recall(std::uint32_t number);
  // Throws DataError about the current instruction.
  [[noreturn]] void refuse(std::string_view why) const;

  ByteReader input_;
  std::span<const std::byte> bytes_;
  std::span<const std::string_view> functions_;
  OtherFunctions others_;
  std::size_t instruction_begin_ = 0;
  std::vector<PickleValue> values_;
  std::vector<PickleRef> stack_;
  std::vector<std::size_t> marks_;  // heights of the stack
  std::unordered_map<std::uint32_t, PickleRef> memo_;
};

}  // namespace attend
