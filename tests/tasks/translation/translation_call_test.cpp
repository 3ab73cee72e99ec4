#include "attend/tasks/translation/translation_call.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "attend/error.h"
#include "tasks/translation/small_translator.h"

namespace attend {
namespace {

using Texts = std::vector<std::string>;

std::string of(const std::string& sentence, const TranslationOptions& options) {
  return translator().translate(Texts{sentence}, options).front().text();
}

TEST(TranslationCall, HasTermsOfTheGlossaryWhereTheyOccur) {
  TranslationOptions options = beam_of(2);
  options.glossary = {"dog|dogs\thund", "cat\tkatze|katzen"};
  for (const std::string& sentence : random_sentences(50)) {
    const std::string text = of(sentence, options);
    if (sentence.find("dog") != sentence.npos) {
      EXPECT_NE(text.find("hund"), text.npos) << sentence << ": " << text;
    }
    if ((" " + sentence + " ").find(" cat ") != sentence.npos) {
      EXPECT_NE(text.find("katze"), text.npos) << sentence << ": " << text;
    }
  }
  EXPECT_EQ(of("a fish eats", options), of("a fish eats", beam_of(2))) << "no term";
}

TEST(TranslationCall, HasTermsOfTbxInTheLanguagesOfTheModel) {
  const std::string file =
      (std::filesystem::temp_directory_path() / ("terms" + std::to_string(getpid()) + ".TBX"))
          .string();
  std::ofstream(file) << "<martif><termEntry><langSet xml:lang='en'><tig><term>dog</term></tig>"
                         "</langSet><langSet xml:lang='de'><tig><term>hund</term></tig></langSet>"
                         "</termEntry></martif>";
  TranslationOptions options = beam_of(2);
  options.glossary = {file};
  EXPECT_THROW(of("the dog", options), ConfigError) << "the model does not say its languages";
  TranslationModel own = small_model();
  own.text_kinds["src"].language = "en";
  own.text_kinds["tgt"].language = "de";
  const TranslationEngine engine(std::move(own));
  EXPECT_NE(engine.translate(Texts{"the dog"}, options).front().text().find("hund"),
            std::string::npos);
  options.glossary = {"/nowhere/a.tbx"};
  EXPECT_THROW(engine.translate(Texts{"the dog"}, options), IoError);
  std::filesystem::remove(file);
}

TEST(TranslationCall, LeavesOutTermsThatTheModelCannotWrite) {
  TranslationOptions options = beam_of(2);
  options.glossary = {"dog\t\xe7\x8a\xac"};
  EXPECT_EQ(of("the dog", options), of("the dog", beam_of(2)));
}

TEST(TranslationCall, RefusesAGlossaryWithoutBeamSearch) {
  TranslationOptions options = beam_of(1);
  options.glossary = {"dog\thund"};
  options.sampling = SamplingOptions{};
  EXPECT_THROW(of("the dog", options), ConfigError);
}

}  // namespace
}  // namespace attend
