#include "attend/interchange/families/gguf/gguf_pieces.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "attend/core/strings/quote.h"
#include "attend/core/strings/utf8.h"

namespace attend::detail {

namespace {

constexpr const char *kTokens = "tokenizer.ggml.tokens", *kTypes = "tokenizer.ggml.token_type";

// These end a text in llama.cpp, in every model that has them.
constexpr auto kEnds = std::to_array<std::string_view>(
    {"<|eot_id|>", "<|im_end|>", "<|end|>", "<|call|>", "<|calls|>", "<end_of_turn>",
     "<|endoftext|>", "</s>", "<|eom_id|>", "<EOT>", "_<EOT>", "[EOT]", "[EOS]", "<|end_of_text|>",
     "<end_of_utterance>", "<eos>", "<turn|>", "<｜end▁of▁sentence｜>", "[e~["});
// Pieces of models that attend does not have, which change the meaning of others.
constexpr auto kOfOtherModels =
    std::to_array<std::string_view>({"<|return|>", "<|flush|>", "<|tool_response>", "<|plamo:eos|>",
                                     "<|channel|>", "<|message|>", "<|start|>", "<|constrain|>"});

// Tokens around the middle of a text. Where a file does not name one, llama.cpp finds it by its
// text, and takes it for a control token. Some end a text, too.
struct MiddleToken {
  const char* key;
  const char* older_key;
  bool ends_text;
  std::array<std::string_view, 8> texts;
};
constexpr auto kMiddleTokens = std::to_array<MiddleToken>({
    {"tokenizer.ggml.fim_pre_token_id",
     "tokenizer.ggml.prefix_token_id",
     false,
     {"<|fim_prefix|>", "<fim-prefix>", "<fim_prefix>", "<｜fim▁begin｜>", "<PRE>", "▁<PRE>",
      "<|code_prefix|>", "<|prefix|>"}},
    {"tokenizer.ggml.fim_suf_token_id",
     "tokenizer.ggml.suffix_token_id",
     false,
     {"<|fim_suffix|>", "<fim-suffix>", "<fim_suffix>", "<｜fim▁hole｜>", "<SUF>", "▁<SUF>",
      "<|code_suffix|>", "<|suffix|>"}},
    {"tokenizer.ggml.fim_mid_token_id",
     "tokenizer.ggml.middle_token_id",
     false,
     {"<|fim_middle|>", "<fim-middle>", "<fim_middle>", "<｜fim▁end｜>", "<MID>", "▁<MID>",
      "<|code_middle|>", "<|middle|>"}},
    {"tokenizer.ggml.fim_pad_token_id",
     "",
     true,
     {"<|fim_pad|>", "<fim-pad>", "<fim_pad>", "<PAD>", "[PAD]"}},
    {"tokenizer.ggml.fim_rep_token_id",
     "",
     true,
     {"<|fim_repo|>", "<|repo_name|>", "<fim-repo>", "<REPO>", "<reponame>"}},
    {"tokenizer.ggml.fim_sep_token_id", "", true, {"<|file_sep|>"}},
});

class PieceReader {
 public:
  PieceReader(ForeignConfig& metadata, const GgufUsualIds& usual)
      : metadata_(metadata), usual_(usual) {}

  GgufPieces read() {
    read_texts();
    read_types();
    read_special();
    return std::move(pieces_);
  }

 private:
  void read_texts() {
    pieces_.texts = metadata_.texts(kTokens);
    for (std::size_t id = 0; id < pieces_.texts.size(); ++id) {
      std::string& text = pieces_.texts[id];
      if (text.empty()) text = fmt::format("[EMPTY_{}]", id);
      if (!is_utf8(text))
        metadata_.refuse(kTokens,
                         fmt::format("piece {} is {}, which is not UTF-8", id, quote(text)));
    }
    for (std::size_t id = 0; id < pieces_.texts.size(); ++id)
      if (!pieces_.ids.emplace(pieces_.texts[id], id).second)
        metadata_.refuse(kTokens, fmt::format("{} appears twice", quote(pieces_.texts[id])));
    for (const std::string_view text : kOfOtherModels)
      if (pieces_.ids.contains(text))
        metadata_.refuse(kTokens, fmt::format("a vocabulary with {} is not supported", text));
  }

