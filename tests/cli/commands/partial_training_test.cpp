// attend train of a part of a model: frozen parameters, and adapters; attend merge.
#include <cstdlib>
#include <filesystem>

#include "attend/checkpoint/checkpoint.h"
#include "cli/small_run.h"

namespace attend {
namespace {

class PartialTraining : public SmallRunTest {
 protected:
  PartialTraining() {
    write("texts.tsv",
          "dog\tA man is walking with his dog.\nbook\tShe reads a book.\n"
          "dog\tThe dog runs away.\nbook\tTwo old books.\n");
  }

  static std::string directory(const std::string& name) {
    return std::string(ATTEND_SOURCE_DIR) + "/tests/interchange/data/models/" + name;
  }
  // attend train classification --init-from an encoder, with a new head.
  int train(const std::string& out, const std::vector<std::string>& more,
            const std::string& model = directory("bert_sentences")) {
    std::vector<std::string> arguments{"train",           "classification",
                                       "--init-from",     model,
                                       "--train",         path("texts.tsv"),
                                       "--valid",         path("texts.tsv"),
                                       "--out",           path(out),
                                       "--max-steps",     "4",
                                       "--warmup-steps",  "1",
                                       "--save-every",    "2",
                                       "--learning-rate", "0.01"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run(arguments);
  }
  Checkpoint imported(const std::string& name) {
    EXPECT_EQ(run({"import", directory(name), "--out", path("base")}), 0) << error_;
    return load_checkpoint(path("base"));
  }
  static std::vector<float> values(const Checkpoint& model, const std::string& name) {
    return model.tensor(name).to_vector();
  }
};

TEST_F(PartialTraining, LeavesFrozenParametersAsTheyAre) {
  ASSERT_EQ(train("run", {"--freeze", "embedding.*", "encoder.layers.0.*"}), 0) << error_;
  const Checkpoint base = imported("bert_sentences"), trained = load_checkpoint(path("run"));
  for (const char* frozen : {"embedding.weight", "encoder.layers.0.norm1.weight"})
    EXPECT_EQ(values(trained, frozen), values(base, frozen)) << frozen;
  for (const char* changed : {"positions.weight", "encoder.layers.1.norm1.weight"})
    EXPECT_NE(values(trained, changed), values(base, changed)) << changed;
  const Checkpoint state = load_checkpoint(checkpoint("run", 4));
  std::int64_t all = 0, of_frozen = 0;
  for (const NamedTensor& tensor : trained.tensors) {
    if (tensor.tensor.dtype() != DType::f32) continue;
    all += tensor.tensor.size();
    if (tensor.name == "embedding.weight" || tensor.name.starts_with("encoder.layers.0."))
      of_frozen += tensor.tensor.size();
  }
  EXPECT_GT(of_frozen, 0);
  EXPECT_EQ(state.tensor("state.adam.mean").size(), all - of_frozen);
}

TEST_F(PartialTraining, ResumesFrozenParametersToTheSameBytes) {
  ASSERT_EQ(train("whole", {"--freeze", "embedding.*"}), 0) << error_;
  ASSERT_EQ(train("parts", {"--freeze", "embedding.*"}), 0) << error_;
  std::filesystem::remove(checkpoint("parts", 4));
  const std::vector<std::string> resume{"train", "classification", "--resume", "--out",
                                        path("parts")};
  std::vector<std::string> other = resume;
  other.insert(other.end(), {"--freeze", "positions.*"});
  EXPECT_NE(run(other), 0);
  EXPECT_NE(error_.find("freeze"), std::string::npos) << error_;
  EXPECT_NE(error_.find("embedding.*"), std::string::npos) << error_;
  ASSERT_EQ(run(resume), 0) << error_;
  EXPECT_EQ(read(model("parts")), read(model("whole")));
}

TEST_F(PartialTraining, RefusesPatternsThatFitNothingOrEverything) {
  EXPECT_NE(train("run", {"--freeze", "decoder.*"}), 0);
  EXPECT_NE(error_.find("no parameter has a name like 'decoder.*'"), std::string::npos) << error_;
  EXPECT_NE(train("run", {"--freeze", "*"}), 0);
  EXPECT_NE(error_.find("something to train"), std::string::npos) << error_;
  EXPECT_NE(train("run", {"--freeze", "*.q_proj.*"}), 0);
  EXPECT_NE(error_.find("used as one matrix"), std::string::npos) << error_;
  EXPECT_NE(train("run", {"--lora-rank", "2", "--lora-targets", "*.gate.*"}), 0);
  EXPECT_NE(error_.find("'*.gate.*'"), std::string::npos) << error_;
  EXPECT_FALSE(std::filesystem::exists(path("run")));
}

TEST_F(PartialTraining, SavesAdaptersAloneWhichMergeIntoAModel) {
  ASSERT_EQ(train("run", {"--lora-rank", "2"}), 0) << error_;
  EXPECT_NE(out_.find("adapters: "), std::string::npos) << out_;
  const Checkpoint base = imported("bert_sentences"), adapter = load_checkpoint(path("run"));
  EXPECT_TRUE(adapter.find("embedding.weight") == nullptr);
  EXPECT_TRUE(adapter.find("tokenizer") == nullptr);
  EXPECT_EQ(adapter.tensor("encoder.layers.0.self_attn.q_proj.lora_a").shape(), (Shape{2, 16}));
  EXPECT_EQ(adapter.tensor("output.weight").shape(), (Shape{2, 16}));

  ASSERT_EQ(run({"merge", directory("bert_sentences"), path("run"), "--out", path("merged")}), 0)
      << error_;
  EXPECT_EQ(out_, path("merged") + ": a model for classification\n");
  const Checkpoint merged = load_checkpoint(path("merged"));
  for (const char* changed :
       {"encoder.layers.0.self_attn.q_proj.weight", "encoder.layers.1.self_attn.v_proj.weight"})
    EXPECT_NE(values(merged, changed), values(base, changed)) << changed;
  EXPECT_EQ(values(merged, "encoder.layers.0.self_attn.k_proj.weight"),
            values(base, "encoder.layers.0.self_attn.k_proj.weight"));
  EXPECT_EQ(values(merged, "output.weight"), values(adapter, "output.weight"));
  ASSERT_EQ(run({"classify", path("merged")}, "A dog.\n"), 0) << error_;
  EXPECT_NE(out_.find("dog"), std::string::npos);
  const std::string of_merged = out_;
  ::setenv("ATTEND_CACHE", path("cache").c_str(), 1);
  ASSERT_EQ(run({"classify", path("run")}, "A dog.\n"), 0) << error_;
  EXPECT_EQ(out_, of_merged) << "a command joins an adapter with its base";
  std::filesystem::rename(path("run/model.safetensors"), path("alone"));
  EXPECT_NE(run({"classify", path("alone")}, "A dog.\n"), 0) << "nobody says what its base is";
  EXPECT_NE(error_.find("attend merge"), std::string::npos) << error_;
  ::unsetenv("ATTEND_CACHE");
  ASSERT_EQ(run({"info", path("merged")}), 0) << error_;
}

// The merged model computes what the adapted one did when it was validated.
TEST_F(PartialTraining, MergesToTheModelThatWasValidated) {
  ASSERT_EQ(train("run", {"--lora-rank", "2", "--lora-alpha", "4", "--max-steps", "20"}), 0)
      << error_;
  const std::string note = load_checkpoint(path("run")).text("attend.training");
  ASSERT_EQ(run({"merge", directory("bert_sentences"), path("run"), "--out", path("merged")}), 0)
      << error_;
  // A run that goes nowhere from the merged model begins with the loss that the other ended with.
  ASSERT_EQ(train("again", {"--learning-rate", "1e-12", "--max-steps", "1"}, path("merged")), 0)
      << error_;
  const std::string after = load_checkpoint(path("again")).text("attend.training");
  const auto loss = [](const std::string& json) {
    const std::size_t at = json.find("\"loss\":");
    EXPECT_NE(at, json.npos) << json;
    return json.substr(at, 12);
  };
  EXPECT_EQ(loss(after), loss(note));
}

TEST_F(PartialTraining, ResumesAdaptersToTheSameBytes) {
  const std::vector<std::string> options{"--lora-rank", "2", "--lora-targets", "*.linear1.weight"};
  ASSERT_EQ(train("whole", options), 0) << error_;
  ASSERT_EQ(train("parts", options), 0) << error_;
  std::filesystem::remove(checkpoint("parts", 4));
  const std::vector<std::string> resume{"train", "classification", "--resume", "--out",
                                        path("parts")};
  for (const auto& [option, value] : {std::pair{"--lora-rank", "3"}, std::pair{"--lora-rank", "0"},
                                      std::pair{"--lora-alpha", "3"}}) {
    std::vector<std::string> other = resume;
    other.insert(other.end(), {option, value});
    EXPECT_NE(run(other), 0);
    EXPECT_NE(error_.find("lora-rank"), std::string::npos) << error_;
  }
  write("others.tsv", "x\tA rainy day.\ny\tThe sun.\n");
  for (const auto& [option, value, complaint] :
       {std::tuple{"--train", path("others.tsv"), std::string("attend.labels was")},
        std::tuple{"--max-length", std::string("3"), std::string("max-length was")},
        std::tuple{"--pooling", std::string("max"), std::string("pooling was")}}) {
    std::vector<std::string> other = resume;
    other.insert(other.end(), {option, value});
    if (option == std::string("--train")) other.insert(other.end(), {"--valid", value});
    EXPECT_NE(run(other), 0) << option;
    EXPECT_NE(error_.find(complaint), std::string::npos) << error_;
  }
  ASSERT_EQ(run(resume), 0) << error_;
  EXPECT_EQ(read(model("parts")), read(model("whole")));
}

TEST_F(PartialTraining, WritesAndReadsAdaptersOfPeft) {
  const std::string base = directory("bert_classifier");
  write("texts.tsv", "negative\tA rainy day.\npositive\tThe sun.\nneutral\tA book.\n");
  ASSERT_EQ(train("run", {"--lora-rank", "2"}, base), 0) << error_;
  ASSERT_EQ(run({"export", path("run"), "--base", base, "--out", path("peft")}), 0) << error_;
  EXPECT_EQ(out_, path("peft") + ": an adapter of PEFT\n");
  ASSERT_EQ(run({"merge", base, path("run"), "--out", path("merged")}), 0) << error_;
  ASSERT_EQ(run({"merge", base, path("peft"), "--out", path("again")}), 0) << error_;
  const Checkpoint merged = load_checkpoint(path("merged")), again = load_checkpoint(path("again"));
  for (const NamedTensor& tensor : merged.tensors) {
    if (tensor.tensor.dtype() == DType::f32) {
      EXPECT_EQ(values(again, tensor.name), values(merged, tensor.name)) << tensor.name;
    }
  }
  // It names its base, so that a training can start from it.
  ASSERT_EQ(train("more", {"--learning-rate", "1e-12", "--max-steps", "1"}, path("peft")), 0)
      << error_;
  ASSERT_EQ(train("same", {"--learning-rate", "1e-12", "--max-steps", "1"}, path("merged")), 0);
  EXPECT_EQ(read(model("more")), read(model("same")));
}

TEST_F(PartialTraining, RefusesToExportAnAdapterWithoutItsBase) {
  ASSERT_EQ(train("run", {"--lora-rank", "2"}), 0) << error_;
  EXPECT_NE(run({"export", path("run"), "--out", path("peft")}), 0);
  EXPECT_NE(error_.find("--base: expected the model that the adapter adapts"), std::string::npos)
      << error_;
  EXPECT_NE(
      run({"export", path("run"), "--base", directory("bert_classifier"), "--out", path("peft")}),
      0);
  EXPECT_NE(error_.find("checksum"), std::string::npos) << error_;
  imported("bert_sentences");
  EXPECT_NE(run({"export", path("base"), "--base", path("base"), "--out", path("peft")}), 0);
  EXPECT_NE(error_.find("--base: expected an adapter"), std::string::npos) << error_;
  EXPECT_FALSE(std::filesystem::exists(path("peft")));
}

TEST_F(PartialTraining, RefusesAnAdapterWithoutItsBase) {
  EXPECT_NE(run({"train", "classification", "--lora-rank", "2", "--train", path("texts.tsv"),
                 "--out", path("run")}),
            0);
  EXPECT_NE(error_.find("--init-from"), std::string::npos) << error_;
  ASSERT_EQ(train("run", {"--lora-rank", "2"}), 0) << error_;
  const auto merge = [&](const std::string& base, const std::string& adapter) {
    return run({"merge", base, adapter, "--out", path("merged")});
  };
  EXPECT_NE(merge(directory("bert_classifier"), path("run")), 0);
  EXPECT_NE(error_.find("checksum"), std::string::npos) << error_;
  EXPECT_NE(merge(directory("bert_sentences"), directory("bert_classifier")), 0);
  imported("bert_classifier");
  EXPECT_NE(merge(directory("bert_sentences"), path("base")), 0);
  EXPECT_NE(error_.find("expected an adapter"), std::string::npos) << error_;
  EXPECT_NE(run({"merge", directory("bert_sentences"), path("run")}), 0);
  EXPECT_NE(error_.find("--out"), std::string::npos) << error_;
  EXPECT_FALSE(std::filesystem::exists(path("merged")));
}

}  // namespace
}  // namespace attend
