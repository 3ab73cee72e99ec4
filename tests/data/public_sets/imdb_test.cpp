#include <gtest/gtest.h>

#include <map>
#include <set>

#include "attend/core/files/lines.h"
#include "data/public_sets/set_files.h"

namespace attend {
namespace {

using Entries = std::vector<WrittenTarEntry>;

std::string address(const std::string& film) {
  return "http://www.imdb.com/title/" + film + "/usercomments\n";
}

WrittenTarEntry entry(const std::string& name, const std::string& bytes) {
  return {.name = "aclImdb/" + name, .bytes = bytes};
}

// Twelve films; the first of them has two reviews.
Entries small_set() {
  Entries entries{
      {.name = "aclImdb/", .type = '5'},        entry("README", "about"),
      entry("train/unsup/0_0.txt", "no label"), entry("test/pos/7_9.txt", "Nice."),
      entry("test/neg/0_2.txt", "Bad."),        entry("train/labeledBow.feat", "1 0:9")};
  std::string films[2];
  for (int i = 0; i < 12; ++i) {
    const int label = i % 2;
    films[label] += address("tt" + std::to_string(i));
    entries.push_back(entry(std::string("train/") + (label ? "pos/" : "neg/") +
                                std::to_string(i / 2) + (label ? "_8.txt" : "_3.txt"),
                            "Film " + std::to_string(i) + ".<br />It\thas\ntwo lines."));
  }
  films[1] += address("tt0");
  entries.push_back(entry("train/pos/6_10.txt", "The first film again."));
  entries.push_back(entry("train/urls_neg.txt", films[0]));
  entries.push_back(entry("train/urls_pos.txt", films[1]));
  return entries;
}

class Imdb : public PublicSetTest {
 protected:
  std::string archive(const Entries& entries) {
    return write("aclImdb_v1.tar.gz", gzip(written_tar(entries)));
  }
  std::set<std::string> made_set(const std::string& name) const {
    const std::vector<std::string> lines = made_lines(name);
    return {lines.begin(), lines.end()};
  }
};

// In the order of films, negative reviews first, the first and the sixth film are for validation.
TEST_F(Imdb, IsSplitByFilm) {
  const PreparedSet prepared = prepare("imdb", {archive(small_set())});
  EXPECT_EQ(names(prepared), (std::vector<std::string>{"test.tsv", "train.tsv", "valid.tsv"}));
  EXPECT_EQ(made_set("valid.tsv"),
            (std::set<std::string>{"0\t3\tneg/0\tFilm 0.<br />It has two lines.",
                                   "0\t3\tneg/5\tFilm 10.<br />It has two lines.",
                                   "1\t8\tpos/4\tFilm 9.<br />It has two lines.",
                                   "1\t10\tpos/6\tThe first film again."}));
  EXPECT_EQ(made_lines("train.tsv").size(), 9u);
  EXPECT_EQ(made_set("test.tsv"),
            (std::set<std::string>{"0\t2\tneg/0\tBad.", "1\t9\tpos/7\tNice."}));
}

TEST_F(Imdb, HasAnOrderOfTheSeed) {
  const auto order = [&](std::uint64_t seed) {
    std::filesystem::remove_all(folder_ / "out");
    prepare("imdb", {archive(small_set())}, {.seed = seed, .any_version = true});
    return made_lines("train.tsv");
  };
  EXPECT_EQ(order(1), order(1));
  EXPECT_NE(order(1), order(2));
}

TEST_F(Imdb, NeedsReviewsAndFilms) {
  Entries entries = small_set();
  entries.pop_back();
  expect_error<DataError>([&] { prepare("imdb", {archive(entries)}); }, {"train/urls_pos.txt"});
  entries.push_back(entry("train/urls_pos.txt", address("tt1")));
  expect_error<DataError>([&] { prepare("imdb", {archive(entries)}); },
                          {"pos/1", "urls_pos.txt", "1 line"});
  entries.back() = entry("train/urls_pos.txt", "no address\n");
  expect_error<DataError>([&] { prepare("imdb", {archive(entries)}); },
                          {"aclImdb/train/urls_pos.txt:1", "'no address'"});
  expect_error<DataError>([&] { prepare("imdb", {archive({entry("README", "x")})}); },
                          {"train/neg"});
  entries = small_set();
  entries.push_back(entry("train/neg/0_4.txt", "Twice."));
  expect_error<DataError>([&] { prepare("imdb", {archive(entries)}); }, {"0_4.txt", "once"});
}

// A review is a link here.
TEST_F(Imdb, ReadsNoLinks) {
  Entries entries = small_set();
  entries.push_back({.name = "aclImdb/train/neg/6_1.txt", .type = '2', .link = "/etc/passwd"});
  prepare("imdb", {archive(entries)});
  EXPECT_EQ(made_lines("train.tsv").size() + made_lines("valid.tsv").size(), 13u);
}

TEST_F(Imdb, IsThePublishedSplit) {
  const std::string films = real_data("imdb/movies.train.tsv").string();
  if (!std::filesystem::exists(films)) GTEST_SKIP() << "no IMDB at " << films;
  std::map<std::string, std::string> addresses;
  for (const std::string& line : read_lines(films))
    addresses[line.substr(0, 3)] += address(line.substr(line.find('\t') + 1));
  Entries entries{entry("train/urls_neg.txt", addresses["neg"]),
                  entry("train/urls_pos.txt", addresses["pos"])};
  std::set<std::string> rows;
  for (const std::string part : {"train", "valid"}) {
    for (const std::string& line : read_lines(real_data("imdb/" + part + ".tsv").string())) {
      rows.insert(line);
      const std::size_t rating = line.find('\t') + 1, id = line.find('\t', rating) + 1,
                        text = line.find('\t', id) + 1;
      entries.push_back(entry("train/" + line.substr(id, text - 1 - id) + "_" +
                                  line.substr(rating, id - 1 - rating) + ".txt",
                              line.substr(text)));
    }
  }
  const std::string file = write("imdb.tar", written_tar(entries));
  const PreparedSet prepared = prepare("imdb", {file}, {});
  EXPECT_EQ(prepared.files.at(0).lines, 20'303);
  EXPECT_EQ(prepared.files.at(1).lines, 4'697);
  std::set<std::string> made = made_set("train.tsv");
  made.merge(made_set("valid.tsv"));
  EXPECT_EQ(made, rows);
}

}  // namespace
}  // namespace attend
