// Another value for an option, whatever it is, and the check that every option of a struct matters.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <set>
#include <string>

#include "attend/core/options/option_fields.h"

namespace attend {

inline void alter(const OptionField& field) {
  const auto other = [](auto value) { return value == 0 ? 4 : value * 2; };
  const auto another = [](auto value) { return value == 0 ? decltype(value)(0.25) : value / 2; };
  if (const auto* flag = std::get_if<bool*>(&field.value)) **flag = !**flag;
  if (const auto* number = std::get_if<int*>(&field.value)) **number = other(**number);
  if (const auto* number = std::get_if<std::int64_t*>(&field.value)) **number = other(**number);
  if (const auto* number = std::get_if<std::uint64_t*>(&field.value)) **number = **number + 1;
  if (const auto* number = std::get_if<float*>(&field.value)) **number = another(**number);
  if (const auto* number = std::get_if<double*>(&field.value)) **number = another(**number);
  // A list in another order.
  if (const auto* text = std::get_if<std::string*>(&field.value))
    if (const std::size_t comma = (*text)->find(','); comma != std::string::npos)
      **text = (*text)->substr(comma + 1) + "," + (*text)->substr(0, comma);
  if (const auto* choice = std::get_if<EnumReference>(&field.value))
    choice->set(choice->location, (choice->get(choice->location) + 1) % choice->names.size());
}

// Alters one option after another: each must change what `result` makes of the options. `where`
// holds, for options that matter only beside others, how those must be; `elsewhere` the names of
// those that matter to others than `result`.
template <class Options>
void expect_every_option_matters(
    const Options& base, const std::function<std::string(const Options&)>& result,
    const std::map<std::string, std::function<void(Options&)>>& where = {},
    const std::set<std::string>& elsewhere = {}) {
  Options names = base;
  const std::size_t count = option_fields(names).size();
  ASSERT_GT(count, 0u);
  for (std::size_t i = 0; i < count; ++i) {
    Options before = base;
    const std::string name = option_fields(before)[i].name;
    if (elsewhere.contains(name)) continue;
    if (const auto condition = where.find(name); condition != where.end())
      condition->second(before);
    Options after = before;
    alter(option_fields(after)[i]);
    EXPECT_NE(result(before), result(after)) << name << " makes no difference";
  }
}

}  // namespace attend
