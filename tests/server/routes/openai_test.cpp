#include <gtest/gtest.h>

#include <cstring>

#include "attend/core/base64.h"
#include "attend/embedder.h"
#include "attend/generator.h"
#include "attend/server/completion.h"
#include "server/served_models.h"
#include "tasks/small_language.h"

namespace attend {
namespace {

class OpenAi : public ServingTest {
 protected:
  OpenAi() { serve({"en-de", "lm"}); }

  static const Generator& own() {
    static const Generator generator = Generator::load(SmallModels::shared().file("lm"));
    return generator;
  }
  nlohmann::ordered_json complete(const std::string& body) {
    return json_of(post("/v1/completions", body));
  }
};

TEST_F(OpenAi, ContinuesAsTheLibraryDoes) {
  GenerationOptions options = own().default_options();
  options.max_tokens = 12;
  options.sampling.seed = 7;
  options.sampling.temperature = 0.5f;
  const auto json = complete(
      R"({"model": "lm", "prompt": "the old", "max_tokens": 12, "seed": 7, "temperature": 0.5,
          "n": 2, "logprobs": 1})");
  EXPECT_EQ(json["object"], "text_completion");
  EXPECT_EQ(json["model"], "lm");
  ASSERT_EQ(json["choices"].size(), 2u);
  for (std::uint64_t k = 0; k < 2; ++k) {
    const Generation expected = own().generate("the old", options, {}, k);
    const auto& choice = json["choices"][k];
    EXPECT_EQ(choice["text"], expected.text);
    EXPECT_EQ(choice["index"], k);
    EXPECT_EQ(choice["finish_reason"], "length");
    ASSERT_EQ(choice["logprobs"]["token_logprobs"].size(), 12u);
    EXPECT_FLOAT_EQ(choice["logprobs"]["token_logprobs"][3].get<float>(), expected.token_scores[3]);
  }
  EXPECT_EQ(json["usage"]["completion_tokens"], 24);
}

TEST_F(OpenAi, TemperatureZeroIsTheMostLikelyText) {
  GenerationOptions options = own().default_options();
  options.max_tokens = 8;
  options.sampling.top_k = 1;
  EXPECT_EQ(
      complete(R"({"prompt": "the", "max_tokens": 8, "temperature": 0})")["choices"][0]["text"],
      own().generate("the", options).text);
}

TEST_F(OpenAi, DrawsAmongTheLikeliestTokens) {
  const auto written = [&](const std::string& more) {
    return complete(R"({"prompt": "the", "max_tokens": 12)" + more + "}")["choices"][0]["text"]
        .get<std::string>();
  };
  GenerationOptions options = own().default_options();
  options.max_tokens = 12;
  const std::string among_all = own().generate("the", options).text;
  EXPECT_EQ(written(""), among_all);
  GenerationOptions few = options, share = options;
  few.sampling.top_k = 2;
  share.sampling.top_p = 0.2f;
  for (const auto& [more, narrow] :
       {std::pair{R"(, "top_k": 2)", few}, std::pair{R"(, "top_p": 0.2)", share}}) {
    const std::string expected = own().generate("the", narrow).text;
    ASSERT_NE(expected, among_all) << more;
    EXPECT_EQ(written(more), expected) << more;
  }
}

TEST_F(OpenAi, PenalizesRepetitions) {
  GenerationOptions options = own().default_options();
  options.max_tokens = 12;
  options.sampling.top_k = 1;
  options.repetition_penalty = 5;
  const std::string text = own().generate("the", options).text;
  options.repetition_penalty = 1;
  EXPECT_NE(own().generate("the", options).text, text);
  EXPECT_EQ(complete(R"({"prompt": "the", "max_tokens": 12, "temperature": 0,
                         "repetition_penalty": 5})")["choices"][0]["text"],
            text);
  EXPECT_EQ(post("/v1/completions", R"({"prompt": "the", "repetition_penalty": 0})").status, 400);
  EXPECT_EQ(post("/v1/completions", R"({"prompt": "the", "min_tokens": -1})").status, 400);
}

