// Options described once. A struct of options with a `fields` function is at once a set of
// command-line flags, the keys of a TOML file and an object in the metadata of a model file; its
// default member initializers are the only place where a default is written.
//
//   struct AdamOptions { float beta1 = 0.9f; ... };
//   template <class Visitor>
//   void fields(AdamOptions& o, Visitor&& visit) {
//     visit("adam-beta1", o.beta1, below_one(), "decay of the mean of the gradient (Kingma & Ba
//     2015)");
//   }
//
// A visitor is called as visit(name, reference, help) for references of type bool, std::string,
// std::vector<std::string> and enums that have `enum_names(E)`, and as visit(name, reference,
// range, help) for the numbers: int, std::int64_t, std::uint64_t, float, double. A number without a
// range does not compile. Whatever way a number comes in, its range is checked; what two options
// ask of each other is checked where they are used. Names are in kebab-case; snake_case is accepted
// on the way in.
#pragma once

#include <array>
#include <concepts>
#include <span>
#include <string_view>
#include <type_traits>

#include "attend/core/number_range.h"

namespace attend {

// What the help says of an option. One that exists for a single recipe or question, and may go
// again, is experimental: the help lists those by themselves.
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

// An enum becomes an option by a function  std::span<const std::string_view> enum_names(E);  found
// by argument-dependent lookup, whose i-th name spells the enumerator with value i.
template <class E>
concept NamedEnum = std::is_enum_v<E> && requires(E e) {
  { enum_names(e) } -> std::convertible_to<std::span<const std::string_view>>;
};

}  // namespace attend
