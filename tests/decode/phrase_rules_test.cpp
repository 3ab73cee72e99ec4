#include "attend/decode/phrase_rules.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "attend/core/random/random.h"
#include "attend/error.h"
#include "tensor/expect_error.h"

namespace attend {
namespace {

using Tokens = std::vector<std::int32_t>;

bool has(const Tokens& text, const Tokens& phrase) {
  return std::search(text.begin(), text.end(), phrase.begin(), phrase.end()) != text.end();
}

PhraseRules::Progress read_all(const PhraseRules& rules, const Tokens& text) {
  PhraseRules::Progress progress = rules.begin();
  for (const std::int32_t token : text) rules.read(progress, token);
  return progress;
}

int met(const PhraseRules& rules, const Tokens& text) { return rules.met(read_all(rules, text)); }

Tokens random_tokens(Random& random, std::size_t length) {
  Tokens tokens(length);
  for (std::int32_t& token : tokens) token = static_cast<std::int32_t>(random.below(2));
  return tokens;
}

TEST(PhraseRules, TellWhichTokensOfAnOutputAreOfRequiredPhrases) {
  const PhraseRules rules({RequiredPhrase{{{1, 2}, {3}}}, RequiredPhrase{{{2, 2}}}}, {});
  EXPECT_EQ(rules.required_tokens(Tokens{0, 1, 2, 2, 0, 3, 1}),
            (std::vector<bool>{false, true, true, true, false, true, false}));
  EXPECT_EQ(rules.required_tokens(Tokens{}), std::vector<bool>{});
}

// Of two tokens, so that phrases begin again within themselves.
TEST(PhraseRules, KnowWhatATextContains) {
  Random random({1, 1});
  for (int trial = 0; trial < 500; ++trial) {
    const Tokens first = random_tokens(random, 1 + random.below(4)),
                 second = random_tokens(random, 1 + random.below(4)),
                 text = random_tokens(random, random.below(9));
    const PhraseRules required({first, second}, {});
    const bool both = has(text, first) && has(text, second);
    EXPECT_EQ(met(required, text) == required.total(), both);
    const PhraseRules forbidden(std::vector<Tokens>{}, {one_path(first), one_path(second)});
    EXPECT_EQ(read_all(forbidden, text).violated, has(text, first) || has(text, second));
  }
}

TEST(PhraseRules, CountTheTokensOfWholePhrasesAndOfTheFurthestOther) {
  const PhraseRules rules({{5, 6, 7}, {6, 8}, {9}}, {});
  EXPECT_EQ(rules.total(), 6);
  EXPECT_EQ(met(rules, {}), 0);
  EXPECT_EQ(met(rules, {5, 6}), 2) << "not 3: one of the two has to be begun again";
  EXPECT_EQ(met(rules, {5, 6, 8}), 2);
  EXPECT_EQ(met(rules, {5, 6, 7}), 3);
  EXPECT_EQ(met(rules, {5, 9, 1}), 1);
  EXPECT_EQ(met(rules, {5, 6, 7, 6, 8, 9}), 6);
}

TEST(PhraseRules, AreDoneWithinTheTokensThatAreMissing) {
  Random random({2, 2});
  for (int trial = 0; trial < 300; ++trial) {
    const PhraseRules rules(
        {random_tokens(random, 1 + random.below(4)), random_tokens(random, 1 + random.below(4)),
         random_tokens(random, 1 + random.below(4))},
        {});
    PhraseRules::Progress progress = read_all(rules, random_tokens(random, random.below(6)));
    int before = rules.met(progress);
    while (before < rules.total()) {
      int best = 0;
      PhraseRules::Progress next;
      for (const std::int32_t token : rules.wanted(progress)) {
        PhraseRules::Progress longer = progress;
        rules.read(longer, token);
        if (rules.met(longer) <= best) continue;
        best = rules.met(longer);
        next = longer;
      }
      ASSERT_GT(best, before);
      before = best;
      progress = next;
    }
    EXPECT_TRUE(rules.wanted(progress).empty());
  }
}

TEST(PhraseRules, ForbidTheTokenThatWouldCompleteAPhrase) {
  const PhraseRules rules(std::vector<Tokens>{}, {one_path(Tokens{5, 6, 5}), one_path(Tokens{7})});
  const auto forbidden_after = [&](const Tokens& text) {
    Tokens tokens;
    rules.add_forbidden(read_all(rules, text), tokens);
    std::sort(tokens.begin(), tokens.end());
    return tokens;
  };
  EXPECT_EQ(forbidden_after({}), (Tokens{7}));
  EXPECT_EQ(forbidden_after({5}), (Tokens{7}));
  EXPECT_EQ(forbidden_after({5, 6}), (Tokens{5, 7}));
  EXPECT_EQ(forbidden_after({5, 5, 6}), (Tokens{5, 7}));
  EXPECT_EQ(forbidden_after({5, 6, 6}), (Tokens{7}));
}

TEST(PhraseRules, ForbidEveryWayToWriteAPhrase) {
  // abc in the pieces a, b, c, ab, bc, abc.
  const PhrasePaths paths{{{0, 1, 1}, {1, 2, 2}, {2, 3, 3}, {0, 12, 2}, {1, 23, 3}, {0, 123, 3}},
                          3};
  const PhraseRules rules(std::vector<Tokens>{}, {paths});
  for (const Tokens& text : {Tokens{1, 2, 3}, {12, 3}, {1, 23}, {123}, {1, 12, 3}, {12, 1, 23}})
    EXPECT_TRUE(read_all(rules, text).violated);
  for (const Tokens& text : {Tokens{1, 3}, {12, 23}, {2, 3}, {1, 2, 12}})
    EXPECT_FALSE(read_all(rules, text).violated);
}

std::size_t count_of(const Tokens& text, const Tokens& phrase) {
  std::size_t count = 0;
  for (auto at = text.begin(); at != text.end(); ++at)
    count += std::equal(phrase.begin(), phrase.end(), at,
                        at + std::min(std::ssize(phrase), text.end() - at));
  return count;
}

TEST(PhraseRules, MayRequireAPhraseOnce) {
  Random random({1, 3});
  for (int trial = 0; trial < 2000; ++trial) {
    const Tokens phrase = random_tokens(random, 1 + random.below(4)),
                 text = random_tokens(random, random.below(12));
    const PhraseRules rules(std::vector<RequiredPhrase>{{{phrase}, true}}, {});
    const PhraseRules::Progress progress = read_all(rules, text);
    EXPECT_EQ(rules.met(progress) == rules.total(), has(text, phrase));
    EXPECT_EQ(progress.violated, count_of(text, phrase) > 1);
    if (progress.violated) continue;
    Tokens forbidden, longer = text;
    rules.add_forbidden(progress, forbidden);
    for (std::int32_t next = 0; next < 2; ++next) {
      longer.push_back(next);
      EXPECT_EQ(std::count(forbidden.begin(), forbidden.end(), next) > 0,
                count_of(longer, phrase) > 1);
      longer.pop_back();
    }
  }
}

TEST(PhraseRules, MayHaveAlternatives) {
  const PhraseRules rules(std::vector<RequiredPhrase>{{{{5, 6, 7}, {8}, {5, 9}}}, {{{4}}}}, {});
  EXPECT_EQ(rules.total(), 2);
  EXPECT_EQ(met(rules, {5, 6}), 0) << "the shortest one takes as many tokens";
  EXPECT_EQ(met(rules, {5, 6, 7}), 1);
  EXPECT_EQ(met(rules, {8, 8, 4}), 2);
  EXPECT_EQ(met(rules, {5, 9}), 1);
  EXPECT_EQ(rules.wanted(read_all(rules, {5})), (Tokens{6, 8, 9, 4}));
  EXPECT_EQ(rules.wanted(read_all(rules, {8, 5})), Tokens{4});
}

TEST(PhraseRules, OfAlternativesOneIsThere) {
  Random random({4, 2});
  for (int trial = 0; trial < 1000; ++trial) {
    const Tokens a = random_tokens(random, 1 + random.below(4)),
                 b = random_tokens(random, 1 + random.below(4)),
                 text = random_tokens(random, random.below(9));
    const PhraseRules rules(std::vector<RequiredPhrase>{{{a, b}}}, {});
    EXPECT_EQ(met(rules, text) == rules.total(), has(text, a) || has(text, b));
  }
}

TEST(PhraseRules, RefuseWhatCannotBe) {
  expect_error<ConfigError>([] { PhraseRules(std::vector<Tokens>{{}}, {}); },
                            {"expected at least one token"});
  expect_error<ConfigError>([] { PhraseRules(std::vector<Tokens>{}, {{}}); },
                            {"expected at least one token"});
  expect_error<ConfigError>(
      [] {
        PhraseRules(std::vector<Tokens>{{4, 5, 6}}, {one_path(Tokens{5, 6})});
      },
      {"a required phrase contains a forbidden one"});
  EXPECT_NO_THROW(PhraseRules(std::vector<Tokens>{{5}}, {one_path(Tokens{5, 6})}));
}

}  // namespace
}  // namespace attend