  void read_types() {
    pieces_.types.assign(pieces_.texts.size(), GgufPieceType::normal);
    if (!metadata_.has(kTypes)) return;
    const auto types = metadata_.integers(kTypes, between(0, 6));
    if (types.size() != pieces_.texts.size())
      metadata_.refuse(
          kTypes, fmt::format("expected {} types, found {}", pieces_.texts.size(), types.size()));
    for (std::size_t id = 0; id < types.size(); ++id)
      pieces_.types[id] = static_cast<GgufPieceType>(types[id]);
  }

  std::optional<std::int64_t> read_id(const char* key, std::int64_t usual = -1) {
    const auto count = static_cast<std::int64_t>(pieces_.texts.size());
    std::int64_t id = usual < count ? usual : -1;
    if (metadata_.has(key)) {
      const std::int64_t given = metadata_.integer(key, between(0, 4294967295.0));
      if (given < count) id = given;  // otherwise as if nothing were there
    }
    return id < 0 ? std::nullopt : std::optional(id);
  }

  void read_special() {
    pieces_.bos = read_id("tokenizer.ggml.bos_token_id", usual_.bos);
    pieces_.eos = read_id("tokenizer.ggml.eos_token_id", usual_.eos);
    pieces_.unknown = read_id("tokenizer.ggml.unknown_token_id", usual_.unknown);
    pieces_.padding = read_id("tokenizer.ggml.padding_token_id");
    metadata_.ignore({"tokenizer.ggml.seperator_token_id", "tokenizer.ggml.mask_token_id",
                      "tokenizer.ggml.cls_token_id", "tokenizer.ggml.token_type_count"});
    std::set<std::int64_t> ends;
    const auto add_end = [&](const std::optional<std::int64_t>& id) {
      if (id) ends.insert(*id);
    };
    add_end(pieces_.eos);
    add_end(read_id("tokenizer.ggml.eot_token_id"));
    add_end(read_id("tokenizer.ggml.eom_token_id"));
    for (const std::string_view text : kEnds) add_end(controlled(text));
    for (const MiddleToken& token : kMiddleTokens) {
      const std::optional<std::int64_t> id = read_middle(token);
      if (token.ends_text) add_end(id);
    }
    pieces_.ends.assign(ends.begin(), ends.end());
  }

  // The piece of this text, which is then a control token.
  std::optional<std::int64_t> controlled(std::string_view text) {
    const auto found = pieces_.ids.find(text);
    if (text.empty() || found == pieces_.ids.end()) return std::nullopt;
    GgufPieceType& type = pieces_.types[found->second];
    if (type == GgufPieceType::normal) pieces_.found_by_text.push_back(found->second);
    type = GgufPieceType::control;
    return static_cast<std::int64_t>(found->second);
  }

  std::optional<std::int64_t> read_middle(const MiddleToken& token) {
    std::optional<std::int64_t> id = read_id(token.key);
    if (*token.older_key != '\0')
      if (const auto older = read_id(token.older_key)) id = older;
    if (id) return id;
    for (const std::string_view text : token.texts)
      if (id = controlled(text); id) break;
    return id;
  }

  ForeignConfig& metadata_;
  GgufUsualIds usual_;
  GgufPieces pieces_;
};

}  // namespace

std::optional<std::string> GgufPieces::text(const std::optional<std::int64_t>& id) const {
  if (!id) return std::nullopt;
  return texts[static_cast<std::size_t>(*id)];
}

GgufPieces read_gguf_pieces(ForeignConfig& metadata, const GgufUsualIds& usual) {
  return PieceReader(metadata, usual).read();
}

}  // namespace attend::detail
