#include "attend/interchange/chat_format.h"

#include <gtest/gtest.h>

#include "attend/core/json/json.h"
#include "attend/interchange/writing/model_export.h"
#include "attend/tasks/language/model.h"
#include "attend/tasks/model_file/registry.h"
#include "interchange/damaged_directory.h"

namespace attend {
namespace {

constexpr const char* kMarkup =
    R"("chat_template": "{% for m in messages %}{{ bos_token + m.role + '\n' + m.content }}{% endfor %}", )";
constexpr const char* kTemplate =
    "{% for m in messages %}{{ bos_token + m.role + '\n' + m.content }}{% endfor %}";

class ChatOfDirectory : public DamagedDirectory {
 protected:
  std::optional<ChatFormat> imported_format() const {
    const Checkpoint checkpoint = imported().checkpoint;
    return dynamic_cast<const LanguageModel&>(*load_model(checkpoint)).chat;
  }
  void with_template(const std::string& member) const {
    copy("llama");
    replace("tokenizer_config.json", "{", "{" + member);
  }
};

class ChatOfFamily : public ChatOfDirectory, public testing::WithParamInterface<const char*> {
 protected:
  ChatOfFamily() {
    copy(GetParam());
    const ModelDirectory directory(folder_);
    const auto settings = parse_json(directory.text("tokenizer_config.json"), "settings");
    bos_ = settings["bos_token"];
    eos_ = settings["eos_token"];
  }
  void expect_kept() const {
    const auto format = imported_format();
    ASSERT_TRUE(format);
    EXPECT_TRUE(format->source.starts_with("{% for m in messages %}"));
    EXPECT_EQ(format->bos_token, bos_);
    EXPECT_EQ(format->eos_token, eos_);
    EXPECT_NE(std::find(format->marks.begin(), format->marks.end(), bos_), format->marks.end());
    const LanguageModel model = language_model(imported().checkpoint);
    const auto ids = Chat(*format, model.tokenizer).tokens({{{"role", "user"}, {"content", "a"}}});
    EXPECT_EQ(ids.front(), model.tokenizer.id(bos_));
    EXPECT_GT(ids.size(), 3u);
  }

  std::string bos_, eos_;
};
INSTANTIATE_TEST_SUITE_P(Of, ChatOfFamily,
                         testing::Values("llama", "qwen2", "gpt2", "opt", "bloom"),
                         [](const auto& suite) { return std::string(suite.param); });

TEST_P(ChatOfFamily, IsKeptInTheModelFile) {
  EXPECT_FALSE(imported_format());
  replace("tokenizer_config.json", "{", "{" + std::string(kMarkup));
  expect_kept();
}

TEST_P(ChatOfFamily, IsReadFromAFileOfItsOwn) {
  write("chat_template.jinja", std::string(kTemplate));
  expect_kept();
}

TEST_P(ChatOfFamily, IsExported) {
  replace("tokenizer_config.json", "{", "{" + std::string(kMarkup));
  const Checkpoint checkpoint = imported().checkpoint;
  const ExportedModel exported = export_model(checkpoint);
  EXPECT_NE(exported.files.at("tokenizer_config.json").find("chat_template"), std::string::npos);
  EXPECT_EQ(exported.equal.text(kChatKey), checkpoint.text(kChatKey));
}

TEST_F(ChatOfDirectory, MayHaveAName) {
  with_template(
      R"("chat_template": [{"name": "tool_use", "template": "x"},
                           {"name": "default", "template": "{{ messages[0].content }}"}], )");
  EXPECT_EQ(imported_format()->source, "{{ messages[0].content }}");
}

TEST_F(ChatOfDirectory, InAFileOfItsOwnComesFirst) {
  with_template(kMarkup);
  write("chat_template.jinja", "{{ messages[0].content }} from a file");
  EXPECT_TRUE(imported_format()->source.ends_with("from a file"));
}

// As transformers reads them: files before settings, of several with one name the last.
TEST_F(ChatOfDirectory, MayBeOneOfSeveral) {
  const auto settings_with = [&](const std::string& templates) {
    with_template("\"chat_template\": " + templates + ", ");
    const auto format = imported_format();
    return format ? format->source : "none";
  };
  EXPECT_EQ(settings_with(R"({"tool_use": "a", "default": "b {{ messages[0].content }}"})"),
            "b {{ messages[0].content }}");
  EXPECT_EQ(settings_with(R"([{"name": "default", "template": "a"},
                              {"name": "default", "template": "b {{ messages[0].content }}"}])"),
            "b {{ messages[0].content }}");
  EXPECT_EQ(settings_with(R"([{"name": "default"}])"), "none");
  EXPECT_EQ(settings_with(R"({"rag": "a"})"), "none");
}

