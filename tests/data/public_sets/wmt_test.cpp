#include <gtest/gtest.h>

#include "data/public_sets/set_files.h"

namespace attend {
namespace {

std::string sgm(const std::vector<std::string>& segments) {
  std::string text = "<srcset setid=\"newstest\" srclang=\"any\">\n<doc docid=\"a\">\n<p>\n";
  for (std::size_t i = 0; i < segments.size(); ++i)
    text += "<seg id=\"" + std::to_string(i + 1) + "\">" + segments[i] + "</seg>\n";
  return text + "</p>\n</doc>\n</srcset>\n";
}

class Wmt : public PublicSetTest {
 protected:
  std::string tgz(const std::string& name, const std::vector<WrittenTarEntry>& entries) {
    return write(name, gzip(written_tar(entries)));
  }
};

TEST_F(Wmt, JoinsCorporaOfTheLanguages) {
  const std::string archive =
      tgz("training.tgz",
          {{.name = "training/news-commentary-v9.cs-en.cs", .bytes = "Pes.\n"},
           {.name = "training/news-commentary-v9.cs-en.en", .bytes = "A dog.\n"},
           {.name = "training/news-commentary-v9.de-en.de", .bytes = "Hund.\n\nUhr.\n"},
           {.name = "training/news-commentary-v9.de-en.en", .bytes = "Dog.\nNo.\nClock."},
           {.name = "commoncrawl.de-en.annotation", .bytes = "x\n"},
           {.name = "commoncrawl.de-en.en", .bytes = "Web.\n"},
           {.name = "commoncrawl.de-en.de", .bytes = "Netz.\n"}});
  const std::string table = write("news-commentary-v14.de-en.tsv.gz",
                                  gzip("Tisch.\tTable.\n\t\nnur deutsch\nBaum.\tTree.\tid\n"));
  const PreparedSet prepared = prepare("wmt", {table, archive});
  EXPECT_EQ(names(prepared), (std::vector<std::string>{"train.de", "train.en"}));
  EXPECT_EQ(made("train.en"), "Table.\nTree.\nWeb.\nDog.\nClock.\n");
  EXPECT_EQ(made("train.de"), "Tisch.\nBaum.\nNetz.\nHund.\nUhr.\n");
  ASSERT_EQ(prepared.notes.size(), 1u);
  EXPECT_TRUE(contains(prepared.notes[0], "3 pairs left out"));
}

TEST_F(Wmt, WritesTheTestSetsOfTheDirection) {
  const std::string archive = tgz(
      "dev.tgz", {{.name = "dev/newstest2013.de", .bytes = "Dreizehn.\n"},
                  {.name = "dev/newstest2013.en", .bytes = "Thirteen.\n"},
                  {.name = "dev/newstest2013-src.de.sgm", .bytes = sgm({"Dreizehn."})},
                  {.name = "dev/newstest2014-deen-src.de.sgm", .bytes = sgm({"A &amp; B", " x "})},
                  {.name = "dev/newstest2014-deen-ref.en.sgm", .bytes = sgm({"A &amp; B", "y"})},
                  {.name = "dev/newstest2015-deen-src.de.sgm", .bytes = sgm({"falsch"})},
                  {.name = "dev/newstest2015-deen-ref.en.sgm", .bytes = sgm({"wrong"})},
                  {.name = "dev/newstest2015-ende-src.en.sgm", .bytes = sgm({"right"})},
                  {.name = "dev/newstest2015-ende-ref.de.sgm", .bytes = sgm({"richtig"})},
                  {.name = "dev/newstest2016-ende-src.en.sgm", .bytes = sgm({"alone"})},
                  {.name = "dev/newstest2017-csen-src.en.sgm", .bytes = sgm({"other"})},
                  {.name = "dev/newstest2017-csen-ref.cs.sgm", .bytes = sgm({"jiný"})}});
  EXPECT_EQ(names(prepare("wmt", {archive})),
            (std::vector<std::string>{"newstest2013.de", "newstest2013.en", "newstest2014.de",
                                      "newstest2014.en", "newstest2015.de", "newstest2015.en"}));
  EXPECT_EQ(made("newstest2013.de"), "Dreizehn.\n");
  EXPECT_EQ(made("newstest2014.de"), "A &amp; B\nx\n");
  EXPECT_EQ(made("newstest2015.en"), "right\n");
  EXPECT_EQ(made("newstest2015.de"), "richtig\n");
}

TEST_F(Wmt, TakesOtherLanguages) {
  const std::string archive = tgz(
      "a.tgz", {{.name = "x.ru-en.ru", .bytes = "да\n"}, {.name = "x.ru-en.en", .bytes = "yes\n"}});
  prepare("wmt", {archive}, {.src_lang = "ru", .tgt_lang = "en"});
  EXPECT_EQ(made("train.ru"), "да\n");
}

TEST_F(Wmt, RefusesIncompleteCorpora) {
  expect_error<DataError>(
      [&] { prepare("wmt", {tgz("a.tgz", {{.name = "x.de-en.de", .bytes = "ja\n"}})}); },
      {"x.de-en.en and x.de-en.de", "only one"});
  expect_error<DataError>(
      [&] {
        prepare("wmt", {tgz("a.tgz", {{.name = "x.de-en.de", .bytes = "ja\nnein\n"},
                                      {.name = "x.de-en.en", .bytes = "yes\n"}})});
      },
      {"x.de-en.en", "x.de-en.de", "found 1 and 2"});
  expect_error<DataError>(
      [&] { prepare("wmt", {tgz("a.tgz", {{.name = "x.cs-en.cs", .bytes = "ano\n"}})}); },
      {"lack text in the languages en and de"});
  expect_error<DataError>(
      [&] {
        prepare("wmt", {tgz("a.tgz", {{.name = "a/x.de-en.de", .bytes = "ja\n"},
                                      {.name = "b/x.de-en.de", .bytes = "ja\n"}})});
      },
      {"'x.de-en.de' once"});
  EXPECT_FALSE(has_out());
}

}  // namespace
}  // namespace attend
