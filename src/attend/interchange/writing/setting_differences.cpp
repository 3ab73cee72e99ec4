#include "attend/interchange/writing/setting_differences.h"

#include <fmt/format.h>

#include <cmath>
#include <initializer_list>
#include <string_view>

#include "attend/core/json/json.h"
#include "attend/core/options/option_fields.h"
#include "attend/core/strings/quote.h"
#include "attend/models/stack/layer_kinds.h"
#include "attend/nn/rotary_encoding.h"

namespace attend {

namespace {

using OptionsJson = nlohmann::ordered_json;

void erase_all(OptionsJson& options, std::initializer_list<const char*> names) {
  for (const char* name : names) options.erase(name);
}

double number_of(const OptionsJson& options, const char* name) {
  const auto found = options.find(name);
  return found != options.end() && found->is_number() ? found->get<double>() : 0.0;
}

void replace_zero(OptionsJson& options, const char* name, double usual) {
  if (options.contains(name) && number_of(options, name) == 0.0) options[name] = usual;
}

// The shortest pattern of the layers of a model with one stack.
void make_layers_explicit(OptionsJson& options) {
  if (!options.contains("n_layers")) return;
  const bool local = number_of(options, "attention_window") > 0;
  options["attention_layers"] =
      layer_pattern(layer_kinds(options.value("attention_layers", ""), options.value("n_layers", 0),
                                local ? LayerKind::local : LayerKind::global));
}

void make_rotation_explicit(OptionsJson& options) {
  const bool rotary = options.value("positions", "") == "rotary";
  const std::string scaling = options.value("rotary_scaling", "none");
  if (rotary) {
    replace_zero(options, "rotary_width", number_of(options, "d_key"));
  } else {
    erase_all(options, {"rotary_theta", "rotary_width", "rotary_scaling"});
  }
  const bool has_bounds = rotary && (scaling == "llama3" || scaling == "yarn"),
             has_factors = rotary && scaling == "longrope";
  if (!rotary || scaling == "none") options.erase("rotary_factor");
  if (!has_bounds) erase_all(options, {"rotary_low_factor", "rotary_high_factor"});
  for (const char* factors : {"rotary_short_factors", "rotary_long_factors"}) {
    if (!has_factors) {
      options.erase(factors);
    } else if (options.value(factors, "").empty()) {
      const auto pairs = static_cast<std::size_t>(number_of(options, "rotary_width") / 2);
      options[factors] = rotary_factors_text(std::vector<double>(pairs, 1.0));
    }
  }
  if (!has_bounds && !has_factors) options.erase("rotary_original_length");
}

// Zeros as what they stand for, and no options that have no effect.
void make_explicit(OptionsJson& options, bool pairs) {
  const double width = number_of(options, "d_model"), heads = number_of(options, "n_heads");
  if (heads > 0) {
    replace_zero(options, "n_key_heads", heads);
    replace_zero(options, "d_key", width / heads);
    replace_zero(options, "d_value", width / heads);
    if (options.value("attention_scores", "") == "standard") options["attention_scores"] = "dot";
    replace_zero(options, "inverse_temperature", 1 / std::sqrt(number_of(options, "d_key")));
  }
  replace_zero(options, "embedding_scale", std::sqrt(width));
  if (!options.value("ffn_bias", true)) options.erase("ffn_hidden_bias");
  const std::string positions = options.value("positions", "");
  if (positions != "learned") options.erase("max_positions");
  if (!positions.starts_with("sinusoidal")) options.erase("first_position");
  const std::string biases = options.value("distance_biases", "");
  const bool is_relative = positions == "relative" || biases == "relative";
  if (!is_relative) options.erase("relative_shared");
  if (!is_relative && biases != "disentangled")
    erase_all(options, {"relative_buckets", "relative_distance"});
  const bool norm_first = options.value("norm_first", false);
  if (!norm_first) options.erase("norm_keys");
  if (options.value("norm_output", "") == "standard")
    options["norm_output"] = norm_first || options.value("norm_branch", false) ? "on" : "off";
  if (options.value("norm", "") == "rms") options.erase("norm_bias");
  make_layers_explicit(options);
  if (options.value("pooling", "") == "first") options.erase("bos");
  if (!pairs) options.erase("separators");
  if (number_of(options, "dense_width") == 0.0)
    erase_all(options, {"dense_activation", "dense_bias"});
  if (!options.value("qk_norm", false)) options.erase("qk_norm_span");
  make_rotation_explicit(options);
}

bool is_other(const OptionsJson& options, const char* name, const OptionsJson& usual) {
  return options.contains(name) && options[name] != usual;
}

bool matters(std::string_view option) {
  return !option.ends_with("dropout") && option != "embedding_deviation" &&
         option != "router_balance";
}

std::string shown_value(const OptionsJson& value) {
  if (value.is_number_float()) return fmt::format("{}", value.get<float>());
  return printable(value.is_string() ? value.get<std::string>() : value.dump(), 60);
}

bool equal_values(const OptionsJson& a, const OptionsJson& b) {
  if (a.is_number() && b.is_number()) return a.get<float>() == b.get<float>();
  return a == b;
}

// `pairs`: whether the model of `ours` takes pairs of texts.
void compare_options(OptionsJson ours, OptionsJson theirs, bool pairs,
                     std::vector<std::string>& differences) {
  make_explicit(ours, pairs);
  make_explicit(theirs, pairs);
  for (const auto& [name, value] : ours.items()) {
    if (!matters(name)) continue;
    const auto found = theirs.find(name);
    if (found == theirs.end()) {
      differences.push_back(fmt::format("{} is {}", kebab_case(name), shown_value(value)));
    } else if (!equal_values(value, *found)) {
      differences.push_back(fmt::format("{} is {} instead of {}", kebab_case(name),
                                        shown_value(value), shown_value(*found)));
    }
  }
}

// "attend.config" -> "config"
std::string name_of_key(std::string_view key) { return kebab_case(key.substr(key.find('.') + 1)); }

}  // namespace

std::vector<std::string> options_of_transformers_alone(const Metadata& settings) {
  const auto found = settings.find("attend.config");
  const auto read = found == settings.end() ? std::nullopt : try_parse_json(found->second);
  if (!read || !read->is_object()) return {};
  OptionsJson options = *read;
  make_explicit(options, false);
  std::vector<std::pair<const char*, OptionsJson>> usual{
      {"norm_bias", true},     {"norm_branch", false},   {"sublayers", "sequential"},
      {"residual_scale", 1.0}, {"qk_norm_span", "head"}, {"rotary_width", options["d_key"]},
      {"experts", 0},          {"embedding_width", 0}};
  // Translators have equals of these.
  if (options.contains("n_layers"))
    usual.insert(usual.end(), {{"output_bias", false}, {"output_scale", 1.0}});
  std::vector<std::string> others;
  for (const auto& [name, value] : usual)
    if (is_other(options, name, value))
      others.push_back(fmt::format("{} is {}", kebab_case(name), shown_value(options[name])));
  return others;
}

std::vector<std::string> setting_differences(const Metadata& ours, const Metadata& theirs) {
  std::vector<std::string> differences;
  for (const auto& [key, value] : ours) {
    // The length of the training texts, and that they were pairs, other programs do not keep.
    if (key == "attend.context" || key == "attend.pairs") continue;
    const auto found = theirs.find(key);
    if (found == theirs.end()) {
      differences.push_back(fmt::format("{} is {}", name_of_key(key), printable(value, 60)));
      continue;
    }
    if (value == found->second) continue;
    const auto mine = try_parse_json(value), other = try_parse_json(found->second);
    if (mine && other && mine->is_object() && other->is_object()) {
      compare_options(*mine, *other, ours.contains("attend.pairs"), differences);
    } else {
      differences.push_back(fmt::format("{} is {} instead of {}", name_of_key(key),
                                        printable(value, 60), printable(found->second, 60)));
    }
  }
  for (const auto& [key, value] : theirs)
    if (!ours.contains(key))
      differences.push_back(
          fmt::format("{} is not set instead of {}", name_of_key(key), printable(value, 60)));
  return differences;
}

}  // namespace attend
