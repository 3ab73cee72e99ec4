#include "attend/interchange/writing/tokenizer_writing.h"

#include <fmt/format.h>

#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <span>
#include <utility>
#include <variant>

#include "attend/core/random/random.h"
#include "attend/core/strings/quote.h"
#include "attend/error.h"
#include "attend/interchange/writing/tokenizer_writing_parts.h"
#include "attend/text/byte_bpe/byte_bpe.h"
#include "attend/text/tokenizer_file.h"
#include "attend/text/wordpiece/wordpiece.h"

namespace attend {
namespace {

using detail::ByteBpeDescription;
using detail::PieceList;
using detail::TextNormalization;
using detail::UnicodeForm;
using detail::WordPieceDescription;
using WrittenJson = nlohmann::json;
using detail::refuse_to_write;
using detail::vocabulary_json;

// Control pieces are special; those that are cut out of text before all others are not.
WrittenJson added_tokens_of(const PieceList& list, const std::vector<std::int32_t>& in_text) {
  std::map<std::int32_t, bool> added;
  for (const std::int32_t id : list.controls) added[id] = true;
  for (const std::int32_t id : in_text) added[id] = false;
  return detail::added_tokens_json(list.pieces, added);
}

// [CLS] $A [SEP], and the same for pairs of texts.
WrittenJson template_json(const Tokenizer& tokenizer, const TextSpecialTokens& marks) {
  if (marks.prefix.empty() && marks.suffix.empty()) return nullptr;
  WrittenJson single = WrittenJson::array(), special = WrittenJson::object();
  const auto add_marks = [&](const std::vector<std::int32_t>& ids, int type, WrittenJson& form) {
    for (const std::int32_t id : ids) {
      const std::string& piece = tokenizer.piece(id);
      form.push_back({{"SpecialToken", {{"id", piece}, {"type_id", type}}}});
      special[piece] = {{"id", piece}, {"ids", {id}}, {"tokens", {piece}}};
    }
  };
  const auto text = [](const char* name, int type) {
    return WrittenJson{{"Sequence", {{"id", name}, {"type_id", type}}}};
  };
  add_marks(marks.prefix, 0, single);
  single.push_back(text("A", 0));
  add_marks(marks.suffix, 0, single);
  WrittenJson pair{text("A", 0), text("B", 0)};
  if (marks.pair.separators > 0) {
    const int second = marks.pair.numbers_texts ? 1 : 0;
    pair = single;
    for (int i = 1; i < marks.pair.separators; ++i) add_marks(marks.suffix, 0, pair);
    pair.push_back(text("B", second));
    add_marks(marks.suffix, second, pair);
  }
  return {{"type", "TemplateProcessing"},
          {"single", single},
          {"pair", pair},
          {"special_tokens", special}};
}

WrittenJson form_json(UnicodeForm form) {
  constexpr const char* kTypes[] = {"", "NFC", "NFD", "NFKC", "NFKD"};
  if (form == UnicodeForm::none) return nullptr;
  return {{"type", kTypes[static_cast<std::size_t>(form)]}};
}

void require_plain(const TextNormalization& normalization) {
  if (normalization.fold_case) refuse_to_write("its normalization folds cases");
  if (normalization.clean_spaces)
    refuse_to_write("its normalization joins spaces and drops control characters (nmt)");
}

WrittenJson byte_level_json(bool prefix_space, bool use_regex) {
  return {{"type", "ByteLevel"},
          {"add_prefix_space", prefix_space},
          {"trim_offsets", true},
          {"use_regex", use_regex}};
}

// The usual pattern belongs to ByteLevel; others cut the text before it.
WrittenJson pre_tokenizer_json(const ByteBpeDescription& d) {
  const bool usual = !d.patterns.empty() && d.patterns.back() == detail::kGpt2Pattern;
  const std::size_t splits = d.patterns.size() - (usual ? 1 : 0);
  const WrittenJson bytes = byte_level_json(d.prefix_space, usual);
  if (splits == 0) return bytes;
  if (d.prefix_space) refuse_to_write("a space before the text and a pattern of its own");
  WrittenJson parts = WrittenJson::array();
  for (std::size_t i = 0; i < splits; ++i)
    parts.push_back({{"type", "Split"},
                     {"pattern", {{"Regex", d.patterns[i]}}},
                     {"behavior", "Isolated"},
                     {"invert", false}});
  parts.push_back(bytes);
  return {{"type", "Sequence"}, {"pretokenizers", parts}};
}

void add_model(WrittenJson& file, const ByteBpeDescription& d) {
  require_plain(d.normalization);
  const std::vector<std::string>& pieces = d.vocabulary.pieces;
  const std::int32_t unknown = d.vocabulary.special.unk;
  WrittenJson merges = WrittenJson::array();
  for (const auto& [left, right] : d.merges)
    merges.push_back(pieces[static_cast<std::size_t>(left)] + " " +
                     pieces[static_cast<std::size_t>(right)]);
  file["added_tokens"] = added_tokens_of(d.vocabulary, d.added);
  file["normalizer"] = form_json(d.normalization.form);
  file["pre_tokenizer"] = pre_tokenizer_json(d);
  file["decoder"] = byte_level_json(true, true);
  file["model"] = {
      {"type", "BPE"},
      {"dropout", nullptr},
      {"unk_token",
       unknown < 0 ? WrittenJson() : WrittenJson(pieces[static_cast<std::size_t>(unknown)])},
      {"continuing_subword_prefix", nullptr},
      {"end_of_word_suffix", nullptr},
      {"fuse_unk", false},
      {"byte_fallback", false},
      {"ignore_merges", d.ignore_merges},
      {"vocab", vocabulary_json(pieces)},
      {"merges", merges}};
}

void add_model(WrittenJson& file, const WordPieceDescription& d) {
  require_plain(d.normalization);
  if (!d.split_punctuation) refuse_to_write("punctuation that stays on words (pretokenized)");
  const WrittenJson bert{{"type", "BertNormalizer"},
                         {"clean_text", d.clean_text},
                         {"handle_chinese_chars", d.cjk_blanks},
                         {"strip_accents", d.strip_accents},
                         {"lowercase", d.lowercase}};
  const WrittenJson form = form_json(d.normalization.form);
  if (d.vocabulary.special.unk < 0) refuse_to_write("no token that stands for unknown words");
  const std::string& unknown =
      d.vocabulary.pieces[static_cast<std::size_t>(d.vocabulary.special.unk)];
  file["added_tokens"] = added_tokens_of(d.vocabulary, {});
  file["normalizer"] =
      form.is_null() ? bert : WrittenJson{{"type", "Sequence"}, {"normalizers", {form, bert}}};
  file["pre_tokenizer"] = {{"type", "BertPreTokenizer"}};
  file["decoder"] = {{"type", "WordPiece"}, {"prefix", detail::kContinuation}, {"cleanup", true}};
  file["model"] = {{"type", "WordPiece"},
                   {"unk_token", unknown},
                   {"continuing_subword_prefix", detail::kContinuation},
                   {"max_input_chars_per_word", detail::kLongestWord},
                   {"vocab", vocabulary_json(d.vocabulary.pieces)}};
}

// The file that the tokenizer was read from, as far as it matters.
void add_model(WrittenJson& file, const detail::StepsDescription& d) {
  write_foreign_steps(d, file);
}

}  // namespace

const std::string& needed_piece(const Tokenizer& tokenizer, std::int32_t id,
                                std::string_view what) {
  if (id < 0)
    throw ConfigError(
        fmt::format("its tokenizer has no token that {}, and models of this family need one; train "
                    "the model with a tokenizer that has it, such as those that attend trains",
                    what));
  return tokenizer.piece(id);
}

std::string write_tokenizer_json(const Tokenizer& tokenizer, const TextSpecialTokens& marks) {
  WrittenJson file{{"version", "1.0"},
                   {"truncation", nullptr},
                   {"padding", nullptr},
                   {"post_processor", template_json(tokenizer, marks)}};
  if (detail::is_tokenizer_file(tokenizer.bytes())) {
    std::visit([&](const auto& description) { add_model(file, description); },
               detail::read_tokenizer_file(tokenizer.bytes()));
  } else {
    detail::write_foreign_sentencepiece(tokenizer, file);
  }
  return file.dump() + "\n";
}

std::string write_tokenizer_config(const Tokenizer& tokenizer, const nlohmann::json& settings) {
  WrittenJson config{{"tokenizer_class", "PreTrainedTokenizerFast"},
                     {"clean_up_tokenization_spaces", false}};
  const SpecialTokens& special = tokenizer.special_tokens();
  for (const auto& [name, id] :
       {std::pair{"bos_token", special.bos}, std::pair{"eos_token", special.eos},
        std::pair{"pad_token", special.pad}, std::pair{"unk_token", special.unk}})
    if (id >= 0) config[name] = tokenizer.piece(id);
  if (!settings.is_null()) config.update(settings);
  return config.dump(2) + "\n";
}

namespace {

// Programs choose between two ways that Unigram finds equally likely as their sums are rounded.
bool are_equally_likely(const Tokenizer& tokenizer, std::span<const std::int32_t> a,
                        std::span<const std::int32_t> b) {
  constexpr double kRounding = 1e-4;
  const auto sum = [&](std::span<const std::int32_t> ids) {
    double score = 0;
    for (const std::int32_t id : ids) score += double{tokenizer.score(id)};
    return score;
  };
  return type_of(tokenizer) == TokenizerType::unigram && std::abs(sum(a) - sum(b)) < kRounding;
}

}  // namespace

void require_same_tokens(const Tokenizer& ours, const Tokenizer& theirs) {
  const auto compare = [&](std::span<const std::int32_t> ids) {
    const std::string text = ours.decode(ids);
    const std::vector<std::int32_t> cut = ours.encode(text), other = theirs.encode(text);
    if (cut != other && !are_equally_likely(ours, cut, other))
      detail::refuse_to_write("it would cut " + quote(text) + " into other tokens");
  };
  Random random({0, stream_of("same tokens")});
  const auto size = static_cast<std::uint64_t>(ours.vocab_size());
  for (std::int32_t id = 0; id < ours.vocab_size(); ++id) {
    std::vector<std::int32_t> ids{id};
    compare(ids);
    for (int i = 0; i < 3; ++i) ids.push_back(static_cast<std::int32_t>(random.below(size)));
    compare(ids);
  }
}

}  // namespace attend
