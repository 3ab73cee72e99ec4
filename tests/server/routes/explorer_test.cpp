#include <gtest/gtest.h>

#include <list>

#include "attend/classifier.h"
#include "attend/generator.h"
#include "attend/inspect/drawn_text.h"
#include "attend/inspect/explorer.h"
#include "attend/inspect/words/word_uses.h"
#include "attend/tasks/loaded_model.h"
#include "attend/tasks/translation/engine.h"
#include "attend/translator.h"
#include "server/explored_models.h"

namespace attend {
namespace {

// The events of a stream, without the mark of its end.
std::vector<Answer> events_of(const RawResponse& response) {
  std::vector<Answer> events;
  std::size_t at = 0;
  const std::string before = "data: ";
  while ((at = response.body.find(before, at)) != std::string::npos) {
    at += before.size();
    const std::string text = response.body.substr(at, response.body.find('\n', at) - at);
    if (text != "[DONE]") events.push_back(parse_json(text, "event"));
  }
  return events;
}

std::vector<std::string> texts_of_axis(const Answer& answer, const char* axis) {
  std::vector<std::string> texts;
  for (const Answer& label : answer["attention"]["axes"][axis]["words"])
    texts.push_back(label["text"]);
  return texts;
}

TEST_F(Exploring, TranslatesAndScoresAsTheLibraryDoes) {
  serve({"en-de"});
  const Translator own = Translator::load(file("en-de"));
  const Translation expected = own.translate(source()).front();
  const Answer answer = explored();
  EXPECT_EQ(answer["model"], "en-de");
  EXPECT_EQ(answer["translation"], expected.text());
  const std::vector<std::string> translation{expected.text()};
  const SequenceScore score = own.score(source(), translation).front();
  EXPECT_EQ(answer["log_probability"].get<float>(), score.log_probability);
  const Answer& pieces = answer["attention"]["axes"]["written"]["pieces"];
  ASSERT_EQ(pieces.size(), score.token_scores.size());
  for (std::size_t i = 0; i < pieces.size(); ++i)
    EXPECT_EQ(pieces[i]["log_probability"].get<float>(), score.token_scores[i]);
  EXPECT_EQ(texts_of_axis(answer, "source"),
            (std::vector<std::string>{"the", "dog", "sleeps", "</s>"}));
  EXPECT_FALSE(answer.contains("reference_log_probability"));
}

TEST_F(Exploring, ShowsAGivenTranslation) {
  serve({"en-de"});
  const Translator own = Translator::load(file("en-de"));
  const std::vector<std::string> given{"die katze schläft"}, other{"der hund"};
  const Answer answer = explored({{"translation", given[0]}, {"reference", other[0]}});
  EXPECT_EQ(answer["translation"], given[0]);
  EXPECT_EQ(answer["log_probability"].get<float>(),
            own.score(source(), given).front().log_probability);
  EXPECT_EQ(answer["reference_log_probability"].get<float>(),
            own.score(source(), other).front().log_probability);
}

TEST_F(Exploring, BeginsTranslationsAsTold) {
  serve({"en-de"});
  const Translator own = Translator::load(file("en-de"));
  TranslationOptions options = own.default_options();
  options.prefixes = {"eine katze"};
  const std::string translation = explored({{"prefix", "eine katze"}})["translation"];
  EXPECT_EQ(translation, own.translate(source(), options).front().text());
  EXPECT_TRUE(translation.starts_with("eine katze")) << translation;
}

TEST_F(Exploring, AnswersAsTheChangedModelDoes) {
  serve({"en-de"});
  const auto base = LoadedModel::load(file("en-de"));
  const AttentionChangeOptions changes{{"decoder.layers.0.cross_attn"}, {"encoder.*=0"}};
  const auto model = base->with_attention(attention_changes(changes));
  const std::string given = "der hund schläft";
  const TranslationEngine engine(dynamic_cast<const TranslationModel&>(*model));
  const float expected =
      engine.score(source(), std::vector<std::string>{given}).front().log_probability;
  const Answer request{{"translation", given},
                       {"heads_off", "decoder.layers.0.cross_attn"},
                       {"attention_beta", {"encoder.*=0"}}};
  const Answer answer = explored(request);
  EXPECT_EQ(answer["log_probability"].get<float>(), expected);
  EXPECT_NE(answer["log_probability"], explored({{"translation", given}})["log_probability"]);
  EXPECT_NE(answer["attention"]["maps"]["encoder"],
            explored({{"translation", given}})["attention"]["maps"]["encoder"]);
  EXPECT_EQ(explored(request), answer) << "with the model that is kept";
}

TEST_F(Exploring, SwitchesOffPositionsAndTheMask) {
  serve({"en-de"});
  const Explorer own(LoadedModel::load(file("en-de")));
  const std::string given = "der hund schläft";
  const Answer plain = explored({{"translation", given}});
  for (const auto& [name, changes] :
       {std::pair{"positions_off", AttentionChangeOptions{.positions_off = true}},
        std::pair{"mask_off", AttentionChangeOptions{.mask_off = true}}}) {
    const Answer answer = explored({{"translation", given}, {name, true}});
    EXPECT_NE(answer["log_probability"], plain["log_probability"]) << name;
    EXPECT_EQ(
        answer["attention"],
        own.explore({.text = source()[0], .translation = given, .changes = changes})["attention"]);
  }
  EXPECT_NE(explored({{"mask_off", true}}, 400)["error"].get<std::string>().find("mask_off"),
            std::string::npos)
      << "a translation is written without later tokens";
}

TEST_F(Exploring, NamesTheModulesOfItsMaps) {
  serve({"en-de"});
  const Answer maps = explored()["attention"]["maps"];
  for (const auto& [kind, module] : {std::pair{"encoder", "encoder.layers.0.self_attn"},
                                     std::pair{"decoder", "decoder.layers.0.self_attn"},
                                     std::pair{"cross", "decoder.layers.0.cross_attn"}}) {
    EXPECT_EQ(maps[kind]["modules"][0], module);
    EXPECT_EQ(maps[kind]["modules"].size(), maps[kind]["pieces"].size());
  }
}

TEST_F(Exploring, LooksInside) {
  serve({"en-de", "classes"});
  const auto inside = [this](Answer more, int status = 200) {
    Answer request{{"text", "the dog sleeps"}};
    request.update(more);
    return json_of(post("/explore/inside", json_text(request)), status);
  };
  const Explorer own(LoadedModel::load(file("en-de")));
  const Answer given{{"translation", "der hund schläft"}};
  Answer expected{{"model", "en-de"}, {"task", "translation"}};
  expected.update(own.inside({.text = source()[0], .translation = "der hund schläft"}));
  EXPECT_EQ(inside(given), expected);
  const Answer changed = inside({{"translation", "der hund schläft"},
                                 {"heads_off", "encoder.layers.0.self_attn"},
                                 {"modules", {"encoder.layers.0.self_attn"}}});
  EXPECT_EQ(changed["values"], own.inside({.text = source()[0],
                                           .translation = "der hund schläft",
                                           .changes = {{"encoder.layers.0.self_attn"}, {}}},
                                          {"encoder.layers.0.self_attn"})["values"]);
  EXPECT_EQ(inside({{"model", "classes"}})["classes"], explored({{"model", "classes"}})["classes"]);
  EXPECT_NE(inside({{"modules", "nothing"}}, 400).dump().find("encoder.layers.0.self_attn"),
            std::string::npos);
}

TEST_F(Exploring, TriesEveryHead) {
  serve({"en-de"});
  const std::string given = "der hund schläft";
  const auto score_without = [&](const std::vector<std::string>& heads) {
    return explored({{"translation", given}, {"heads_off", heads}})["log_probability"].get<float>();
  };
  const RawResponse response =
      post("/explore/heads", json_text(Answer{{"text", "the dog sleeps"}, {"translation", given}}));
  EXPECT_TRUE(response.body.ends_with("data: [DONE]\n\n")) << response.body;
  const std::vector<Answer> events = events_of(response);
  ASSERT_GT(events.size(), 3u);
  ASSERT_EQ(events.size(), events[0]["heads"].get<std::size_t>() + 1);
  for (const std::size_t i : {std::size_t{1}, events.size() - 1}) {
    const std::string head =
        events[i]["module"].get<std::string>() + ":" + std::to_string(events[i]["head"].get<int>());
    EXPECT_FLOAT_EQ(events[i]["change"].get<float>(), score_without({head}) - score_without({}))
        << head;
  }
}

TEST_F(Exploring, GoesOnWithItsHeadsWhileManyAsk) {
  serve({"en-de"});
  const std::string body = json_text(Answer{{"text", "the dog sleeps"}});
  std::list<RawClient> clients;
  for (int i = 0; i < 24; ++i)
    clients.emplace_back(server_->port())
        .send(fmt::format("POST /explore/heads HTTP/1.1\r\nHost: t\r\nContent-Length: {}\r\n"
                          "Content-Type: application/json\r\n\r\n{}",
                          body.size(), body));
  int complete = 0;
  for (RawClient& client : clients) {
    const RawResponse response = client.receive();
    if (response.status == 503) continue;
    EXPECT_EQ(response.body.find("error"), std::string::npos) << response.body;
    EXPECT_TRUE(response.body.ends_with("data: [DONE]\n\n")) << response.body;
    ++complete;
  }
  EXPECT_GT(complete, 0);
}

TEST_F(Exploring, CanBeSwitchedOff) {
  serve({"en-de"}, {.explorer = false});
  for (const char* path : {"/explore", "/explore.css", "/explore.js"})
    EXPECT_EQ(get(path).status, 403) << path;
  explored(Answer::object(), 403);
  for (const char* path : {"/explore/heads", "/explore/draw", "/explore/inside"})
    json_of(post(path, R"({"text": "the dog"})"), 403);
  json_of(post("/explore/words", R"({"texts": ["the dog"], "word": "dog"})"), 403);
  for (const char* path : {"/explain", "/attend/v1/beam"}) {
    json_of(post(path, R"({"text": "the dog"})"));
    json_of(post(path, R"({"text": "the dog", "heads_off": "encoder.*"})"), 403);
  }
  EXPECT_EQ(server_->explorer_memory(), 0u);
}

TEST_F(Exploring, TriesHeadsWithoutThoseThatAreOff) {
  serve({"en-de"});
  const Answer request{{"text", "the dog sleeps"},
                       {"translation", "der hund"},
                       {"heads_off", "encoder.layers.0.self_attn:0"}};
  const std::vector<Answer> events = events_of(post("/explore/heads", json_text(request)));
  ASSERT_GT(events.size(), 1u);
  EXPECT_EQ(events[1]["module"], "encoder.layers.0.self_attn");
  EXPECT_EQ(events[1]["change"], 0.0) << "it is off already";
  EXPECT_NE(events[2]["change"], 0.0);
}

TEST_F(Exploring, DrawsTextsAtATemperature) {
  serve({"en-de", "lm"});
  const auto drawn = [this](const Answer& request) {
    return json_of(post("/explore/draw", json_text(request)));
  };
  const auto base = LoadedModel::load(file("en-de"));
  DrawQuestion question{.text = source()[0], .prefix = "eine", .temperature = 0.5f, .seed = 3};
  question.max_tokens = 9;
  Answer request{{"text", source()[0]},
                 {"prefix", "eine"},
                 {"temperature", 0.5},
                 {"seed", 3},
                 {"max_tokens", 9}};
  const auto expect_drawn = [&](const SavedModel& model) {
    const DrawnText expected = drawn_text(model, question);
    EXPECT_EQ(drawn(request), (Answer{{"text", expected.text},
                                      {"log_probability", json_number(expected.log_probability)},
                                      {"complete", expected.complete}}));
  };
  expect_drawn(*base->model());
  request["heads_off"] = "*.cross_attn";
  expect_drawn(*base->with_attention(attention_changes({{"*.cross_attn"}, {}})));
  GenerationOptions options = Generator::load(file("lm")).default_options();
  options.sampling.top_k = 1;
  options.one_line = true;
  options.max_tokens = 60;
  EXPECT_EQ(drawn({{"text", "the dog"}, {"model", "lm"}, {"temperature", 0}})["text"],
            Generator::load(file("lm")).generate("the dog", options).text);
}

TEST_F(Exploring, ShowsAWordInSeveralTexts) {
  serve({"en-de"});
  const std::vector<std::string> texts{"the dog sleeps", "a dog sees the cat", "the dog"};
  const auto shown = [&](Answer more, int status = 200) {
    Answer request{{"texts", texts}, {"word", "dog"}};
    request.update(more);
    return json_of(post("/explore/words", json_text(request)), status);
  };
  const auto base = LoadedModel::load(file("en-de"));
  const auto expect_shown = [&](const Answer& answer, const SavedModel& model, int layer) {
    const EmbeddingEngine embedder(model);
    const WordUses expected = word_uses(embedder, texts, "dog", layer);
    EXPECT_EQ(answer["layer"], expected.layer);
    EXPECT_EQ(answer["layers"], embedder.layers());
    EXPECT_FLOAT_EQ(answer["shown_variance"].get<float>(),
                    static_cast<float>(expected.shown_variance));
    ASSERT_EQ(answer["uses"].size(), texts.size());
    for (std::size_t i = 0; i < texts.size(); ++i) {
      const Answer& use = answer["uses"][i];
      EXPECT_EQ(use["text"], texts[i]);
      EXPECT_FLOAT_EQ(use["x"].get<float>(), static_cast<float>(expected.uses[i].x));
      EXPECT_FLOAT_EQ(use["y"].get<float>(), static_cast<float>(expected.uses[i].y));
      EXPECT_EQ(use["nearest"], expected.uses[i].nearest);
      EXPECT_FLOAT_EQ(use["similarity"].get<float>(), expected.uses[i].similarity);
    }
  };
  expect_shown(shown(Answer::object()), *base->model(), -1);
  expect_shown(shown({{"layer", 0}}), *base->model(), 0);
  expect_shown(shown({{"attention_beta", "0"}}),
               *base->with_attention(attention_changes({{}, {"0"}})), -1);
  EXPECT_EQ(shown({{"texts", "one dog"}})["uses"][0]["nearest"], nullptr);
  EXPECT_NE(shown({{"word", "cat"}}, 400).dump().find("text 1"), std::string::npos);
  shown({{"layer", 9}}, 400);
  shown({{"texts", Answer::array()}}, 400);
  shown({{"texts", std::vector<std::string>(65, "a dog")}}, 400);
  std::string long_text;
  for (int i = 0; i < 300; ++i) long_text += "dog ";
  shown({{"texts", long_text}}, 400);
}

TEST_F(Exploring, ShowsTheClassesOfATextInOrder) {
  serve({"classes"});
  const Classifier own = Classifier::load(file("classes"));
  const Classification expected = own.classify(source()).front();
  const Answer answer = explored();
  EXPECT_EQ(answer["classes"][0]["label"], own.labels()[expected.label]);
  EXPECT_EQ(answer["classes"][0]["probability"].get<float>(), expected.probability());
  EXPECT_GE(answer["classes"][0]["probability"], answer["classes"][1]["probability"]);
  EXPECT_FALSE(answer["attention"]["maps"]["encoder"]["pieces"].empty());
  EXPECT_FALSE(events_of(post("/explore/heads", R"({"text": "a dog"})")).empty());
}

TEST_F(Exploring, ShowsWhatALanguageModelWrites) {
  serve({"lm"});
  const Generator own = Generator::load(file("lm"));
  const SequenceScore expected = own.score(source()).front();
  const Answer answer = explored();
  EXPECT_EQ(answer["log_probability"].get<float>(), expected.log_probability);
  const Answer& written = answer["attention"]["axes"]["written"]["pieces"];
  ASSERT_EQ(written.size(), expected.token_scores.size());
  EXPECT_EQ(written[0]["log_probability"].get<float>(), expected.token_scores[0]);
  EXPECT_EQ(written.back()["marks"], "end");
  EXPECT_EQ(answer["attention"]["axes"]["read"]["pieces"].size(), written.size());
}

TEST_F(Exploring, ChoosesTheModelByItsName) {
  serve({"tags", "en-de", "classes"});
  EXPECT_EQ(explored()["model"], "en-de") << "the first that fits";
  EXPECT_EQ(explored({{"model", "classes"}})["task"], "classification");
  EXPECT_EQ(explored({{"model", "en-de"}})["task"], "translation") << "after another";
  explored({{"model", "none"}}, 404);
  explored({{"model", "tags"}}, 400);
}

TEST_F(Exploring, SaysWhatIsWrong) {
  serve({"en-de"});
  EXPECT_EQ(explored({{"text", " "}}, 400)["error"], "the text: expected some words, found none");
  explored({{"heads_off", "nothing"}}, 400);
  explored({{"heads_off", "encoder.layers.0.self_attn:9"}}, 400);
  explored({{"attention_beta", "-1"}}, 400);
  explored({{"translation", " "}}, 400);
  std::string long_text;
  for (int i = 0; i < 300; ++i) long_text += "dog ";
  explored({{"text", long_text}}, 400);
  EXPECT_EQ(post("/explore/heads", R"({"text": "a", "heads_off": "nothing"})").status, 400);
}

TEST_F(Exploring, ServesItsPage) {
  serve({"en-de"});
  const RawResponse page = get("/explore");
  EXPECT_EQ(page.status, 200);
  EXPECT_EQ(page.body.find("{{"), std::string::npos);
  EXPECT_NE(page.body.find("id=\"switch\""), std::string::npos);
  std::size_t bytes = page.body.size();
  for (const char* file : {"/explore.js", "/explore.css"}) {
    const RawResponse part = get(file);
    EXPECT_EQ(part.status, 200) << file;
    EXPECT_NE(page.body.find(file), std::string::npos);
    EXPECT_EQ(part.body.find("{{"), std::string::npos) << file;
    for (const char* waste : {"\n//", "\n/*", "\n ", "\n\n"})
      EXPECT_EQ(part.body.find(waste), std::string::npos) << file << ": " << waste;
    EXPECT_TRUE(part.body.ends_with("\n")) << file;
    bytes += part.body.size();
  }
  EXPECT_LT(bytes, 190'000u);
}

}  // namespace
}  // namespace attend
