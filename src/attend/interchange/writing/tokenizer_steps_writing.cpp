// Imported tokenizers as the tokenizer.json that they were read from.
#include <nlohmann/json.hpp>
#include <string>
#include <unordered_set>
#include <vector>

#include "attend/error.h"
#include "attend/interchange/writing/tokenizer_writing_parts.h"

namespace attend::detail {
namespace {

using StepsJson = nlohmann::json;

StepsJson sequence_of(const char* list, const StepsJson& steps) {
  if (steps.empty()) return nullptr;
  return steps.size() == 1 ? steps.front() : StepsJson{{"type", "Sequence"}, {list, steps}};
}

// The added tokens, and the pieces that only fill up the vocabulary.
StepsJson added_json(const StepsDescription& d) {
  StepsJson tokens = StepsJson::array();
  std::unordered_set<std::int32_t> known;
  const auto add = [&](const AddedPiece& piece) {
    if (!known.insert(piece.id).second) return;
    tokens.push_back({{"id", piece.id},
                      {"content", d.vocabulary.pieces[static_cast<std::size_t>(piece.id)]},
                      {"single_word", piece.single_word},
                      {"lstrip", piece.lstrip},
                      {"rstrip", piece.rstrip},
                      {"normalized", piece.normalized},
                      {"special", piece.special}});
  };
  for (const AddedPiece& piece : d.added) add(piece);
  for (const std::int32_t id : d.model.outside) add({.id = id, .special = true});
  return tokens;
}

// The pieces of the model itself by id; those that it does not have are empty.
std::vector<std::string> pieces_of_model(const StepsDescription& d) {
  std::vector<std::string> pieces = d.vocabulary.pieces;
  for (const std::int32_t id : d.model.outside) pieces[static_cast<std::size_t>(id)].clear();
  return pieces;
}

StepsJson ids_of(const std::vector<std::string>& pieces) {
  StepsJson ids = StepsJson::object();
  for (std::size_t id = 0; id < pieces.size(); ++id)
    if (!pieces[id].empty()) ids[pieces[id]] = id;
  return ids;
}

StepsJson text_or_null(const std::string& text) {
  return text.empty() ? StepsJson() : StepsJson(text);
}

StepsJson model_json(const StepsDescription& d) {
  const PieceModelDescription& model = d.model;
  const std::vector<std::string>& all = d.vocabulary.pieces;
  const std::string unknown = model.unknown < 0 ? "" : all[static_cast<std::size_t>(model.unknown)];
  if (model.type == PieceModelType::unigram) {
    StepsJson pieces = StepsJson::array();
    for (std::size_t i = 0; i < model.scores.size(); ++i)
      pieces.push_back({all[i], model.scores[i]});
    return {{"type", "Unigram"},
            {"unk_id", model.unknown},
            {"vocab", pieces},
            {"byte_fallback", model.byte_fallback}};
  }
  if (model.type == PieceModelType::subword_nmt)
    throw ConfigError("a tokenizer.json has no equal of subword-nmt");
  const StepsJson vocabulary = ids_of(pieces_of_model(d));
  if (model.type == PieceModelType::wordpiece)
    return {{"type", "WordPiece"},
            {"unk_token", unknown},
            {"continuing_subword_prefix", model.continuing_prefix},
            {"max_input_chars_per_word", model.longest_word},
            {"vocab", vocabulary}};
  StepsJson merges = StepsJson::array();
  for (const auto& [left, right] : model.merges)
    merges.push_back({all[static_cast<std::size_t>(left)], all[static_cast<std::size_t>(right)]});
  return {{"type", "BPE"},
          {"dropout", nullptr},
          {"unk_token", text_or_null(unknown)},
          {"continuing_subword_prefix", text_or_null(model.continuing_prefix)},
          {"end_of_word_suffix", text_or_null(model.word_suffix)},
          {"fuse_unk", model.fuse_unknown},
          {"byte_fallback", model.byte_fallback},
          {"ignore_merges", model.ignore_merges},
          {"vocab", vocabulary},
          {"merges", merges}};
}

}  // namespace

void write_foreign_steps(const StepsDescription& d, StepsJson& file) {
  file["added_tokens"] = added_json(d);
  file["normalizer"] = sequence_of("normalizers", d.normalizer);
  file["pre_tokenizer"] = sequence_of("pretokenizers", d.pre_tokenizer);
  file["decoder"] = sequence_of("decoders", d.decoder);
  file["model"] = model_json(d);
  if (d.trimming == OffsetTrimming::none) return;
  StepsJson processors{{{"type", "ByteLevel"},
                        {"add_prefix_space", d.trimming == OffsetTrimming::all_but_one},
                        {"trim_offsets", true},
                        {"use_regex", true}}};
  if (!file["post_processor"].is_null()) processors.push_back(file["post_processor"]);
  file["post_processor"] = sequence_of("processors", processors);
}

}  // namespace attend::detail
