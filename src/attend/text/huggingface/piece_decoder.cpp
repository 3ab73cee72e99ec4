#include "attend/text/huggingface/piece_decoder.h"

#include <fmt/format.h>

#include <array>
#include <optional>
#include <string_view>
#include <utility>

#include "attend/core/json/json_object.h"
#include "attend/core/strings/quote.h"
#include "attend/core/strings/utf8.h"
#include "attend/error.h"
#include "attend/text/byte_bpe/byte_letters.h"
#include "attend/text/huggingface/patterns/text_pattern.h"
#include "attend/text/sentencepiece/meta_symbol.h"
#include "attend/text/waiting_bytes.h"

namespace attend::detail {
namespace {

std::string with_replaced(std::string_view text, std::string_view from, std::string_view to) {
  std::string result;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t found = std::min(text.find(from, at), text.size());
    result += text.substr(at, found - at);
    if (found < text.size()) result += to;
    at = found + from.size();
  }
  return result;
}

class ReplaceStep final : public DecoderStep {
 public:
  explicit ReplaceStep(JsonObject& part)
      : pattern_(read_pattern(part, "pattern")), content_(part.text("content")) {}

  void add(DecodedString token, const Use& use) override {
    std::string result;
    std::size_t done = 0;
    for (const auto [begin, end] : pattern_(token.text)) {
      result += token.text.substr(done, begin - done) + content_;
      done = end;
    }
    use({result + token.text.substr(done), token.begins});
  }

 private:
  TextPattern pattern_;
  std::string content_;
};

// Spaces, of which the first token has none before it.
class MetaspaceStep final : public DecoderStep {
 public:
  explicit MetaspaceStep(JsonObject& part) : meta_(part.text("replacement", kMetaSymbol)) {
    part.text("str_rep", meta_);
    part.flag("split", true);
    const bool prefix = part.flag("add_prefix_space", true);
    drops_first_ = part.text("prepend_scheme", prefix ? "always" : "never") != "never";
    if (meta_.empty()) part.refuse("replacement", "one character");
  }

  void add(DecodedString token, const Use& use) override {
    const bool first = std::exchange(at_start_, false);
    use({with_replaced(token.text, meta_, first && drops_first_ ? "" : " "), token.begins});
  }
  void finish(const Use&) override { at_start_ = true; }

 private:
  std::string meta_;
  bool drops_first_ = true, at_start_ = true;
};

// Waits until bytes are characters.
class BytesStep : public DecoderStep {
 public:
  explicit BytesStep(BrokenBytes broken) : bytes_(broken) {}
  void finish(const Use& use) override { send(bytes_.finish(), use); }

 protected:
  void add_bytes(std::string_view bytes, const Use& use) { send(bytes_.add(bytes), use); }

 private:
  void send(std::string text, const Use& use) {
    if (!text.empty()) use({std::move(text)});
  }
  WaitingBytes bytes_;
};

class ByteLevelStep final : public BytesStep {
 public:
  explicit ByteLevelStep(JsonObject& part) : BytesStep(BrokenBytes::parts) {
    for (const char* flag : {"add_prefix_space", "trim_offsets", "use_regex"})
      part.flag(flag, true);
  }
  void add(DecodedString token, const Use& use) override {
    add_bytes(bytes_of_letters(token.text).value_or(token.text), use);
  }
};

// "<0xF0>" is a byte.
class ByteFallbackStep final : public BytesStep {
 public:
  ByteFallbackStep() : BytesStep(BrokenBytes::each) {}
  void add(DecodedString token, const Use& use) override {
    if (const auto byte = byte_of_piece(token.text)) {
      add_bytes(std::string_view(&*byte, 1), use);
    } else {
      finish(use);
      use(std::move(token));
    }
  }
};

class FuseStep final : public DecoderStep {
 public:
  void add(DecodedString token, const Use& use) override {
    use({std::move(token.text), std::exchange(at_start_, false)});
  }
  void finish(const Use&) override { at_start_ = true; }

 private:
  bool at_start_ = true;
};

// Removes so many of a character at the beginning of each string.
class StripStep final : public DecoderStep {
 public:
  explicit StripStep(JsonObject& part)
      : content_(part.text("content")), start_(part.integer("start", 0, 1 << 20)) {
    if (part.integer("stop", 0, 1 << 20) != 0) part.refuse("stop", "0");
    if (count_code_points(content_) != 1) part.refuse("content", "one character");
  }

