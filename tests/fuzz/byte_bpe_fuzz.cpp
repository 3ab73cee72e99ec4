// Byte-level BPE tokenizers as hostile bytes, with a text.
#include "fuzz/trained_tokenizer.h"

namespace attend::byte_bpe_fuzz {
namespace {

std::vector<std::string> corpus() {
  static const std::vector<std::string> corpus = trained_corpus(TokenizerType::byte_bpe);
  return corpus;
}

std::vector<std::string> dictionary() { return tokenizer_dictionary(); }

void repair(std::string& input) { repair_json(input, corpus(), dictionary()); }

void use(std::string_view input) { use_trained_tokenizer(input); }

const RegisteredFuzzTarget registered{{"byte_bpe", corpus, dictionary, use, repair}};

}  // namespace
}  // namespace attend::byte_bpe_fuzz
