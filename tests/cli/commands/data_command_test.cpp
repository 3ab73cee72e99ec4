// attend data: the list of sets, what to download, and a set made of downloads.
#include <gtest/gtest.h>

#include "cli/program_test.h"
#include "core/written_zip.h"

namespace attend {
namespace {

class DataCommand : public ProgramTest {
 protected:
  std::string archive() {
    return write("x.zip",
                 written_zip({{"Books.de-en.de", "Ein Buch.\n"}, {"Books.de-en.en", "A book.\n"}}));
  }
};

TEST_F(DataCommand, ListsTheSets) {
  EXPECT_EQ(run({"data"}), kSuccess);
  for (const std::string name : {"multi30k", "tatoeba", "wmt", "opus", "imdb", "sst2", "wikitext-2",
                                 "tinyshakespeare", "CC BY"})
    EXPECT_NE(out_.find(name), std::string::npos) << name;
}

TEST_F(DataCommand, SaysWhatToDownload) {
  EXPECT_EQ(run({"data", "imdb"}), kSuccess);
  for (const std::string part : {"https://ai.stanford.edu/~amaas/data/sentiment/aclImdb_v1.tar.gz",
                                 "c40f74a18d3b61f90feba1e17730e0d38e8b97c05fde7008942e91923d1658fe",
                                 "attend data imdb --from FILE... --out DIR"})
    EXPECT_NE(out_.find(part), std::string::npos) << part;
  EXPECT_EQ(run({"data", "tatoeba"}), kSuccess);
  EXPECT_NE(out_.find("no checksum is known"), std::string::npos);
  EXPECT_EQ(run({"data", "opus"}), kSuccess);
  EXPECT_NE(out_.find("https://opus.nlpl.eu"), std::string::npos);
}

TEST_F(DataCommand, PreparesASet) {
  EXPECT_EQ(run({"data", "opus", "--from", archive(), "--out", path("books")}), kSuccess) << error_;
  EXPECT_EQ(read(path("books/train.de")), "Ein Buch.\n");
  EXPECT_EQ(read(path("books/train.en")), "A book.\n");
  EXPECT_NE(out_.find("train.de"), std::string::npos);
  EXPECT_NE(out_.find("1 line"), std::string::npos);
  EXPECT_NE(out_.find("x.zip: no checksum is known"), std::string::npos);
}

TEST_F(DataCommand, NamesTheOptionThatAcceptsAnotherVersion) {
  const std::string file = write("input.txt", "First Citizen:\n");
  EXPECT_EQ(run({"data", "tinyshakespeare", "--from", file, "--out", path("out")}), kFailure);
  EXPECT_NE(error_.find("--any-version accepts it"), std::string::npos) << error_;
  EXPECT_EQ(run({"data", "tinyshakespeare", "--from", file, "--out", path("out"), "--any-version"}),
            kSuccess);
  EXPECT_EQ(read(path("out/input.txt")), "First Citizen:\n");
  EXPECT_NE(out_.find("not a file whose checksum is known"), std::string::npos);
}

TEST_F(DataCommand, RefusesOptionsWithoutEffect) {
  EXPECT_EQ(run({"data", "--seed", "2"}), kUsageError);
  EXPECT_EQ(run({"data", "imdb", "--out", path("out")}), kUsageError);
  EXPECT_EQ(run({"data", "imdb", "--from", archive()}), kUsageError);
  EXPECT_NE(error_.find("--out"), std::string::npos);
  EXPECT_EQ(run({"data", "imdb", "--from", archive(), "--out", path("o"), "--src-lang", "en"}),
            kUsageError);
  EXPECT_NE(error_.find("--src-lang has no effect on imdb"), std::string::npos) << error_;
  EXPECT_EQ(run({"data", "imbd"}), kUsageError);
  EXPECT_NE(error_.find("imdb?"), std::string::npos) << error_;
}

}  // namespace
}  // namespace attend
