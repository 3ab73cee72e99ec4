#include "attend/documents/messages/po_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "attend/core/strings/ascii.h"
#include "attend/core/strings/quote.h"
#include "attend/core/strings/unicode.h"
#include "attend/core/strings/utf8.h"
#include "attend/documents/messages/edited_file.h"
#include "attend/documents/messages/plural_forms.h"
#include "attend/documents/messages/po_entries.h"
#include "attend/documents/messages/po_header.h"
#include "attend/documents/messages/po_strings.h"
#include "attend/error.h"

namespace attend {
namespace {

// A file with longer lines was written without a limit.
constexpr std::size_t kLongestWrappedLine = 200;

PoLayout layout_of(std::string_view po) {
  PoLayout layout;
  if (po.find("\r\n") != po.npos) layout.line_end = "\r\n";
  for (std::size_t line = 0; line < po.size();) {
    const std::size_t end = std::min(po.find('\n', line), po.size());
    if (po[line] == '"' && end - line > kLongestWrappedLine) layout.width = 0;
    line = end + 1;
  }
  return layout;
}

bool is_untranslated(const PoString& translation) { return translation.text.empty(); }

// The words such as %d and {count}.
std::vector<std::string_view> placeholders_of(std::string_view text) {
  std::vector<std::string_view> words = unicode::split(text);
  std::erase_if(words, [](std::string_view word) { return word.find_first_of("%{") == word.npos; });
  return words;
}

class PoFile : public EditedFile {
 public:
  PoFile(std::string_view name, std::string_view po, std::string_view target)
      : EditedFile(po), layout_(layout_of(po)), forms_(PluralForms::read(plural_forms_of(target))) {
    find_po_entries(name, po, [&](const PoEntry& entry) {
      if (entry.id->text.empty() && !entry.context && !entry.plural) {
        read_header(name, entry, target);
      } else {
        add_entry(entry);
      }
    });
  }

 protected:
  // What stands before the string ends with the keyword.
  std::string written(const Edit& edit, const TranslatedText& translated,
                      std::size_t k) const override {
    const std::string string =
        written_po_string(keyword_of(edit), translated.translation(k), layout_);
    return string.substr(keyword_of(edit).size());
  }

 private:
  static std::string_view keyword_of(const Edit& edit) {
    return std::string_view(edit.before).substr(edit.before.find("msgstr"));
  }

  void read_header(std::string_view name, const PoEntry& entry, std::string_view target) {
    const PoString& header = entry.translations.front();
    const std::string_view type = po_header_field(header.text, "Content-Type");
    std::string charset(type.substr(std::min(type.find("charset="), type.size())));
    for (char& c : charset) c = ascii_lower(c);
    for (const std::string_view known : {"", "charset=utf-8", "charset=charset"})
      if (charset == known) charset.clear();
    if (!charset.empty())
      throw DataError(
          fmt::format("{}: expected charset=UTF-8, got {}; msgconv -t UTF-8 converts it",
                      place_in_file(name, content(), header.place.begin), quote(charset)));
    const std::string filled = filled_po_header(header.text, target);
    if (const auto own = PluralForms::read(po_header_field(filled, "Plural-Forms"))) forms_ = own;
    if (filled != header.text)
      add_edit({.place = header.place, .before = written_po_string("msgstr", filled, layout_)});
  }

  void add_entry(const PoEntry& entry) {
    const std::vector<PoString>& own = entry.translations;
    const auto untranslated = std::count_if(own.begin(), own.end(), is_untranslated);
    const bool is_guess = entry.is_fuzzy && untranslated < std::ssize(own);
    if (is_blank(entry.id->text) || untranslated == 0 || is_guess) return;
    if (!entry.is_fuzzy) add_flag(entry);
    const std::size_t id = add_text({.text = entry.id->text});
    if (!entry.plural)
      return add_edit({.place = own.front().place, .before = "msgstr", .text = id});
    const std::size_t plural = add_text({.text = entry.plural->text});
    const std::size_t count = forms_ ? forms_->count() : own.size();
    std::size_t end = own.front().place.begin;
    for (std::size_t form = 0; form < std::max(count, own.size()); ++form) {
      const bool is_there = form < own.size();
      if (is_there && !is_untranslated(own[form])) {
        end = own[form].place.end;
      } else if (is_there && form >= count) {
        // A template has a form more than the language.
        add_edit({.place = {end, own[form].place.end}});
        end = own[form].place.end;
      } else {
        const bool is_of_one = takes_singular(entry, form);
        add_edit({.place = is_there ? own[form].place : TextSpan{end, end},
                  .before = (is_there ? "" : layout_.line_end) + fmt::format("msgstr[{}]", form),
                  .text = is_of_one ? id : plural});
        end = is_there ? own[form].place.end : end;
      }
    }
  }

  // A form of other numbers, too, must say the number if the plural does.
  bool takes_singular(const PoEntry& entry, std::size_t form) const {
    if (!forms_) return form == 0 && entry.translations.size() > 1;
    return forms_->is_of_one_alone(form) ||
           (forms_->is_of_one(form) && forms_->count() > 1 &&
            placeholders_of(entry.id->text) == placeholders_of(entry.plural->text));
  }

  void add_flag(const PoEntry& entry) {
    if (entry.flags != 0) {
      add_edit({.place = {entry.flags, entry.flags}, .before = " fuzzy,"});
    } else {
      add_edit({.place = {entry.begin, entry.begin}, .before = "#, fuzzy" + layout_.line_end});
    }
  }

  PoLayout layout_;
  std::optional<PluralForms> forms_;
};

}  // namespace

std::unique_ptr<const Document> read_po(std::string_view name, std::string_view content,
                                        const DocumentFileOptions& options) {
  if (const std::size_t at = find_invalid_utf8(content); at != content.npos)
    throw DataError(fmt::format("{}: expected UTF-8; msgconv -t UTF-8 converts it",
                                place_in_file(name, content, at)));
  return std::make_unique<PoFile>(name, content, options.target);
}

}  // namespace attend
