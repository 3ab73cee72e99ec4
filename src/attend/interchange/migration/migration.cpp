#include "attend/interchange/migration/migration.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <stdexcept>

#include "attend/core/strings/ascii.h"
#include "attend/core/strings/quote.h"
#include "attend/error.h"

namespace attend {

namespace {

std::optional<double> real_number(std::string_view text) {
  if (text.starts_with('+')) text.remove_prefix(1);
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool whole = error == std::errc() && end == text.data() + text.size();
  return whole && std::isfinite(value) ? std::optional(value) : std::nullopt;
}

// "dim-emb: 512, of task transformer-base". What is off by default says nothing beside others, and
// a source that several share is named once.
std::string origin_of(std::vector<const ForeignOption*> options, OptionStyle style) {
  const auto is_silent = [](const ForeignOption* option) {
    return !option->given() && (option->values.empty() || option->values.front() == "false" ||
                                option->values.front().empty());
  };
  if (!std::all_of(options.begin(), options.end(), is_silent)) std::erase_if(options, is_silent);
  std::string text;
  for (std::size_t i = 0; i < options.size(); ++i) {
    const bool is_last = i + 1 == options.size() || options[i + 1]->from != options[i]->from;
    text += fmt::format("{}{}{}", i == 0 ? "" : "; ", spelled(*options[i], style),
                        options[i]->given() || !is_last ? "" : ", " + options[i]->from);
  }
  return text;
}

// "# name: value   what is said", for the options with this fate.
std::string fate_lines(const Migration& migration, Fate fate, std::string_view heading) {
  std::string text;
  for (const ForeignOption& option : migration.options()) {
    const OptionFate& its = migration.fate(option.name);
    if (its.fate != fate || (fate == Fate::same && !option.given())) continue;
    text += fmt::format("#   {}{}{}{}\n", spelled(option, migration.style()),
                        option.given() ? "" : ", " + option.from, its.said.empty() ? "" : ": ",
                        its.said);
  }
  return text.empty() ? text : fmt::format("\n# {}\n{}", heading, text);
}

}  // namespace

Migration::Migration(Recipe recipe, std::vector<ForeignOption> options, OptionStyle style,
                     std::string where)
    : recipe_(std::move(recipe)),
      options_(std::move(options)),
      style_(style),
      where_(std::move(where)) {}

const ForeignOption* Migration::find(std::string_view name) const {
  const auto found = std::find_if(options_.begin(), options_.end(),
                                  [&](const ForeignOption& option) { return option.name == name; });
  return found == options_.end() ? nullptr : &*found;
}

void Migration::refuse(const ForeignOption& option, std::string_view expected) const {
  throw ConfigError(fmt::format(
      "{}: {}: expected {}, got {}", where_, spelled_name(option, style_), expected,
      option.values.empty() ? "none" : quote(fmt::format("{}", fmt::join(option.values, " ")))));
}

std::string Migration::text(std::string_view name, std::string_view otherwise) const {
  const ForeignOption* const option = find(name);
  if (option == nullptr) return std::string(otherwise);
  if (option->values.size() > 1) refuse(*option, "one value");
  return option->values.empty() ? "" : option->values.front();
}

std::int64_t Migration::whole(std::string_view name, std::int64_t otherwise) const {
  if (find(name) == nullptr) return otherwise;
  const std::optional<std::int64_t> value = whole_number(text(name));
  if (!value) refuse(*find(name), "a whole number");
  return *value;
}

double Migration::number(std::string_view name, double otherwise) const {
  if (find(name) == nullptr) return otherwise;
  const std::optional<double> value = real_number(text(name));
  if (!value) refuse(*find(name), "a number");
  return *value;
}

std::vector<double> Migration::numbers(std::string_view name) const {
  std::vector<double> values;
  const ForeignOption* const option = find(name);
  if (option == nullptr) return values;
  for (const std::string& element : option->values) {
    const std::optional<double> value = real_number(element);
    if (!value) refuse(*option, "numbers");
    values.push_back(*value);
  }
  return values;
}

bool Migration::is_on(std::string_view name) const {
  const ForeignOption* const option = find(name);
  if (option == nullptr) return false;
  if (option->values.empty()) return true;
  const std::string value = ascii_lower(text(name));
  if (value == "false" || value == "0") return false;
  if (value != "true" && value != "1") refuse(*option, "true or false");
  return true;
}

void Migration::decide(std::string_view theirs, Fate fate, std::string_view said) {
  if (find(theirs) == nullptr) return;
  const auto [at, first] = fates_.emplace(theirs, OptionFate{fate, std::string(said)});
  // An option may become several lines, and has one fate all the same.
  if (!first && (at->second.fate != Fate::translated || fate != Fate::translated))
    throw std::logic_error(fmt::format("{} has two fates", theirs));
}

void Migration::translate(const std::vector<std::string_view>& theirs, std::string_view ours,
                          const std::vector<std::string>& values, std::string_view remark) {
  std::vector<const ForeignOption*> options;
  for (const std::string_view name : theirs) {
    decide(name, Fate::translated, "");
    if (const ForeignOption* const option = find(name)) options.push_back(option);
  }
  std::string comment = origin_of(options, style_);
  if (!remark.empty()) comment += fmt::format("{}{}", comment.empty() ? "" : "; ", remark);
  const std::string where =
      options.empty() ? where_
                      : fmt::format("{}: {}", where_, spelled_name(*options.back(), style_));
  recipe_.set(ours, values, where, std::move(comment));
}

void Migration::expand(std::string_view theirs) { decide(theirs, Fate::translated, ""); }

void Migration::same(std::string_view theirs, std::string_view why) {
  decide(theirs, Fate::same, why);
}

void Migration::without_equal(std::string_view theirs, std::string_view why) {
  decide(theirs, Fate::without_equal, why);
}

void Migration::unknown(std::string_view theirs, std::string_view hint) {
  decide(theirs, Fate::unknown, hint);
}

void Migration::add(std::string_view ours, const std::string& value, std::string_view comment) {
  recipe_.set(ours, {&value, 1}, where_, std::string(comment));
}

std::string migration_text(const Migration& migration, std::string_view program,
                           std::string_view file) {
  return fmt::format("# {} ({}) as options of attend {}\n\n{}{}{}{}", printable(file), program,
                     migration.recipe().command(), migration.recipe().toml(),
                     fate_lines(migration, Fate::same, "the same here, without an option"),
                     fate_lines(migration, Fate::without_equal, "no equal here"),
                     fate_lines(migration, Fate::unknown, "unknown: not translated"));
}

}  // namespace attend
