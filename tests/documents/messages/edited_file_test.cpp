#include "attend/documents/messages/edited_file.h"

#include <gtest/gtest.h>

#include "attend/error.h"
#include "documents/strings_of.h"
#include "tensor/expect_error.h"

namespace attend {
namespace {

// "one two": the second word is a text, and something stands before it.
class SmallFile : public EditedFile {
 public:
  SmallFile() : EditedFile("one two.") {
    add_edit({.place = {0, 0}, .before = "<"});
    add_edit({.place = {4, 7}, .before = "[", .text = add_text({.text = "two"}), .after = "]"});
  }

 protected:
  std::string written(const Edit& edit, const TranslatedText& translated,
                      std::size_t k) const override {
    return std::string(edit.place.of(content())) + "=" + translated.translation(k);
  }
};

TEST(EditedFile, ChangesItsPlacesAlone) {
  const SmallFile file;
  EXPECT_EQ(strings_of(file.texts()), std::vector<std::string>{"two"});
  TranslationCandidate first, second;
  first.text = "zwei";
  second.text = "deux";
  const std::vector<TranslatedText> translated{{"two", {{0, 3}}, {{{first, second}, {}}}}};
  EXPECT_EQ(file.translation(translated, 0), "<one [two=zwei].");
  EXPECT_EQ(file.translation(translated, 1), "<one [two=deux].");
  EXPECT_GT(file.bytes(), 8u);
}

TEST(EditedFile, KnowsLettersAndLines) {
  EXPECT_TRUE(has_letters("1. é"));
  EXPECT_TRUE(has_letters("犬"));
  EXPECT_FALSE(has_letters("1.5 -> !"));
  EXPECT_EQ(place_in_file("a", "b\nc\nd", 3), "'a':2");
  expect_error<DataError>([] { require_utf8("a", "b\n\xff"); }, {"'a':2: expected UTF-8"});
}

}  // namespace
}  // namespace attend
