// A saved translation model: see saved_model.h, and
//
//   metadata   attend.task      "translation"
//              attend.arch      the Architecture by name; absent: transformer
//              attend.config    the configuration of that architecture, as JSON
//              attend.decoding  the TranslationDecoding, as JSON; absent: its defaults
//              attend.suppressed_tokens  ids that are never written, as JSON; absent: none
//              attend.end_tokens  ids that end an output, as JSON; absent: the end of sentence
//              attend.pair_format  the PairFormat, as JSON; absent: a source ends with its end of
//                                  sentence, the decoder begins with bos
//              attend.alignment_layer  the aligning layer, from 0; absent: none
//              attend.trust     the TrustCalibration, as JSON; absent: none
//   tensors    tokenizer.src and tokenizer.tgt, or tokenizer for a joint vocabulary; with a
//   shortlist
//              shortlist.always, shortlist.offsets, shortlist.translations (i32)
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "attend/checkpoint/checkpoint.h"
#include "attend/core/options/options.h"
#include "attend/decode/beam_search.h"
#include "attend/decode/scorers/shortlist.h"
#include "attend/models/encoder_decoder.h"
#include "attend/tasks/model_file/saved_model.h"
#include "attend/tasks/translation/pair_format.h"
#include "attend/tasks/translation/trust/calibration.h"
#include "attend/text/tokenizer.h"

namespace attend {

// The default search options of a model, tuned on the validation text.
struct TranslationDecoding {
  int beam_size = BeamSearchOptions{}.beam_size;
  float length_penalty = BeamSearchOptions{}.length_penalty;
};

// All defaults of a model. An imported one may have more than a trained one.
struct ModelDecoding : TranslationDecoding {
  ModelDecoding(const TranslationDecoding& trained = {}) : TranslationDecoding(trained) {}

  int min_length = BeamSearchOptions{}.min_length;
  int no_repeat_ngram = BeamSearchOptions{}.no_repeat_ngram;
};

template <class Visitor>
void fields(TranslationDecoding& o, Visitor&& visit) {
  visit("beam-size", o.beam_size, kBeamSizes, "default beam size of the trained model");
  visit("length-penalty", o.length_penalty, kLengthPenalties,
        "default length penalty of the trained model");
}

template <class Visitor>
void fields(ModelDecoding& o, Visitor&& visit) {
  fields(static_cast<TranslationDecoding&>(o), visit);
  visit("min-length", o.min_length, kOutputLengths, "default shortest output in tokens");
  visit("no-repeat-ngram", o.no_repeat_ngram, kOutputLengths,
        "default length of sequences that are never repeated; 0: none");
}

struct TranslationModel final : SavedModel {
  static constexpr std::string_view kTask = "translation";

  std::shared_ptr<EncoderDecoder> network;
  Tokenizer src_tokenizer;
  Tokenizer tgt_tokenizer;
  ModelDecoding decoding;
  PairFormat format;
  std::vector<std::int32_t> suppressed;        // target tokens that are never written
  std::vector<std::int32_t> ends;              // target tokens that end an output
  std::shared_ptr<const Shortlist> shortlist;  // null for most models
  // The decoder layer whose first head of cross-attention has learned word alignments; -1: none.
  int aligning_layer = -1;
  std::shared_ptr<const TrustCalibration> trust = nullptr;  // null without attend calibrate

  TranslationModel(std::shared_ptr<EncoderDecoder> network, Tokenizer src_tokenizer,
                   Tokenizer tgt_tokenizer, ModelDecoding decoding = {},
                   std::shared_ptr<const Shortlist> shortlist = nullptr);

  // The path of the attention of the aligning layer.
  std::string aligning_module() const;

  SpecialTokens special() const { return tgt_tokenizer.special_tokens(); }

  std::string_view task() const override { return kTask; }
  ParameterSet& parameters() const override { return network->parameters(); }
  std::vector<NamedTokenizer> tokenizers() const override;
  Metadata configuration() const override;
  std::vector<NamedTensor> other_tensors() const override;  // those of the shortlist
  std::int64_t longest_input() const override { return network->longest_sequence(); }
  TextEncoder text_encoder() const override;  // that of the source
  std::optional<StackConfig> stack() const override;
  void see_later_tokens() override { network->see_later_tokens(); }
  GoldenFormat golden_format() const override;
  GoldenInput random_input(Random& random) const override;
  std::vector<std::vector<float>> golden_outputs(
      const std::vector<GoldenInput>& inputs) const override;
};

// As stored in the file.
std::string config_json(const ArchitectureConfig& config);

// The model in `checkpoint` with this shortlist (replacing any other), without training state.
Checkpoint with_shortlist(const Checkpoint& checkpoint, const Shortlist& shortlist);

// The same with this calibration.
Checkpoint with_trust(const Checkpoint& checkpoint, const TrustCalibration& calibration);

// The metadata of a model with more special tokens than usual, or of several languages.
inline constexpr const char* kPairFormatKey = "attend.pair_format";
// Reads it from a model file. Throws DataError if it is damaged.
PairFormat read_pair_format(const Checkpoint& checkpoint);

// Throws IoError, or DataError for a damaged file or another kind of model.
TranslationModel load_translation_model(const std::filesystem::path& path);
TranslationModel translation_model(const Checkpoint& checkpoint);

}  // namespace attend
