// Options of fairseq-preprocess: the texts and their dictionaries.
#include <fmt/format.h>

#include <algorithm>
#include <sstream>
#include <string>

#include "attend/interchange/migration/fairseq/fairseq_rules.h"

namespace attend {

namespace {

// The file of each prefix in a list with commas.
std::vector<std::string> with_extension(const std::string& prefixes, const std::string& language) {
  std::vector<std::string> files;
  std::istringstream stream(prefixes);
  for (std::string prefix; std::getline(stream, prefix, ',');)
    files.push_back(language.empty() ? prefix : fmt::format("{}.{}", prefix, language));
  return files;
}

// `text`: train or valid.
void fairseq_prefix(Migration& m, const ForeignOption& option, std::string_view text) {
  const std::string prefixes = m.text(option.name), source = m.text("source-lang"),
                    target = m.text("target-lang");
  if (trains_language_model(m))
    return m.translate({option.name}, text, with_extension(prefixes, source));
  if (source.empty() || target.empty())
    return m.without_equal(option.name,
                           fmt::format("source-lang and target-lang complete the names: set "
                                       "src-{0} and tgt-{0}",
                                       text));
  m.translate({option.name}, fmt::format("src-{}", text), with_extension(prefixes, source));
  m.translate({option.name}, fmt::format("tgt-{}", text), with_extension(prefixes, target));
}

// `text`: our option.
void fairseq_language(Migration& m, const ForeignOption& option, std::string_view text) {
  if (!trains_language_model(m)) return becomes(m, option, text);
  if (option.name == "source-lang") return becomes(m, option, "language");
  m.without_equal(option.name, "a language model has one language");
}

void fairseq_joined(Migration& m, const ForeignOption& option, std::string_view) {
  if (trains_language_model(m)) return m.same(option.name, "there is one language");
  becomes(m, option, "joint-vocabulary");
}

// Both sizes are without the four special tokens.
void fairseq_words(Migration& m, const ForeignOption&, std::string_view) {
  const std::int64_t source = m.whole("nwordssrc", -1), target = m.whole("nwordstgt", -1);
  const std::int64_t words = std::max(source, target);
  if (words <= 0) {
    for (const char* name : {"nwordssrc", "nwordstgt"})
      m.without_equal(name,
                      "all words of a text: set vocab-size to their number, the most that attend "
                      "train accepts");
    return;
  }
  m.translate({"nwordssrc", "nwordstgt"}, "vocab-size", {fmt::format("{}", words)},
              source > 0 && target > 0 && source != target
                  ? "both vocabularies have the larger size here"
                  : "");
}

void fairseq_data(Migration& m, const ForeignOption& option, std::string_view) {
  if (m.find("trainpref") != nullptr)
    return m.same(option.name, "attend reads the texts of fairseq-preprocess themselves");
  m.without_equal(option.name,
                  "made by fairseq-preprocess: give attend the texts that it has read, or put its "
                  "call into the file");
}

constexpr std::string_view kNoDictionary = "the vocabulary is learned from the training text";
constexpr std::string_view kReadsText = "attend reads the texts themselves";

constexpr MigrationRule kFairseqTextRules[] = {
    {"data", fairseq_data, "", Takes::list},
    {"source-lang", fairseq_language, "src-language"},
    {"target-lang", fairseq_language, "tgt-language"},
    {"trainpref", fairseq_prefix, "train"},
    {"validpref", fairseq_prefix, "valid"},
    {"testpref", has_no_equal,
     "attend translate reads test text, and attend evaluate compares translations"},
    {"destdir", is_same, kReadsText},
    {"dataset-impl", is_same, kReadsText},
    {"joined-dictionary", fairseq_joined, "", Takes::none},
    {"nwordssrc", fairseq_words},
    {"nwordstgt", fairseq_words},
    {"thresholdsrc", has_no_equal_if_on, "the most frequent words get a token: vocab-size"},
    {"thresholdtgt", has_no_equal_if_on, "the most frequent words get a token: vocab-size"},
    {"srcdict", has_no_equal, kNoDictionary},
    {"tgtdict", has_no_equal, kNoDictionary},
    {"only-source", is_same, "for a language model", Takes::none},
    {"dict-only", has_no_equal, kNoDictionary, Takes::none},
    {"alignfile", has_no_equal, "guided-alignment learns alignments from the text, without a file"},
    {"align-suffix", has_no_equal,
     "guided-alignment learns alignments from the text, without a file"},
    {"padding-factor", is_same, "vocabularies are not padded"},
    {"workers", is_same, "threads, all fast cores by default"},
};

}  // namespace

std::span<const MigrationRule> fairseq_text_rules() { return kFairseqTextRules; }

}  // namespace attend
