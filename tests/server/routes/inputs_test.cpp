#include "attend/server/routes/inputs.h"

#include <gtest/gtest.h>

#include <string>

namespace attend {
namespace {

const std::vector<RouteField> kInputFields{{"inputs", FieldType::inputs, "texts", true}};

Parameters inputs_in(const std::string& json) {
  HttpRequest request;
  request.method = "POST";
  request.path = "/";
  request.body = R"({"inputs": )" + json + "}";
  request.headers.add("content-type", "application/json");
  return Parameters(request, kInputFields);
}

InputTexts read_inputs(const std::string& json, bool takes_pairs = false) {
  return pairs_or_texts(inputs_in(json), takes_pairs);
}

int status_of_inputs(const std::string& json, bool takes_pairs = false) {
  try {
    read_inputs(json, takes_pairs);
  } catch (const HttpError& error) {
    return error.status;
  }
  return 200;
}

using InputList = std::vector<std::string>;

TEST(Inputs, AreATextOrAList) {
  const InputTexts one = read_inputs(R"("a")"), list = read_inputs(R"(["a", "b"])"),
                   short_list = read_inputs(R"(["a"])");
  EXPECT_EQ(one.texts, InputList{"a"});
  EXPECT_FALSE(one.is_list);
  EXPECT_FALSE(one.pairs);
  EXPECT_EQ(list.texts, (InputList{"a", "b"}));
  EXPECT_TRUE(list.is_list);
  EXPECT_TRUE(short_list.is_list);
}

TEST(Inputs, OfTwoTextsAreAPairForAModelOfPairs) {
  const InputTexts pair = read_inputs(R"(["a", "b"])", true);
  EXPECT_EQ(pair.texts, InputList{"a\tb"});
  EXPECT_TRUE(pair.pairs);
  EXPECT_FALSE(pair.is_list);
  const InputTexts three = read_inputs(R"(["a", "b", "c"])", true);
  EXPECT_EQ(three.texts.size(), 3u);
  EXPECT_FALSE(three.pairs);
}

TEST(Inputs, ArePairsInListsAndObjects) {
  EXPECT_EQ(read_inputs(R"([["a", "b"], {"text": "c", "text_pair": "d"}])").texts,
            (InputList{"a\tb", "c\td"}));
  EXPECT_EQ(read_inputs(R"({"text": "a", "text_pair": null})").texts, InputList{"a"});
  EXPECT_EQ(read_inputs(R"([["a"], {"text": "b"}])").texts, (InputList{"a", "b"}));
  EXPECT_EQ(read_inputs(R"(["a\tx", "b\t"])", true).texts, InputList{"a x\tb "})
      << "a tab would end a text";
}

TEST(Inputs, OfOtherFormsAreRefused) {
  for (const char* json : {"[]", "3", "true", "[3]", "[[]]", R"([["a", "b", "c"]])",
                           R"([["a", 3]])", R"({"text_pair": "a"})", R"({"text": 3})",
                           R"([["a", "b"], "c"])", R"(["a", ["b", "c"]])", R"([[["a"]]])"})
    EXPECT_EQ(status_of_inputs(json), 400) << json;
  EXPECT_EQ(status_of_inputs(R"(["a", 3])", true), 400);
}

TEST(Inputs, AreLimitedInNumber) {
  const auto of = [](std::size_t count) {
    std::string list = R"(["a")";
    for (std::size_t i = 1; i < count; ++i) list += R"(,"a")";
    return list + "]";
  };
  EXPECT_EQ(status_of_inputs(of(kMostInferred)), 200);
  EXPECT_EQ(status_of_inputs(of(kMostInferred + 1)), 413);
}

}  // namespace
}  // namespace attend
