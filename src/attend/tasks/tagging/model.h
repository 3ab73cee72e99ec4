// A saved tagger of words: see saved_model.h, and
//
//   metadata   attend.task    "token classification"
//              attend.config  the TaggerConfig, as JSON
//              attend.text    the TaggedLength, as JSON
//              attend.labels  the names of the tags, a JSON array in the order of the logits
//              attend.units   what is tagged of a text: "tokens" of an imported model;
//              "punctuation"
//                             apart from words, if the training text has it so; absent: words
//                             between white space
//   tensors    tokenizer
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "attend/checkpoint/checkpoint.h"
#include "attend/data/tagged_text.h"
#include "attend/models/token_tagger.h"
#include "attend/tasks/model_file/saved_model.h"
#include "attend/text/tokenizer.h"

namespace attend {

enum class TaggedUnits { words, punctuation, tokens };

struct TaggingModel final : SavedModel {
  static constexpr std::string_view kTask = "token classification";

  std::shared_ptr<TokenTagger> network;
  Tokenizer tokenizer;
  std::vector<std::string> labels;
  TaggedLength length;
  TaggedUnits units = TaggedUnits::words;
  SpecialText special_text = SpecialText::as_text;  // in texts to answer

  TaggingModel(std::shared_ptr<TokenTagger> network, Tokenizer tokenizer,
               std::vector<std::string> labels, TaggedLength length);

  // The special tokens around a text; no bos unless the option bos says so.
  SpecialTokens special() const;
  // What the tagger reads of a text.
  std::vector<TaggedPart> parts(std::span<const std::string> words) const {
    return tagged_parts(words, tokenizer, special(), length);
  }

  std::string_view task() const override { return kTask; }
  ParameterSet& parameters() const override { return network->parameters(); }
  std::vector<NamedTokenizer> tokenizers() const override { return {{"tokenizer", tokenizer}}; }
  Metadata configuration() const override;
  std::int64_t longest_input() const override { return network->config().learned_positions(); }
  TextEncoder text_encoder() const override;
  std::optional<StackConfig> stack() const override { return network->config(); }
  GoldenFormat golden_format() const override {
    return {{{"text", &tokenizer}}, "log_probabilities", "tagged texts"};
  }
  GoldenInput random_input(Random& random) const override;
  // Of the tags of the first token.
  std::vector<std::vector<float>> golden_outputs(
      const std::vector<GoldenInput>& inputs) const override;
};

// Throws IoError, or DataError for a damaged file or another kind of model.
TaggingModel load_tagging_model(const std::filesystem::path& path);
TaggingModel tagging_model(const Checkpoint& checkpoint);

// Whether a file is that of a tagger, by its task. Throws DataError if it names none.
bool is_tagger(const Checkpoint& checkpoint);

// log p(tag | text) of the tokens `rows` -> [W, C]. No gradients. Throws NotFiniteError if one is
// not finite.
Tensor tag_log_probabilities(const TaggingModel& model, const Ragged& texts, const Ids& rows);

}  // namespace attend
