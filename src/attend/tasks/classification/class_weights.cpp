#include "attend/tasks/classification/class_weights.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>
#include <span>

#include "attend/core/options/option_error.h"
#include "attend/core/options/option_fields.h"
#include "attend/core/strings/quote.h"
#include "attend/error.h"

namespace attend {
namespace {

// The texts of each class.
std::vector<std::int64_t> texts_per_class(const LabeledText& texts) {
  std::vector<std::int64_t> counts(texts.classes.size(), 0);
  for (const std::int32_t label : texts.labels) ++counts[static_cast<std::size_t>(label)];
  return counts;
}

// 1 for a class without texts.
std::vector<float> balanced_weights(const std::vector<std::int64_t>& counts) {
  std::int64_t texts = 0, classes = 0;
  for (const std::int64_t count : counts) {
    texts += count;
    classes += count > 0 ? 1 : 0;
  }
  const auto share = static_cast<float>(texts) / static_cast<float>(classes);
  std::vector<float> weights;
  for (const std::int64_t count : counts)
    weights.push_back(count > 0 ? share / static_cast<float>(count) : 1.0f);
  return weights;
}

// "label=number"; the label may contain '='.
void set_weight(const std::string& option, const std::vector<std::string>& classes,
                std::vector<float>& weights, std::set<std::string>& named) {
  const std::size_t equals = option.rfind('=');
  if (equals == std::string::npos)
    throw OptionError<ConfigError>("{}: expected balanced alone, or label=number, got {}",
                                   as_key("class-weights"), quote(option));
  const std::string label = option.substr(0, equals), number = option.substr(equals + 1);
  float weight = 0;
  set_option({"class-weights", "", &weight, between(0, 1e6)}, std::span(&number, 1),
             option_text("{}: {}", as_key("class-weights"), printable(label)));
  const auto found = std::find(classes.begin(), classes.end(), label);
  if (found == classes.end())
    throw OptionError<ConfigError>("{}: no text has the label {}, expected one of: {}",
                                   as_key("class-weights"), quote(label), fmt::join(classes, ", "));
  if (!named.insert(label).second)
    throw OptionError<ConfigError>("{}: expected one weight for {}, got two",
                                   as_key("class-weights"), quote(label));
  weights[static_cast<std::size_t>(found - classes.begin())] = weight;
}

}  // namespace

Tensor class_weights(const std::vector<std::string>& options, const LabeledText& texts) {
  if (options.empty()) return {};
  const std::vector<std::int64_t> counts = texts_per_class(texts);
  std::vector<float> weights(counts.size(), 1.0f);
  if (options.size() == 1 && options.front() == "balanced") {
    weights = balanced_weights(counts);
  } else {
    std::set<std::string> named;
    for (const std::string& option : options) set_weight(option, texts.classes, weights, named);
  }
  bool teaches = false;
  for (std::size_t c = 0; c < counts.size(); ++c)
    teaches = teaches || (counts[c] > 0 && weights[c] > 0.0f);
  if (!teaches)
    throw OptionError<ConfigError>(
        "{}: expected a class with a weight above 0, got none: there would be nothing to learn",
        as_key("class-weights"));
  return Tensor::from(weights, {static_cast<std::int64_t>(weights.size())});
}

}  // namespace attend
