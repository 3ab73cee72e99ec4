// Byte-level BPE tokenizers as hostile bytes, with a text: refused with a DataError, or they encode
// and decode any text.
#include "attend/core/utf8.h"
#include "fuzz/fuzz_target.h"
#include "fuzz/json_mutation.h"
#include "fuzz/tokenizer_use.h"

namespace attend {
namespace {

const std::vector<std::string> kSentences{
    "The small dog reads a red house.", "A young woman's watching 12 bicycles!",
    "Der alte Mann kauft den grünen Apfel.", "京都 e\u0301 …"};

std::string trained(Normalization normalization, bool pretokenized) {
  TokenizerOptions options;
  options.type = TokenizerType::byte_bpe;
  options.vocab_size = options.type == TokenizerType::byte_bpe ? 290 : 90;
  options.normalization = normalization;
  options.pretokenized = pretokenized;
  return Tokenizer::train(kSentences, options).bytes();
}

}  // namespace

std::vector<std::string> fuzz_corpus() {
  static const std::vector<std::string> corpus{
      trained(Normalization::nmt_nfkc, false) + '\0' + "The dog's  Ａpfel.",
      trained(Normalization::nfkc_cf, false) + '\0' + "ÄÖ\n\n\u00A0x\xFF",
      trained(Normalization::identity, true) + '\0' + "a red  house"};
  return corpus;
}

std::vector<std::string> fuzz_dictionary() {
  return {"nfc",       "nfkd",
          "##a",       "##",
          "a",         "",
          "Ġ",         "<s>",
          "(a|aa)+$",  "\\s+(?!\\S)",
          "\\p{L}",    "[",
          "(?=.*x)",   " ?[^ ]+",
          "y*",        std::string("\0", 1),
          "京",        "\u0301",
          "\xFF",      "\"merges\"",
          "\"added\"", "\"unk\"",
          "[4,5]",     "true"};
}

void fuzz_repair(std::string& input) { repair_json(input, fuzz_corpus(), fuzz_dictionary()); }

}  // namespace attend

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  const std::size_t end = input.find('\0');
  try {
    attend::use_tokenizer(attend::Tokenizer::from_bytes(input.substr(0, end)),
                          end == input.npos ? "" : input.substr(end + 1));
  } catch (const attend::DataError&) {
  }
  return 0;
}
