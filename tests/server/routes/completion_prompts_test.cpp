// Prompts of completions: several, of ids, echoed.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "attend/server/completions/token_logprobs.h"
#include "attend/tasks/language/engine.h"
#include "server/openai_requests.h"
#include "tasks/small_language.h"

namespace attend {
namespace {

// As evaluation harnesses score texts.
TEST_F(OpenAi, EchoesAPromptWithItsLogProbabilities) {
  const std::string prompt = "the old dog\nthe cat";
  const auto choice = complete(R"({"prompt": "the old dog\nthe cat", "echo": true, "logprobs": 2,
                                   "max_tokens": 0, "return_token_ids": true})")["choices"][0];
  const std::vector<std::int32_t> ids = own().prompt_ids(prompt);
  const std::vector<GeneratedToken> expected = own().score_tokens(ids, 2);
  EXPECT_EQ(choice["text"], prompt);
  EXPECT_EQ(choice["finish_reason"], "length");
  EXPECT_EQ(choice["prompt_token_ids"].get<std::vector<std::int32_t>>(), ids);
  EXPECT_TRUE(choice["token_ids"].empty());
  const auto& logprobs = choice["logprobs"];
  ASSERT_EQ(logprobs["token_logprobs"].size(), ids.size());
  EXPECT_TRUE(logprobs["token_logprobs"][0].is_null());
  EXPECT_TRUE(logprobs["top_logprobs"][0].is_null());
  std::size_t offset = 0;
  for (std::size_t i = 1; i < ids.size(); ++i) {
    EXPECT_FLOAT_EQ(logprobs["token_logprobs"][i].get<float>(), expected[i].score);
    EXPECT_TRUE(logprobs["top_logprobs"][i].contains(
        shown_token(own().tokenizer(), expected[i].likeliest[0].id)));
    EXPECT_EQ(logprobs["text_offset"][i], offset);
    offset += expected[i].text.size();
  }
  EXPECT_EQ(offset, prompt.size());
}

TEST_F(OpenAi, EchoesAPromptOfIdsAndWhatFollowsIt) {
  const std::vector<std::int32_t> ids = own().tokenizer().encode("the old dog");
  const std::string body =
      fmt::format(R"({{"prompt": [{0}, {0}], "echo": true, "logprobs": 1, "max_tokens": 1,
                       "temperature": 0, "n": 2)",
                  nlohmann::json(ids).dump());
  const auto json = complete(body + "}");
  EXPECT_EQ(json["usage"]["prompt_tokens"], 2 * ids.size());
  EXPECT_EQ(json["usage"]["completion_tokens"], 4);
  const auto alone =
      complete(fmt::format(R"({{"prompt": {}, "logprobs": 1, "max_tokens": 1, "temperature": 0}})",
                           nlohmann::json(ids).dump()))["choices"][0];
  for (const auto& choice : json["choices"]) {
    EXPECT_EQ(choice["text"], "the old dog" + alone["text"].get<std::string>());
    ASSERT_EQ(choice["logprobs"]["tokens"].size(), ids.size() + 1);
    EXPECT_EQ(choice["logprobs"]["tokens"].back(), alone["logprobs"]["tokens"][0]);
    EXPECT_EQ(choice["logprobs"]["text_offset"].back(), 11);
  }
  // In a stream the prompt comes before all else, with what belongs to it.
  const std::string stream = post("/v1/completions", body + R"(, "stream": true})").body;
  const auto first = parse_json(stream.substr(6, stream.find("\n") - 6), "event")["choices"][0];
  EXPECT_EQ(first["text"], "the old dog");
  EXPECT_EQ(first["logprobs"]["tokens"].size(), ids.size());
}

TEST_F(OpenAi, TakesSeveralPromptsAndIds) {
  auto ids = own().tokenizer().encode("the old");
  ids.insert(ids.begin(), own().tokenizer().eos_id());  // what this model has before a text
  const std::string more = R"(, "max_tokens": 5, "temperature": 0, "echo": true})";
  const std::string text =
      complete(R"({"prompt": "the old")" + more)["choices"][0]["text"].get<std::string>();
  EXPECT_TRUE(text.starts_with("the old")) << text;
  EXPECT_EQ(complete("{\"prompt\": " + nlohmann::json(ids).dump() + more)["choices"][0]["text"],
            text);
  const auto two = complete(R"({"prompt": ["the old", "a"], "n": 2)" + more);
  ASSERT_EQ(two["choices"].size(), 4u);
  EXPECT_EQ(two["choices"][0]["text"], text);
  EXPECT_TRUE(two["choices"][3]["text"].get<std::string>().starts_with("a"));
}

