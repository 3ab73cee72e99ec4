#include "attend/tasks/explanation/attention_change.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <optional>
#include <string_view>
#include <variant>

#include "attend/checkpoint/safetensors/stored_weights.h"
#include "attend/core/json/json.h"
#include "attend/core/json/json_text.h"
#include "attend/core/options/name_pattern.h"
#include "attend/core/options/option_error.h"
#include "attend/core/options/option_fields.h"
#include "attend/core/strings/quote.h"
#include "attend/error.h"
#include "attend/tasks/translation/model.h"
#include "attend/tensor/bf16.h"

namespace attend {

namespace {

constexpr std::string_view kOutput = ".out_proj.weight", kQueries = ".q_proj.weight",
                           kQueryBias = ".q_proj.bias", kScores = ".score.weight";

// What becomes of each head of a module.
struct HeadFactors {
  std::vector<float> output, scores;
};

template <class Use>
void for_numbers(const Tensor& tensor, const Use& use) {
  if (tensor.dtype() == DType::i8) return use(tensor.span<std::int8_t>());
  if (tensor.dtype() == DType::bf16) return use(tensor.span<std::uint16_t>());
  use(tensor.span());
}

Tensor copy_of(const Checkpoint& file, const std::string& name) {
  const Tensor& stored = file.tensor(name);
  const Tensor copy = Tensor::empty_on_host(stored.shape(), stored.dtype());
  file.copy_to(name, copy);
  return copy;
}

// Each row of a matrix, or element of a vector, times the factor of its head.
void scale_rows(const Tensor& tensor, const std::vector<float>& of_head) {
  const auto count = static_cast<std::size_t>(tensor.size());
  const std::size_t width = count / of_head.size();
  if (tensor.dtype() == DType::bf16) {
    const auto values = tensor.span<std::uint16_t>();
    for (std::size_t i = 0; i < count; ++i)
      values[i] = nearest_bf16(float_of_bf16(values[i]) * of_head[i / width]);
    return;
  }
  const auto values = tensor.span();
  for (std::size_t i = 0; i < count; ++i) values[i] *= of_head[i / width];
}

// Clears columns of a matrix in 4 bits (backend/weights.h): two elements in a byte, in groups.
void clear_columns_of_bytes(const Tensor& tensor, const std::vector<float>& of_head) {
  constexpr std::uint8_t kZero = 8;
  const auto bytes = static_cast<std::size_t>(tensor.cols());
  const std::size_t width = 2 * bytes / of_head.size();
  const auto values = tensor.span<std::uint8_t>();
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::size_t byte = i % bytes, low = byte / 4 * 8 + byte % 4, high = low + 4;
    if (of_head[low / width] == 0.0f)
      values[i] = static_cast<std::uint8_t>((values[i] & 0xf0) | kZero);
    if (of_head[high / width] == 0.0f)
      values[i] = static_cast<std::uint8_t>((values[i] & 0x0f) | kZero << 4);
  }
}

void clear_columns(const Tensor& tensor, const std::vector<float>& of_head) {
  if (tensor.dtype() == DType::u8) return clear_columns_of_bytes(tensor, of_head);
  const auto columns = static_cast<std::size_t>(tensor.cols());
  const std::size_t width = columns / of_head.size();
  for_numbers(tensor, [&](auto values) {
    for (std::size_t i = 0; i < values.size(); ++i)
      if (of_head[i % columns / width] == 0.0f) values[i] = 0;
  });
}

bool is_changed(const std::vector<float>& factors) {
  return std::any_of(factors.begin(), factors.end(), [](float f) { return f != 1.0f; });
}

void add_sharper_scores(const Checkpoint& file, const std::string& module,
                        const std::vector<float>& factors, std::vector<NamedTensor>& changed) {
  const auto add = [&](std::string_view name) {
    const std::string whole = module + std::string(name);
    if (file.find(whole) == nullptr) return;
    changed.push_back({whole, copy_of(file, whole)});
    scale_rows(changed.back().tensor, factors);
  };
  // Additive scores are v tanh(W q + U k): their vector scales them.
  if (file.find(module + std::string(kScores)) != nullptr) return add(kScores);
  const std::string queries = module + std::string(kQueries);
  if (file.find(scale_name(queries)) == nullptr) {
    add(kQueries);
  } else {
    changed.push_back({queries, file.tensor(queries)});
    add(scale_name(kQueries));
  }
  add(kQueryBias);
}

StackConfig require_heads(const SavedModel& model) {
  if (std::optional<StackConfig> stack = model.stack()) return *std::move(stack);
  throw ConfigError(
      fmt::format("{}: expected a Transformer, whose attention has heads", model.source));
}

// Returns the factors of every module that is named, by its name.
std::map<std::string, HeadFactors> factors_of(const SavedModel& model,
                                              std::span<const AttentionChange> changes) {
  require_heads(model);
  const std::vector<std::string> modules = attention_modules(model);
  std::map<std::string, HeadFactors> factors;
  for (const AttentionChange& change : changes) {
    bool fits = false;
    for (const std::string& module : modules) {
      if (!fits_pattern(module, change.modules)) continue;
      fits = true;
      const int heads = attention_heads(model, module);
      if (change.head >= heads)
        throw ConfigError(
            fmt::format("head {}: {} has the heads 0 to {}", change.head, model.source, heads - 1));
      const auto count = static_cast<std::size_t>(heads);
      HeadFactors& of_module =
          factors
              .try_emplace(module, HeadFactors{std::vector<float>(count, 1.0f),
                                               std::vector<float>(count, 1.0f)})
              .first->second;
      for (std::size_t head = 0; head < count; ++head) {
        if (change.head >= 0 && head != static_cast<std::size_t>(change.head)) continue;
        if (change.off) of_module.output[head] = 0.0f;
        of_module.scores[head] *= change.beta;
      }
    }
    if (!fits)
      throw ConfigError(fmt::format("{}: no attention module has this name; {} has {}",
                                    quote(change.modules), model.source, fmt::join(modules, ", ")));
  }
  return factors;
}

// "MODULES" or "MODULES:HEAD".
AttentionChange change_of(std::string_view option, const std::string& text) {
  AttentionChange change;
  const std::size_t colon = text.rfind(':');
  change.modules = text.substr(0, colon);
  if (change.modules.empty())
    throw OptionError<ConfigError>("{}: expected MODULE or MODULE:HEAD, got {}", as_key(option),
                                   quote(text));
  if (colon == std::string::npos) return change;
  const std::string head = text.substr(colon + 1);
  set_option({"head", "", &change.head, between(0, kHeadCounts.most)}, std::span(&head, 1),
             option_text("{}: head of {}", as_key(option), printable(change.modules, 60)));
  return change;
}

// "FACTOR" or "MODULES=FACTOR".
AttentionChange beta_of(const std::string& text) {
  const std::size_t equals = text.rfind('=');
  AttentionChange change;
  if (equals != std::string::npos) change = change_of("attention-beta", text.substr(0, equals));
  const std::string factor = equals == std::string::npos ? text : text.substr(equals + 1);
  set_option({"attention-beta", "", &change.beta, between(0, 1e6)}, std::span(&factor, 1),
             as_key("attention-beta"));
  return change;
}

// Scores must be products of projected queries, which the projection scales.
void require_plain_scores(const SavedModel& model) {
  const StackConfig stack = *model.stack();
  const auto refuse = [&](std::string_view reason) {
    throw OptionError<ConfigError>("{}: {}: {}", as_key("attention-beta"), model.source, reason);
  };
  if (stack.has_relative_biases() || stack.has_slopes())
    refuse("positions are added to the scores, which a factor would not change");
  if (stack.attention_cap > 0) refuse("a cap of the scores follows the factor");
  if (stack.qk_norm) refuse("the queries are normalized, which cancels the factor");
}

}  // namespace

