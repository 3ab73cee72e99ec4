#include "attend/checkpoint/checkpoint.h"
#include "attend/models/make_encoder_decoder.h"
#include "attend/tasks/translation/model.h"
#include "cli/program_test.h"
#include "tasks/model_checkpoint.h"

namespace attend {
namespace {

class AttentionCommand : public ProgramTest {
 protected:
  AttentionCommand() { save_small_model(); }

  void save_small_model() const {
    TokenizerOptions tokenizer_options;
    tokenizer_options.vocab_size = 40;
    const std::vector<std::string> sentences{"the old dog sees the cat",
                                             "der alte hund sieht die katze"};
    const Tokenizer tokenizer = Tokenizer::train(sentences, tokenizer_options);
    TransformerConfig config;
    config.d_model = 16;
    config.n_heads = 2;
    config.d_ff = 16;
    config.n_encoder_layers = config.n_decoder_layers = 1;
    config.src_vocab_size = config.tgt_vocab_size = tokenizer.vocab_size();
    const TranslationModel model{make_encoder_decoder(config, 3), tokenizer, tokenizer};
    save_checkpoint(path("model"), checkpoint_of(model));
  }

  int attention(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "attention");
    return run(arguments);
  }

  void expect_one_line_of_error(const std::string& about) const {
    EXPECT_NE(error_.find(about), std::string::npos) << error_;
    EXPECT_EQ(error_.find('\n'), error_.size() - 1) << error_;
  }
};

TEST_F(AttentionCommand, WritesAPageForAGivenTranslation) {
  ASSERT_EQ(attention({path("model"), "the old dog", "--target", "der alte hund", "--out",
                       path("page.html")}),
            0)
      << error_;
  EXPECT_EQ(out_, "der alte hund\npage: " + path("page.html") + "\n");
  const std::string page = read(path("page.html"));
  EXPECT_TRUE(page.starts_with("<!doctype html>"));
  EXPECT_NE(page.find("\"translation\":\"der alte hund\""), std::string::npos);
}

TEST_F(AttentionCommand, TranslatesFirstWithoutOne) {
  ASSERT_EQ(attention({path("model"), "the old dog", "--out", path("page.html"), "--beam-size", "2",
                       "--min-length", "2", "--max-length", "6"}),
            0)
      << error_;
  const std::string translation = out_.substr(0, out_.find('\n'));
  EXPECT_EQ(out_, translation + "\npage: " + path("page.html") + "\n");
  EXPECT_NE(read(path("page.html")).find("\"translation\":\"" + translation + "\""),
            std::string::npos);
}

TEST_F(AttentionCommand, NamesAMissingModel) {
  EXPECT_EQ(attention({path("none"), "the old dog", "--out", path("page.html")}), 1);
  expect_one_line_of_error(path("none"));
  EXPECT_FALSE(std::filesystem::exists(path("page.html")));
}

TEST_F(AttentionCommand, RefusesAnEmptyText) {
  EXPECT_EQ(attention({path("model"), " ", "--out", path("page.html")}), 1);
  expect_one_line_of_error("the text: expected some words");
  EXPECT_EQ(attention({path("model"), "the old dog", "--target", "", "--out", path("page.html")}),
            1);
  expect_one_line_of_error("the target: expected some words");
  EXPECT_FALSE(std::filesystem::exists(path("page.html")));
}

TEST_F(AttentionCommand, NamesAFolderThatIsNotThere) {
  EXPECT_EQ(attention({path("model"), "the old dog", "--out", path("none/page.html")}), 1);
  expect_one_line_of_error("none/page.html");
}

}  // namespace
}  // namespace attend
