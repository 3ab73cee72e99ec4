// A translation model as users keep it: architecture, parameters and tokenizers in one file.
//
//   metadata   attend.task    "translation"
//              attend.config  the TransformerConfig, as JSON
//   tensors    the parameters under their module paths; tokenizer.src and tokenizer.tgt (u8), or tokenizer when the vocabulary is joint
#pragma once

#include <filesystem>
#include <memory>

#include "attend/checkpoint/checkpoint.h"
#include "attend/decode/beam_search.h"
#include "attend/models/transformer.h"
#include "attend/text/tokenizer.h"

namespace attend {

struct TranslationModel {
  std::shared_ptr<Transformer> transformer;
  Tokenizer src_tokenizer;
  Tokenizer tgt_tokenizer;

  SpecialTokens special() const { return {tgt_tokenizer.bos_id(), tgt_tokenizer.eos_id()}; }
};

// What describes a translation model beside its parameters: configuration and tokenizers. `joint`: both tokenizers are one.
void describe_translation_model(Checkpoint& checkpoint, const TransformerConfig& config, const Tokenizer& src, const Tokenizer& tgt);

// Throws IoError, or DataError for a file that is damaged or holds something else.
TranslationModel load_translation_model(const std::filesystem::path& path);
TranslationModel translation_model(const Checkpoint& checkpoint);

}  // namespace attend
