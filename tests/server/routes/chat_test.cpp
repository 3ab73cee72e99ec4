// Conversations with a model whose file has a chat template.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "attend/checkpoint/checkpoint.h"
#include "attend/error.h"
#include "attend/tasks/language/chat.h"
#include "attend/tasks/language/engine.h"
#include "server/served_models.h"

namespace attend {
namespace {

constexpr const char* kTemplate =
    "{% for m in messages %}{% if m.content %}{{ m.content + eos_token }}{% endif %}{% endfor %}"
    "{% if messages[0].role == 'tool' %}{{ raise_exception('no tools') }}{% endif %}"
    "{% if messages[0].role != 'nobody' %}a {% endif %}";

// The language model of the others, with a template.
std::string model_with(const std::string& source, const std::string& name) {
  Checkpoint checkpoint = load_checkpoint(SmallModels::shared().file("lm") + "/model.safetensors");
  const Tokenizer tokenizer = language_model(checkpoint).tokenizer;
  const std::string eos = tokenizer.piece(tokenizer.eos_id());
  checkpoint.metadata[kChatKey] = ChatFormat{source, "", eos, {eos}}.to_json();
  const std::string file = SmallModels::shared().file(name);
  save_checkpoint(file, checkpoint);
  return file;
}

const std::string& chat_model() {
  static const std::string path = model_with(kTemplate, "chat.safetensors");
  return path;
}

const GenerationEngine& chat_engine() {
  static const GenerationEngine engine = GenerationEngine::load(chat_model());
  return engine;
}

// What the model answers, without a server.
std::string own_answer(const nlohmann::ordered_json& messages, int tokens) {
  const Chat chat(*chat_engine().model().chat, chat_engine().model().tokenizer);
  GenerationOptions options = chat_engine().default_options();
  options.max_tokens = tokens;
  options.sampling.top_k = 1;
  const auto running = chat_engine().running();
  running->join(chat_engine().conversation(chat.tokens(messages), options, 0));
  for (;;)
    for (auto& outcome : running->step()) return outcome.result.at(0).text;
}

class ChatRoute : public ServingTest {
 protected:
  ChatRoute() {
    chat_model();
    serve({"chat.safetensors", "lm"});
  }
  static std::string body(const std::string& more) {
    return R"({"messages": [{"role": "user", "content": "the dog"}], "max_tokens": 12,
               "temperature": 0)" +
           more + "}";
  }
};

// The rest of it works, and a chat is told why not.
TEST_F(ServingTest, OfAModelWhoseChatTemplateCannotBeUsed) {
  model_with("{% if x %}", "unreadable.safetensors");
  serve({"unreadable.safetensors"});
  const auto refusal =
      post("/v1/chat/completions", R"({"messages": [{"role": "user", "content": "the dog"}]})");
  EXPECT_EQ(refusal.status, 400);
  for (const char* part : {"unreadable", "cannot chat", "line 1: expected endif"})
    EXPECT_NE(refusal.body.find(part), std::string::npos) << refusal.body;
  EXPECT_EQ(post("/v1/completions", R"({"prompt": "the", "max_tokens": 2})").status, 200);
}

TEST_F(ChatRoute, AnswersAsTheLibraryDoes) {
  const std::string expected = own_answer({{{"role", "user"}, {"content", "the dog"}}}, 12);
  ASSERT_FALSE(expected.empty());
  const auto json = json_of(post("/v1/chat/completions", body("")));
  EXPECT_EQ(json["object"], "chat.completion");
  EXPECT_TRUE(json["id"].get<std::string>().starts_with("chatcmpl-"));
  EXPECT_EQ(json["choices"][0]["message"]["role"], "assistant");
  EXPECT_EQ(json["choices"][0]["message"]["content"], expected);
  EXPECT_GT(json["usage"]["prompt_tokens"], 3);
  // The same as a part, with several choices and the limit by its newer name.
  const auto part = json_of(post("/v1/chat/completions",
                                 R"({"messages": [{"role": "user", "content": [
                                      {"type": "text", "text": "the dog"}]}],
                                     "max_completion_tokens": 12, "n": 2, "temperature": 0})"));
  ASSERT_EQ(part["choices"].size(), 2u);
  EXPECT_EQ(part["choices"][1]["message"]["content"], expected);
}

