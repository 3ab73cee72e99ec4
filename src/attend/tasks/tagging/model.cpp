#include "attend/tasks/tagging/model.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "attend/checkpoint/finite.h"
#include "attend/checkpoint/options_json.h"
#include "attend/core/json/json.h"
#include "attend/core/strings/quote.h"
#include "attend/error.h"
#include "attend/ops/softmax.h"
#include "attend/tasks/learned_positions.h"
#include "attend/tasks/model_file/model_reading.h"

namespace attend {

namespace {

const std::string kUnitsKey = "attend.units";
constexpr std::array<std::string_view, 3> kUnits{"words", "punctuation", "tokens"};

TaggedUnits read_units(const Checkpoint& checkpoint) {
  if (!checkpoint.metadata.contains(kUnitsKey)) return TaggedUnits::words;
  const std::string name = checkpoint.text(kUnitsKey);
  const auto found = std::find(kUnits.begin(), kUnits.end(), name);
  if (found == kUnits.end())
    throw DataError(fmt::format("{}: {}: expected {}, found {}", checkpoint.source, kUnitsKey,
                                fmt::join(kUnits, ", "), quote(name)));
  return static_cast<TaggedUnits>(found - kUnits.begin());
}

}  // namespace

TaggingModel::TaggingModel(std::shared_ptr<TokenTagger> network_, Tokenizer tokenizer_,
                           std::vector<std::string> labels_, TaggedLength length_)
    : EncoderModel(std::move(network_), std::move(tokenizer_)),
      labels(std::move(labels_)),
      length(length_) {}

SpecialTokens TaggingModel::special() const {
  SpecialTokens special = tokenizer.special_tokens();
  if (!network->config().bos) special.bos = -1;
  return special;
}

Metadata TaggingModel::configuration() const {
  Metadata all{{"attend.config", options_to_json(network->config())},
               {"attend.text", options_to_json(length)},
               {"attend.labels", nlohmann::json(labels).dump()}};
  if (units != TaggedUnits::words) all[kUnitsKey] = kUnits[static_cast<std::size_t>(units)];
  write_special_text(special_text, all);
  return all;
}

Tensor TaggingModel::outputs(const Ragged& texts) const {
  const std::vector<std::int32_t> first(texts.offsets->begin(), texts.offsets->end() - 1);
  return tag_log_probabilities(*this, texts, first);
}

TaggingModel tagging_model(const Checkpoint& checkpoint) {
  require_task(checkpoint, TaggingModel::kTask);
  Tokenizer tokenizer = read_tokenizer(checkpoint);
  std::vector<std::string> labels = read_label_names(checkpoint, 2);
  const auto length = read_options<TaggedLength>(checkpoint, "attend.text");
  auto config = read_options<TaggerConfig>(checkpoint, "attend.config");
  config.vocab_size = tokenizer.vocab_size();
  config.tags = static_cast<int>(labels.size());
  auto network = read_network(checkpoint, config.n_encoder_layers,
                              [&] { return std::make_shared<TokenTagger>(config); });
  TaggingModel model(std::move(network), std::move(tokenizer), std::move(labels), length);
  model.units = read_units(checkpoint);
  model.special_text = read_special_text(checkpoint);
  model.source = checkpoint.source;
  model.text_kinds = read_text_kinds(checkpoint);
  from_configuration(checkpoint,
                     [&] { require_positions("max-length", length.max_length, config); });
  if (model.tokenizer.unk_id() < 0 || (config.bos && model.tokenizer.bos_id() < 0))
    throw DataError(model.source + ": expected a tokenizer with unk and bos tokens");
  return model;
}

TaggingModel load_tagging_model(const std::filesystem::path& path) {
  return read_checkpoint(path, tagging_model);
}

Tensor tag_log_probabilities(const TaggingModel& model, const Ragged& texts, const Ids& rows) {
  const NoGradient guard;
  Pass pass = Pass::inference();
  const Tensor result = log_softmax(model.network->forward(texts, rows, pass)).value().to_host();
  require_finite(result.span(), "log-probabilities of the tags", model.source);
  return result;
}

}  // namespace attend
