#include <gtest/gtest.h>

#include "data/public_sets/set_files.h"

namespace attend {
namespace {

std::string unit(const std::string& de, const std::string& en) {
  return "<tu><tuv xml:lang=\"de\"><seg>" + de + "</seg></tuv><tuv xml:lang=\"en\"><seg>" + en +
         "</seg></tuv></tu>\n";
}
std::string tmx(const std::string& units) {
  return "<?xml version=\"1.0\"?>\n<tmx version=\"1.4\"><header srclang=\"de\"/><body>\n" + units +
         "</body></tmx>\n";
}

class Opus : public PublicSetTest {
 protected:
  std::string moses() {
    return write("de-en.txt.zip", written_zip({{"README", "about"},
                                               {"LICENSE", "any"},
                                               {"Books.de-en.de", "Ein Buch.\nZwei.\n"},
                                               {"Books.de-en.en", "A book.\nTwo.\n"},
                                               {"Books.de-en.ids", "1\n2\n"}}));
  }
};

TEST_F(Opus, ReadsMosesArchives) {
  EXPECT_EQ(names(prepare("opus", {moses()})), (std::vector<std::string>{"train.de", "train.en"}));
  EXPECT_EQ(made("train.de"), "Ein Buch.\nZwei.\n");
  EXPECT_EQ(made("train.en"), "A book.\nTwo.\n");
}

TEST_F(Opus, ReadsTranslationMemories) {
  const std::string text =
      tmx(unit("Ein\nBuch.", "A book.") + unit("Leer", "") + unit("Ja", "Yes"));
  const std::string packed = write("de-en.tmx.gz", gzip(text)),
                    zip = write("de-en.tmx.zip", written_zip({{"de-en.tmx", text}})),
                    plain = write("x.tmx", text);
  for (const std::string& file : {packed, zip, plain}) {
    std::filesystem::remove_all(folder_ / "out");
    const PreparedSet prepared = prepare("opus", {file});
    EXPECT_EQ(made("train.de"), "Ein Buch.\nJa\n");
    EXPECT_EQ(made("train.en"), "A book.\nYes\n");
    ASSERT_EQ(prepared.notes.size(), 1u);
    EXPECT_TRUE(contains(prepared.notes[0], "1 pair left out"));
  }
}

TEST_F(Opus, SetsPairsAside) {
  std::string units;
  for (int i = 0; i < 100; ++i) units += unit("d" + std::to_string(i), "e" + std::to_string(i));
  const std::string file = write("x.tmx", tmx(units));
  prepare("opus", {file}, {.valid_pairs = 7});
  EXPECT_EQ(made_lines("valid.de").size(), 7u);
  EXPECT_EQ(made_lines("train.de").size(), 93u);
  std::filesystem::remove_all(folder_ / "out");
  prepare("opus", {file});
  EXPECT_EQ(made_lines("valid.de").size(), 10u) << "at most a tenth";
}

TEST_F(Opus, ChoosesLanguages) {
  const std::string file = write(
      "x.tmx", tmx("<tu><tuv lang=\"EN-us\"><seg>one</seg></tuv><tuv lang=\"de\"><seg>eins</seg>"
                   "</tuv><tuv lang=\"fr\"><seg>un</seg></tuv></tu>"));
  expect_error<DataError>([&] { prepare("opus", {file}); },
                          {"x.tmx", "two languages", "de, en, fr", "src_lang", "tgt_lang"});
  prepare("opus", {file}, {.src_lang = "fr", .tgt_lang = "en"});
  EXPECT_EQ(made("train.fr"), "un\n");
  EXPECT_EQ(made("train.en"), "one\n");
  std::filesystem::remove_all(folder_ / "out");
  expect_error<ConfigError>([&] { prepare("opus", {moses()}, {.src_lang = "de"}); },
                            {"both src_lang and tgt_lang"});
  expect_error<DataError>([&] { prepare("opus", {moses()}, {.src_lang = "de", .tgt_lang = "fr"}); },
                          {"expected pairs"});
}

TEST_F(Opus, RefusesOtherFiles) {
  expect_error<DataError>([&] { prepare("opus", {write("a.txt", "text\n")}); }, {"lack", ".tmx"});
  expect_error<DataError>([&] { prepare("opus", {write("a.tmx", "<html></html>")}); },
                          {"a.tmx", "no element tmx"});
  EXPECT_FALSE(has_out());
}

}  // namespace
}  // namespace attend
