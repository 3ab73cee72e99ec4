#include "attend/interchange/families/gguf/gguf_tokenizer.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <tuple>

#include "attend/core/strings/quote.h"
#include "attend/core/strings/utf8.h"
#include "attend/interchange/families/gguf/gguf_pieces.h"
#include "attend/interchange/families/gguf/gguf_pre_tokenizers.h"
#include "attend/text/byte_bpe/byte_letters.h"

namespace attend {

namespace {

using GgufVocabularyJson = nlohmann::json;
using detail::GgufPieces;
using detail::GgufPieceType;

constexpr const char *kScores = "tokenizer.ggml.scores", *kMerges = "tokenizer.ggml.merges",
                     *kPre = "tokenizer.ggml.pre", *kVocabulary = "tokenizer.ggml.tokens";

std::string dumped(const GgufVocabularyJson& json) {
  return json.dump(-1, ' ', false, GgufVocabularyJson::error_handler_t::replace);
}

GgufVocabularyJson gguf_sequence(const char* list, GgufVocabularyJson steps) {
  return {{"type", "Sequence"}, {list, std::move(steps)}};
}

GgufVocabularyJson replaced(const char* pattern, const char* content) {
  return {{"type", "Replace"}, {"pattern", {{"String", pattern}}}, {"content", content}};
}

// A pair of pieces that joins to the piece `whole`.
struct ScoredMerge {
  std::size_t whole;
  std::string_view left, right;
};

// The pairs for SentencePiece's BPE, which joins the pair whose whole has the best score first.
class MergesByScore {
 public:
  MergesByScore(ForeignConfig& metadata, const GgufPieces& pieces)
      : metadata_(metadata), pieces_(pieces), scores_(pieces.texts.size(), 0.0) {
    if (!metadata.has(kScores)) return;
    scores_ = metadata.numbers(kScores);
    if (scores_.size() != pieces.texts.size())
      metadata.refuse(kScores, fmt::format("expected {} scores, found {}", pieces.texts.size(),
                                           scores_.size()));
  }

  GgufVocabularyJson list() {
    for (std::size_t id = 0; id < pieces_.texts.size(); ++id) add_pairs_of(id);
    std::sort(merges_.begin(), merges_.end(), [&](const ScoredMerge& a, const ScoredMerge& b) {
      const auto key = [&](const ScoredMerge& merge) {
        return std::tuple(-scores_[merge.whole], -std::ssize(merge.left), merge.whole);
      };
      return key(a) < key(b);
    });
    refuse_equal_scores();
    GgufVocabularyJson list = GgufVocabularyJson::array();
    for (const ScoredMerge& merge : merges_)
      list.push_back({std::string(merge.left), std::string(merge.right)});
    return list;
  }

 private:
  void add_pairs_of(std::size_t id) {
    constexpr std::size_t kLongestPiece = 1000;
    const std::string_view whole = pieces_.texts[id];
    if (whole.size() > kLongestPiece)
      metadata_.refuse(kVocabulary, fmt::format("piece {} has {} bytes, more than {}", id,
                                                whole.size(), kLongestPiece));
    if (!can_be_joined(id)) return;
    for (std::size_t cut = 0; next_code_point(whole, cut), cut < whole.size();) {
      const std::string_view left = whole.substr(0, cut), right = whole.substr(cut);
      const bool has_left = pieces_.ids.contains(left), has_right = pieces_.ids.contains(right);
      if (has_left && has_right) {
        merges_.push_back({id, left, right});
      } else if ((has_left || count_code_points(left) == 1) &&
                 (has_right || count_code_points(right) == 1)) {
        metadata_.refuse(kVocabulary,
                         fmt::format("{} is a piece, but a character of it is none", quote(whole)));
      }
    }
  }

  // Pieces that the user defined are cut out before others are joined, and spaces are written
  // otherwise by then.
  bool can_be_joined(std::size_t id) const {
    const std::string_view text = pieces_.texts[id];
    if (text.find(' ') != text.npos) return false;
    return pieces_.types[id] != GgufPieceType::user_defined || text.find("▁") != text.npos;
  }

