#include "attend/tasks/training/initial_model.h"

#include <fmt/format.h>

#include <algorithm>

#include "attend/checkpoint/quantization.h"
#include "attend/core/options/option_error.h"
#include "attend/core/strings/quote.h"
#include "attend/error.h"

namespace attend {

namespace {

// Options of the vocabulary and the architecture that matter in training alone.
bool is_of_training(const std::string& group, const std::string& name) {
  if (group != "model" && group != "vocabulary") return true;
  return name.ends_with("dropout") || name == "embedding-deviation";
}

std::string value_of(const OptionField& field) {
  return printable(fmt::format("{}", fmt::join(option_values(field), " ")), 200);
}

[[noreturn]] void refuse_change(const std::string& group, const OptionField& now,
                                const OptionField& before, std::string_view source) {
  if (group == "vocabulary")
    throw OptionError<ConfigError>("{}: a model keeps its vocabulary; leave {} {} out", source,
                                   as_flag(now.name), value_of(before));
  throw OptionError<ConfigError>("{}: {} is {}; leave {} {} out, or train without {}", source,
                                 as_key(now.name), value_of(now), as_flag(now.name),
                                 value_of(before), as_flag("init-from"));
}

}  // namespace

void require_trainable(const Checkpoint& model) {
  if (const int bits = weight_bits(model); bits < 32)
    throw DataError(fmt::format(
        "{}: expected a model in 32 bits to start from, found one in {} bits; take the model "
        "that it was quantized from",
        model.source, bits));
}

void settle_options(const std::vector<OptionGroup>& adopted, const std::vector<OptionGroup>& given,
                    const IsSet& is_set, const OpenOptions& open, std::string_view source) {
  for (std::size_t g = 0; g < adopted.size(); ++g) {
    for (std::size_t f = 0; f < adopted[g].fields.size(); ++f) {
      const OptionField &now = adopted[g].fields[f], &before = given[g].fields[f];
      if (option_values(now) == option_values(before) || !is_set(now.name)) continue;
      const bool is_open = std::find(open.begin(), open.end(), now.name) != open.end();
      if (!is_open && !is_of_training(adopted[g].name, now.name))
        refuse_change(adopted[g].name, now, before, source);
      set_option(now, option_values(before), now.name);
    }
  }
}

void adopt_vocabulary(TokenizerOptions& options, const Tokenizer& tokenizer) {
  options = {.type = type_of(tokenizer),
             .vocab_size = tokenizer.vocab_size(),
             .pretokenized = options.pretokenized};
}

void copy_parameters(const Checkpoint& model, const ParameterSet& parameters,
                     const std::vector<std::string_view>& fresh) {
  for (const ParameterSet::Entry& entry : parameters.entries()) {
    const bool stays = std::any_of(fresh.begin(), fresh.end(), [&](std::string_view prefix) {
      return entry.name.starts_with(prefix);
    });
    if (stays) continue;
    const Tensor& value = model.tensor(entry.name);
    if (value.shape() != entry.shape || value.dtype() != DType::f32)
      throw DataError(fmt::format("{}: {}: expected {} in 32 bits, found {}", model.source,
                                  entry.name, to_string(entry.shape), to_string(value.shape())));
    model.copy_to(entry.name, parameters.value(entry));
  }
}

}  // namespace attend
