#include <nlohmann/json.hpp>

#include "cli/program_test.h"

namespace attend {
namespace {

class GlossaryCommand : public ProgramTest {
 protected:
  void SetUp() override {
    std::string english, german;
    for (const auto& [one, eins] : {std::pair{"dog", "Hund"}, {"boat", "Boot"}, {"horse", "Pferd"}})
      for (int i = 0; i < 3; ++i) {
        english += std::string("the ") + one + " is here\nall " + one + "s are here\n";
        german += std::string("der ") + eins + " ist hier\nalle " + eins + "e sind hier\n";
      }
    write("text.en", english);
    write("text.de", german);
    write("terms", "dog\tHund\n# more\n");
  }
  std::vector<std::string> glossary(const std::vector<std::string>& more = {}) const {
    std::vector<std::string> all{"glossary", path("terms"),   "--out", path("made"),
                                 "--src",    path("text.en"), "--tgt", path("text.de")};
    all.insert(all.end(), more.begin(), more.end());
    return all;
  }
};

TEST_F(GlossaryCommand, WritesTheTermsWithTheirForms) {
  ASSERT_EQ(run(glossary()), 0) << error_;
  EXPECT_EQ(read(path("made")), "dog|dogs\tHund|Hunde\n# more\n");
  EXPECT_NE(out_.find("1 of 1 term got forms: 1 of sources and 1 of targets"), std::string::npos)
      << out_;
  ASSERT_EQ(run(glossary({"--format", "json"})), 0) << error_;
  const auto json = nlohmann::json::parse(out_);
  EXPECT_EQ(json.at("glossary"), path("made"));
  EXPECT_EQ(json.at("terms"), 1);
  EXPECT_EQ(json.at("with_forms"), 1);
  EXPECT_EQ(json.at("source_forms"), 1);
  EXPECT_EQ(json.at("target_forms"), 1);
  EXPECT_EQ(json.at("unsure_forms"), 0);
}

TEST_F(GlossaryCommand, SaysWhatItNeeds) {
  expect_error({"glossary", path("terms"), "--src", path("text.en"), "--tgt", path("text.de")},
               {"--out"});
  expect_error({"glossary", path("terms"), "--out", path("made")}, {"--src", "--tgt"});
  expect_error({"glossary", path("none"), "--out", path("made"), "--src", path("text.en"), "--tgt",
                path("text.de")},
               {"none"});
  write("terms", "dog\tHund\ncat\n");
  expect_error(glossary(), {"terms:2", "a tab"});
  write("terms", "dog\tHund\n");
  write("text.en", "\n\n");
  write("text.de", "\n\n");
  expect_error(glossary(), {"text.en"});
  EXPECT_FALSE(std::filesystem::exists(path("made")));
}

}  // namespace
}  // namespace attend
