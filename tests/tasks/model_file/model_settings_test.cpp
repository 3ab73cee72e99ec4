#include "attend/tasks/model_file/model_settings.h"

#include <gtest/gtest.h>

#include "attend/error.h"
#include "attend/tasks/language/chat.h"
#include "attend/tasks/model_file/registry.h"
#include "tasks/small_classifier.h"
#include "tasks/small_language.h"
#include "tasks/small_model.h"
#include "tensor/expect_error.h"

namespace attend {
namespace {

void expect_refused(const SavedModel& model, std::string_view key, const std::string& value,
                    std::initializer_list<std::string_view> parts) {
  Checkpoint checkpoint = checkpoint_of(model);
  const Metadata before = checkpoint.metadata;
  expect_error<ConfigError>([&] { change_setting(checkpoint, key, value); }, parts);
  EXPECT_EQ(checkpoint.metadata, before);
}

std::string language_of_side(const Checkpoint& checkpoint, const std::string& side) {
  return load_model(checkpoint)->text_kinds.at(side).language;
}

// The language of the target stands before the source.
TranslationModel into_several() {
  TranslationModel model = small_model();
  model.format.marks = {{PairFormat::kTargetLanguage}, {3}, {2}};
  model.format.languages = {{"fra", 7}, {"ita", 8}};
  return model;
}

TEST(ModelSettings, NameAndDescriptionAreKeptAndRemoved) {
  Checkpoint checkpoint = checkpoint_of(small_classifier());
  const Metadata before = checkpoint.metadata;
  change_setting(checkpoint, "name", "films");
  change_setting(checkpoint, "description", "Whether a film is good, “says” who saw it.");
  EXPECT_EQ(checkpoint.text(kNameKey), "films");
  EXPECT_EQ(checkpoint.text(kDescriptionKey), "Whether a film is good, “says” who saw it.");
  change_setting(checkpoint, "name", "");
  change_setting(checkpoint, "description", "");
  EXPECT_EQ(checkpoint.metadata, before);
}

TEST(ModelSettings, LanguagesKeepWhatElseIsKnownOfTheText) {
  TranslationModel model = small_model();
  model.text_kinds["src"] = {.language = "en", .lowercased = true, .unknown = 0.25};
  Checkpoint checkpoint = checkpoint_of(model);
  change_setting(checkpoint, "src", "pt-BR");
  change_setting(checkpoint, "tgt", "de");
  EXPECT_EQ(language_of_side(checkpoint, "src"), "pt-BR");
  EXPECT_EQ(language_of_side(checkpoint, "tgt"), "de");
  EXPECT_TRUE(load_model(checkpoint)->text_kinds.at("src").lowercased);
  EXPECT_EQ(load_model(checkpoint)->text_kinds.at("src").unknown, 0.25);
  change_setting(checkpoint, "src", "");
  EXPECT_EQ(language_of_side(checkpoint, "src"), "");
  Checkpoint classifier = checkpoint_of(small_classifier());
  change_setting(classifier, "language", "fr");
  EXPECT_EQ(language_of_side(classifier, "text"), "fr");
}

TEST(ModelSettings, OfAModelOfSeveralLanguagesAreItsDefaults) {
  Checkpoint checkpoint = finished_checkpoint_of(into_several());
  change_setting(checkpoint, "tgt", "ita");
  const auto model = load_model(checkpoint);
  EXPECT_EQ(dynamic_cast<const TranslationModel&>(*model).format.defaults.target, "ita");
  ASSERT_TRUE(check_model(checkpoint));
  EXPECT_TRUE(check_model(checkpoint)->holds()) << "samples are those of the default languages";
  change_setting(checkpoint, "tgt", "");
  EXPECT_EQ(read_pair_format(checkpoint).defaults.target, "");
  expect_refused(into_several(), "tgt", "itb", {"tgt: the model has no language 'itb'", "ita"});
  expect_refused(into_several(), "src", "fra", {"src: the model finds the language"});
}

// The decoder reads the token of the language that it writes.
TEST(ModelSettings, OfLanguagesRenewTheSamplesOfAModel) {
  TranslationModel model = into_several();
  model.format.marks.before_target.push_back(PairFormat::kTargetLanguage);
  Checkpoint checkpoint = finished_checkpoint_of(model);
  change_setting(checkpoint, "tgt", "fra");
  const std::string of_french = checkpoint.text("attend.golden");
  change_setting(checkpoint, "tgt", "ita");
  EXPECT_NE(checkpoint.text("attend.golden"), of_french);
  EXPECT_TRUE(check_model(checkpoint)->holds());
}

TEST(ModelSettings, ChatTemplateMakesALanguageModelKnowConversations) {
  Checkpoint checkpoint = checkpoint_of(small_language_model());
  change_setting(checkpoint, "chat-template",
                 "{% for m in messages %}{{ m.content + eos_token }}{% endfor %}the ");
  const Tokenizer tokenizer = rhyme_tokenizer();
  const ChatFormat format = ChatFormat::from_json(checkpoint.text(kChatKey), "file");
  EXPECT_EQ(format.eos_token, tokenizer.piece(tokenizer.eos_id()));
  const auto ids = Chat(format, tokenizer).tokens({{{"role", "user"}, {"content", "a cat"}}});
  EXPECT_EQ(ids, (std::vector<std::int32_t>{tokenizer.id("▁a"), tokenizer.id("▁cat"),
                                            tokenizer.eos_id(), tokenizer.id("▁the")}));
  // Another template; what else the format says stays, and a special token that it spells is one.
  checkpoint.metadata[kChatKey] = ChatFormat{"x", "<begin>", "<end>", {}}.to_json();
  change_setting(checkpoint, "chat-template", "{{ messages[0].content }}<unk>");
  const ChatFormat other = ChatFormat::from_json(checkpoint.text(kChatKey), "file");
  EXPECT_EQ(other.bos_token, "<begin>");
  EXPECT_EQ(other.marks, std::vector<std::string>{tokenizer.piece(tokenizer.unk_id())});
  change_setting(checkpoint, "chat-template", "");
  EXPECT_FALSE(checkpoint.metadata.contains(kChatKey));
}

TEST(ModelSettings, RefuseWhatAFileCannotSay) {
  expect_refused(small_model(), "nmae", "x", {"'nmae' cannot be set", "did you mean name?"});
  expect_refused(small_model(), "attend.config", "{}", {"'attend.config' cannot be set"});
  expect_refused(small_model(), "name", "default", {"name:", "'default'"});
  expect_refused(small_model(), "name", "a\nb", {"name:", "control characters", "a\\nb"});
  expect_refused(small_model(), "name", "\xff", {"name:"});
  expect_refused(small_model(), "name", std::string(201, 'x'), {"at most 200 bytes, got 201"});
  expect_refused(small_model(), "description", std::string(4001, 'x'), {"at most 4000 bytes"});
  expect_refused(small_model(), "src", "e n", {"src: expected a language"});
  expect_refused(small_model(), "src", std::string(36, 'e'), {"src: expected a language"});
  expect_refused(small_model(), "language", "en", {"language: this model has two, src and tgt"});
  expect_refused(small_classifier(), "tgt", "en", {"tgt: expected a translation model"});
  expect_refused(small_classifier(), "chat-template", "x", {"expected a language model"});
  expect_refused(small_language_model(), "chat-template", "{% if", {"chat template", "line 1"});
  expect_refused(small_language_model(), "chat-template", "{{ '' }}", {"writes nothing"});
}

}  // namespace
}  // namespace attend