// As vLLM and llama.cpp join them.
TEST_F(ChatRoute, ReadsTextPartsAsLines) {
  const auto prompt_of = [&](const std::string& content) {
    return json_of(post("/v1/chat/completions",
                        R"({"max_tokens": 1, "temperature": 0, "return_token_ids": true,
                            "messages": [{"role": "user", "content": )" +
                            content + "}]}"))["prompt_token_ids"];
  };
  EXPECT_EQ(prompt_of(R"([{"type": "text", "text": "the"}, {"type": "text", "text": ""},
                          {"type": "text", "text": " dog"}])"),
            prompt_of(R"("the\n\n dog")"));
  for (const char* content : {"1", "{}", R"(["the"])", R"([{"type": "image_url"}])"})
    EXPECT_EQ(post("/v1/chat/completions",
                   fmt::format(R"({{"messages": [{{"role": "user", "content": {}}}]}})", content))
                  .status,
              400)
        << content;
}

// A template that goes through the parts writes what is between them.
TEST_F(ServingTest, OfATemplateThatReadsParts) {
  model_with(
      "{% for m in messages %}{% if m.content is string %}{{ m.content }}{% else %}"
      "{% for part in m['content'] %}{{ part.text }}{% endfor %}{% endif %}{% endfor %}",
      "parts.safetensors");
  serve({"parts.safetensors"});
  const auto prompt_of = [&](const std::string& content, const std::string& more) {
    return json_of(post("/v1/chat/completions",
                        R"({"max_tokens": 1, "temperature": 0, "return_token_ids": true,
                            "messages": [{"role": "user", "content": )" +
                            content + "}]" + more + "}"))["prompt_token_ids"];
  };
  const char* const parts =
      R"([{"type": "text", "text": "the"}, {"type": "text", "text": " dog"}])";
  EXPECT_EQ(prompt_of(parts, ""), prompt_of(R"("the dog")", ""));
  const std::string on = R"(, "continue_final_message": true)";
  EXPECT_EQ(prompt_of(parts, on), prompt_of(R"("the\n dog")", on));
}

TEST_F(ChatRoute, TakesWhatChangesNothing) {
  json_of(
      post("/v1/chat/completions", body(R"(, "tools": [], "tool_choice": "none", "functions": null,
                       "parallel_tool_calls": false, "response_format": {"type": "text"},
                       "modalities": ["text"], "store": true, "metadata": {"a": "b"},
                       "user": "me", "service_tier": "default", "top_logprobs": null,
                       "max_completion_tokens": 5)")));
  json_of(post("/v1/chat/completions",
               R"({"max_tokens": 2, "messages": [
                   {"role": "user", "content": "a", "name": "me"},
                   {"role": "assistant", "content": "b", "refusal": null, "tool_calls": [],
                    "audio": null}]})"));
}

TEST_F(ChatRoute, ContinuesTheLastMessage) {
  const Chat chat(*chat_engine().model().chat, chat_engine().model().tokenizer);
  const nlohmann::ordered_json messages = {{{"role", "user"}, {"content", "the dog"}},
                                           {{"role", "assistant"}, {"content", "the old"}}};
  const auto answer = [&](const std::string& more) {
    return json_of(post("/v1/chat/completions",
                        R"({"max_tokens": 8, "temperature": 0, "return_token_ids": true,
                            "messages": )" +
                            messages.dump() + more + "}"));
  };
  const auto continued = answer(R"(, "continue_final_message": true)");
  const ChatOptions within{.add_generation_prompt = false, .continue_final_message = true};
  const auto ids = chat.tokens(messages, within);
  EXPECT_EQ(continued["prompt_token_ids"].get<std::vector<std::int32_t>>(), ids);
  EXPECT_NE(answer("")["prompt_token_ids"], continued["prompt_token_ids"]);
  // With the space between the message and what follows it.
  std::vector<std::int32_t> all = ids;
  for (const auto& id : continued["choices"][0]["token_ids"]) all.push_back(id);
  const Tokenizer& tokenizer = chat_engine().model().tokenizer;
  const std::string before = tokenizer.decode(ids),
                    content = continued["choices"][0]["message"]["content"];
  EXPECT_EQ(before + content, tokenizer.decode(all));
  EXPECT_EQ(json_of(post("/v1/chat/completions",
                         R"({"continue_final_message": true, "add_generation_prompt": true,
                             "messages": [{"role": "user", "content": "a"}]})"),
                    400)["error"]["message"],
            "continue_final_message: not together with add_generation_prompt");
}

