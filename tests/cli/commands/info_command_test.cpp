// `attend info --set`: what a model file says about itself.
#include <nlohmann/json.hpp>

#include "attend/core/json/json.h"
#include "cli/program_test.h"

namespace attend {
namespace {

class InfoSet : public ProgramTest {
 protected:
  void import_fixture(const std::string& name) {
    ASSERT_EQ(
        run({"import", std::string(ATTEND_SOURCE_DIR) + "/tests/interchange/data/models/" + name,
             "--out", model_}),
        0)
        << error_;
  }
  nlohmann::ordered_json metadata() {
    EXPECT_EQ(run({"info", model_, "--format", "json"}), 0) << error_;
    return parse_json(out_, "output")["metadata"];
  }

  const std::string model_ = path("model.safetensors");
};

TEST_F(InfoSet, ChangesWhatTheFileSaysAndShowsIt) {
  import_fixture("marian");
  ASSERT_EQ(
      run({"info", model_, "--set", "name=small", "description=Old dogs, no tricks.", "src=en-GB"}),
      0)
      << error_;
  for (const char* part : {"translation (en-GB to de)", "name: small\n",
                           "description: Old dogs, no tricks.\n", "as they were when the model"})
    EXPECT_NE(out_.find(part), std::string::npos) << part << " is not in: " << out_;
  ASSERT_EQ(run({"info", model_, "--set", "description=", "--format", "json"}), 0) << error_;
  EXPECT_EQ(parse_json(out_, "output")["metadata"]["attend.name"], "small");
  EXPECT_FALSE(metadata().contains("attend.description"));
}

TEST_F(InfoSet, TakesAChatTemplateFromAFile) {
  import_fixture("gpt2");
  const std::string source = "\n{{ messages[0].content }}\n  ok";
  ASSERT_EQ(run({"info", model_, "--set", "chat-template=" + write("chat.jinja", source + "\n")}),
            0)
      << error_;
  EXPECT_EQ(parse_json(metadata()["attend.chat"].get<std::string>(), "chat")["template"], source);
}

TEST_F(InfoSet, RefusesWhatCannotBeSetAndLeavesTheFileAlone) {
  import_fixture("marian");
  const std::string before = read(model_);
  for (const auto& [setting, part] :
       {std::pair{"attend.checksum=none", "'attend.checksum' cannot be set; expected name"},
        std::pair{"nam=x", "did you mean name?"},
        std::pair{"name", "expected KEY=VALUE, got 'name'"}, std::pair{"=x", "expected KEY=VALUE"},
        std::pair{"src=e n", "src: expected a language"},
        std::pair{"chat-template=/none.jinja", "/none.jinja"}})
    expect_error({"info", model_, "--set", "name=x", setting}, {part});
  expect_error({"info", model_, "--set", "chat-template=" + write("blank", " \n\n")},
               {"expected a text, found none"});
  EXPECT_EQ(read(model_), before);
}

using Info = InfoSet;

TEST_F(Info, DescribesTheModelOfADirectory) {
  import_fixture("marian");
  ASSERT_EQ(run({"info", model_}), 0) << error_;
  const std::string of_file = out_.substr(out_.find('\n'));
  // The folder of a run, which has the model.
  ASSERT_EQ(run({"info", path("")}), 0) << error_;
  EXPECT_EQ(out_.substr(out_.find('\n')), of_file);
  const std::string directory =
      std::string(ATTEND_SOURCE_DIR) + "/tests/interchange/data/models/marian";
  ASSERT_EQ(run({"info", directory}), 0) << error_;
  EXPECT_EQ(out_.substr(out_.find('\n')), of_file);
  expect_error({"info", directory, "--set", "name=x"},
               {"a model of another program", "`attend import` makes a file of it"});
  expect_error({"info", path("nowhere")}, {"nowhere"});
}

}  // namespace
}  // namespace attend
