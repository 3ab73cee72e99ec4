#include "attend/interchange/families/gguf/gguf_tokenizer_writing.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <utility>

#include "attend/core/json/json.h"
#include "attend/core/strings/quote.h"
#include "attend/error.h"
#include "attend/interchange/families/gguf/gguf_pieces.h"
#include "attend/interchange/families/gguf/gguf_pre_tokenizers.h"
#include "attend/interchange/writing/tokenizer_writing.h"
#include "attend/text/byte_bpe/byte_bpe.h"

namespace attend {

namespace {

using GgufTokenizerJson = nlohmann::json;
using detail::GgufPieceType;

[[noreturn]] void refuse_gguf_tokenizer(std::string_view what) {
  throw ConfigError(fmt::format("GGUF has no equal for its tokenizer: {}", what));
}

// The steps of a member of tokenizer.json, those of sequences one by one.
std::vector<GgufTokenizerJson> steps_in(const GgufTokenizerJson& step, const char* list) {
  if (step.is_null()) return {};
  if (step.at("type") != "Sequence") return {step};
  std::vector<GgufTokenizerJson> steps;
  for (const GgufTokenizerJson& inner : step.at(list))
    for (GgufTokenizerJson& one : steps_in(inner, list)) steps.push_back(std::move(one));
  return steps;
}

std::pair<std::string, std::string> sides_in(const GgufTokenizerJson& merge) {
  if (merge.is_array()) return {merge.at(0), merge.at(1)};
  const std::string text = merge;
  const std::size_t space = text.find(' ', 1);
  return {text.substr(0, space), text.substr(space + 1)};
}

class TokenizerWriter {
 public:
  TokenizerWriter(const LanguageModel& model, GgufEntries& entries)
      : model_(model),
        entries_(entries),
        file_(parse_sorted_json(
            write_tokenizer_json(model.tokenizer,
                                 {.prefix = model.text.prefix, .suffix = model.text.suffix}),
            "its tokenizer")) {}

  WrittenGgufTokenizer write() {
    if (file_.at("model").at("type") != "BPE") refuse_gguf_tokenizer("its pieces are not BPE");
    const GgufTokenizerJson& fallback = file_["model"]["byte_fallback"];
    const bool by_score = fallback.is_boolean() && fallback.get<bool>();
    entries_.add("tokenizer.ggml.model", by_score ? "llama" : "gpt2");
    by_score ? add_scores() : add_split();
    std::vector<std::string> pieces;
    for (std::int32_t id = 0; id < model_.tokenizer.vocab_size(); ++id)
      pieces.push_back(model_.tokenizer.piece(id));
    entries_.add("tokenizer.ggml.tokens", pieces);
    add_types(pieces, by_score);
    add_special();
    if (model_.chat) entries_.add("tokenizer.chat_template", model_.chat->source);
    return std::move(written_);
  }

 private:
  // BPE of bytes.
  void add_split() {
    for (const GgufTokenizerJson& step : steps_in(file_["normalizer"], "normalizers")) {
      if (step.at("type") != "NFC") refuse_gguf_tokenizer("it changes texts");
      written_.lacks_normalizer = true;
      written_.remarks.emplace_back(
          "llama.cpp does not normalize texts to NFC: those with combining marks may have other "
          "tokens there");
    }
    std::vector<std::string> patterns;
    for (const GgufTokenizerJson& step : steps_in(file_["pre_tokenizer"], "pretokenizers"))
      add_pattern(step, patterns);
    const GgufTokenizerJson& ignores = file_["model"]["ignore_merges"];
    const auto name =
        gguf_pre_tokenizer_with(patterns, ignores.is_boolean() && ignores.get<bool>());
    if (!name) refuse_gguf_tokenizer("llama.cpp has no name for its split of text");
    entries_.add("tokenizer.ggml.pre", *name);
    std::vector<std::string> merges;
    for (const GgufTokenizerJson& merge : file_["model"].at("merges")) {
      const auto [left, right] = sides_in(merge);
      merges.push_back(left + " " + right);
    }
    entries_.add("tokenizer.ggml.merges", merges);
  }

  static void add_pattern(const GgufTokenizerJson& step, std::vector<std::string>& patterns) {
    const std::string type = step.at("type");
    if (type == "Digits" && step.value("individual_digits", false)) {
      patterns.emplace_back(R"(\p{N})");
    } else if (type == "ByteLevel") {
      if (step.value("add_prefix_space", true))
        refuse_gguf_tokenizer("llama.cpp puts no space before a text of byte-level BPE");
      if (step.value("use_regex", true)) patterns.emplace_back(detail::kGpt2Pattern);
    } else if (type == "Split" && step.value("behavior", "") == "Isolated" &&
               !step.value("invert", false) && step.at("pattern").contains("Regex")) {
      patterns.push_back(step["pattern"]["Regex"]);
    } else {
      refuse_gguf_tokenizer(fmt::format("llama.cpp has no step {}", type));
    }
  }

