#include "attend/tasks/model_file/model_summary.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "attend/checkpoint/quantization.h"
#include "attend/checkpoint/training_note.h"
#include "attend/core/json/json.h"
#include "attend/core/strings/quote.h"
#include "attend/tasks/language/model.h"
#include "attend/text/tokenizer.h"

namespace attend {
namespace {

std::string_view name_of_type(TokenizerType type) {
  switch (type) {
    case TokenizerType::bpe:
      return "BPE";
    case TokenizerType::unigram:
      return "unigram";
    case TokenizerType::chars:
      return "characters";
    case TokenizerType::wordpiece:
      return "WordPiece";
    case TokenizerType::byte_bpe:
      return "byte-level BPE";
    case TokenizerType::word:
      break;
  }
  return "words";
}

std::string vocabularies(const SavedModel& model) {
  std::vector<std::int32_t> sizes;
  for (const NamedTokenizer& one : model.tokenizers()) sizes.push_back(one.tokenizer.vocab_size());
  return fmt::format("{} {}", name_of_type(type_of(model.tokenizers().front().tokenizer)),
                     fmt::join(sizes, "+"));
}

std::string languages(const SavedModel& model) {
  std::vector<std::string> names;
  for (const char* side : {"src", "tgt", "text"}) {
    const auto kind = model.text_kinds.find(side);
    if (kind != model.text_kinds.end() && !kind->second.language.empty())
      names.push_back(printable(kind->second.language, 20));
  }
  return names.empty() ? "" : fmt::format(" ({})", fmt::join(names, " to "));
}

std::string kind_of_text(const SavedModel& model) {
  const auto all = [&](bool TextKind::*is) {
    return std::ranges::all_of(model.text_kinds,
                               [is](const auto& kind) { return kind.second.*is; });
  };
  if (model.text_kinds.empty()) return "";
  const bool lowercased = all(&TextKind::lowercased), tokenized = all(&TextKind::tokenized);
  if (!lowercased && !tokenized) return ", text as it is written";
  return fmt::format(", {}{}text", lowercased ? "lower-cased " : "", tokenized ? "tokenized " : "");
}

std::string text_unit(const SavedModel& model) {
  const auto* const language = dynamic_cast<const LanguageModel*>(&model);
  return language != nullptr && !language->text.has_lines() ? ", documents" : "";
}

// "BLEU 43.2", "accuracy 0.891", "nDCG 0.640", "perplexity 31.40".
std::string quality(const nlohmann::ordered_json& note) {
  for (const auto& [name, value] : note.items()) {
    if (!value.is_number()) continue;
    const auto score = value.get<double>();
    if (name == "bleu") return fmt::format(", BLEU {:.1f}", score);
    if (name == "entity_f1") return fmt::format(", entity F1 {:.3f}", score);
    if (name == "micro_f1") return fmt::format(", micro F1 {:.3f}", score);
    if (name == "spearman") return fmt::format(", Spearman {:.3f}", score);
    if (name == "accuracy") return fmt::format(", accuracy {:.3f}", score);
    if (name == "ndcg_at_10") return fmt::format(", nDCG {:.3f}", score);
  }
  const auto nll = note.find("nll");
  const bool known = nll != note.end() && nll->is_number();
  return known ? fmt::format(", perplexity {:.2f}", std::exp(nll->get<double>())) : "";
}

std::string training(const Metadata& metadata) {
  if (const auto of_checkpoint = metadata.find(std::string(kTrainingState) + "step");
      of_checkpoint != metadata.end())
    return fmt::format(", checkpoint of step {}", printable(of_checkpoint->second, 20));
  const auto found = metadata.find(std::string(kTrainingNote));
  if (found == metadata.end()) return "";
  const auto note = try_parse_json(found->second);
  if (!note || !note->is_object()) return "";
  const auto step = note->find("step"), averaged = note->find("averaged");
  std::string text;
  if (step != note->end() && step->is_number_integer())
    text += fmt::format(", step {}", step->get<std::int64_t>());
  if (averaged != note->end() && averaged->is_number_integer())
    text += fmt::format(" (mean of {} checkpoints)", averaged->get<std::int64_t>());
  return text + quality(*note);
}

std::string bits(const Checkpoint& checkpoint) {
  const int of_weights = weight_bits(checkpoint);
  return of_weights < 32 ? fmt::format(", weights in {} bits", of_weights) : "";
}

}  // namespace

std::string model_summary(const Checkpoint& checkpoint, const SavedModel& model) {
  return fmt::format("{}{}, {}{}{}{}{}", model.task(), languages(model), vocabularies(model),
                     text_unit(model), kind_of_text(model), training(checkpoint.metadata),
                     bits(checkpoint));
}

}  // namespace attend
