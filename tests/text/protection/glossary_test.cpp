#include "attend/text/protection/glossary.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <fstream>

#include "attend/error.h"
#include "tensor/expect_error.h"

namespace attend {
namespace {

using Texts = std::vector<std::string>;

// The translations of each term in a text.
std::vector<Texts> found(const Texts& terms, const std::string& text) {
  std::vector<Texts> all;
  for (const GlossaryTerm& term : Glossary(terms).find(text)) all.push_back(term.targets);
  return all;
}

TEST(Glossary, FindsWholeWordsAndTheirForms) {
  const Texts terms{"dog|dogs\tHund|Hunde", "cat\tKatze"};
  EXPECT_EQ(found(terms, "a dog"), (std::vector<Texts>{{"Hund", "Hunde"}}));
  EXPECT_EQ(found(terms, "two dogs, one cat."), (std::vector<Texts>{{"Hund", "Hunde"}, {"Katze"}}));
  EXPECT_TRUE(found(terms, "a hotdog, a catalog, dogma, dog2").empty());
  EXPECT_EQ(found(terms, "dog and dogs and dog").size(), 1u) << "one term";
  EXPECT_TRUE(found({}, "dog").empty());
  EXPECT_TRUE(found(terms, "").empty());
}

TEST(Glossary, TellsWhereATermOccurs) {
  using Places = std::vector<std::pair<std::size_t, std::size_t>>;
  const Texts terms{"dog|dogs\tHund", "caf\xc3\xa9\tKneipe"};
  const auto in_text = Glossary(terms).find("\xc3\x89h, dogs: a caf\xc3\xa9, a dog");
  ASSERT_EQ(in_text.size(), 2u);
  EXPECT_EQ(in_text[0].places, (Places{{5, 9}, {22, 25}}));
  EXPECT_EQ(in_text[1].places, (Places{{13, 18}}));
}

TEST(Glossary, PrefersTheLongestTerm) {
  EXPECT_EQ(found({"dog\ta", "hot dog\tb", "dog food\tc"}, "a hot dog, dog food, a dog"),
            (std::vector<Texts>{{"b"}, {"c"}, {"a"}}));
}

TEST(Glossary, FollowsTheCaseOfTheTerm) {
  EXPECT_EQ(found({"reply\tantwort"}, "Reply now"), (std::vector<Texts>{{"antwort", "Antwort"}}));
  EXPECT_EQ(found({"reply\tantwort"}, "No REPLY"),
            (std::vector<Texts>{{"antwort", "ANTWORT", "Antwort"}}));
  EXPECT_EQ(found({"reply\tantwort"}, "no reply"), (std::vector<Texts>{{"antwort"}}));
  EXPECT_EQ(found({"\xc3\xa9tat\tstaat"}, "Un \xc3\x89tat").size(), 1u);
  EXPECT_TRUE(found({"May\tMai"}, "you may").empty()) << "capitals are kept";
  EXPECT_EQ(found({"May\tMai"}, "in MAY").size(), 1u);
}

TEST(Glossary, TellsThePlacesAndAllTermsOfAForm) {
  const std::vector<GlossaryPlace> places =
      Glossary(Texts{"dog|dogs\tHund", "cat\tKatze", "dog\tK\xc3\xb6ter", "Dog\tName"})
          .places("an \xc3\xa4 dog, dogs, cats, Dog and cat");
  ASSERT_EQ(places.size(), 2u);
  EXPECT_EQ(places[0].end, 9u) << "in bytes";
  ASSERT_EQ(places[0].terms.size(), 2u);
  EXPECT_EQ(places[0].terms[1].targets, Texts{"K\xc3\xb6ter"});
  EXPECT_EQ(places[1].end, 34u);
  EXPECT_EQ(places[1].terms.size(), 1u);
}

TEST(Glossary, FindsTermsInScriptsWithoutSpaces) {
  EXPECT_EQ(found({"東京\tTokyo", "京\tcapital"}, "私は東京に住む"),
            (std::vector<Texts>{{"Tokyo"}}));
}

TEST(Glossary, ReadsFiles) {
  const std::string path = testing::TempDir() + "attend_glossary.tsv";
  std::ofstream(path) << "# animals\n\ndog | dogs\t Hund \tnoun\r\ncat\tKatze\n";
  EXPECT_EQ(found({path, "fish\tFisch"}, "dogs eat fish"),
            (std::vector<Texts>{{"Hund"}, {"Fisch"}}));
  std::ofstream(path) << "dog\tHund\ncat\n";
  expect_error<DataError>([&] { Glossary(Texts{path}); }, {"attend_glossary.tsv:2", "a tab"});
  std::remove(path.c_str());
  EXPECT_THROW(Glossary(Texts{path}), IoError);
  EXPECT_THROW(Glossary(Texts{"dog\t"}), DataError);
  EXPECT_THROW(Glossary(Texts{" | \tHund"}), DataError);
}

}  // namespace
}  // namespace attend
