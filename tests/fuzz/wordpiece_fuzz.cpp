// WordPiece tokenizers as hostile bytes, with a text.
#include "fuzz/trained_tokenizer.h"

namespace attend {

std::vector<std::string> fuzz_corpus() {
  static const std::vector<std::string> corpus = trained_corpus(TokenizerType::wordpiece);
  return corpus;
}

std::vector<std::string> fuzz_dictionary() { return tokenizer_dictionary(); }

void fuzz_repair(std::string& input) { repair_json(input, fuzz_corpus(), fuzz_dictionary()); }

}  // namespace attend

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  attend::use_trained_tokenizer({reinterpret_cast<const char*>(data), size});
  return 0;
}
