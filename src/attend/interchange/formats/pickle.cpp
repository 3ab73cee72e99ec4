#include "attend/interchange/formats/pickle.h"

#include <utility>

#include "attend/interchange/formats/pickle_machine.h"

namespace attend {

std::string_view name_of(PickleKind kind) {
  switch (kind) {
    case PickleKind::none:
      return "None";
    case PickleKind::boolean:
      return "a truth value";
    case PickleKind::integer:
      return "an integer";
    case PickleKind::big:
      return "an integer of more than 64 bits";
    case PickleKind::number:
      return "a number";
    case PickleKind::text:
      return "a string";
    case PickleKind::tuple:
      return "a tuple";
    case PickleKind::list:
      return "a list";
    case PickleKind::dictionary:
      return "a dictionary";
    case PickleKind::function:
      return "a function";
    case PickleKind::call:
      return "a call";
    case PickleKind::persistent:
      return "a storage";
  }
  return "?";
}

Pickle::Pickle(std::span<const std::byte> bytes, std::span<const std::string_view> functions,
               std::string where, OtherFunctions others)
    : where_(std::move(where)) {
  PickleMachine machine(bytes, functions, where_, others);
  root_ = machine.run();
  size_ = machine.position();
  values_ = std::move(machine.values());
}

const PickleValue* Pickle::find(const PickleValue& dictionary, std::string_view key) const {
  const PickleValue* found = nullptr;
  if (dictionary.kind != PickleKind::dictionary) return found;
  for (std::size_t i = 0; i < dictionary.items.size(); i += 2)
    if (const PickleValue& name = values_[dictionary.items[i]];
        name.kind == PickleKind::text && name.text == key)
      found = &values_[dictionary.items[i + 1]];
  return found;
}

}  // namespace attend
