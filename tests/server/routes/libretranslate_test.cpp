#include <gtest/gtest.h>

#include "attend/translator.h"
#include "server/served_models.h"

namespace attend {
namespace {

class LibreTranslate : public ServingTest {
 protected:
  LibreTranslate() { serve({"en-de"}); }

  // What the library, and so `attend translate`, says to a sentence.
  static std::string own(const std::string& sentence) {
    static const Translator translator = Translator::load(SmallModels::shared().file("en-de"));
    return translator.translate(std::vector{sentence}).front().text();
  }
};

const std::string kLanguages = R"("source": "en", "target": "de")";

TEST_F(LibreTranslate, AnswersWithTheBytesOfTheLibrary) {
  const std::string sentence = "the old dog sees the cat";
  const auto json =
      json_of(post("/translate", "{\"q\": \"" + sentence + "\", " + kLanguages + "}"));
  EXPECT_EQ(json["translatedText"], own(sentence));
  EXPECT_FALSE(own(sentence).empty());
  EXPECT_FALSE(json.contains("alternatives"));
}

TEST_F(LibreTranslate, TakesFormsAndParts) {
  const std::string expected = own("the dog sleeps");
  EXPECT_EQ(json_of(post("/translate", "q=the+dog+sleeps&source=en&target=de",
                         "application/x-www-form-urlencoded"))["translatedText"],
            expected);
  std::string parts;
  for (const auto& [name, value] :
       {std::pair("q", "the dog sleeps"), std::pair("source", "en"), std::pair("target", "de")})
    parts +=
        fmt::format("--x\r\nContent-Disposition: form-data; name={}\r\n\r\n{}\r\n", name, value);
  EXPECT_EQ(json_of(post("/translate", parts + "--x--",
                         "multipart/form-data; boundary=x"))["translatedText"],
            expected);
}

TEST_F(LibreTranslate, AnswersAListWithAList) {
  const auto json = json_of(
      post("/translate", "{\"q\": [\"the dog sleeps\", \"\", \"a cat\"], " + kLanguages + "}"));
  EXPECT_EQ(json["translatedText"],
            (std::vector<std::string>{own("the dog sleeps"), "", own("a cat")}));
  EXPECT_EQ(json_of(post("/translate", "{\"q\": [], " + kLanguages + "}"))["translatedText"],
            nlohmann::ordered_json::array());
}

TEST_F(LibreTranslate, KeepsTheWhiteSpaceBetweenSentences) {
  const auto json =
      json_of(post("/translate", R"({"q": "  the dog sleeps.  The cat eats!\n\n\ta fish\n", )" +
                                     kLanguages + "}"));
  EXPECT_EQ(json["translatedText"], "  " + own("the dog sleeps.") + "  " + own("The cat eats!") +
                                        "\n\n\t" + own("a fish") + "\n");
}

TEST_F(LibreTranslate, SaysHowManySentencesWereCut) {
  std::string words;
  for (int i = 0; i < 1200; ++i) words += "dog ";
  const RawResponse response = post("/translate", "{\"q\": \"" + words + "\", " + kLanguages + "}");
  EXPECT_EQ(response.status, 200) << response.body;
  EXPECT_EQ(response.field("Attend-Cut-Sentences"), "1");
}

TEST_F(LibreTranslate, GivesAlternatives) {
  const auto one = json_of(
      post("/translate", R"({"q": "the dog sleeps", "alternatives": 2, )" + kLanguages + "}"));
  EXPECT_EQ(one["translatedText"], own("the dog sleeps"));
  ASSERT_EQ(one["alternatives"].size(), 2u);
  EXPECT_NE(one["alternatives"][0], one["translatedText"]);
  const auto list =
      json_of(post("/translate", R"({"q": ["a", "b"], "alternatives": 100, )" + kLanguages + "}"));
  ASSERT_EQ(list["alternatives"].size(), 2u);
  EXPECT_EQ(list["alternatives"][1].size(), 4u) << "a beam of 5 has no more";
}

TEST_F(LibreTranslate, ListsLanguages) {
  EXPECT_EQ(get("/languages").body, R"([{"code":"en","name":"en","targets":["de"]}])");
}

TEST_F(LibreTranslate, SaysWhatIsWrong) {
  const auto error = [&](const std::string& body, int status) {
    return json_of(post("/translate", body), status)["error"].get<std::string>();
  };
  EXPECT_EQ(error("{\"q\": \"a\", \"source\": \"en\"}", 400), "target is required");
  EXPECT_NE(error(R"({"q": "a", "source": "fr", "target": "de"})", 400).find("from 'fr' to 'de'"),
            std::string::npos);
  EXPECT_NE(error("{\"q\": 3, " + kLanguages + "}", 400).find("q: expected"), std::string::npos);
  EXPECT_NE(error(R"({"q": "a", "format": "pdf", )" + kLanguages + "}", 400).find("format"),
            std::string::npos);
  EXPECT_NE(error("{", 400).find("expected JSON"), std::string::npos);
}

TEST_F(LibreTranslate, RefusesMoreThanTheQueueTakes) {
  stop();
  serve({"en-de"}, {.max_tokens_in_queue = 2});
  for (const std::string& text : {std::string("the old dog sees the cat"), std::string(100, '.')}) {
    const RawResponse response =
        post("/translate", "{\"q\": \"" + text + "\", " + kLanguages + "}");
    EXPECT_EQ(response.status, 413) << response.body;
    EXPECT_NE(response.body.find("max-tokens-in-queue"), std::string::npos) << response.body;
  }
}

}  // namespace
}  // namespace attend
