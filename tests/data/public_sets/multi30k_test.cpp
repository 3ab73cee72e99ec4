#include <gtest/gtest.h>

#include "attend/core/files/lines.h"
#include "attend/data/public_sets/published_tokens.h"
#include "data/public_sets/set_files.h"

namespace attend {
namespace {

const std::string kEnglish = "A man's dog -- two, in fact.\nTwo girls & a \"boy\".\n";
const std::string kGerman = "Ein Hund, der \"läuft\".\nZwei Mädchen: schön!\n";
const std::string kEnglishTokens =
    "a man &apos;s dog -- two , in fact .\ntwo girls &amp; a &quot; boy . &quot;\n";
const std::string kGermanTokens = "ein hund , der &quot; läuft &quot; .\nzwei mädchen : schön !\n";

// What the scripts make of quotation marks, and not moses_normalize().
TEST(MosesLine, IsThatOfTheScripts) {
  EXPECT_EQ(moses_line("Das “Hook ‘Em” d’accord.", "de"),
            "das &quot; hook &quot; em &quot; d &apos; accord .");
  EXPECT_EQ(moses_line("un coup d’œil", "fr"), "un coup d &quot; œil");
  EXPECT_EQ(moses_line("l’a’b’c", "fr"), "l&apos; a &quot; b&apos; c");
  EXPECT_EQ(moses_line("On a motorcycle .`", "en"), "on a motorcycle  . &apos; ");
  EXPECT_EQ(moses_line("On a motorcycle.`", "en"), "on a motorcycle . &apos; ");
  EXPECT_EQ(moses_line("Er sagt: „Ja.“", "de"), "er sagt : &quot; ja &quot; .");
}

class Multi30k : public PublicSetTest {
 protected:
  std::string gz(const std::string& name, const std::string& text) {
    return write(name + ".gz", gzip(text));
  }
  std::vector<std::string> small() {
    return {gz("train.en", kEnglish), gz("train.de", kGerman), gz("val.en", kEnglish),
            gz("val.de", kGerman)};
  }
};

TEST_F(Multi30k, IsRawAndTokenizedText) {
  std::vector<std::string> from = small();
  from.push_back(gz("test_2016_flickr.cs", "Pes.\n"));
  EXPECT_EQ(names(prepare("multi30k", from)),
            (std::vector<std::string>{"test_2016_flickr.cs", "tok/train.lc.norm.tok.de",
                                      "tok/train.lc.norm.tok.en", "tok/val.lc.norm.tok.de",
                                      "tok/val.lc.norm.tok.en", "train.de", "train.en", "val.de",
                                      "val.en"}));
  EXPECT_EQ(made("train.de"), kGerman);
  EXPECT_EQ(made("tok/train.lc.norm.tok.en"), kEnglishTokens);
  EXPECT_EQ(made("tok/val.lc.norm.tok.de"), kGermanTokens);
}

// They end with an empty line, and one was packed on a Mac.
TEST_F(Multi30k, ReadsTheArchivesOf2016) {
  const auto tar = [&](const std::string& name, const std::string& part) {
    return write(name, gzip(written_tar({{.name = "./._" + part + ".de", .bytes = "\x05\x16"},
                                         {.name = "./" + part + ".de", .bytes = kGerman + "\n"},
                                         {.name = part + ".en", .bytes = kEnglish + "\n"}})));
  };
  prepare("multi30k", {tar("a.tar.gz", "train"), tar("b.tar.gz", "val"), tar("c.tar.gz", "test")});
  EXPECT_EQ(made("train.de"), kGerman);
  EXPECT_EQ(made("test_2016_flickr.en"), kEnglish);
  EXPECT_EQ(made("tok/test_2016_flickr.lc.norm.tok.de"), kGermanTokens);
}

TEST_F(Multi30k, NeedsBothLanguages) {
  std::vector<std::string> from = small();
  from.pop_back();
  expect_error<DataError>([&] { prepare("multi30k", from); }, {"lack val.de", "multi30k"});
  EXPECT_FALSE(has_out());
  expect_error<DataError>(
      [&] { prepare("multi30k", small(), {.tgt_lang = "fr", .any_version = true}); }, {"train.fr"});
}

TEST_F(Multi30k, NeedsParallelText) {
  std::vector<std::string> from = small();
  gz("val.de", kGerman + "Noch einer.\n");
  expect_error<DataError>([&] { prepare("multi30k", from); }, {"val.en", "val.de", "found 2", "3"});
}

// The published text is lower-cased, normalized and tokenized by scripts in Perl.
TEST_F(Multi30k, IsThePublishedTextByteForByte) {
  if (!std::filesystem::exists(real_data("multi30k/tok")))
    GTEST_SKIP() << "no Multi30k at " << real_data("multi30k");
  std::vector<std::string> from;
  for (const std::string part : {"train", "val", "test_2016_flickr"})
    for (const std::string language : {".en", ".de", ".fr"})
      from.push_back(real_data("multi30k/" + part + language).string());
  const PreparedSet prepared = prepare("multi30k", from, {});
  for (const WrittenFile& file : prepared.files) EXPECT_TRUE(file.published) << file.name;
  for (const std::string part : {"train", "val", "test_2016_flickr"}) {
    for (const std::string language : {"en", "de"}) {
      const std::string name = "tok/" + part + ".lc.norm.tok." + language;
      EXPECT_EQ(made_lines(name), read_lines(real_data("multi30k/" + name).string())) << name;
    }
  }
}

}  // namespace
}  // namespace attend
