// The plural forms of a language as gettext counts them.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace attend {

// "nplurals=2; plural=(n != 1);"
class PluralForms {
 public:
  // nullopt for text that is no such declaration.
  static std::optional<PluralForms> read(std::string_view declaration);

  std::size_t count() const { return count_; }
  // Whether the form is that of the number 1, and of no other number.
  bool is_of_one_alone(std::size_t form) const { return form == of_one_ && one_is_alone_; }
  // Whether the form is that of the number 1.
  bool is_of_one(std::size_t form) const { return form == of_one_; }

 private:
  std::size_t count_ = 0;
  std::size_t of_one_ = 0;
  bool one_is_alone_ = false;
};

// The declaration for a language, such as "de" or "pt_BR"; empty for one that is not known.
std::string_view plural_forms_of(std::string_view language);

}  // namespace attend