  // Among pairs with equal scores, llama.cpp takes the first in the text. With runs of one
  // character, as Llama's spaces are, that is the pair with the longest left side; with others it
  // may not be.
  void refuse_equal_scores() const {
    for (std::size_t i = 1; i < merges_.size(); ++i) {
      const ScoredMerge &a = merges_[i - 1], &b = merges_[i];
      if (a.whole == b.whole || scores_[a.whole] != scores_[b.whole]) continue;
      if (is_harmless(a) && is_harmless(b)) continue;
      metadata_.refuse(kScores,
                       fmt::format("the pieces {} and {} have the same score",
                                   quote(pieces_.texts[a.whole]), quote(pieces_.texts[b.whole])));
    }
  }

  bool is_harmless(const ScoredMerge& merge) const {
    if (pieces_.types[merge.whole] != GgufPieceType::normal) return true;
    const std::vector<std::string_view> letters = characters_of(pieces_.texts[merge.whole]);
    return std::all_of(letters.begin(), letters.end(),
                       [&](std::string_view letter) { return letter == letters.front(); });
  }

  ForeignConfig& metadata_;
  const GgufPieces& pieces_;
  std::vector<double> scores_;
  std::vector<ScoredMerge> merges_;
};

void require_bytes(ForeignConfig& metadata, const GgufPieces& pieces) {
  for (int byte = 0; byte < 256; ++byte)
    if (const std::string piece = fmt::format("<0x{:02X}>", byte); !pieces.ids.contains(piece))
      metadata.refuse(kVocabulary,
                      fmt::format("expected a piece for every byte, found no {}", piece));
}

// SentencePiece's BPE, as Llama 2 has it. What the original does to spaces otherwise, llama.cpp
// does not do.
GgufVocabularyJson sentencepiece_tokenizer(ForeignConfig& metadata, const GgufPieces& pieces) {
  require_bytes(metadata, pieces);
  metadata.ignore({kPre, kMerges, "tokenizer.ggml.remove_extra_whitespaces",
                   "tokenizer.ggml.precompiled_charsmap", "tokenizer.ggml.add_sep_token"});
  const bool prefix = metadata.boolean_or("tokenizer.ggml.add_space_prefix", true);
  GgufVocabularyJson normalizers = GgufVocabularyJson::array(),
                     decoders{replaced("▁", " "), {{"type", "ByteFallback"}}, {{"type", "Fuse"}}};
  if (prefix) {
    normalizers.push_back({{"type", "Prepend"}, {"prepend", "▁"}});
    decoders.push_back({{"type", "Strip"}, {"content", " "}, {"start", 1}, {"stop", 0}});
  }
  normalizers.push_back(replaced(" ", "▁"));
  GgufVocabularyJson model{{"type", "BPE"}, {"byte_fallback", true}, {"fuse_unk", true}};
  if (const auto unknown = pieces.text(pieces.unknown)) model["unk_token"] = *unknown;
  model["merges"] = MergesByScore(metadata, pieces).list();
  return {{"normalizer", gguf_sequence("normalizers", std::move(normalizers))},
          {"pre_tokenizer", nullptr},
          {"decoder", gguf_sequence("decoders", std::move(decoders))},
          {"model", std::move(model)}};
}

// ["a b"]: a space may begin the first piece. Of pairs that are listed twice, the first counts.
GgufVocabularyJson listed_merges(ForeignConfig& metadata) {
  GgufVocabularyJson list = GgufVocabularyJson::array();
  std::set<std::string> known;
  for (std::string& merge : metadata.texts(kMerges)) {
    const std::size_t space = merge.find(' ', 1);
    if (space == merge.npos || !is_utf8(merge))
      metadata.refuse(kMerges, fmt::format("expected two pieces, found {}", quote(merge)));
    if (known.insert(merge).second)
      list.push_back({merge.substr(0, space), merge.substr(space + 1)});
  }
  return list;
}

// A piece that is also made of others, as Qwen 2's "</s>", is text where it is written in a text.
void keep_as_text(const GgufVocabularyJson& merges, GgufPieces& pieces) {
  std::set<std::string> made;
  for (const GgufVocabularyJson& merge : merges)
    made.insert(merge[0].get<std::string>() + merge[1].get<std::string>());
  for (const std::size_t id : pieces.found_by_text)
    if (made.contains(pieces.texts[id])) pieces.types[id] = GgufPieceType::normal;
}

// BPE of bytes, as GPT-2 has it.
GgufVocabularyJson byte_level_tokenizer(ForeignConfig& metadata, GgufPieces& pieces) {
  const std::string name = metadata.text_or(kPre, "");
  const GgufPreTokenizer* const cuts = gguf_pre_tokenizer(name);
  if (cuts == nullptr) metadata.refuse(kPre, "this split of text is not supported");
  for (int byte = 0; byte < 256; ++byte)
    if (const std::string& letter = detail::letter_of(static_cast<unsigned char>(byte));
        !pieces.ids.contains(letter))
      metadata.refuse(kVocabulary,
                      fmt::format("expected a piece for every byte, found no {}", quote(letter)));
  metadata.require("tokenizer.ggml.add_space_prefix", false);
  metadata.ignore({kScores, "tokenizer.ggml.remove_extra_whitespaces",
                   "tokenizer.ggml.add_sep_token", "tokenizer.ggml.precompiled_charsmap"});
  GgufVocabularyJson steps = GgufVocabularyJson::array();
  for (const std::string_view pattern : cuts->patterns)
    steps.push_back({{"type", "Split"},
                     {"pattern", {{"Regex", std::string(pattern)}}},
                     {"behavior", "Isolated"},
                     {"invert", false}});
  GgufVocabularyJson bytes{{"type", "ByteLevel"},
                           {"add_prefix_space", false},
                           {"trim_offsets", true},
                           {"use_regex", false}};
  steps.push_back(bytes);
  GgufVocabularyJson merges = listed_merges(metadata);
  keep_as_text(merges, pieces);
  return {
      {"normalizer", nullptr},
      {"pre_tokenizer", gguf_sequence("pretokenizers", std::move(steps))},
      {"decoder", std::move(bytes)},
      {"model",
       {{"type", "BPE"}, {"ignore_merges", cuts->ignores_merges}, {"merges", std::move(merges)}}}};
}

// Control tokens and those that the user defined.
GgufVocabularyJson added_tokens(const GgufPieces& pieces) {
  GgufVocabularyJson tokens = GgufVocabularyJson::array();
  for (std::size_t id = 0; id < pieces.texts.size(); ++id) {
    const GgufPieceType type = pieces.types[id];
    const bool is_special = type == GgufPieceType::control || type == GgufPieceType::unknown;
    if (!is_special && type != GgufPieceType::user_defined) continue;
    tokens.push_back({{"id", id},
                      {"content", pieces.texts[id]},
                      {"single_word", false},
                      {"lstrip", false},
                      {"rstrip", false},
                      {"normalized", false},
                      {"special", is_special}});
  }
  return tokens;
}

// What stands around every text.
GgufVocabularyJson gguf_marks_of(ForeignConfig& metadata, const GgufPieces& pieces, bool adds_bos) {
  GgufVocabularyJson single = GgufVocabularyJson::array();
  const auto add = [&](const char* flag, bool adds, const std::optional<std::string>& piece) {
    if (!adds) return;
    if (!piece) metadata.refuse(flag, "there is no such token");
    single.push_back({{"SpecialToken", {{"id", *piece}, {"type_id", 0}}}});
  };
  constexpr const char *kAddBos = "tokenizer.ggml.add_bos_token",
                       *kAddEos = "tokenizer.ggml.add_eos_token";
  add(kAddBos, adds_bos, pieces.text(pieces.bos));
  single.push_back({{"Sequence", {{"id", "A"}, {"type_id", 0}}}});
  add(kAddEos, metadata.boolean_or(kAddEos, false), pieces.text(pieces.eos));
  if (single.size() == 1) return nullptr;
  return {{"type", "TemplateProcessing"}, {"single", std::move(single)}};
}

GgufVocabularyJson named_tokens_of(ForeignConfig& metadata, const GgufPieces& pieces) {
  GgufVocabularyJson settings{{"tokenizer_class", "PreTrainedTokenizerFast"}};
  for (const auto& [key, id] : {std::pair{"bos_token", pieces.bos},
                                {"eos_token", pieces.eos},
                                {"unk_token", pieces.unknown},
                                {"pad_token", pieces.padding}})
    if (const auto piece = pieces.text(id)) settings[key] = *piece;
  constexpr std::string_view kTemplate = "tokenizer.chat_template";
  if (const std::string source = metadata.text_or(kTemplate, ""); !source.empty())
    settings["chat_template"] = source;
  // Templates of other names.
  for (const std::string& key : metadata.keys())
    if (key.starts_with(kTemplate)) metadata.ignore({key});
  return settings;
}

GgufVocabularyJson generation_of(ForeignConfig& metadata, const GgufPieces& pieces) {
  GgufVocabularyJson json{{"eos_token_id", pieces.ends}};
  if (pieces.bos) json["bos_token_id"] = *pieces.bos;
  if (constexpr const char* kSuppressed = "tokenizer.ggml.suppress_tokens";
      metadata.has(kSuppressed))
    json["suppress_tokens"] = metadata.integers(kSuppressed, between(-2147483648.0, 2147483647.0));
  for (const auto& [key, ours] :
       {std::pair{"general.sampling.temp", "temperature"}, {"general.sampling.top_p", "top_p"}})
    if (metadata.has(key)) json[ours] = metadata.number(key, between(0, 1e6));
  if (constexpr const char* kTopK = "general.sampling.top_k"; metadata.has(kTopK))
    json["top_k"] = metadata.integer(kTopK, between(0, 1e9));
  return json;
}

}  // namespace

GgufTokenizer read_gguf_tokenizer(ForeignConfig& metadata) {
  const bool by_score = metadata.choice("tokenizer.ggml.model", {"gpt2", "llama"}) == 1;
  GgufPieces pieces = read_gguf_pieces(
      metadata, by_score ? detail::GgufUsualIds{1, 2, 0} : detail::GgufUsualIds{11, 11, -1});
  GgufVocabularyJson file =
      by_score ? sentencepiece_tokenizer(metadata, pieces) : byte_level_tokenizer(metadata, pieces);
  const GgufPreTokenizer* const cuts = gguf_pre_tokenizer(metadata.text_or(kPre, ""));
  const bool adds_bos =
      metadata.boolean_or("tokenizer.ggml.add_bos_token", by_score || cuts->adds_bos);
  // llama.cpp assumes an id, and then has no use for it.
  if (!adds_bos && !metadata.has("tokenizer.ggml.bos_token_id")) pieces.bos.reset();
  GgufVocabularyJson& vocabulary = file["model"]["vocab"] = GgufVocabularyJson::object();
  for (std::size_t id = 0; id < pieces.texts.size(); ++id) vocabulary[pieces.texts[id]] = id;
  file["version"] = "1.0";
  file["added_tokens"] = added_tokens(pieces);
  file["post_processor"] = gguf_marks_of(metadata, pieces, adds_bos);
  GgufTokenizer read{{}, static_cast<std::int64_t>(pieces.texts.size())};
  read.files["tokenizer.json"] = dumped(file);
  read.files["tokenizer_config.json"] = dumped(named_tokens_of(metadata, pieces));
  read.files["generation_config.json"] = dumped(generation_of(metadata, pieces));
  metadata.ignore({"tokenizer.huggingface.json"});  // llama.cpp does not read it
  return read;
}

}  // namespace attend
