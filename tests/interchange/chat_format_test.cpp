#include "attend/interchange/chat_format.h"

#include <gtest/gtest.h>

#include "attend/interchange/model_export.h"
#include "attend/tasks/language/model.h"
#include "attend/tasks/registry.h"
#include "interchange/damaged_directory.h"

namespace attend {
namespace {

constexpr const char* kMarkup =
    R"("chat_template": "{% for m in messages %}{{ bos_token + m.role + '\n' + m.content }}{% endfor %}", )";

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

TEST_F(ChatOfDirectory, IsKeptInTheModelFile) {
  with_template(kMarkup);
  const auto format = imported_format();
  ASSERT_TRUE(format);
  EXPECT_TRUE(format->source.starts_with("{% for m in messages %}"));
  EXPECT_EQ(format->bos_token, "<|begin|>");
  EXPECT_EQ(format->eos_token, "<|end|>");
  EXPECT_NE(std::find(format->marks.begin(), format->marks.end(), "<|begin|>"),
            format->marks.end());
  const LanguageModel model = language_model(imported().checkpoint);
  const auto ids = Chat(*format, model.tokenizer).tokens({{{"role", "user"}, {"content", "a"}}});
  EXPECT_EQ(ids.front(), model.tokenizer.id("<|begin|>"));
  EXPECT_GT(ids.size(), 3u);
}

TEST_F(ChatOfDirectory, MayHaveAFileOfItsOwnOrAName) {
  copy("llama");
  EXPECT_FALSE(imported_format());
  write("chat_template.jinja", "{{ messages[0].content }} from a file");
  EXPECT_TRUE(imported_format()->source.ends_with("from a file"));
  with_template(
      R"("chat_template": [{"name": "tool_use", "template": "x"},
                           {"name": "default", "template": "{{ messages[0].content }}"}], )");
  EXPECT_EQ(imported_format()->source, "{{ messages[0].content }}");
}

TEST_F(ChatOfDirectory, IsExported) {
  with_template(kMarkup);
  const Checkpoint checkpoint = imported().checkpoint;
  const ExportedModel exported = export_model(checkpoint);
  EXPECT_NE(exported.files.at("tokenizer_config.json").find("chat_template"), std::string::npos);
  EXPECT_EQ(exported.equal.text(kChatKey), checkpoint.text(kChatKey));
}

TEST_F(ChatOfDirectory, IsRefusedIfItCannotBeUsed) {
  for (const auto& [source, reason] :
       {std::pair("{% if x %}", "line 1: expected endif"),
        std::pair("{{ messages | frobnicate }}", "the filter 'frobnicate' is not supported"),
        std::pair("{{ raise_exception('never') }}", "never"),
        std::pair("{{ '' }}", "writes nothing")}) {
    with_template(std::string(R"("chat_template": ")") + source + "\", ");
    expect_refused({"tokenizer_config.json", reason, "without its chat template"});
  }
}

}  // namespace
}  // namespace attend
