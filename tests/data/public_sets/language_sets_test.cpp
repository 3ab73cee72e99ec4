#include <gtest/gtest.h>

#include "attend/core/files/lines.h"
#include "data/public_sets/set_files.h"

namespace attend {
namespace {

class LanguageSets : public PublicSetTest {};

TEST_F(LanguageSets, RenameTheFilesOfWikiText) {
  const std::string zip = write(
      "wikitext-2-v1.zip", written_zip({{"wikitext-2/", ""},
                                        {"wikitext-2/wiki.test.tokens", " \n = T = \n"},
                                        {"wikitext-2/wiki.valid.tokens", " \n = V = \n"},
                                        {"wikitext-2/wiki.train.tokens", " \n = <unk> = \n"}}));
  EXPECT_EQ(names(prepare("wikitext-2", {zip})),
            (std::vector<std::string>{"test.txt", "train.txt", "valid.txt"}));
  EXPECT_EQ(made("train.txt"), " \n = <unk> = \n");
  EXPECT_EQ(made("valid.txt"), " \n = V = \n");
}

TEST_F(LanguageSets, TakeTextsOfTheirNames) {
  const std::string train = write("train.txt", "a\n"), valid = write("valid.txt", "b\n");
  EXPECT_EQ(names(prepare("wikitext-2", {train, valid})),
            (std::vector<std::string>{"train.txt", "valid.txt"}));
  std::filesystem::remove_all(folder_ / "out");
  expect_error<DataError>([&] { prepare("wikitext-2", {train}); }, {"lack wiki.valid.tokens"});
}

TEST_F(LanguageSets, AreThePublishedOnes) {
  if (!std::filesystem::exists(real_data("wikitext-2/train.txt")))
    GTEST_SKIP() << "no data at " << real_data("");
  for (const std::string set : {"wikitext-2", "tinyshakespeare"}) {
    std::filesystem::remove_all(folder_ / "out");
    const PreparedSet prepared = prepare(set, {real_data(set).string()}, {});
    for (const CheckedDownload& download : prepared.downloads)
      EXPECT_TRUE(download.known) << download.path;
    for (const WrittenFile& file : prepared.files) {
      EXPECT_TRUE(file.published) << file.name;
      EXPECT_EQ(made_lines(file.name), read_lines(real_data(set + "/" + file.name).string()));
    }
  }
}

}  // namespace
}  // namespace attend
