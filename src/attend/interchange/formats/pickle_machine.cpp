#include "attend/interchange/formats/pickle_machine.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <utility>

#include "attend/core/strings/quote.h"
#include "attend/core/strings/utf8.h"
#include "attend/error.h"

namespace attend {

namespace {

// The instructions by their names in Python's pickle.py.
enum Instruction : std::uint8_t {
  kMark = '(',
  kStop = '.',
  kAppend = 'a',
  kAppends = 'e',
  kBuild = 'b',
  kGlobal = 'c',
  kBinInt = 'J',
  kBinInt1 = 'K',
  kBinInt2 = 'M',
  kBinFloat = 'G',
  kNone = 'N',
  kBinPersId = 'Q',
  kReduce = 'R',
  kBinUnicode = 'X',
  kEmptyList = ']',
  kEmptyTuple = ')',
  kEmptyDict = '}',
  kBinGet = 'h',
  kLongBinGet = 'j',
  kBinPut = 'q',
  kLongBinPut = 'r',
  kSetItem = 's',
  kSetItems = 'u',
  kTuple = 't',
  kProto = 0x80,
  kNewObj = 0x81,
  kTuple1 = 0x85,
  kTuple2 = 0x86,
  kTuple3 = 0x87,
  kNewTrue = 0x88,
  kNewFalse = 0x89,
  kLong1 = 0x8a
};

constexpr std::size_t kMostValues = std::size_t{1} << 22;  // some hundred megabytes
constexpr std::uint8_t kProtocol = 2;
constexpr std::string_view kOrderedDict = "collections.OrderedDict";

}  // namespace

void PickleMachine::refuse(std::string_view why) const {
  throw DataError(
      fmt::format("{}: its pickle, at byte {}: {}", input_.where(), instruction_begin_, why));
}

PickleRef PickleMachine::run() {
  for (;;) {
    instruction_begin_ = input_.position();
    const auto instruction = input_.number<std::uint8_t>();
    if (instruction_begin_ == 0 && instruction != kProto)
      refuse(fmt::format("expected the mark of protocol 2, found 0x{:02x}", instruction));
    if (instruction == kStop) {
      if (stack_.size() != 1 || !marks_.empty())
        refuse(fmt::format("it ends with {} values in place of one", stack_.size()));
      return stack_.front();
    }
    if (!run_number(instruction) && !run_empty(instruction) && !run_collection(instruction) &&
        !run_memo(instruction) && !run_object(instruction))
      refuse(fmt::format("expected an instruction that tensors need, found 0x{:02x}", instruction));
  }
}

bool PickleMachine::run_number(std::uint8_t instruction) {
  switch (instruction) {
    case kBinInt:
      push_integer(input_.number<std::int32_t>());
      return true;
    case kBinInt1:
      push_integer(input_.number<std::uint8_t>());
      return true;
    case kBinInt2:
      push_integer(input_.number<std::uint16_t>());
      return true;
    case kBinFloat:  // the highest byte first
      push({.kind = PickleKind::number,
            .number = std::bit_cast<double>(__builtin_bswap64(input_.number<std::uint64_t>()))});
      return true;
    case kLong1:
      push_long();
      return true;
    case kNewTrue:
    case kNewFalse:
      push_integer(instruction == kNewTrue ? 1 : 0, PickleKind::boolean);
      return true;
    default:
      return false;
  }
}

bool PickleMachine::run_empty(std::uint8_t instruction) {
  switch (instruction) {
    case kNone:
      push({});
      return true;
    case kEmptyList:
      push({.kind = PickleKind::list});
      return true;
    case kEmptyTuple:
      push({.kind = PickleKind::tuple});
      return true;
    case kEmptyDict:
      push({.kind = PickleKind::dictionary});
      return true;
    case kMark:
      marks_.push_back(stack_.size());
      return true;
    default:
      return false;
  }
}

bool PickleMachine::run_collection(std::uint8_t instruction) {
  switch (instruction) {
    case kTuple:
      push({.kind = PickleKind::tuple, .items = pop_to_mark()});
      return true;
    case kTuple1:
    case kTuple2:
    case kTuple3:
      push_tuple(static_cast<std::size_t>(instruction - kTuple1 + 1));
      return true;
    case kAppend:
      append({pop()});
      return true;
    case kAppends:
      append(pop_to_mark());
      return true;
    case kSetItem: {
      const PickleRef value = pop();
      const PickleRef key = pop();
      set_items({key, value});
      return true;
    }
    case kSetItems:
      set_items(pop_to_mark());
      return true;
    default:
      return false;
  }
}

bool PickleMachine::run_memo(std::uint8_t instruction) {
  switch (instruction) {
    case kBinPut:
      remember(input_.number<std::uint8_t>());
      return true;
    case kLongBinPut:
      remember(input_.number<std::uint32_t>());
      return true;
    case kBinGet:
      recall(input_.number<std::uint8_t>());
      return true;
    case kLongBinGet:
      recall(input_.number<std::uint32_t>());
      return true;
    default:
      return false;
  }
}

bool PickleMachine::run_object(std::uint8_t instruction) {
  switch (instruction) {
    case kProto: {
      const auto protocol = input_.number<std::uint8_t>();
      if (instruction_begin_ != 0 || protocol != kProtocol)
        refuse(fmt::format("expected protocol 2 at its beginning, found protocol {}", protocol));
      return true;
    }
    case kBinUnicode: {
      const std::string_view text = input_.text(input_.number<std::uint32_t>());
      if (!is_utf8(text)) refuse("expected text in UTF-8, found other bytes");
      push({.kind = PickleKind::text, .text = text});
      return true;
    }
    case kGlobal:
      push_function();
      return true;
    case kReduce:
    case kNewObj:
      call();
      return true;
    case kBuild:
      build();
      return true;
    case kBinPersId: {
      const PickleRef id = pop();
      push({.kind = PickleKind::persistent, .items = {id}});
      return true;
    }
    default:
      return false;
  }
}

void PickleMachine::push(PickleValue value) {
  if (values_.size() == kMostValues)
    refuse(fmt::format("expected at most {} values, found more", kMostValues));
  stack_.push_back(static_cast<PickleRef>(values_.size()));
  values_.push_back(std::move(value));
}

void PickleMachine::push_integer(std::int64_t integer, PickleKind kind) {
  push({.kind = kind, .integer = integer});
}

// Two's complement, the lowest byte first.
void PickleMachine::push_long() {
  const std::string_view bytes = input_.text(input_.number<std::uint8_t>());
  if (bytes.size() > sizeof(std::int64_t)) {
    push({.kind = PickleKind::big, .text = bytes});
    return;
  }
  const bool negative = !bytes.empty() && (static_cast<unsigned char>(bytes.back()) & 0x80) != 0;
  std::uint64_t value = negative ? ~std::uint64_t{0} : 0;
  std::memcpy(&value, bytes.data(), bytes.size());
  push_integer(static_cast<std::int64_t>(value));
}

void PickleMachine::push_function() {
  constexpr std::size_t kLongestName = 200;
  std::string name;
  const std::size_t begin = input_.position();
  for (int lines = 0; lines < 2;) {
    const char c = static_cast<char>(input_.number<std::uint8_t>());
    if (c == '\n') ++lines;
    if (c != '\n' || lines == 1) name += c == '\n' ? '.' : c;
    if (name.size() > kLongestName) refuse(fmt::format("it names the function {}", quote(name)));
  }
  const auto known = std::find(functions_.begin(), functions_.end(), name);
  if (known != functions_.end()) return push({.kind = PickleKind::function, .text = *known});
  if (others_ == OtherFunctions::refused)
    refuse(fmt::format("it names {}, which no file of tensors needs; nothing was run",
                       quote(name, kLongestName)));
  const auto* const there = reinterpret_cast<const char*>(bytes_.data()) + begin;
  push({.kind = PickleKind::function, .text = {there, name.size()}});
}

void PickleMachine::push_tuple(std::size_t count) {
  std::vector<PickleRef> items(count);
  for (std::size_t i = count; i-- > 0;) items[i] = pop();
  push({.kind = PickleKind::tuple, .items = std::move(items)});
}

// Values below the last mark belong to what was begun before it.
PickleRef PickleMachine::top_ref() const {
  if (stack_.size() <= (marks_.empty() ? 0 : marks_.back()))
    refuse("it takes a value where there is none");
  return stack_.back();
}

PickleRef PickleMachine::pop() {
  const PickleRef ref = top_ref();
  stack_.pop_back();
  return ref;
}

std::vector<PickleRef> PickleMachine::pop_to_mark() {
  if (marks_.empty()) refuse("it goes back to a mark that it has not made");
  const auto begin = stack_.begin() + static_cast<std::ptrdiff_t>(marks_.back());
  std::vector<PickleRef> items(begin, stack_.end());
  stack_.erase(begin, stack_.end());
  marks_.pop_back();
  return items;
}

PickleValue& PickleMachine::top(PickleKind expected) {
  PickleValue& value = values_[top_ref()];
  if (value.kind != expected)
    refuse(fmt::format("expected {}, found {}", name_of(expected), name_of(value.kind)));
  return value;
}

PickleValue& PickleMachine::set_in_object(PickleKind kind) {
  const PickleRef object = top_ref();
  if (values_[object].kind != PickleKind::call) return top(kind);
  push({.kind = kind});
  const PickleRef made = pop();
  values_[object].items.push_back(made);
  return values_[made];
}

void PickleMachine::append(std::vector<PickleRef> items) {
  std::vector<PickleRef>& list = set_in_object(PickleKind::list).items;
  list.insert(list.end(), items.begin(), items.end());
}

void PickleMachine::set_items(std::vector<PickleRef> items) {
  if (items.size() % 2 != 0) refuse("expected as many values as keys");
  std::vector<PickleRef>& entries = set_in_object(PickleKind::dictionary).items;
  entries.insert(entries.end(), items.begin(), items.end());
}

void PickleMachine::call() {
  const PickleRef arguments = pop();
  const PickleRef function = pop();
  const PickleValue& called = values_[function];
  if (called.kind != PickleKind::function || values_[arguments].kind != PickleKind::tuple)
    refuse(fmt::format("expected a function and a tuple, found {} and {}", name_of(called.kind),
                       name_of(values_[arguments].kind)));
  if (called.text != kOrderedDict) {
    push({.kind = PickleKind::call, .items = {function, arguments}});
    return;
  }
  if (!values_[arguments].items.empty())
    refuse(fmt::format("expected {} without arguments", kOrderedDict));
  push({.kind = PickleKind::dictionary});
}

void PickleMachine::build() {
  const PickleRef state = pop();
  if (PickleValue& object = values_[top_ref()]; object.kind == PickleKind::call) {
    object.items.push_back(state);
  } else {
    top(PickleKind::dictionary);
  }
}

void PickleMachine::remember(std::uint32_t number) { memo_[number] = top_ref(); }

void PickleMachine::recall(std::uint32_t number) {
  const auto found = memo_.find(number);
  if (found == memo_.end())
    refuse(fmt::format("it recalls value {}, which it has not remembered", number));
  stack_.push_back(found->second);
}

}  // namespace attend