// Neither decoded and encoded again nor with another token before them.
TEST_F(OpenAi, ReadsIdsAsTheyAre) {
  const Tokenizer& tokenizer = own().tokenizer();
  std::vector<std::int32_t> letters;  // of a word that the tokenizer writes in larger pieces
  for (const char* piece : {"▁", "t", "h", "e"}) letters.push_back(tokenizer.id(piece));
  ASSERT_NE(tokenizer.encode("the"), letters);
  const GenerationEngine engine = GenerationEngine::load(SmallModels::shared().file("lm"));
  GenerationOptions options = engine.default_options();
  options.max_tokens = 6;
  options.sampling.temperature = 0;
  const Generation expected = engine.generate(engine.prompt(letters, options, 0)).front();
  EXPECT_NE(expected.token_scores, own().generate("the", options).token_scores);
  const auto json = complete("{\"prompt\": " + nlohmann::json(letters).dump() +
                             R"(, "max_tokens": 6, "temperature": 0, "logprobs": 0})");
  EXPECT_EQ(json["choices"][0]["text"], expected.text);
  EXPECT_EQ(json["usage"]["prompt_tokens"], 4);
  EXPECT_FLOAT_EQ(json["choices"][0]["logprobs"]["token_logprobs"][0].get<float>(),
                  expected.token_scores[0]);
}

TEST_F(OpenAi, CountsAPromptOfIdsOnce) {
  const auto once = own().tokenizer().encode("the old");
  nlohmann::json ids = nlohmann::json::array();
  while (ids.size() <= 2048)
    for (const std::int32_t id : once) ids.push_back(id);
  const auto error = json_of(post("/v1/completions", "{\"prompt\": " + ids.dump() + "}"), 400);
  EXPECT_NE(error["error"]["message"].get<std::string>().find("shorten it"), std::string::npos);
}

// A model of bytes, which can write line breaks.
TEST_F(ServingTest, APromptOfIdsKeepsItsLineBreaks) {
  const Tokenizer tokenizer = rhyme_tokenizer(TokenizerType::byte_bpe, 4 + 256 + 8);
  save_checkpoint(SmallModels::shared().file("bytes.safetensors"),
                  finished_checkpoint_of(small_language_model(tokenizer, 16)));
  serve({"bytes.safetensors"});
  const nlohmann::json ids = tokenizer.encode("a\nb");
  const auto answer =
      json_of(post("/v1/completions", "{\"prompt\": " + ids.dump() +
                                          R"(, "max_tokens": 1, "temperature": 0, "echo": true})"));
  const std::string text = answer["choices"][0]["text"];
  EXPECT_TRUE(text.starts_with("a\nb")) << text;
}

// It is part of the prompt unless the answer completes it: as in transformers, the text of all ids
// has it once.
TEST_F(ServingTest, APromptOfIdsKeepsItsCutCharacter) {
  const Tokenizer tokenizer = rhyme_tokenizer(TokenizerType::byte_bpe, 4 + 256 + 8);
  save_checkpoint(SmallModels::shared().file("bytes.safetensors"),
                  finished_checkpoint_of(small_language_model(tokenizer, 16)));
  serve({"bytes.safetensors"});
  int cut = 0;
  for (const char* text : {"a\u65e5", "a\u00e9", "a\U0001f916"}) {
    std::vector<std::int32_t> ids = tokenizer.encode(text);
    ids.pop_back();
    const std::string prompt = tokenizer.decode(ids),
                      request = "{\"prompt\": " + nlohmann::json(ids).dump() +
                                R"(, "temperature": 0, "max_tokens": 9, )";
    const auto answer = json_of(post("/v1/completions", request + R"("return_token_ids": true})"));
    for (const auto& id : answer["choices"][0]["token_ids"]) ids.push_back(id.get<std::int32_t>());
    const std::string whole = tokenizer.decode(ids);
    if (!whole.starts_with(prompt)) continue;  // completed
    ++cut;
    EXPECT_EQ(prompt + answer["choices"][0]["text"].get<std::string>(), whole);
    const auto echoed = json_of(post("/v1/completions", request + R"("echo": true})"));
    EXPECT_EQ(echoed["choices"][0]["text"], whole);
  }
  EXPECT_GT(cut, 0);
}

TEST_F(OpenAi, EchoesOnlySoMuch) {
  const std::string spaces(100'000, ' ');
  const auto ask = [&](const std::string& n) {
    return post("/v1/completions", R"({"max_tokens": 1, "echo": true, "prompt": "the)" + spaces +
                                       R"(", "n": )" + n + "}");
  };
  EXPECT_EQ(ask("2").status, 200);
  EXPECT_EQ(ask("100").status, 413);
}

TEST_F(OpenAi, EndsIfALaterPromptCannotBeTaken) {
  std::string large;
  for (int i = 0; i < 70'000; ++i) large += "the ";
  const auto ask = [&](const std::string& more) {
    return post("/v1/completions", R"({"max_tokens": 200, "temperature": 0, "prompt": ["the", ")" +
                                       large + "\"]" + more + "}");
  };
  EXPECT_EQ(ask("").status, 400);
  const RawResponse streamed = ask(R"(, "stream": true)");
  if (streamed.status == 200) {  // begun before the large prompt was read
    EXPECT_NE(streamed.body.find("shorten it"), std::string::npos) << streamed.body;
    EXPECT_TRUE(streamed.body.ends_with("data: [DONE]\n\n")) << streamed.body;
  } else {
    EXPECT_EQ(streamed.status, 400);
  }
}

}  // namespace
}  // namespace attend
