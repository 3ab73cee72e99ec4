// Decoders that turn texts into vectors: directories of sentence-transformers whose network is a
// language model (Qwen3-Embedding, e5-mistral).
#pragma once

#include <optional>

#include "attend/interchange/families/families.h"

namespace attend {

// What the tokens of a text see: the text before each, or all of it.
enum class Direction { before, both };

// As language_model_of(): without the output of the language model, and with the modules of
// sentence-transformers after it.
ForeignModel decoder_embedder(const ModelDirectory& directory,
                              const LanguageTransformerConfig& shape, int length, NameMap names,
                              Direction direction = Direction::before);

// Writing, in the words in which a family writes its language models; nullopt for another model, or
// one whose tokens see something else.
std::optional<TextFiles> write_decoder_embedder(const SavedModel& saved,
                                                decltype(ModelFamily::write) write_language_model,
                                                Checkpoint& equal,
                                                Direction direction = Direction::before);

// ModelFamily::write of a family of decoders, whose models may turn texts into vectors.
template <decltype(ModelFamily::write) write_language_model>
std::optional<TextFiles> write_decoder(const SavedModel& saved, Checkpoint& equal) {
  if (auto files = write_language_model(saved, equal)) return files;
  return write_decoder_embedder(saved, write_language_model, equal);
}

}  // namespace attend
