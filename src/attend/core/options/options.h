// Options described once. A struct of options with a `fields` function is a set of command-line
// flags, the keys of a TOML file and an object in the metadata of a model file. Its default member
// initializers are the only place where defaults are written.
//
//   struct AdamOptions { float beta1 = 0.9f; ... };
//   template <class Visitor>
//   void fields(AdamOptions& o, Visitor&& visit) {
//     visit("adam-beta1", o.beta1, below_one(), "decay of Adam's mean of gradients");
//   }
//
// A visitor is called as visit(name, reference, help) for references of type bool, std::string,
// std::vector<std::string> and enums that have `enum_names(E)`, and as visit(name, reference,
// range, help) for numbers: int, std::int64_t, std::uint64_t, float, double. A number without a
// range does not compile, and every number from outside is checked against its range. Constraints
// between options are checked where the options are used. Names are in kebab-case; snake_case is
// accepted as input.
#pragma once

#include <array>
#include <concepts>
#include <span>
#include <string_view>
#include <type_traits>

#include "attend/core/options/number_range.h"

namespace attend {

// The help text of an option. Experimental options serve a single recipe or question and may be
// removed; the help lists them separately.
struct OptionHelp {
  constexpr OptionHelp(const char* help) : text(help) {}  // NOLINT(google-explicit-constructor)
  constexpr OptionHelp(std::string_view help)
      : text(help) {}  // NOLINT(google-explicit-constructor)
  constexpr OptionHelp(std::string_view help, bool is_experimental)
      : text(help), experimental(is_experimental) {}

  std::string_view text;
  bool experimental = false;
};
constexpr OptionHelp experimental(std::string_view help) { return {help, true}; }

// An enum becomes an option through a function
//   std::span<const std::string_view> enum_names(E);
// found by argument-dependent lookup, whose i-th name spells the enumerator with value i.
template <class E>
concept NamedEnum = std::is_enum_v<E> && requires(E e) {
  { enum_names(e) } -> std::convertible_to<std::span<const std::string_view>>;
};

}  // namespace attend