AttentionChanges attention_changes(const AttentionChangeOptions& options) {
  AttentionChanges changes{{}, options.positions_off, options.mask_off};
  for (const std::string& text : options.heads_off) {
    changes.heads.push_back(change_of("heads-off", text));
    changes.heads.back().off = true;
  }
  for (const std::string& text : options.beta) changes.heads.push_back(beta_of(text));
  return changes;
}

void remove_positions(Checkpoint& file, const SavedModel& model) {
  const std::optional<StackConfig> stack = model.stack();
  const auto refuse = [&](std::string_view reason) {
    throw OptionError<ConfigError>("{}: {}: {}", as_key("positions-off"), model.source, reason);
  };
  if (!stack) refuse("a recurrent network has no positions to switch off");
  if (stack->distance_biases == DistanceBiases::disentangled)
    refuse("the scores of disentangled attention consist of positions");
  nlohmann::ordered_json config = parse_json(file.text("attend.config"), model.source);
  config["positions"] = "none";
  config["distance_biases"] = "standard";
  if (config.contains("uncounted_token")) config["uncounted_token"] = -1;
  file.metadata["attend.config"] = json_text(config);
}

int attention_heads(const SavedModel& model, std::string_view module) {
  const StackConfig stack = require_heads(model);
  const auto* const pair = dynamic_cast<const TranslationModel*>(&model);
  if (pair == nullptr || !module.starts_with("decoder.")) return stack.n_heads;
  return std::get<TransformerConfig>(pair->network->architecture()).decoder().n_heads;
}

std::vector<std::string> attention_modules(const SavedModel& model) {
  std::vector<std::string> modules;
  for (const ParameterSet::Entry& entry : model.parameters().entries())
    if (entry.name.ends_with(kOutput))
      modules.push_back(entry.name.substr(0, entry.name.size() - kOutput.size()));
  return modules;
}

std::vector<NamedTensor> changed_attention(const Checkpoint& file, const SavedModel& model,
                                           std::span<const AttentionChange> changes) {
  std::vector<NamedTensor> changed;
  for (const auto& [module, factors] : factors_of(model, changes)) {
    if (is_changed(factors.output)) {
      const std::string name = module + std::string(kOutput);
      changed.push_back({name, copy_of(file, name)});
      clear_columns(changed.back().tensor, factors.output);
    }
    if (!is_changed(factors.scores)) continue;
    require_plain_scores(model);
    add_sharper_scores(file, module, factors.scores, changed);
  }
  return changed;
}

}  // namespace attend