TEST_F(OpenAi, TakesSeveralPromptsAndIds) {
  const auto ids = own().tokenizer().encode("the old");
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

TEST_F(OpenAi, EndsBeforeAStop) {
  const std::string whole =
      complete(R"({"prompt": "the", "max_tokens": 12, "temperature": 0})")["choices"][0]["text"];
  ASSERT_GT(whole.size(), 6u);
  const std::string stop = whole.substr(4, 2);
  const auto json =
      complete("{\"prompt\": \"the\", \"max_tokens\": 12, \"temperature\": 0, \"stop\": " +
               nlohmann::json(stop).dump() + "}");
  EXPECT_EQ(json["choices"][0]["text"], whole.substr(0, whole.find(stop)));
  EXPECT_EQ(json["choices"][0]["finish_reason"], "stop");
  EXPECT_GT(json["usage"]["completion_tokens"], 0) << "written before the stop";
}

TEST_F(OpenAi, StreamsTheSameText) {
  const std::string options = R"("prompt": "the", "max_tokens": 12, "temperature": 0)";
  const std::string whole = complete("{" + options + "}")["choices"][0]["text"];
  const RawResponse response =
      post("/v1/completions",
           "{" + options + R"(, "stream": true, "stream_options": {"include_usage": true}})");
  EXPECT_EQ(response.field("Content-Type"), "text/event-stream; charset=utf-8");
  std::string text;
  std::size_t events = 0;
  nlohmann::ordered_json usage;
  std::string_view rest = response.body;
  EXPECT_TRUE(rest.ends_with("data: [DONE]\n\n")) << rest;
  for (; rest.starts_with("data: {"); ++events) {
    const auto json = parse_json(rest.substr(6, rest.find("\n\n") - 6), "event");
    if (!json["choices"].empty()) text += json["choices"][0]["text"].get<std::string>();
    if (json.contains("usage")) usage = json["usage"];
    rest.remove_prefix(rest.find("\n\n") + 2);
  }
  EXPECT_EQ(text, whole);
  EXPECT_GT(events, 3u);
  EXPECT_EQ(usage["completion_tokens"], 12);
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

TEST_F(OpenAi, RefusesAtOnceWhatCanNeverWaitTogether) {
  std::string words;
  for (int i = 0; i < 40; ++i) words += "the ";
  const std::string prompt = '"' + words + '"';
  std::string prompts = prompt;
  for (int i = 1; i < 1000; ++i) prompts += ", " + prompt;
  const RawResponse refusal =
      post("/v1/completions", R"({"max_tokens": 1, "n": 2, "prompt": [)" + prompts + "]}");
  EXPECT_EQ(refusal.status, 413);
  EXPECT_NE(refusal.body.find("max-tokens-in-queue 65536"), std::string::npos) << refusal.body;
  EXPECT_EQ(refusal.field("Retry-After"), "");
}

TEST_F(OpenAi, ListsModels) {
  const auto json = json_of(get("/v1/models"));
  ASSERT_EQ(json["data"].size(), 2u);
  EXPECT_EQ(json["data"][1]["id"], "lm");
  EXPECT_EQ(json["data"][1]["object"], "model");
  EXPECT_EQ(json_of(get("/v1/models/lm")), json["data"][1]);
  json_of(get("/v1/models/none"), 404);
}

TEST_F(OpenAi, SaysWhatIsWrong) {
  const auto error = [&](const std::string& path, const std::string& body, int status) {
    return json_of(post(path, body), status)["error"]["message"].get<std::string>();
  };
  EXPECT_EQ(error("/v1/completions", "{}", 400), "prompt is required");
  EXPECT_NE(error("/v1/completions", R"({"prompt": "a", "model": "x"})", 404).find("'x'"),
            std::string::npos);
  EXPECT_NE(error("/v1/completions", R"({"prompt": [99999]})", 400).find("99999"),
            std::string::npos);
  for (const char* wrong :
       {R"({"prompt": {}})", R"({"prompt": []})", R"({"prompt": "a", "n": 0})",
        R"({"prompt": "a", "temperature": -1})", R"({"prompt": "a", "presence_penalty": 1})",
        R"({"prompt": "a", "logprobs": 1, "echo": true})", R"({"prompt": ["a", 3]})"})
    error("/v1/completions", wrong, 400);
  EXPECT_NE(error("/v1/chat/completions", R"({"messages": []})", 400).find("no chat template"),
            std::string::npos);
  EXPECT_NE(error("/v1/embeddings", R"({"input": "a"})", 404).find("no embedding model"),
            std::string::npos);
  std::string longer;
  for (int i = 0; i < 100; ++i) longer += "the old dog ";
  EXPECT_NE(error("/v1/completions", R"({"prompt": ")" + longer + "\"}", 400).find("shorten it"),
            std::string::npos);
}

TEST(StoppedText, HoldsBackWhatMayBecomeAStop) {
  StoppedText text({"END", "stop"});
  EXPECT_EQ(text.add("one E"), "one ");
  EXPECT_EQ(text.add("N"), "");
  EXPECT_EQ(text.add("T sto"), "ENT ");
  EXPECT_EQ(text.add("pped"), "");
  EXPECT_TRUE(text.is_stopped());
  EXPECT_EQ(text.text(), "one ENT ");
  EXPECT_EQ(text.add("more"), "");
  StoppedText open({"END"});
  EXPECT_EQ(open.add("a EN"), "a ");
  EXPECT_EQ(open.finish(), "EN");
  EXPECT_EQ(open.text(), "a EN");
}

}  // namespace
}  // namespace attend
