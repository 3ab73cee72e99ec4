#include "attend/tasks/model_file/model_reading.h"

#include <gtest/gtest.h>

#include <string>

#include "attend/error.h"
#include "tensor/expect_error.h"

namespace attend {
namespace {

std::vector<std::string> names_in(const std::string& json, std::size_t least = 2) {
  Checkpoint checkpoint;
  checkpoint.source = "m.safetensors";
  checkpoint.metadata["attend.labels"] = json;
  return read_label_names(checkpoint, least);
}

TEST(LabelNames, HaveTheOrderOfTheLogits) {
  EXPECT_EQ(names_in(R"(["pos", "neg", "so so"])"),
            (std::vector<std::string>{"pos", "neg", "so so"}));
  EXPECT_EQ(names_in(R"(["score"])", 1), std::vector<std::string>{"score"});
}

TEST(LabelNames, AreAsManyAsTheModelNeeds) {
  expect_error<DataError>([] { names_in(R"(["one"])"); },
                          {"m.safetensors: attend.labels", "two or more"});
  expect_error<DataError>([] { names_in("[]", 1); }, {"one or more"});
}

TEST(LabelNames, AreTexts) {
  for (const char* json :
       {R"({"a": "b"})", R"(["a", 1])", R"(["a", null])", R"("ab")", "null", "[", ""})
    EXPECT_THROW(names_in(json), DataError) << json;
}

TEST(LabelNames, FitIntoALine) {
  for (const char* json : {R"(["a", ""])", R"(["a", "  "])", R"(["a", "b\tc"])", R"(["a", "b\nc"])",
                           R"(["a", "b\r"])"})
    expect_error<DataError>([&] { names_in(json); }, {"without tabs and line ends"});
}

TEST(LabelNames, OccurOnce) {
  expect_error<DataError>([] { names_in(R"(["a", "b", "a"])"); }, {"'a' twice"});
}

TEST(LabelNames, AreInTheFile) {
  Checkpoint checkpoint;
  EXPECT_THROW(read_label_names(checkpoint, 2), DataError);
}

}  // namespace
}  // namespace attend
