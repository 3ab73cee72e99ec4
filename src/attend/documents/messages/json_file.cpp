#include "attend/documents/messages/json_file.h"

#include <algorithm>

#include "attend/documents/messages/edited_file.h"
#include "attend/documents/messages/json_strings.h"

namespace attend {
namespace {

bool is_ascii(std::string_view text) {
  return std::all_of(text.begin(), text.end(),
                     [](char c) { return static_cast<unsigned char>(c) < 0x80; });
}

constexpr std::string_view kLocale = "@@locale";

class JsonFile : public EditedFile {
 public:
  enum class Kind { plain, flutter };
  JsonFile(std::string_view name, std::string_view json, Kind kind, std::string locale = {})
      : EditedFile(json) {
    std::replace(locale.begin(), locale.end(), '-', '_');
    const auto skips = [&](std::string_view member) {
      return kind == Kind::flutter && member.starts_with('@') &&
             (member != kLocale || locale.empty());
    };
    bool has_others = false;  // an escape of a character that is not ASCII
    find_json_strings(name, json, skips, [&](JsonString string) {
      has_others = has_others || !is_ascii(string.text);
      if (kind == Kind::flutter && string.member == kLocale) {
        add_edit({.place = string.place, .before = json_escaped(locale, true)});
      } else if (has_letters(string.text)) {
        add_edit({.place = string.place, .text = add_text({.text = std::move(string.text)})});
      }
    });
    writes_ascii_ = has_others && is_ascii(json);
  }

 protected:
  std::string written(const Edit& edit, const TranslatedText& translated,
                      std::size_t k) const override {
    const std::string translation = translated.translation(k);
    if (translation == text(edit.text).text) return std::string(edit.place.of(content()));
    return json_escaped(translation, writes_ascii_);
  }

 private:
  bool writes_ascii_ = false;  // as the program that wrote the file
};

}  // namespace

std::unique_ptr<const Document> read_json_strings(std::string_view name, std::string_view content) {
  return std::make_unique<JsonFile>(name, content, JsonFile::Kind::plain);
}

std::unique_ptr<const Document> read_arb(std::string_view name, std::string_view content,
                                         const DocumentFileOptions& options) {
  return std::make_unique<JsonFile>(name, content, JsonFile::Kind::flutter, options.target);
}

}  // namespace attend
