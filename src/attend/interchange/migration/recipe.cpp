#include "attend/interchange/migration/recipe.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

namespace attend {

namespace {

// Comments begin in one column, unless a line is longer.
constexpr std::size_t kMostIndent = 44;

}  // namespace

const OptionField& Recipe::field(std::string_view name) const {
  for (const OptionGroup& group : groups_)
    if (const OptionField* const found = find_option(group.fields, name)) return *found;
  throw std::logic_error(fmt::format("{} has no option {}", command_, name));
}

std::string Recipe::value(std::string_view name) const {
  return fmt::format("{}", fmt::join(option_values(field(name)), " "));
}

void Recipe::set(std::string_view name, std::span<const std::string> values, std::string_view where,
                 std::string comment) {
  set_option(field(name), values, where);
  comments_[std::string(name)] = std::move(comment);
}

std::string Recipe::toml() const {
  struct Line {
    std::string text, comment;
  };
  std::vector<Line> lines;
  for (const OptionGroup& group : groups_) {
    bool first = true;
    for (const OptionField& field : group.fields) {
      const auto found = comments_.find(field.name);
      if (found == comments_.end()) continue;
      if (std::exchange(first, false)) {
        if (!lines.empty()) lines.push_back({});
        lines.push_back({fmt::format("[{}]", group.name), ""});
      }
      std::string text = to_toml({&field, 1});
      text.pop_back();  // the line break
      lines.push_back({std::move(text), found->second});
    }
  }
  std::size_t indent = 0;
  for (const Line& line : lines)
    if (line.text.size() <= kMostIndent) indent = std::max(indent, line.text.size());
  std::string out;
  for (const Line& line : lines)
    out += line.comment.empty() ? line.text + "\n"
                                : fmt::format("{:<{}}  # {}\n", line.text, indent, line.comment);
  return out;
}

}  // namespace attend
