#include <fmt/format.h>
#include <gtest/gtest.h>

#include "attend/server/completions/completion.h"
#include "attend/tasks/language/engine.h"
#include "server/openai_requests.h"

namespace attend {
namespace {

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

TEST_F(OpenAi, TakesNumbersAsClientsWriteThem) {
  const auto text_of = [&](const std::string& more) {
    return complete(R"({"prompt": "the", "max_tokens": 12)" + more + "}")["choices"][0]["text"]
        .get<std::string>();
  };
  EXPECT_EQ(text_of(R"(, "top_k": -1, "seed": 7.0, "n": 1.0, "top_p": 1)"),
            text_of(R"(, "seed": 7)"));
  EXPECT_EQ(text_of(R"(, "top_p": 0)"), text_of(R"(, "temperature": 0.0)"));
  EXPECT_EQ(text_of(R"(, "seed": -1)"), text_of(R"(, "seed": 18446744073709551615)"));
  EXPECT_NE(text_of(R"(, "seed": -1)"), text_of(R"(, "seed": 1)"));
  EXPECT_EQ(text_of(R"(, "temperature": null, "top_p": null, "top_k": null, "n": null,
                       "seed": null, "stop": null, "stream": null, "stream_options": null,
                       "echo": null, "logprobs": null, "user": null, "model": null,
                       "suffix": null, "logit_bias": null, "best_of": null, "unknown": null)"),
            text_of(""));
}

TEST_F(OpenAi, TakesWhatChangesNothing) {
  for (const char* neutral :
       {R"("presence_penalty": 0.0)", R"("frequency_penalty": 0)", R"("logit_bias": {})",
        R"("best_of": 1)", R"("n": 2, "best_of": 2)", R"("suffix": "")",
        R"("response_format": {"type": "text"})", R"("min_p": 0.0)", R"("stop_token_ids": [])",
        R"("ignore_eos": false)", R"("skip_special_tokens": true)", R"("typical_p": 1.0)",
        R"("repeat_penalty": 1)", R"("grammar": "")", R"("user": "me")",
        R"("metadata": {"run": "1"})", R"("store": true)", R"("service_tier": "auto")",
        R"("stream_options": {"include_usage": false, "include_obfuscation": true})"})
    complete(std::string(R"({"prompt": "the", "max_tokens": 2, )") + neutral + "}");
}

TEST_F(OpenAi, RefusesByNameWhatItDoesNotDo) {
  for (const auto& [name, value] : std::initializer_list<std::pair<const char*, const char*>>{
           {"presence_penalty", "1"},
           {"frequency_penalty", "0.5"},
           {"logit_bias", R"({"5": 100})"},
           {"best_of", "3"},
           {"suffix", R"("end")"},
           {"response_format", R"({"type": "json_object"})"},
           {"min_p", "0.1"},
           {"stop_token_ids", "[5]"},
           {"ignore_eos", "true"},
           {"skip_special_tokens", "false"},
           {"include_stop_str_in_output", "true"},
           {"typical_p", "0.5"},
           {"guided_json", "{}"},
           {"guided_regex", R"(".*")"},
           {"structured_outputs", "{}"},
           {"grammar", R"("root ::= x")"},
           {"n_predict", "5"},
           {"prompt_logprobs", "1"},
           {"truncate_prompt_tokens", "5"},
           {"max_completion_tokens", "5"},
           {"temprature", "1"},
           {"stream_options", R"({"include_usge": true})"}}) {
    const auto error =
        json_of(post("/v1/completions",
                     fmt::format(R"({{"prompt": "the", "max_tokens": 2, "{}": {}}})", name, value)),
                400);
    EXPECT_NE(error["error"]["message"].get<std::string>().find(name), std::string::npos)
        << error.dump();
  }
}

TEST_F(OpenAi, WritesNothingIfNothingIsAskedFor) {
  const auto json = complete(R"({"prompt": ["the", "a dog"], "max_tokens": 0, "n": 2})");
  ASSERT_EQ(json["choices"].size(), 4u);
  for (const auto& choice : json["choices"]) {
    EXPECT_EQ(choice["text"], "");
    EXPECT_EQ(choice["finish_reason"], "length");
  }
  EXPECT_EQ(json["usage"]["completion_tokens"], 0);
  EXPECT_TRUE(post("/v1/completions", R"({"prompt": "the", "max_tokens": 0, "stream": true})")
                  .body.ends_with("data: [DONE]\n\n"));
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

TEST_F(OpenAi, NamesTheLikeliestTokens) {
  const auto whole = complete(R"({"prompt": "the", "max_tokens": 8, "temperature": 0,
                                  "logprobs": 3})")["choices"][0];
  const auto& found = whole["logprobs"];
  ASSERT_EQ(found["tokens"].size(), 8u);
  std::string text;
  for (std::size_t i = 0; i < 8; ++i) {
    EXPECT_EQ(found["text_offset"][i], text.size()) << i;
    const std::string token = found["tokens"][i];
    EXPECT_EQ(token.find("\u2581"), std::string::npos) << token << " is text";
    text += token;
    // Greedy: the chosen token is the likeliest.
    const auto& top = found["top_logprobs"][i];
    ASSERT_EQ(top.size(), 3u);
    EXPECT_EQ(top.begin().key(), token);
    EXPECT_EQ(top.begin().value(), found["token_logprobs"][i]);
    float before = 0;
    for (const auto& [name, value] : top.items()) {
      EXPECT_LE(value.get<float>(), before);
      before = value.get<float>();
    }
  }
  EXPECT_EQ(text, whole["text"].get<std::string>());
  const auto none = complete(R"({"prompt": "the", "max_tokens": 2, "logprobs": 0})");
  EXPECT_EQ(none["choices"][0]["logprobs"]["top_logprobs"][0].size(), 1u) << "the chosen one";
  EXPECT_TRUE(
      complete(R"({"prompt": "the", "max_tokens": 2})")["choices"][0]["logprobs"].is_null());
  EXPECT_EQ(post("/v1/completions", R"({"prompt": "the", "logprobs": 21})").status, 400);
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

// What was written beside other choices after the stop counts for nothing.
TEST_F(OpenAi, CountsTokensUpToTheStop) {
  const std::string options =
      R"("prompt": "the", "max_tokens": 40, "temperature": 0, "logprobs": 0)";
  const auto whole = complete("{" + options + "}")["choices"][0];
  const auto& tokens = whole["logprobs"]["tokens"];
  ASSERT_EQ(tokens.size(), 40u);
  // A stop that is first complete with the last of some tokens.
  const std::string all = whole["text"];
  std::string text = tokens[0], stop;
  std::size_t count = 1;
  for (; count < 20 && stop.empty(); ++count) {
    text += tokens[count].get<std::string>();
    for (std::size_t length = 3; length < text.size() && stop.empty(); ++length)
      if (all.find(text.substr(text.size() - length)) == text.size() - length)
        stop = text.substr(text.size() - length);
  }
  ASSERT_FALSE(stop.empty());
  text.resize(text.size() - stop.size());
  const std::string body = "{" + options + ", \"stop\": " + nlohmann::json(stop).dump() + "}";
  for (int i = 0; i < 5; ++i) {
    const auto json = complete(body);
    EXPECT_EQ(json["choices"][0]["text"], text);
    EXPECT_EQ(json["usage"]["completion_tokens"], count);
    EXPECT_EQ(json["choices"][0]["logprobs"]["tokens"].size(), count);
  }
}

TEST_F(OpenAi, StreamsTheSameText) {
  const std::string options =
      R"("prompt": "the", "max_tokens": 12, "temperature": 0, "logprobs": 2)";
  const auto all = complete("{" + options + "}")["choices"][0];
  const std::string whole = all["text"];
  nlohmann::ordered_json tokens = nlohmann::ordered_json::array(), offsets = tokens;
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
    if (!json["choices"].empty()) {
      const auto& choice = json["choices"][0];
      text += choice["text"].get<std::string>();
      for (const auto& [name, list] :
           {std::pair{"tokens", &tokens}, std::pair{"text_offset", &offsets}})
        if (!choice["logprobs"].is_null())
          list->insert(list->end(), choice["logprobs"][name].begin(),
                       choice["logprobs"][name].end());
    }
    ASSERT_TRUE(json.contains("usage"));
    usage = json["usage"];
    rest.remove_prefix(rest.find("\n\n") + 2);
  }
  EXPECT_EQ(text, whole);
  EXPECT_EQ(tokens, all["logprobs"]["tokens"]);
  EXPECT_EQ(offsets, all["logprobs"]["text_offset"]);
  EXPECT_GT(events, 3u);
  EXPECT_EQ(usage["completion_tokens"], 12);
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

TEST_F(ServingTest, WritesNoMoreThanTheServerAllows) {
  serve({"lm"}, {.max_new_tokens = 10});
  const auto ask = [&](const std::string& more) {
    return post("/v1/completions", R"({"prompt": "the", "temperature": 0)" + more + "}");
  };
  const auto refusal = json_of(ask(R"(, "max_tokens": 11)"), 400);
  EXPECT_EQ(refusal["error"]["message"],
            "max_tokens: expected at most 10, the max-new-tokens of the server, got 11");
  EXPECT_EQ(ask(R"(, "max_tokens": 1048576)").status, 400);
  EXPECT_EQ(json_of(ask(R"(, "max_tokens": 10)"))["usage"]["completion_tokens"], 10);
  EXPECT_EQ(json_of(ask(""))["usage"]["completion_tokens"], 10) << "of 16 by default";
}

TEST_F(ServingTest, CountsWhatMayBeWrittenAmongWhatWaits) {
  serve({"lm"}, {.max_tokens_in_queue = 300});
  const auto ask = [&](int n, int tokens) {
    return post("/v1/completions",
                fmt::format(R"({{"prompt": "the", "n": {}, "max_tokens": {}}})", n, tokens));
  };
  EXPECT_EQ(ask(2, 100).status, 200);
  EXPECT_EQ(ask(4, 100).status, 413);
  EXPECT_EQ(ask(1, 400).status, 413);
}

// A stream that was begun ends where it is.
TEST_F(ServingTest, EndsWhatTakesTooLong) {
  serve({"lm"},
        {.max_tokens_in_queue = 1 << 24, .max_new_tokens = 1 << 20, .request_time_limit = 0.5});
  const auto json = json_of(post("/v1/completions", R"({"prompt": "the", "max_tokens": 1000000})"));
  EXPECT_EQ(json["choices"][0]["finish_reason"], "length");
  EXPECT_GT(json["usage"]["completion_tokens"], 0);
  EXPECT_LT(json["usage"]["completion_tokens"], 1000000);
  const RawResponse streamed =
      post("/v1/completions", R"({"prompt": "the", "max_tokens": 1000000, "stream": true})");
  EXPECT_NE(streamed.body.find("\"finish_reason\":\"length\""), std::string::npos);
  EXPECT_TRUE(streamed.body.ends_with("data: [DONE]\n\n"));
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
        R"({"prompt": "a", "max_tokens": -1})", R"({"prompt": ["a", 3]})", R"({"prompt": [[]]})"})
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
