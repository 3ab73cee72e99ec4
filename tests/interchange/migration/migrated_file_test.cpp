#include "attend/interchange/migration/migrated_file.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "attend/error.h"
#include "interchange/migration/migrated_lines.h"

namespace attend {
namespace {

template <class Kind>
std::string error_of(const std::string& text, const std::string& name = "x",
                     MigrationSource source = MigrationSource::automatic) {
  try {
    migrate(text, name, source);
  } catch (const Kind& error) {
    return error.what();
  }
  return "";
}

TEST(MigratedFile, FindsOutWhatItIs) {
  EXPECT_EQ(migrate("dim-emb: 8\n", "x", MigrationSource::automatic).program, "Marian");
  EXPECT_EQ(
      migrate("fairseq-train d --arch transformer\n", "x", MigrationSource::automatic).program,
      "fairseq");
  EXPECT_EQ(migrate("models: [a]\n# it's fairseq\n", "x.yml", MigrationSource::automatic)
                .migrations.front()
                .recipe()
                .command(),
            "translate");
  const MigratedFile lines = migrate(
      "$MARIAN/build/marian -t a.en a.de --type transformer "
      "--dim-emb 16 --mini-batch-fit -w 9000\n",
      "train.sh", MigrationSource::automatic);
  expect_lines(migrated_text(lines, "train.sh"),
               {"d-model = 16 # --dim-emb 16", "src-train = [\"a.en\"] # --train-sets a.en a.de",
                "# --workspace 9000: memory is taken as it is needed"});
}

TEST(MigratedFile, WritesASecondRecipeAsAComment) {
  const std::string text = migrated(
      "fairseq-train d --arch transformer\nfairseq-generate d --path x.pt --beam 4\n", "x.sh");
  expect_lines(text, {"# x.sh (fairseq) as options of attend train translation",
                      "# x.sh (fairseq) as options of attend translate", "# beam-size = 4 #"});
}

TEST(MigratedFile, RefusesWhatIsNeither) {
  EXPECT_EQ(error_of<DataError>(" \n"), "x: expected options, found an empty file");
  EXPECT_EQ(error_of<DataError>("# nothing\n"), "x: expected options, found an empty file");
  EXPECT_NE(error_of<DataError>("a: 1\n").find("expected options of Marian or OpenNMT-py"),
            std::string::npos);
  EXPECT_NE(error_of<DataError>("just words\n").find("x, line 1: expected ':'"), std::string::npos);
  EXPECT_NE(error_of<DataError>("a:\n  - 1\n - 2\n", "x.yml").find("x.yml, line 3: "),
            std::string::npos);
  EXPECT_NE(error_of<DataError>("fairseq-train 'x\n").find("x, line 1: expected a closing quote"),
            std::string::npos);
  EXPECT_NE(error_of<DataError>("dim-emb: 8\n", "x", MigrationSource::fairseq)
                .find("expected a call of fairseq-train"),
            std::string::npos);
}

TEST(MigratedFile, WantsOneCallOfAKind) {
  EXPECT_NE(error_of<ConfigError>("fairseq-train d\n\nfairseq-train e\n").find("on lines 1 and 3"),
            std::string::npos);
  EXPECT_NE(error_of<ConfigError>("fairseq-train d\nmarian -t a b\n").find("calls of one program"),
            std::string::npos);
  EXPECT_NE(error_of<ConfigError>("fairseq-preprocess -s de\nfairseq-train d -s en\n")
                .find("--source-lang has different values in two calls"),
            std::string::npos);
}

}  // namespace
}  // namespace attend
