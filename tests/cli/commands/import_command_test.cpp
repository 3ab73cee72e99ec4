#include <algorithm>
#include <filesystem>

#include "attend/checkpoint/checkpoint.h"
#include "cli/program_test.h"

namespace attend {
namespace {

class ImportCommand : public ProgramTest {
 protected:
  const std::string directory_ =
      std::string(ATTEND_SOURCE_DIR) + "/tests/interchange/data/models/marian";
  const std::string golden_ = directory_ + "/golden.safetensors";
};

TEST_F(ImportCommand, WritesAModelThatTranslatesAndProvesWhatItComputes) {
  ASSERT_EQ(run({"import", directory_, "--out", path("model"), "--golden", golden_}), 0) << error_;
  EXPECT_NE(out_.find("tokens     9 of 9 texts equal"), std::string::npos) << out_;
  EXPECT_NE(out_.find("greedy     9 of 9 texts equal"), std::string::npos) << out_;
  EXPECT_NE(out_.find("logits"), std::string::npos) << out_;
  EXPECT_NE(out_.find("a marian model, 8,751 parameters"), std::string::npos) << out_;
  ASSERT_EQ(run({"translate", path("model")}, "A man is walking with his dog.\n"), 0) << error_;
  EXPECT_EQ(std::count(out_.begin(), out_.end(), '\n'), 1);
}

TEST_F(ImportCommand, NamesTheFirstLayerThatDiffersAndWritesNothing) {
  const std::string other = std::string(ATTEND_SOURCE_DIR) +
                            "/tests/interchange/data/models/marian_separate/golden.safetensors";
  EXPECT_EQ(run({"import", directory_, "--out", path("model"), "--golden", other}), 1);
  EXPECT_FALSE(std::filesystem::exists(path("model")));
  std::filesystem::copy(directory_, path("changed"));
  Checkpoint weights;
  const SafetensorsFile file = SafetensorsFile::open(path("changed/model.safetensors"));
  std::vector<NamedTensor> tensors;
  for (const std::string& name : file.names()) {
    tensors.push_back({name, file.tensor(name).clone()});
    if (name == "model.encoder.layers.1.fc1.bias") tensors.back().tensor.data()[3] += 0.01f;
  }
  write_safetensors(path("changed/model.safetensors"), tensors, {});
  EXPECT_EQ(run({"import", path("changed"), "--out", path("model"), "--golden", golden_}), 1);
  EXPECT_NE(error_.find("encoder layer 2"), std::string::npos) << error_;
  EXPECT_NE(error_.find("nothing was written"), std::string::npos) << error_;
  EXPECT_FALSE(std::filesystem::exists(path("model")));
}

TEST_F(ImportCommand, SaysWhatIsMissing) {
  EXPECT_NE(run({"import", directory_}), 0);
  EXPECT_NE(error_.find("--out"), std::string::npos) << error_;
  EXPECT_EQ(run({"import", path("nowhere"), "--out", path("model")}), 1);
  EXPECT_NE(error_.find("nowhere"), std::string::npos) << error_;
  EXPECT_EQ(run({"import", directory_, "--out", path("model"), "--golden",
                 directory_ + "/model.safetensors"}),
            1);
  EXPECT_NE(error_.find("kind"), std::string::npos) << error_;
}

}  // namespace
}  // namespace attend
