#include "attend/data/terms/inline_terms.h"

#include <gtest/gtest.h>

#include <array>

namespace attend {
namespace {

using Ids = std::vector<std::int32_t>;
using Strings = std::vector<std::string>;

const ParallelText kDogs{
    {"the dog sees a cat .", "the dogs sleep", "The old dog", "no animal"},
    {"der Hund sieht eine Katze .", "die Hunde schlafen", "Das alte Tier", "kein Tier"}};

Tokenizer word_tokenizer() {
  Strings both = kDogs.src;
  both.insert(both.end(), kDogs.tgt.begin(), kDogs.tgt.end());
  TokenizerOptions options;
  options.type = TokenizerType::word;
  options.vocab_size = 28;
  return Tokenizer::train(both, options);
}

TEST(InlineTerms, StandBehindTheirPlaces) {
  const SourceWithTerms all = with_terms(
      Ids{1, 2, 3},
      std::array<InlineTerm, 3>{InlineTerm{0, {7}}, InlineTerm{2, {8, 9}}, InlineTerm{3, {7}}});
  EXPECT_EQ(all.ids, (Ids{7, 1, 2, 8, 9, 3, 7}));
  ASSERT_EQ(all.terms.size(), 3u);
  EXPECT_EQ(all.terms[1].begin, 3u);
  EXPECT_EQ(all.terms[1].end, 5u);
  EXPECT_EQ(all.terms[2].begin, 6u);
  EXPECT_EQ(with_terms(Ids{1, 2}, {}).ids, (Ids{1, 2}));
}

// The sources of the text with all of their terms, as text; the marks are brackets.
Strings with_all_terms(const Strings& dictionary) {
  const Tokenizer tokenizer = word_tokenizer();
  const InlineTermMarks marks{tokenizer.bos_id(), tokenizer.eos_id()};
  ReadReport report;
  const EncodedPairs pairs = encode_parallel(kDogs, tokenizer, tokenizer, {}, report);
  const auto terms = terms_of_pairs(pairs, kDogs, Glossary(dictionary), tokenizer, marks);
  Strings all;
  for (std::int64_t i = 0; i < pairs.src.sequences(); ++i) {
    std::string& text = all.emplace_back();
    for (const std::int32_t id : with_terms(pairs.src[i], terms[static_cast<std::size_t>(i)]).ids) {
      const std::string one = id == marks.begin ? "["
                              : id == marks.end ? "]"
                                                : tokenizer.decode(Ids{id});
      text += (text.empty() ? "" : " ") + one;
    }
  }
  return all;
}

TEST(InlineTerms, AreThoseThatBothSidesHave) {
  EXPECT_EQ(with_all_terms({"dog|dogs\tHund|Hunde", "cat\tKatze"}),
            (Strings{"the dog [ Hund ] sees a cat [ Katze ] .", "the dogs [ Hund ] sleep",
                     "The old dog", "no animal"}))
      << "as the dictionary has them first";
}

TEST(InlineTerms, AreTheTranslationThatTheTextUses) {
  EXPECT_EQ(with_all_terms({"dog\tHund", "dog\tTier", "old\talte"})[2],
            "The old [ alte ] dog [ Tier ]");
  EXPECT_EQ(with_all_terms({"old dog\talte Tier", "dog\tTier"})[2], "The old dog [ alte Tier ]")
      << "of several words";
  EXPECT_EQ(with_all_terms({"dog\tHun"})[0], "the dog sees a cat .") << "whole words only";
}

TEST(InlineTerms, OfTextsWithoutSpacesAreParts) {
  const ParallelText text{{"the dog"}, {"\xe8\xbf\x99\xe5\x8f\xaa\xe7\x8b\x97"}};
  const Tokenizer tokenizer = word_tokenizer();
  ReadReport report;
  const EncodedPairs pairs = encode_parallel(text, tokenizer, tokenizer, {}, report);
  EXPECT_EQ(terms_of_pairs(pairs, text, Glossary(Strings{"dog\t\xe7\x8b\x97"}), tokenizer, {1, 2})
                .front()
                .size(),
            1u);
}

}  // namespace
}  // namespace attend
