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
#include "attend/tasks/model_file/encoder_model.h"
#include "attend/text/tokenizer.h"

namespace attend {

enum class TaggedUnits { words, punctuation, tokens };

struct TaggingModel final : EncoderModel<TokenTagger> {
  static constexpr std::string_view kTask = "token classification";

  std::vector<std::string> labels;
  TaggedLength length;
  TaggedUnits units = TaggedUnits::words;

  TaggingModel(std::shared_ptr<TokenTagger> network, Tokenizer tokenizer,
               std::vector<std::string> labels, TaggedLength length);

  // No bos unless the option bos says so.
  SpecialTokens special() const override;
  TextLengthOptions text_length() const override { return {length.max_length}; }
  // What the tagger reads of a text.
  std::vector<TaggedPart> parts(std::span<const std::string> words) const {
    return tagged_parts(words, tokenizer, special(), length);
  }

  std::string_view task() const override { return kTask; }
  Metadata configuration() const override;
  GoldenFormat golden_format() const override {
    return {{{"text", &tokenizer}}, "log_probabilities", "tagged texts"};
  }
  // Returns the log-probabilities of the tags of the first token.
  Tensor outputs(const Ragged& texts) const override;
};

// Throws IoError, or DataError for a damaged file or another kind of model.
TaggingModel load_tagging_model(const std::filesystem::path& path);
TaggingModel tagging_model(const Checkpoint& checkpoint);

// log p(tag | text) of the tokens `rows` -> [W, C]. No gradients. Throws NotFiniteError if one is
// not finite.
Tensor tag_log_probabilities(const TaggingModel& model, const Ragged& texts, const Ids& rows);

}  // namespace attend