  void add(DecodedString token, const Use& use) override {
    if (token.begins) left_ = start_;
    std::size_t at = 0;
    for (; left_ > 0 && std::string_view(token.text).substr(at).starts_with(content_); --left_)
      at += content_.size();
    if (at < token.text.size()) left_ = 0;
    use({token.text.substr(at), token.begins});
  }

 private:
  std::string content_;
  std::int64_t start_, left_ = 0;
};

// Spaces between words; with cleanup, none before marks and short forms.
class WordPieceStep final : public DecoderStep {
 public:
  explicit WordPieceStep(JsonObject& part)
      : prefix_(part.text("prefix", "##")), cleanup_(part.flag("cleanup", true)) {}

  void add(DecodedString token, const Use& use) override {
    std::string text = std::move(token.text);
    if (!std::exchange(at_start_, false)) {
      const bool continues = text.starts_with(prefix_);
      text = continues ? text.substr(prefix_.size()) : " " + text;
    }
    use({cleanup_ ? cleaned(std::move(text)) : std::move(text), token.begins});
  }
  void finish(const Use&) override { at_start_ = true; }

 private:
  static std::string cleaned(std::string text) {
    constexpr std::array<std::pair<std::string_view, std::string_view>, 11> kShort{
        {{" .", "."},
         {" ?", "?"},
         {" !", "!"},
         {" ,", ","},
         {" ' ", "'"},
         {" n't", "n't"},
         {" 'm", "'m"},
         {" do not", " don't"},
         {" 's", "'s"},
         {" 've", "'ve"},
         {" 're", "'re"}}};
    for (const auto& [from, to] : kShort) text = with_replaced(text, from, to);
    return text;
  }

  std::string prefix_;
  bool cleanup_, at_start_ = true;
};

// The suffix of the last piece of a word is a space, but not at the end of the text.
class SuffixStep final : public DecoderStep {
 public:
  explicit SuffixStep(JsonObject& part) : suffix_(part.text("suffix", "</w>")) {
    if (suffix_.empty()) part.refuse("suffix", "a text that is not empty");
  }

  void add(DecodedString token, const Use& use) override {
    if (held_) use({with_replaced(held_->text, suffix_, " "), held_->begins});
    held_ = std::move(token);
  }
  void finish(const Use& use) override {
    if (held_) use({with_replaced(held_->text, suffix_, ""), held_->begins});
    held_.reset();
  }

 private:
  std::string suffix_;
  std::optional<DecodedString> held_;
};

std::unique_ptr<DecoderStep> read_decoder(JsonObject& part, std::string_view type) {
  if (type == "Replace") return std::make_unique<ReplaceStep>(part);
  if (type == "Metaspace") return std::make_unique<MetaspaceStep>(part);
  if (type == "ByteLevel") return std::make_unique<ByteLevelStep>(part);
  if (type == "ByteFallback") return std::make_unique<ByteFallbackStep>();
  if (type == "Fuse") return std::make_unique<FuseStep>();
  if (type == "Strip") return std::make_unique<StripStep>(part);
  if (type == "WordPiece") return std::make_unique<WordPieceStep>(part);
  if (type == "BPEDecoder") return std::make_unique<SuffixStep>(part);
  throw DataError(fmt::format("{}: {} is not supported here", part.where(), quote(type)));
}

}  // namespace

std::optional<char> byte_of_piece(std::string_view text) {
  if (text.size() != 6 || !text.starts_with("<0x") || !text.ends_with('>')) return std::nullopt;
  int value = 0;
  for (const char c : text.substr(3, 2)) {
    const std::size_t digit = std::string_view("0123456789abcdef").find(static_cast<char>(c | 32));
    if (digit == std::string_view::npos || c < '0') return std::nullopt;
    value = value * 16 + static_cast<int>(digit);
  }
  return static_cast<char>(value);
}

DecoderSteps read_decoders(const nlohmann::json& list, const std::string& where) {
  DecoderSteps steps;
  for (const nlohmann::json& json : list) {
    JsonObject part(json, where);
    const std::string type = part.text("type");
    steps.push_back(read_decoder(part, type));
    part.finish();
  }
  return steps;
}

}  // namespace attend::detail
