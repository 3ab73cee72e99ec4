#include "attend/cli/commands/demo.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "attend/cli/output.h"
#include "attend/error.h"
#include "cli/program_test.h"

namespace attend {
namespace {

// A demo of a few steps.
class DemoCommand : public ProgramTest {
 protected:
  DemoArguments small(OutputFormat format) const {
    DemoArguments arguments;
    arguments.out = path("demo");
    arguments.format = format;
    arguments.corpus.train_sentences = 2000;
    arguments.corpus.valid_sentences = 10;
    arguments.corpus.test_sentences = 30;
    arguments.steps = 30;
    return arguments;
  }

  void show(const DemoArguments& arguments) {
    captured([&] {
      try {
        run_demo(arguments);
        flush_answers();
        return 0;
      } catch (const Error& error) {
        ADD_FAILURE() << error.what();
        return 1;
      }
    });
  }

  std::vector<std::string> lines_of(const std::string& name) const {
    std::istringstream text(read(path(name)));
    std::vector<std::string> lines;
    for (std::string line; std::getline(text, line);) lines.push_back(line);
    return lines;
  }
};

TEST_F(DemoCommand, TrainsTranslatesAndWritesThePage) {
  show(small(OutputFormat::text));
  for (const std::string& part :
       {std::string("step 30/30"),
        std::string("BLEU on 30 sentences that do not occur in training"),
        "open " + path("demo/attention.html"), lines_of("demo/corpus/test.en").front(),
        "attend translate " + path("demo/run/model.safetensors"),
        "attend serve " + path("demo/run") + "\n", std::string("`make wasm`"),
        std::string("/explore, type \"She wants"), std::string("press \"Show\""),
        std::string("\"Importance of every head\""), std::string("\"Switch this head off\"")})
    EXPECT_NE(out_.find(part), std::string::npos) << part << " is not in: " << out_;
  EXPECT_NE(read(path("demo/attention.html")).find("<title>Attention: "), std::string::npos);
  EXPECT_EQ(lines_of("demo/corpus/train.de").size(), 2000u);
}

TEST_F(DemoCommand, WritesTheExplorerWithTheEngine) {
  DemoArguments arguments = small(OutputFormat::text);
  std::filesystem::create_directories(path("engine"));
  write("engine/attend.js", "attend = 1;");
  write("engine/attend.wasm", "wasm");
  arguments.engine = path("engine");
  show(arguments);
  EXPECT_NE(out_.find("open " + path("demo/explore.html") + " in a browser; it needs no server"),
            std::string::npos)
      << out_;
  EXPECT_EQ(out_.find("attend serve"), std::string::npos);
  const std::string page = read(path("demo/explore.html"));
  EXPECT_NE(page.find(R"({"name":"demo","texts":["She wants to buy the old house.","Tomorrow)"),
            std::string::npos);
}

TEST_F(DemoCommand, AnswersWithOneObject) {
  show(small(OutputFormat::json));
  EXPECT_FALSE(std::filesystem::exists(path("demo/explore.html")));
  const auto json = nlohmann::json::parse(out_);  // and nothing else on standard output
  EXPECT_NE(error_.find("training text: 2,000 pairs"), std::string::npos) << error_;
  EXPECT_EQ(json["test_sentences"], 30);
  EXPECT_TRUE(std::filesystem::exists(json["model"].get<std::string>()));
  EXPECT_TRUE(std::filesystem::exists(json["page"].get<std::string>()));
  const double bleu = json["bleu"];
  EXPECT_GE(bleu, 0);
  EXPECT_LT(bleu, 90) << "after thirty steps";
  const auto sources = lines_of("demo/corpus/test.en"), targets = lines_of("demo/corpus/test.de");
  ASSERT_EQ(json["translations"].size(), sources.size());
  for (std::size_t i = 0; i < sources.size(); ++i) {
    EXPECT_EQ(json["translations"][i]["source"], sources[i]);
    EXPECT_EQ(json["translations"][i]["reference"], targets[i]);
    EXPECT_TRUE(json["translations"][i]["translation"].is_string());
  }
}

TEST_F(DemoCommand, MakesItsCorpusFromTheSeed) {
  DemoArguments arguments = small(OutputFormat::json);
  arguments.seed = arguments.corpus.seed = 2;
  show(arguments);
  const DemoCorpus corpus = make_demo_corpus(arguments.corpus);
  EXPECT_EQ(lines_of("demo/corpus/test.en"), corpus.test_src);
  arguments.corpus.seed = 1;
  EXPECT_NE(make_demo_corpus(arguments.corpus).test_src, corpus.test_src);
}

}  // namespace
}  // namespace attend
