// The decoders of Hugging Face's tokenizers: steps that turn the strings of tokens into text.
// Private to text/.
#pragma once

#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace attend::detail {

// Strings that come one by one and may belong together.
struct DecodedString {
  std::string text;
  bool begins = true;  // a string of its own; otherwise, it continues the one before
};

class DecoderStep {
 public:
  using Use = std::function<void(DecodedString)>;
  virtual ~DecoderStep() = default;
  virtual void add(DecodedString token, const Use& use) = 0;
  // The rest. May be used again afterwards.
  virtual void finish(const Use&) {}
};

// The byte of a piece like "<0xF0>".
std::optional<char> byte_of_piece(std::string_view text);

using DecoderSteps = std::vector<std::unique_ptr<DecoderStep>>;

// The steps of a list of objects, each as a tokenizer.json has it: Metaspace, ByteLevel, WordPiece,
// Replace, ByteFallback, Fuse, Strip and BPEDecoder. Throws DataError that begins with `where` and
// names what is not supported.
DecoderSteps read_decoders(const nlohmann::json& list, const std::string& where);

}  // namespace attend::detail