  // SentencePiece's BPE: a piece has a better score if it is joined earlier.
  void add_scores() {
    std::vector<std::string> normalizers;
    for (const GgufTokenizerJson& step : steps_in(file_["normalizer"], "normalizers"))
      normalizers.push_back(step.at("type"));
    const bool prefix = normalizers == std::vector<std::string>{"Prepend", "Replace"};
    if (!prefix && normalizers != std::vector<std::string>{"Replace"})
      refuse_gguf_tokenizer("llama.cpp puts a space before every text, or before none");
    for (const GgufTokenizerJson& step : steps_in(file_["pre_tokenizer"], "pretokenizers"))
      if (step.at("type") != "Split" || step.at("pattern") != GgufTokenizerJson{{"String", " "}})
        refuse_gguf_tokenizer("it cuts texts before BPE");  // spaces are written otherwise by then
    std::map<std::string, float, std::less<>> found;
    float next = -1;
    for (const GgufTokenizerJson& merge : file_["model"].at("merges")) {
      const auto [left, right] = sides_in(merge);
      if (found.emplace(left + right, next).second) --next;
    }
    std::vector<float> scores;
    for (std::int32_t id = 0; id < model_.tokenizer.vocab_size(); ++id) {
      const auto score = found.find(model_.tokenizer.piece(id));
      scores.push_back(score == found.end() ? 0 : score->second);
    }
    entries_.add("tokenizer.ggml.scores", std::span<const float>(scores));
    entries_.add_flag("tokenizer.ggml.add_space_prefix", prefix);
  }

  // llama.cpp looks for the tokens of the user where spaces are still spaces; this one is joined.
  bool is_run_of_spaces(const GgufTokenizerJson& token) {
    if (token.at("content").get_ref<const std::string&>().find("▁") == std::string::npos)
      return false;
    const std::string remark = "texts with the letter ▁ may have other tokens in llama.cpp";
    if (written_.remarks.empty()) written_.remarks.push_back(remark);
    return true;
  }

  void add_types(const std::vector<std::string>& pieces, bool by_score) {
    std::vector<std::int32_t> types(pieces.size(), static_cast<int>(GgufPieceType::normal));
    for (const GgufTokenizerJson& token : file_["added_tokens"]) {
      for (const char* flag : {"single_word", "lstrip", "rstrip"})
        if (token.value(flag, false))
          refuse_gguf_tokenizer(fmt::format("the flag {} of {}", flag,
                                            quote(token.at("content").get<std::string>())));
      const bool special = token.value("special", false);
      if (by_score && !special && is_run_of_spaces(token)) continue;
      types[token.at("id").get<std::size_t>()] =
          static_cast<int>(special ? GgufPieceType::control : GgufPieceType::user_defined);
    }
    for (std::size_t id = 0; by_score && id < pieces.size(); ++id)
      if (pieces[id].size() == 6 && pieces[id].starts_with("<0x") && pieces[id].ends_with('>'))
        types[id] = static_cast<int>(GgufPieceType::byte);
    if (const std::int32_t unknown = model_.tokenizer.special_tokens().unk;
        unknown >= 0 && by_score)
      types[static_cast<std::size_t>(unknown)] = static_cast<int>(GgufPieceType::unknown);
    entries_.add("tokenizer.ggml.token_type", std::span<const std::int32_t>(types));
  }

  void add_special() {
    const SpecialTokens& special = model_.tokenizer.special_tokens();
    const std::int32_t bos = model_.text.prefix.empty() ? model_.text.start : model_.text.prefix[0];
    const auto add_id = [&](const char* key, std::int32_t id) {
      if (id >= 0) entries_.add_count(key, id);
    };
    add_id("tokenizer.ggml.bos_token_id", bos >= 0 ? bos : special.bos);
    add_id("tokenizer.ggml.eos_token_id", special.eos);
    add_id("tokenizer.ggml.unknown_token_id", special.unk);
    add_id("tokenizer.ggml.padding_token_id", special.pad);
    std::vector<std::int32_t> others = model_.text.ends;
    std::erase(others, special.eos);
    for (std::size_t i = 0; i < others.size() && i < 2; ++i)
      add_id(i == 0 ? "tokenizer.ggml.eot_token_id" : "tokenizer.ggml.eom_token_id", others[i]);
    if (model_.text.prefix.size() > 1 || model_.text.suffix.size() > 1)
      refuse_gguf_tokenizer("it puts several tokens around a text");
    entries_.add_flag("tokenizer.ggml.add_bos_token", !model_.text.prefix.empty());
    entries_.add_flag("tokenizer.ggml.add_eos_token", !model_.text.suffix.empty());
    std::vector<std::int32_t> never;
    for (const std::vector<std::int32_t>& sequence : model_.text.forbidden) {
      if (sequence.size() != 1) refuse_gguf_tokenizer("sequences that are never written");
      never.push_back(sequence.front());
    }
    if (!never.empty())
      entries_.add("tokenizer.ggml.suppress_tokens", std::span<const std::int32_t>(never));
  }

  const LanguageModel& model_;
  GgufEntries& entries_;
  GgufTokenizerJson file_;
  WrittenGgufTokenizer written_;
};

}  // namespace

WrittenGgufTokenizer add_gguf_tokenizer(const LanguageModel& model, GgufEntries& entries) {
  return TokenizerWriter(model, entries).write();
}

}  // namespace attend