TEST_F(ServingTest, GivesAChatTemplateWhatARequestNames) {
  model_with(
      "{{ 'the old dog' if thinks else 'the cat' }}{% if documents %}{{ documents[0].text }}{% "
      "endif %}",
      "named.safetensors");
  serve({"named.safetensors"});
  const auto tokens = [&](const std::string& more) {
    return json_of(post("/v1/chat/completions",
                        R"({"messages": [{"role": "user", "content": "a"}], "max_tokens": 1,
                            "return_token_ids": true)" +
                            more + "}"))["prompt_token_ids"]
        .size();
  };
  EXPECT_LT(tokens(""), tokens(R"(, "chat_template_kwargs": {"thinks": true})"));
  EXPECT_LT(tokens(""), tokens(R"(, "documents": [{"text": " sees the man"}])"));
  for (const char* wrong :
       {R"("chat_template_kwargs": {"tools": []})", R"("chat_template_kwargs": {"messages": []})",
        R"("chat_template_kwargs": [1])", R"("documents": ["text"])", R"("documents": {})"})
    json_of(post("/v1/chat/completions",
                 std::string(R"({"messages": [{"role": "user", "content": "a"}], )") + wrong + "}"),
            400);
}

TEST_F(ChatRoute, NamesTheLikeliestTokens) {
  const auto choice = json_of(
      post("/v1/chat/completions", body(R"(, "logprobs": true, "top_logprobs": 2)")))["choices"][0];
  const auto& content = choice["logprobs"]["content"];
  std::string text;
  for (const auto& token : content) {
    std::string bytes;
    for (const auto& byte : token["bytes"]) bytes += static_cast<char>(byte.get<int>());
    EXPECT_EQ(token["token"], bytes);
    if (token != content.back() || choice["finish_reason"] == "length") text += bytes;
    ASSERT_EQ(token["top_logprobs"].size(), 2u);
    EXPECT_EQ(token["top_logprobs"][0]["token"], token["token"]);
    EXPECT_NEAR(token["top_logprobs"][0]["logprob"].get<double>(), token["logprob"].get<double>(),
                1e-5);
    EXPECT_LE(token["top_logprobs"][1]["logprob"], token["top_logprobs"][0]["logprob"]);
  }
  EXPECT_NE(text.find(choice["message"]["content"].get<std::string>()), std::string::npos) << text;
  EXPECT_TRUE(json_of(post("/v1/chat/completions", body("")))["choices"][0]["logprobs"].is_null());
}

TEST_F(ChatRoute, StreamsTheSameAnswer) {
  const std::string expected = own_answer({{{"role", "user"}, {"content", "the dog"}}}, 12);
  const RawResponse response = post("/v1/chat/completions", body(R"(, "stream": true)"));
  std::string text, reason;
  std::string_view rest = response.body;
  EXPECT_TRUE(rest.ends_with("data: [DONE]\n\n")) << rest;
  for (int events = 0; rest.starts_with("data: {"); ++events) {
    const auto json = parse_json(rest.substr(6, rest.find("\n\n") - 6), "event");
    EXPECT_EQ(json["object"], "chat.completion.chunk");
    const auto& delta = json["choices"][0]["delta"];
    if (events == 0) {
      EXPECT_EQ(delta["role"], "assistant");
    }
    if (delta.contains("content")) text += delta["content"].get<std::string>();
    if (json["choices"][0]["finish_reason"].is_string())
      reason = json["choices"][0]["finish_reason"];
    rest.remove_prefix(rest.find("\n\n") + 2);
  }
  EXPECT_EQ(text, expected);
  EXPECT_FALSE(reason.empty());
}

// The piece that names the role has none of them.
TEST_F(ChatRoute, StreamsLogprobsAndIdsOfAllTokens) {
  const char* const more = R"(, "logprobs": true, "return_token_ids": true)";
  const auto whole = json_of(post("/v1/chat/completions", body(more)))["choices"][0];
  const RawResponse response =
      post("/v1/chat/completions", body(std::string(more) + R"(, "stream": true)"));
  auto logprobs = nlohmann::ordered_json::array(), ids = logprobs;
  std::string_view rest = response.body;
  for (int events = 0; rest.starts_with("data: {"); ++events) {
    const auto choice = parse_json(rest.substr(6, rest.find("\n\n") - 6), "event")["choices"][0];
    EXPECT_EQ(events == 0, choice["delta"].contains("role"));
    if (events == 0) {
      EXPECT_TRUE(choice["logprobs"].is_null());
    }
    if (!choice["logprobs"].is_null())
      for (const auto& token : choice["logprobs"]["content"]) logprobs.push_back(token);
    for (const auto& id : choice["token_ids"]) ids.push_back(id);
    rest.remove_prefix(rest.find("\n\n") + 2);
  }
  EXPECT_FALSE(logprobs.empty());
  EXPECT_EQ(logprobs, whole["logprobs"]["content"]);
  EXPECT_EQ(ids, whole["token_ids"]);
}

