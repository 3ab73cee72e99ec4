#include "attend/cli/binding/model_path.h"

#include <cstdlib>
#include <filesystem>

#include "cli/program_test.h"

namespace attend {
namespace {

class ModelsOfOthers : public ProgramTest {
 protected:
  ModelsOfOthers() { ::setenv("ATTEND_CACHE", path("cache").c_str(), 1); }
  ~ModelsOfOthers() override { ::unsetenv("ATTEND_CACHE"); }

  static std::string other(const std::string& name) {
    return std::string(ATTEND_SOURCE_DIR) + "/tests/interchange/data/models/" + name;
  }
  std::string import(const std::string& name) {
    EXPECT_EQ(run({"import", other(name), "--out", path(name)}), 0) << error_;
    return path(name);
  }
  // What a command answers when `name` is the model.
  std::string answer(std::vector<std::string> words, const std::string& model) {
    for (std::string& word : words)
      if (word == "MODEL") word = model;
    EXPECT_EQ(run(words, "a dog sleeps\n"), 0) << words.front() << ": " << error_;
    return out_;
  }
};

TEST_F(ModelsOfOthers, AreReadByEveryCommandAsTheirImportsAre) {
  const std::vector<std::pair<std::string, std::vector<std::string>>> kCommands{
      {"marian", {"translate", "MODEL"}},
      {"eole_words", {"translate", "MODEL", "--format", "json"}},  // its import makes a remark
      {"marian", {"score", "MODEL", "--src", write("a", "a dog\n"), "--tgt", write("b", "x\n")}},
      {"bert_sentences", {"embed", "MODEL"}},
      {"bert_classifier", {"classify", "MODEL"}},
      {"bert_classifier", {"explain", "MODEL", "a dog"}},
      {"bert_tagger", {"classify", "MODEL"}},
      {"qwen2", {"generate", "MODEL", "--max-tokens", "8"}},
      {"qwen2", {"score", "MODEL", "--text", write("c", "a dog\n")}},
  };
  for (const auto& [name, words] : kCommands) {
    SCOPED_TRACE(words.front() + " " + name);
    EXPECT_EQ(answer(words, other(name)), answer(words, import(name)));
  }
}

TEST_F(ModelsOfOthers, BecomeFilesAsTheirImportsDo) {
  const std::string own = import("marian");
  for (const char* command : {"quantize", "optimize"}) {
    ASSERT_EQ(run({command, other("marian"), "--out", path("of directory")}), 0) << error_;
    ASSERT_EQ(run({command, own, "--out", path("of import")}), 0) << error_;
    EXPECT_EQ(read(path("of directory")), read(path("of import"))) << command;
  }
  ASSERT_EQ(run({"export", other("marian"), "--format", "ctranslate2", "--out", path("ct2")}), 0)
      << error_;
  EXPECT_EQ(answer({"translate", "MODEL"}, path("ct2")), answer({"translate", "MODEL"}, own));
}

TEST_F(ModelsOfOthers, AreNamedByTheirNamesOnTheHub) {
  ::setenv("HF_HOME", path("hf").c_str(), 1);
  EXPECT_EQ(run({"embed", "org/name"}, "a\n"), 1);
  EXPECT_NE(error_.find("`hf download org/name` downloads it"), std::string::npos) << error_;
  const std::string folder = path("hf") + "/hub/models--org--name";
  std::filesystem::create_directories(folder + "/refs");
  std::filesystem::create_directories(folder + "/snapshots");
  std::ofstream(folder + "/refs/main") << "abc";
  std::filesystem::copy(other("bert_sentences"), folder + "/snapshots/abc",
                        std::filesystem::copy_options::recursive);
  EXPECT_EQ(answer({"embed", "MODEL"}, "org/name"),
            answer({"embed", "MODEL"}, other("bert_sentences")));
  ::unsetenv("HF_HOME");
}

TEST_F(ModelsOfOthers, AreImportedIntoTheCacheWithoutOut) {
  ASSERT_EQ(run({"import", other("bert_sentences")}), 0) << error_;
  EXPECT_NE(out_.find(path("cache") + "/bert_sentences-"), std::string::npos) << out_;
  EXPECT_NE(out_.find("a bert model"), std::string::npos) << out_;
  const std::string imported = out_.substr(0, out_.find(": "));
  EXPECT_EQ(read(imported), read(import("bert_sentences")));
  EXPECT_EQ(run({"import", other("bert_sentences"), "--src-lang", "en"}), 2);
  EXPECT_NE(error_.find("--src-lang: works only with --out"), std::string::npos) << error_;
  EXPECT_EQ(run({"import", path("nowhere")}), 1);
  EXPECT_NE(error_.find("nowhere: no such file or folder"), std::string::npos) << error_;
  EXPECT_EQ(run({"import", imported}), 1);
  EXPECT_NE(error_.find("expected a model of another program"), std::string::npos) << error_;
}

}  // namespace
}  // namespace attend
