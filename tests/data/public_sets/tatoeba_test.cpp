#include <gtest/gtest.h>

#include <map>
#include <set>

#include "data/public_sets/set_files.h"

namespace attend {
namespace {

using Row = std::pair<std::string, std::string>;

const std::string kSource = "\tCC-BY 2.0 (France) Attribution: tatoeba.org #1 (a) & #2 (b)\n";

// English sentences with one to three translations; every translation is shared by two.
std::string many_pairs() {
  std::string text;
  for (int i = 0; i < 300; ++i)
    for (int k = 0; k <= i % 3; ++k)
      text += "It's number " + std::to_string(i) + ".\tDas ist Zahl " +
              std::to_string((i + k) / 2) + (k == 2 ? "?" : ".") + kSource;
  return text;
}

class Tatoeba : public PublicSetTest {
 protected:
  std::string archive(const std::string& text) {
    return write("deu-eng.zip", written_zip({{"_about.txt", "About\tit"},
                                             {.name = "deu.txt", .bytes = text, .deflate = true}}));
  }
  std::vector<Row> pairs_of(const std::string& part) const {
    const auto de = made_lines(part + ".de"), en = made_lines(part + ".en");
    EXPECT_EQ(de.size(), en.size());
    std::vector<Row> rows;
    for (std::size_t i = 0; i < de.size(); ++i) rows.emplace_back(de[i], en[i]);
    return rows;
  }
  std::vector<Row> rows_of(const std::string& table) const {
    std::vector<Row> rows;
    for (const std::string& line : made_lines(table))
      rows.emplace_back(line.substr(0, line.find('\t')), line.substr(line.find('\t') + 1));
    return rows;
  }
};

TEST_F(Tatoeba, SplitsPairsWithoutSharedSentences) {
  const PreparedSet prepared =
      prepare("tatoeba", {archive(many_pairs())}, {.valid_pairs = 40, .any_version = true});
  EXPECT_EQ(names(prepared),
            (std::vector<std::string>{"pairs.tsv", "train.de", "train.en", "train.lc.norm.tok.de",
                                      "train.lc.norm.tok.en", "train.tsv", "valid-pairs.tsv",
                                      "valid.de", "valid.en", "valid.lc.norm.tok.de",
                                      "valid.lc.norm.tok.en", "valid.tsv"}));
  const std::vector<Row> train = pairs_of("train"), valid = pairs_of("valid");
  EXPECT_EQ(valid.size(), 40u);
  std::set<std::string> held_out;
  for (const Row& row : valid) held_out.insert({row.first, row.second});
  for (const Row& row : train)
    EXPECT_FALSE(held_out.contains(row.first) || held_out.contains(row.second)) << row.second;
  EXPECT_GT(train.size(), 400u);
  ASSERT_EQ(prepared.notes.size(), 1u);
  EXPECT_EQ(prepared.notes[0], std::to_string(600 - 40 - train.size()) +
                                   " pairs left out: a sentence is in the validation text");
}

TEST_F(Tatoeba, IsTheSameForTheSameSeed) {
  const auto valid = [&](std::uint64_t seed) {
    std::filesystem::remove_all(folder_ / "out");
    prepare("tatoeba", {archive(many_pairs())}, {.valid_pairs = 40, .seed = seed});
    return made("valid.en");
  };
  EXPECT_EQ(valid(1), valid(1));
  EXPECT_NE(valid(1), valid(2));
}

// Each sentence once, and none of the training text.
TEST_F(Tatoeba, HasTranslationsForTheAlignment) {
  prepare("tatoeba", {archive(many_pairs())}, {.valid_pairs = 40});
  std::set<std::string> german, english, all;
  for (const Row& row : rows_of("valid-pairs.tsv")) {
    EXPECT_TRUE(german.insert(row.first).second && english.insert(row.second).second);
    all.insert({row.first, row.second});
  }
  EXPECT_GT(german.size(), 10u);
  const auto pairs = rows_of("pairs.tsv"), train = pairs_of("train");
  EXPECT_EQ(std::set(pairs.begin(), pairs.end()), std::set(train.begin(), train.end()));
  EXPECT_TRUE(std::is_sorted(pairs.begin(), pairs.end()));
}

// German sentences with several English ones; every tenth is held out.
TEST_F(Tatoeba, HasParaphrases) {
  prepare("tatoeba", {archive(many_pairs())}, {.valid_pairs = 0});
  EXPECT_FALSE(std::filesystem::exists(folder_ / "out/valid.en"));
  std::map<std::string, std::set<std::string>> groups;
  for (const Row& row : pairs_of("train")) groups[row.first].insert(row.second);
  std::vector<Row> valid, train;
  std::set<std::string> held_out;
  int number = 0;
  for (const auto& [german, sentences] : groups) {
    if (sentences.size() < 2) continue;
    const bool is_valid = ++number % 10 == 0;
    for (const std::string& english : sentences) {
      (is_valid ? valid : train).emplace_back(german, english);
      if (is_valid) held_out.insert(english);
    }
  }
  std::erase_if(train, [&](const Row& row) { return held_out.contains(row.second); });
  EXPECT_GT(valid.size(), 10u);
  EXPECT_EQ(rows_of("valid.tsv"), valid);
  EXPECT_EQ(rows_of("train.tsv"), train);
}

TEST_F(Tatoeba, HasTokenizedText) {
  prepare("tatoeba", {archive("It's so, \"Tom\".\tEs ist so, \"Tom\".\n")});
  EXPECT_EQ(made("train.lc.norm.tok.en"), "it &apos;s so , &quot; tom . &quot;\n");
  EXPECT_EQ(made("train.lc.norm.tok.de"), "es ist so , &quot; tom &quot; .\n");
  EXPECT_EQ(made("train.en"), "It's so, \"Tom\".\n");
}

TEST_F(Tatoeba, TakesOtherLanguages) {
  const std::string zip =
      write("spa-eng.zip", written_zip({{"spa.txt", "Go.\tVe.\nHi.\tHola.\n"}}));
  const PreparedSet prepared =
      prepare("tatoeba", {zip}, {.src_lang = "es", .tgt_lang = "en", .any_version = true});
  EXPECT_EQ(names(prepared), (std::vector<std::string>{"train.en", "train.es"}));
  EXPECT_EQ(made("train.es"), "Ve.\nHola.\n");
  ASSERT_EQ(prepared.notes.size(), 1u);
  EXPECT_TRUE(contains(prepared.notes[0], "rules of Moses for es"));
  std::filesystem::remove_all(folder_ / "out");
  expect_error<ConfigError>(
      [&] { prepare("tatoeba", {zip}, {.src_lang = "es", .tgt_lang = "de"}); },
      {"src_lang", "en and another", "es and de"});
  EXPECT_THROW(prepare("tatoeba", {zip}, {.tgt_lang = "en"}), ConfigError);
}

TEST_F(Tatoeba, RefusesOtherTexts) {
  expect_error<DataError>([&] { prepare("tatoeba", {archive("Go.\tGeh.\nno tab\n")}); },
                          {"deu.txt:2", "a tab"});
  expect_error<DataError>(
      [&] {
        prepare("tatoeba", {write("a.zip", written_zip({{"x", ""}}))});
      },
      {"lack a text such as deu.txt"});
  const std::string zip = archive("Go.\tGeh.\n"), other = write("fra.txt", "Go.\tVa.\n");
  expect_error<DataError>(
      [&] {
        prepare("tatoeba", {zip, other});
      },
      {"one pair of languages", "deu.txt", "fra.txt"});
  expect_error<DataError>([&] { prepare("tatoeba", {archive("\tGeh.\nGo.\t \n")}); },
                          {"expected pairs"});
  EXPECT_FALSE(has_out());
}

}  // namespace
}  // namespace attend
