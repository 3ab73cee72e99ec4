// A translation model as users keep it: architecture, parameters and tokenizers in one file.
//
//   metadata   attend.task    "translation"
//              attend.arch    the Architecture by name; absent: transformer
//              attend.config  the configuration of that architecture, as JSON
//   tensors    the parameters under their module paths; tokenizer.src and tokenizer.tgt (u8), or tokenizer when the vocabulary is joint
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "attend/checkpoint/checkpoint.h"
#include "attend/decode/beam_search.h"
#include "attend/models/encoder_decoder.h"
#include "attend/text/tokenizer.h"

namespace attend {

struct TranslationModel {
  std::shared_ptr<EncoderDecoder> network;
  Tokenizer src_tokenizer;
  Tokenizer tgt_tokenizer;

  SpecialTokens special() const { return {tgt_tokenizer.bos_id(), tgt_tokenizer.eos_id()}; }
};

// As it stands in the file.
std::string config_json(const ArchitectureConfig& config);

// Writes what describes a translation model beside its parameters: architecture, configuration, tokenizers.
void describe_translation_model(Checkpoint& checkpoint, const TranslationModel& model);

// Throws IoError, or DataError for a file that is damaged or holds something else.
TranslationModel load_translation_model(const std::filesystem::path& path);
TranslationModel translation_model(const Checkpoint& checkpoint);

}  // namespace attend
