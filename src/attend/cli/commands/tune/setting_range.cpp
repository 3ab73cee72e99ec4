#include "attend/cli/commands/tune/setting_range.h"

#include <fmt/format.h>

#include <cmath>
#include <sstream>

#include "attend/core/strings/quote.h"
#include "attend/error.h"

namespace attend {

namespace {

std::vector<std::string> split_at_commas(const std::string& text) {
  std::vector<std::string> parts;
  std::istringstream stream(text);
  for (std::string part; std::getline(stream, part, ',');) parts.push_back(part);
  return parts;
}

double end_of(const OptionField& field, const std::string& text) {
  set_option(field, std::vector{text}, "--ranges: " + field.name);  // checks it
  return std::stod(text);
}

}  // namespace

SettingRange::SettingRange(const std::string& text, std::span<const OptionField> fields) {
  const auto [name, value] =
      option_value_of(text, fields, "--ranges", {"out", "data", "max-steps", "max-epochs"});
  option_ = name;
  const OptionField& field = *find_option(fields, name);
  const std::vector<std::string> before = option_values(field);
  const std::size_t dots = value.find("..");
  if (dots == std::string::npos) {
    choices_ = split_at_commas(value);
    for (const std::string& choice : choices_)
      set_option(field, std::vector{choice}, "--ranges: " + name);
  } else {
    if (!field.is_number())
      throw ConfigError(fmt::format(
          "--ranges: {} is no number; expected choices with commas, got {}", name, quote(value)));
    low_ = end_of(field, value.substr(0, dots));
    high_ = end_of(field, value.substr(dots + 2));
    if (!(low_ < high_))
      throw ConfigError(fmt::format("--ranges: expected {} from a lower to a higher number, got {}",
                                    name, quote(value)));
    logarithmic_ = low_ > 0 && high_ >= 10 * low_;
    whole_ = !std::holds_alternative<float*>(field.value) &&
             !std::holds_alternative<double*>(field.value);
  }
  if (choices_.empty() && dots == std::string::npos)
    throw ConfigError(fmt::format("--ranges: expected values of {}, got none", name));
  if (!before.empty() || field.is_list()) set_option(field, before, name);
}

std::string SettingRange::draw(Random& random) const {
  if (!choices_.empty()) return choices_[random.below(choices_.size())];
  const double share = random.uniform();
  const double value =
      logarithmic_ ? low_ * std::pow(high_ / low_, share) : low_ + (high_ - low_) * share;
  return whole_ ? fmt::format("{}", std::llround(value)) : fmt::format("{:.3g}", value);
}

}  // namespace attend