TEST_F(ChatRoute, SaysWhatIsWrong) {
  const auto error = [&](const std::string& request) {
    return json_of(post("/v1/chat/completions", request), 400)["error"]["message"]
        .get<std::string>();
  };
  EXPECT_EQ(error("{}"), "messages is required");
  EXPECT_NE(error(R"({"model": "lm", "messages": [{"role": "user", "content": "a"}]})")
                .find("no chat template"),
            std::string::npos);
  EXPECT_EQ(error(R"({"messages": [{"role": "tool", "content": "a"}]})"), "no tools");
  EXPECT_EQ(error(R"({"messages": [{"role": "nobody", "content": ""}]})"),
            "messages: the chat template writes nothing for them");
  for (const char* wrong :
       {R"({"messages": []})", R"({"messages": "a"})", R"({"messages": [1]})",
        R"({"messages": [{"content": "a"}]})", R"({"messages": [{"role": 1}]})",
        R"({"messages": [{"role": "user", "content": [{"type": "image_url"}]}]})",
        R"({"messages": [{"role": "user", "content": "a"}], "top_logprobs": 2})"})
    error(wrong);
  // By name.
  for (const auto& [name, value] : std::initializer_list<std::pair<const char*, const char*>>{
           {"tools", R"([{"type": "function"}])"},
           {"tool_choice", R"("required")"},
           {"functions", R"([{"name": "f"}])"},
           {"response_format", R"({"type": "json_schema"})"},
           {"modalities", R"(["text", "audio"])"},
           {"audio", R"({"voice": "alloy"})"},
           {"prediction", R"({"type": "content"})"},
           {"reasoning_effort", R"("high")"},
           {"web_search_options", "{}"},
           {"logit_bias", R"({"5": 1})"},
           {"chat_template_kwargs", R"({"tools": []})"}})
    EXPECT_NE(error(fmt::format(R"({{"messages": [{{"role": "user", "content": "a"}}], "{}": {}}})",
                                name, value))
                  .find(name),
              std::string::npos)
        << name;
  EXPECT_NE(error(R"({"messages": [{"role": "assistant", "content": "a", "tool_calls": [{}]}]})")
                .find("tool_calls"),
            std::string::npos);
  std::string longer;
  for (int i = 0; i < 100; ++i) longer += "the old dog ";
  EXPECT_NE(error(R"({"messages": [{"role": "user", "content": ")" + longer + R"("}]})")
                .find("shorten it"),
            std::string::npos);
}

TEST(Chat, MarksInAContentAreText) {
  const Tokenizer& tokenizer = chat_engine().model().tokenizer;
  const Chat chat(*chat_engine().model().chat, tokenizer);
  const auto count = [&](const std::string& content) {
    const auto ids = chat.tokens({{{"role", "user"}, {"content", content}}});
    return std::count(ids.begin(), ids.end(), tokenizer.eos_id());
  };
  const std::string eos = tokenizer.piece(tokenizer.eos_id());
  EXPECT_EQ(count("a dog"), 1);
  EXPECT_EQ(count("a dog" + eos + "x" + eos), 1);
  // Not even with the character that keeps them apart.
  EXPECT_EQ(count("a dog" + eos.substr(0, 1) + "\ufdd0" + eos.substr(1)), 1);
}

TEST(ChatFormat, IsCheckedWhenAModelIsLoaded) {
  EXPECT_THROW(Chat({"{% if", "", "", {}}, chat_engine().model().tokenizer), DataError);
  EXPECT_THROW(Chat({"x", "", "", {"<|none|>"}}, chat_engine().model().tokenizer), DataError);
  for (const char* wrong :
       {"", "{}", "[]", R"({"template": 1, "bos_token": "", "eos_token": "", "marks": []})",
        R"({"template": "", "bos_token": "", "eos_token": "", "marks": [1]})"})
    EXPECT_THROW(ChatFormat::from_json(wrong, "file"), DataError) << wrong;
  const ChatFormat format{"a\n", "<s>", "</s>", {"<s>"}};
  const ChatFormat again = ChatFormat::from_json(format.to_json(), "file");
  EXPECT_EQ(again.source, format.source);
  EXPECT_EQ(again.bos_token, "<s>");
  EXPECT_EQ(again.eos_token, "</s>");
  EXPECT_EQ(again.marks, format.marks);
}

}  // namespace
}  // namespace attend
