// A translation model as users keep it: architecture, parameters and tokenizers in one file.
//
//   metadata   attend.task      "translation"
//              attend.arch      the Architecture by name; absent: transformer
//              attend.config    the configuration of that architecture, as JSON
//              attend.decoding  the TranslationDecoding, as JSON; absent: its defaults
//   tensors    the parameters under their module paths; tokenizer.src and tokenizer.tgt (u8), or tokenizer when the vocabulary is joint;
//              with a shortlist shortlist.always, shortlist.offsets, shortlist.translations (i32)
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "attend/checkpoint/checkpoint.h"
#include "attend/core/options.h"
#include "attend/decode/beam_search.h"
#include "attend/decode/shortlist.h"
#include "attend/models/encoder_decoder.h"
#include "attend/text/tokenizer.h"

namespace attend {

// How to search for a translation when nobody says otherwise: what was settled on the validation text belongs to the model.
struct TranslationDecoding {
  int beam_size = BeamSearchOptions{}.beam_size;
  float length_penalty = BeamSearchOptions{}.length_penalty;
};

template <class Visitor>
void fields(TranslationDecoding& o, Visitor&& visit) {
  visit("beam-size", o.beam_size, kBeamSizes, "hypotheses that the model's users keep at every step unless they say otherwise");
  visit("length-penalty", o.length_penalty, kLengthPenalties, "length penalty of the model's users unless they say otherwise");
}

struct TranslationModel {
  std::shared_ptr<EncoderDecoder> network;
  Tokenizer src_tokenizer;
  Tokenizer tgt_tokenizer;
  TranslationDecoding decoding = {};
  std::shared_ptr<const Shortlist> shortlist = nullptr;  // most models have none
  std::string source = {};                               // the file it was read from, for messages

  SpecialTokens special() const { return tgt_tokenizer.special_tokens(); }
};

// As it stands in the file.
std::string config_json(const ArchitectureConfig& config);

// Writes what describes a translation model beside its parameters: configuration, tokenizers, decoding.
void describe_translation_model(Checkpoint& checkpoint, const TranslationModel& model);

// The model in `checkpoint` with this shortlist instead of one that it may have; what only training needs is left out.
Checkpoint with_shortlist(const Checkpoint& checkpoint, const Shortlist& shortlist);

// Throws IoError, or DataError for a file that is damaged or holds something else.
TranslationModel load_translation_model(const std::filesystem::path& path);
TranslationModel translation_model(const Checkpoint& checkpoint);

}  // namespace attend
