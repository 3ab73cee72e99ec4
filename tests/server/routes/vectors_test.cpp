// Vectors of texts by the routes of text-embeddings-inference and of OpenAI.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "attend/checkpoint/checkpoint.h"
#include "attend/core/json/json_text.h"
#include "attend/core/strings/base64.h"
#include "attend/embedder.h"
#include "server/served_models.h"
#include "tasks/model_checkpoint.h"
#include "tasks/small_embedder.h"

namespace attend {
namespace {

using Numbers = std::vector<float>;

// Its vectors are not of length 1, and the prompt "query" puts a word before a text.
const std::string& embedder_file() {
  static const std::string path = [] {
    const std::string file = SmallModels::shared().file("vectors.safetensors");
    save_checkpoint(file, finished_checkpoint_of(small_embedder(Pooling::mean, false)));
    return file;
  }();
  return path;
}

class Vectors : public ServingTest {
 protected:
  Vectors() {
    embedder_file();
    serve({"vectors.safetensors"});
  }

  static Numbers own(const std::string& text, const EmbeddingOptions& options = {}) {
    static const Embedder embedder = Embedder::load(embedder_file());
    return embedder.embed(std::vector<std::string>{text}, options).front().values;
  }
  static Numbers in_length_one(Numbers values) {
    double squares = 0;
    for (const float value : values) squares += double{value} * double{value};
    for (float& value : values) value = static_cast<float>(value / std::sqrt(squares));
    return values;
  }
  Numbers embedded(const std::string& more) {
    return json_of(post("/embed", R"({"inputs": "a good film")" + more + "}"))[0].get<Numbers>();
  }
};

TEST_F(Vectors, AreThoseOfTheLibraryInLengthOne) {
  const Numbers expected = own("a good film");
  ASSERT_NE(expected, in_length_one(expected));
  EXPECT_EQ(embedded(""), in_length_one(expected));
  EXPECT_EQ(embedded(R"(, "normalize": false)"), expected);
  EXPECT_EQ(json_of(post("/", R"({"inputs": "a good film"})"))[0].get<Numbers>(), expected)
      << "as the inference API has them";
}

TEST_F(Vectors, KeepSomeOfTheirValuesOnRequest) {
  Numbers expected = own("a good film");
  expected.resize(4);
  EXPECT_EQ(embedded(R"(, "dimensions": 4, "normalize": false)"), expected);
  EXPECT_EQ(embedded(R"(, "dimensions": 4)"), in_length_one(expected));
}

TEST_F(Vectors, ComeFromTheTextAfterThePrompt) {
  EmbeddingOptions options;
  options.prompt = "query";
  const Numbers expected = own("a good film", options);
  ASSERT_NE(expected, own("a good film"));
  EXPECT_EQ(embedded(R"(, "prompt_name": "query", "normalize": false)"), expected);
}

TEST_F(Vectors, AreNumbersOrBytesForClientsOfOpenAi) {
  const auto asked = [this](const std::string& more, int status = 200) {
    return json_of(post("/v1/embeddings", R"({"input": ["so good", "a good film"])" + more + "}"),
                   status);
  };
  const Numbers expected = own("a good film");
  const auto numbers = asked("");
  EXPECT_EQ(numbers["data"][1]["embedding"].get<Numbers>(), expected);
  EXPECT_EQ(numbers["data"][1]["index"], 1);
  EXPECT_GT(numbers["usage"]["total_tokens"], 4);
  std::string bytes(expected.size() * sizeof(float), '\0');
  std::memcpy(bytes.data(), expected.data(), bytes.size());
  EXPECT_EQ(asked(R"(, "encoding_format": "base64")")["data"][1]["embedding"], to_base64(bytes));
  asked(R"(, "encoding_format": "hex")", 400);
  // Ids are embedded if the text that they spell has these tokens.
  const auto of_ids = [this](const nlohmann::json& ids, int status) {
    return json_of(post("/v1/embeddings", nlohmann::json{{"input", ids}}.dump()), status);
  };
  const Tokenizer tokenizer = small_embedder(Pooling::mean, false).tokenizer;
  std::vector<std::int32_t> ids = tokenizer.encode("a good film");
  EXPECT_EQ(of_ids(ids, 200)["data"][0]["embedding"].get<Numbers>(), expected);
  ids.push_back(tokenizer.eos_id());
  EXPECT_EQ(of_ids(ids, 200)["data"][0]["embedding"].get<Numbers>(), expected);
  ids.push_back(ids.front());
  of_ids(ids, 400);
  Numbers first(expected.begin(), expected.begin() + 4);
  double squares = 0;
  for (const float value : first) squares += double{value} * double{value};
  for (float& value : first) value = static_cast<float>(value / std::sqrt(squares));
  EXPECT_EQ(asked(R"(, "dimensions": 4)")["data"][1]["embedding"].get<Numbers>(), first);
}

TEST_F(Vectors, AreNotWiderThanTheModelHasThem) {
  EXPECT_EQ(embedded(R"(, "dimensions": 32)").size(), 32u);
  EXPECT_EQ(post("/embed", R"({"inputs": "a", "dimensions": 33})").status, 400);
  EXPECT_EQ(post("/v1/embeddings", R"({"input": "a", "dimensions": 33})").status, 400);
}

}  // namespace
}  // namespace attend
