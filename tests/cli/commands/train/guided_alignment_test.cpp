// attend train translation --guided-alignment, and the alignments of the model.
#include <gtest/gtest.h>

#include <string>

#include "attend/checkpoint/checkpoint.h"
#include "attend/core/random/random.h"
#include "attend/tasks/translation/model.h"
#include "cli/program_test.h"

namespace attend {
namespace {

// A language whose sentences are those of another, word by word and backwards.
class GuidedAlignmentCommand : public ProgramTest {
 protected:
  GuidedAlignmentCommand() {
    Random random({1, 2});
    std::string src, tgt;
    for (int i = 0; i < 400; ++i) {
      std::string there, back;
      for (int word = 0; word < 4; ++word) {
        const int number = static_cast<int>(random.next() % 20);
        there += fmt::format("{}a{}", word == 0 ? "" : " ", number);
        back = fmt::format("b{}{}{}", number, word == 0 ? "" : " ", back);
      }
      src += there + "\n";
      tgt += back + "\n";
    }
    write("train.a", src);
    write("train.b", tgt);
  }

  std::vector<std::string> training(const std::string& run, const std::string& more) const {
    std::vector<std::string> words = split(
        "train translation --tokenizer word --vocab-size 44 --d-model 32 --n-heads 2 "
        "--d-ff 32 --n-encoder-layers 1 --n-decoder-layers 2 --batch-tokens 512 "
        "--learning-rate 0.01 --warmup-steps 20 --max-steps 250 --valid-every 0 --dropout 0 " +
        more);
    words.insert(words.end(), {"--src-train", path("train.a"), "--tgt-train", path("train.b"),
                               "--out", path(run)});
    return words;
  }

  static std::vector<std::string> split(const std::string& text) {
    std::istringstream words(text);
    return {std::istream_iterator<std::string>(words), {}};
  }

  std::string alignments(const std::string& run_) {
    EXPECT_EQ(run({"translate", path(run_), "--alignment"}, "a1 a2 a3 a4\n"), 0) << error_;
    return out_;
  }
};

TEST_F(GuidedAlignmentCommand, TeachesAHeadWhichWordComesFromWhich) {
  ASSERT_EQ(run(training("run", "--guided-alignment 1")), 0) << error_;
  EXPECT_NE(out_.find("guided alignment: "), std::string::npos) << out_;
  EXPECT_EQ(alignments("run"), "b4 b3 b2 b1 ||| 3-0 2-1 1-2 0-3\n");
  ASSERT_EQ(run({"quantize", path("run"), "--out", path("small.safetensors")}), 0) << error_;
  EXPECT_EQ(alignments("small.safetensors"), "b4 b3 b2 b1 ||| 3-0 2-1 1-2 0-3\n");
}

TEST_F(GuidedAlignmentCommand, GoesOnAsIfItHadNotStopped) {
  const std::string steps = "--guided-alignment 0.5 --max-steps 12 --save-every 6";
  ASSERT_EQ(run(training("run", steps)), 0) << error_;
  const std::string whole = read(path("run/model.safetensors"));
  std::filesystem::remove(path("run/model.safetensors"));
  std::filesystem::remove(path("run/checkpoints/step-00000012.safetensors"));
  ASSERT_EQ(run(training("run", steps + " --resume")), 0) << error_;
  EXPECT_TRUE(read(path("run/model.safetensors")) == whole);
}

TEST_F(GuidedAlignmentCommand, StaysWithTheModelButNotWithItsStudents) {
  ASSERT_EQ(run(training("teacher", "--guided-alignment 1 --n-decoder-layers 4 --max-steps 5")), 0)
      << error_;
  const auto layer_of = [this](const std::string& name) {
    return translation_model(load_checkpoint(path(name + "/model.safetensors"))).aligning_layer;
  };
  EXPECT_EQ(layer_of("teacher"), 2);
  ASSERT_EQ(
      run(training("adapted", "--n-decoder-layers 4 --max-steps 5 --init-from " + path("teacher"))),
      0)
      << error_;
  EXPECT_EQ(layer_of("adapted"), 2);
  ASSERT_EQ(run(training("student",
                         "--max-steps 5 --n-decoder-layers 1 --distill-weight 0.5 "
                         "--teachers " +
                             path("teacher"))),
            0)
      << error_;
  EXPECT_EQ(layer_of("student"), -1);
}

TEST_F(GuidedAlignmentCommand, RefusesTextThatIsNotOfSentencesAlone) {
  EXPECT_EQ(run(training("run", "--guided-alignment 1 --context 1")), 2);
  EXPECT_NE(error_.find("guided-alignment: expected 0 with --context"), std::string::npos)
      << error_;
  EXPECT_EQ(run(training("run", "--guided-alignment 1 --arch rnn")), 2);
  EXPECT_NE(error_.find("guided-alignment"), std::string::npos) << error_;
}

}  // namespace
}  // namespace attend
