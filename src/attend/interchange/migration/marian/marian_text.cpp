// Marian's options of the text and of the vocabularies.
#include <fmt/format.h>

#include <algorithm>
#include <sstream>
#include <string>
#include <utility>

#include "attend/interchange/migration/marian/marian_rules.h"

namespace attend {

bool marian_names_pair(const Migration& m, std::string_view name) {
  return m.find(name) != nullptr && m.find(name)->values.size() == 2;
}

namespace {

void marian_files(Migration& m, const ForeignOption& option, std::string_view text) {
  if (!marian_names_pair(m, option.name) || m.is_on("tsv"))
    return m.without_equal(option.name,
                           "attend reads one file of sources and one of targets; cut -f1 and cut "
                           "-f2 make them of columns");
  m.translate({option.name}, fmt::format("src-{}", text), {option.values[0]});
  m.translate({option.name}, fmt::format("tgt-{}", text), {option.values[1]});
}

// The options of SentencePiece's trainer that have a place here; the others are returned.
std::string take_sentencepiece_options(Migration& m, std::string_view options) {
  static constexpr std::pair<std::string_view, std::string_view> kKnown[] = {
      {"model_type", "tokenizer"},
      {"character_coverage", "character-coverage"},
      {"byte_fallback", "byte-fallback"},
      {"normalization_rule_name", "normalization"}};
  std::istringstream words{std::string(options)};
  std::string others;
  for (std::string word; words >> word;) {
    const std::size_t name = word.find_first_not_of('-'), equals = word.find('=');
    const auto known = std::find_if(std::begin(kKnown), std::end(kKnown), [&](const auto& one) {
      return name != word.npos && equals != word.npos &&
             word.substr(name, equals - name) == one.first;
    });
    if (known == std::end(kKnown)) {
      others += (others.empty() ? "" : " ") + word;
      continue;
    }
    const std::string value = word.substr(equals + 1);
    m.add(known->second, value == "char" ? "chars" : value,
          fmt::format("sentencepiece-options: {}", word));
  }
  return others;
}

void marian_sentencepiece(Migration& m) {
  m.add("tokenizer", "unigram", "the vocabularies are those of SentencePiece");
  m.add("character-coverage", "0.9995", "SentencePiece's default");
  if (m.find("sentencepiece-options") == nullptr) return;
  const std::string others = take_sentencepiece_options(m, m.text("sentencepiece-options"));
  if (others.empty()) return m.same("sentencepiece-options", "they are in the recipe");
  m.without_equal("sentencepiece-options", fmt::format("not in the recipe: {}", others));
}

// `for_pieces`: SentencePiece's.
void marian_vocabulary_size(Migration& m, bool for_pieces, bool joint) {
  std::vector<double> sizes = m.numbers("dim-vocabs");
  if (sizes.empty()) sizes = {0};
  double size = *std::max_element(sizes.begin(), sizes.end());
  std::string_view remark;
  if (size == 0 && for_pieces) {
    size = 32000;
    remark = "SentencePiece's size in Marian";
  } else if (size == 0) {
    return m.without_equal(
        "dim-vocabs",
        "all words of a file: set vocab-size to their number, the most that attend "
        "train accepts");
  } else if (!joint && sizes.size() > 1 && sizes.front() != sizes.back()) {
    remark = "both vocabularies have the larger size here";
  }
  m.translate({"dim-vocabs"}, "vocab-size", {fmt::format("{}", size)}, remark);
}

void marian_vocabularies(Migration& m, const ForeignOption&, std::string_view) {
  const ForeignOption* const vocabs = m.find("vocabs");
  const bool named = vocabs != nullptr && !vocabs->values.empty();
  const bool for_pieces = named && vocabs->values.front().ends_with(".spm");
  const bool joint = (named && vocabs->values.front() == vocabs->values.back()) ||
                     m.is_on("tied-embeddings-all") || m.is_on("tied-embeddings-src");
  m.translate({"vocabs"}, "joint-vocabulary", {joint ? "true" : "false"},
              named ? "a new vocabulary is learned from the text"
                    : "the vocabularies are learned from the text");
  if (for_pieces) {
    marian_sentencepiece(m);
  } else {
    m.add("tokenizer", "word", "a token is what stands between spaces");
    m.add("pretokenized", "true", "words stay as they are in the text");
    m.same("sentencepiece-options", "the vocabularies are not SentencePiece's");
  }
  marian_vocabulary_size(m, for_pieces, joint);
}

void marian_crop(Migration& m, const ForeignOption& option, std::string_view) {
  m.translate({option.name}, "over-long", {m.is_on(option.name) ? "truncate" : "skip"});
}

constexpr std::string_view kInMemory =
    "text is in memory; attend prepare is for text that does not fit";

constexpr MigrationRule kTextRules[] = {
    {"train-sets", marian_files, "train", Takes::list},
    {"valid-sets", marian_files, "valid", Takes::list},
    {"vocabs", marian_vocabularies, "", Takes::list},
    {"dim-vocabs", marian_vocabularies, "", Takes::list},
    {"sentencepiece-options", marian_vocabularies},
    {"sentencepiece-alphas", has_no_equal_if_on,
     "bpe-dropout draws segmentations of tokenizer = \"bpe\"", Takes::list},
    {"sentencepiece-max-lines", has_no_equal,
     "vocabularies are learned from the whole text; sample-lines of attend prepare samples it"},
    {"no-spm-encode", has_no_equal_if_on,
     "the text is not in pieces; with pretokenized = true, its words are kept", Takes::maybe},
    {"max-length", becomes, "max-length"},
    {"max-length-crop", marian_crop, "", Takes::maybe},
    {"shuffle", is_same_if, "data|the text is shuffled in every epoch"},
    {"no-shuffle", has_no_equal_if_on, "the text is shuffled in every epoch", Takes::maybe},
    {"shuffle-in-ram", is_same, kInMemory, Takes::maybe},
    {"no-restore-corpus", has_no_equal_if_on, "a resumed run goes on with the same text",
     Takes::maybe},
    {"tempdir", is_same, kInMemory},
    {"sqlite", is_same, kInMemory, Takes::maybe},
    {"sqlite-drop", is_same, kInMemory, Takes::maybe},
    {"all-caps-every", has_no_equal_if_on, "change the text before training"},
    {"english-title-case-every", has_no_equal_if_on, "change the text before training"},
    {"guided-alignment", has_no_equal_if_on,
     "guided-alignment learns alignments from the text, without a file", Takes::one},
    {"guided-alignment-cost", is_same, "only for guided-alignment"},
    {"guided-alignment-weight", is_same, "only for guided-alignment"},
    {"data-weighting", has_no_equal_if_on,
     "mix-weights weighs whole files; sentences have no weights"},
    {"data-weighting-type", is_same, "only for data-weighting"},
    {"embedding-vectors", has_no_equal_if_on, "embeddings are trained from the text", Takes::list},
    {"embedding-normalization", is_same, "only for embedding-vectors", Takes::maybe},
    {"embedding-fix-src", has_no_equal_if_on,
     "freeze = [\"src_embedding.*\"] does so for a model that is not tied", Takes::maybe},
    {"embedding-fix-trg", has_no_equal_if_on,
     "freeze = [\"tgt_embedding.*\"] does so for a model that is not tied", Takes::maybe},
};

}  // namespace

std::span<const MigrationRule> marian_text_rules() { return kTextRules; }

}  // namespace attend