TEST_F(ChatOfDirectory, MayBeOneOfSeveralFiles) {
  with_template(kMarkup);
  std::filesystem::create_directory(folder_ / "additional_chat_templates");
  write("additional_chat_templates/rag.jinja", "rag");
  EXPECT_FALSE(imported_format()) << "no file is the default, and the settings do not count";
  write("chat_template.jinja", "{{ messages[0].content }} from a file");
  EXPECT_TRUE(imported_format()->source.ends_with("from a file"));
  write("additional_chat_templates/default.jinja", "{{ messages[0].content }} from the folder");
  EXPECT_TRUE(imported_format()->source.ends_with("from the folder"));
}

TEST_F(ChatOfDirectory, SeesTheNamesOfAllSpecialTokens) {
  with_template(R"("sep_token": "<|end|>", "mask_token": {"content": "<|begin|>"},
                   "chat_template": "{{ sep_token }}{{ mask_token }}{{ cls_token is defined }}", )");
  const auto format = imported_format();
  ASSERT_TRUE(format);
  EXPECT_EQ(Chat(*format, language_model(imported().checkpoint).tokenizer)
                .text({{{"role", "user"}, {"content", "a"}}}),
            "<|end|><|begin|>False");
}

// The model is imported; chats are refused with the reason.
// Images, tools and the like have tokens of their own.
TEST_F(ChatOfDirectory, SeesTheTokensThatOnlyItsModelNames) {
  with_template(
      R"("boi_token": "<|a|>", "extra_special_tokens": {"image_token": "<|b|>"},
         "model_specific_special_tokens": {"eoi_token": {"content": "<|c|>"}}, "add_bos_token": true,
         "chat_template": "{{ boi_token }}{{ image_token }}{{ eoi_token }}{{ add_bos_token }}", )");
  const auto format = imported_format();
  ASSERT_TRUE(format);
  EXPECT_EQ(format->other_tokens.at("boi_token"), "<|a|>");
  EXPECT_EQ(format->other_tokens.at("image_token"), "<|b|>");
  EXPECT_EQ(format->other_tokens.at("eoi_token"), "<|c|>");
  EXPECT_FALSE(format->other_tokens.contains("add_bos_token"));
}

TEST_F(ChatOfDirectory, ThatCannotBeUsedDoesNotEndTheImport) {
  for (const auto& [source, reason] :
       {std::pair("{% if x %}", "line 1: expected endif"),
        std::pair("{{ messages | frobnicate }}", "there is no filter 'frobnicate'"),
        std::pair("{{ messages | pprint }}", "the filter 'pprint' is not supported"),
        std::pair("{{ raise_exception('never') }}", "never"),
        std::pair("{{ '' }}", "writes nothing")}) {
    with_template(std::string(R"("chat_template": ")") + source + "\", ");
    const ImportedModel model = imported();
    ASSERT_EQ(model.remarks.size(), 1u) << source;
    for (const char* part : {"tokenizer_config.json", reason, "imported without chats"})
      EXPECT_NE(model.remarks[0].find(part), std::string::npos) << model.remarks[0];
    const LanguageModel language = language_model(model.checkpoint);
    EXPECT_EQ(language.chat->source, source) << "kept for the day it can be used";
    EXPECT_NE(chat_problem(*language.chat, language.tokenizer).find(reason), std::string::npos);
  }
}

TEST_F(ChatOfDirectory, WithoutADefaultIsRemarked) {
  with_template(R"("chat_template": [{"name": "rag", "template": "x"}], )");
  const ImportedModel model = imported();
  ASSERT_EQ(model.remarks.size(), 1u);
  EXPECT_NE(model.remarks[0].find("expected a text, or a list with one named default"),
            std::string::npos);
  EXPECT_FALSE(language_model(model.checkpoint).chat);
}

// As transformers has them: tools and documents are none, the names of special tokens are known.
TEST_F(ChatOfDirectory, SeesWhatTransformersShowsIt) {
  with_template(
      R"("pad_token": "<|end|>", "chat_template": "{{ tools is none }}{{ documents is none }}{{ bos_token }}{{ pad_token }}{{ sep_token is defined }}", )");
  const auto format = imported_format();
  ASSERT_TRUE(format);
  const Chat chat(*format, language_model(imported().checkpoint).tokenizer);
  EXPECT_EQ(chat.text({{{"role", "user"}, {"content", "a"}}}), "TrueTrue<|begin|><|end|>False");
}

}  // namespace
}  // namespace attend
