// Routes that ask a model of several languages: those of the request reach it.
#include <gtest/gtest.h>

#include "attend/checkpoint/checkpoint.h"
#include "attend/core/json/json_text.h"
#include "attend/inspect/beam_tree.h"
#include "attend/inspect/drawn_text.h"
#include "attend/tasks/explanation/explanation_json.h"
#include "attend/tasks/model_file/registry.h"
#include "attend/tasks/translation/model.h"
#include "attend/tasks/translation/pair_format.h"
#include "attend/translator.h"
#include "server/served_models.h"

namespace attend {
namespace {

using Reply = nlohmann::ordered_json;

const std::string kSentence = "the dog sleeps";

// The small translator, which here reads a token for either language. It has no usual ones, so that
// a language which does not reach it is an error.
const std::string& file_of_several() {
  static const std::string path = [] {
    Checkpoint checkpoint =
        load_checkpoint(SmallModels::shared().file("en-de") + "/model.safetensors");
    PairFormat format = translation_model(checkpoint).format;
    format.marks.before_source = {PairFormat::kSourceLanguage};
    format.marks.before_target.push_back(PairFormat::kTargetLanguage);
    format.languages = {{"de", 7}, {"en", 8}, {"fr", 9}};
    checkpoint.metadata["attend.pair_format"] = pair_format_json(format);
    checkpoint.metadata.erase("attend.golden");
    const std::string file = SmallModels::shared().file("several-languages.safetensors");
    save_checkpoint(file, checkpoint);
    return file;
  }();
  return path;
}

class ModelOfLanguages : public ServingTest {
 protected:
  ModelOfLanguages() {
    file_of_several();
    serve({"several-languages.safetensors"});
  }

  static const Translator& own() {
    static const Translator translator = Translator::load(file_of_several());
    return translator;
  }
  static TranslationOptions into_french() {
    TranslationOptions options = own().default_options();
    options.languages = english_to_french();
    return options;
  }
  static LanguagePair english_to_french() { return {"en", "fr"}; }
  static std::string french() { return own().translate(text(), into_french()).front().text(); }
  static const std::vector<std::string>& text() {
    static const std::vector<std::string> one{kSentence};
    return one;
  }
  // The answer to a request with the sentence, from English to French.
  Reply asked(const std::string& path, const Reply& more = Reply::object()) {
    Reply request{{"text", kSentence}, {"source", "en"}, {"target", "fr"}};
    request.update(more);
    return json_of(post(path, json_text(request)));
  }
};

TEST_F(ModelOfLanguages, IsExploredInThoseOfTheRequest) {
  const std::vector<std::string> given{"der hund"};
  const auto score = [&](const LanguagePair& languages) {
    return own().score(text(), given, {}, languages).front().log_probability;
  };
  const Reply shown = asked("/explore", {{"translation", given[0]}});
  EXPECT_EQ(shown["log_probability"].get<float>(), score(english_to_french()));
  EXPECT_NE(score(english_to_french()), score({"en", "de"}));
  EXPECT_NE(score(english_to_french()), score({"de", "fr"}));
  EXPECT_EQ(asked("/explore")["translation"], french());
}

TEST_F(ModelOfLanguages, DrawsInThoseOfTheRequest) {
  const auto model = load_model(file_of_several());
  const DrawnText expected =
      drawn_text(*model, {.text = kSentence, .languages = english_to_french(), .seed = 5});
  const Reply drawn = asked("/explore/draw", {{"seed", 5}});
  EXPECT_EQ(drawn["text"], expected.text);
  EXPECT_EQ(drawn["log_probability"].get<float>(), expected.log_probability);
}

TEST_F(ModelOfLanguages, ExplainsInThoseOfTheRequest) {
  Reply given = asked("/explain", {{"translation", "der hund"}});
  given.erase("translation");
  EXPECT_EQ(given, to_json(own().explain(kSentence, "der hund", {}, english_to_french())));
  EXPECT_EQ(asked("/explain")["translation"], french());
  EXPECT_EQ(asked("/explain", {{"attention_beta", "1"}})["translation"], french())
      << "on the thread of the explorer";
}

TEST_F(ModelOfLanguages, SearchesInThoseOfTheRequest) {
  TranslationOptions options = into_french();
  options.beam.n_best = options.beam.beam_size;
  EXPECT_EQ(asked("/attend/v1/beam")["translations"],
            translation_json(own().translate(text(), options).front())["translations"]);
  const std::vector<std::int32_t> ids = own().target_tokenizer().encode("der hund");
  const Reply request{{"text", kSentence},
                      {"target", "der hund"},
                      {"count", 2},
                      {"source", "en"},
                      {"target_language", "fr"}};
  EXPECT_EQ(json_of(post("/attend/v1/alternatives", json_text(request)))["tokens"],
            alternatives_json(own().alternatives(kSentence, ids, 2, english_to_french())));
}

TEST_F(ModelOfLanguages, ScoresAndTranslatesInThoseOfTheRequest) {
  const std::vector<std::string> given{"der hund"};
  const Reply request{
      {"sources", kSentence}, {"targets", given[0]}, {"source", "en"}, {"target", "fr"}};
  EXPECT_EQ(json_of(post("/score", json_text(request)))[0]["log_probability"].get<float>(),
            own().score(text(), given, {}, english_to_french()).front().log_probability);
  const Reply inferred{{"inputs", kSentence},
                       {"parameters", {{"src_lang", "en"}, {"tgt_lang", "fr"}}}};
  EXPECT_EQ(json_of(post("/", json_text(inferred)))[0]["translation_text"], french());
  const Reply translated{{"q", kSentence}, {"source", "en"}, {"target", "fr"}};
  EXPECT_EQ(json_of(post("/translate", json_text(translated)))["translatedText"], french());
}

}  // namespace
}  // namespace attend
