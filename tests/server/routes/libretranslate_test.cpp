#include <gtest/gtest.h>

#include <filesystem>

#include "attend/checkpoint/checkpoint.h"
#include "attend/core/json/json_text.h"
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

TEST_F(LibreTranslate, TranslatesWholeTextsAsTheLibraryDoes) {
  const Translator translator = Translator::load(SmallModels::shared().file("en-de"));
  const TranslationOptions options = translator.default_options();
  const std::string text = "  the dog sleeps.  the cat eats!\\n\\n\\ta <b>fish</b>";
  const std::string plain = nlohmann::json::parse("\"" + text + "\"").get<std::string>();
  const auto answer = [&](const std::string& more) {
    return json_of(post("/translate", "{\"q\": \"" + text + "\", " + kLanguages + more + "}"));
  };
  EXPECT_EQ(answer("")["translatedText"], translator.translate_text(plain, options));
  EXPECT_EQ(answer(R"(, "format": "html")")["translatedText"],
            translator.translate_html(plain, options));
}

TEST_F(LibreTranslate, KeepsPlaceholdersAndTermsOfAGlossary) {
  const auto translated = [&](const std::string& more) {
    return json_of(post("/translate", R"({"q": "the dog sees {name}. a cat", )" + kLanguages +
                                          more + "}"))["translatedText"]
        .get<std::string>();
  };
  EXPECT_NE(translated("").find("{name}"), std::string::npos);
  EXPECT_NE(translated(R"(, "protect": ["none"], "glossary": ["dog\thund"])").find("hund"),
            std::string::npos);
  EXPECT_EQ(
      post("/translate", R"({"q": "a", "glossary": "/etc/passwd", )" + kLanguages + "}").status,
      400);
  EXPECT_EQ(post("/translate", R"({"q": "a", "protect": "(", )" + kLanguages + "}").status, 400);
}

TEST_F(LibreTranslate, SaysHowFarToTrustEachSentence) {
  const auto answer = [&](const std::string& q) {
    return json_of(post("/translate", R"({"trust": true, "q": )" + q + ", " + kLanguages + "}"));
  };
  const auto one = answer(R"("the dog sleeps. in 1984 a cat eats")");
  ASSERT_EQ(one["sentences"].size(), 2u);
  const auto& last = one["sentences"][1];
  EXPECT_EQ(last["source"], "in 1984 a cat eats");
  EXPECT_EQ(last["translation"], own("in 1984 a cat eats"));
  EXPECT_TRUE(last["confidence"].is_null());
  ASSERT_TRUE(last["flags"].is_array());
  const auto list = answer(R"(["the dog", "", "a cat. a dog."])");
  ASSERT_EQ(list["sentences"].size(), 3u);
  EXPECT_EQ(list["sentences"][0].size(), 1u);
  EXPECT_EQ(list["sentences"][1].size(), 0u);
  EXPECT_EQ(list["sentences"][2].size(), 2u);
  EXPECT_FALSE(
      json_of(post("/translate", R"({"q": "a", )" + kLanguages + "}")).contains("sentences"));
}

class TwoTranslators : public LibreTranslate {
 protected:
  TwoTranslators() {
    stop();
    serve({"en-de,src=fr,tgt=en,name=first", "en-de,src=en,tgt=it,name=second"});
  }
  static constexpr const char* kPair = R"("source": "fr", "target": "it")";
};

TEST_F(TwoTranslators, TellSentencesFromTheFirstLanguageIntoTheLast) {
  const auto json = json_of(post(
      "/translate", std::string(R"({"q": "the dog\n\na cat", "sentences": true, )") + kPair + "}"));
  const std::string last = own(own("a cat"));
  EXPECT_TRUE(json["translatedText"].get<std::string>().ends_with(last)) << json;
  ASSERT_EQ(json["sentences"].size(), 2u) << json;
  EXPECT_EQ(json["sentences"][0]["source"], "the dog");
  EXPECT_EQ(json["sentences"][1]["source"], "a cat");
  EXPECT_EQ(json["sentences"][1]["translation"], last);
  EXPECT_FALSE(json["sentences"][0].contains("flags"));
}

TEST_F(TwoTranslators, AreTrustedTogether) {
  const auto json = json_of(
      post("/translate", std::string(R"({"q": "in 1984 a dog", "trust": true, )") + kPair + "}"));
  ASSERT_EQ(json["sentences"].size(), 1u) << json;
  EXPECT_TRUE(json["sentences"][0]["confidence"].is_null());
  EXPECT_TRUE(json["sentences"][0]["flags"].is_array());
}

TEST_F(TwoTranslators, TranslateInARow) {
  const std::string between = own("the dog sleeps");
  const RawResponse response =
      post("/translate", std::string(R"({"q": "the dog sleeps", )") + kPair + "}");
  const auto json = json_of(response);
  EXPECT_EQ(json["translatedText"], own(between));
  EXPECT_EQ(json["via"], "en");
  EXPECT_NE(response.head.find("Attend-Via: en"), std::string::npos) << response.head;
  const auto direct =
      json_of(post("/translate", R"({"q": "the dog sleeps", "source": "fr", "target": "en"})"));
  EXPECT_FALSE(direct.contains("via"));
  EXPECT_EQ(json_of(post("/translate", std::string(R"({"q": ["<p>a <b>dog</b>", ""], "format": )"
                                                   R"("html", "alternatives": 1, )") +
                                           kPair + "}"))["alternatives"]
                .size(),
            2u);
}

TEST_F(TwoTranslators, DoNotTakeFilesThatKeepTheirSource) {
  const auto status_of = [&](const std::string& name, const std::string& content) {
    std::string parts;
    for (const auto& [field, value] :
         {std::pair<std::string, std::string>("file\"; filename=\"" + name, content),
          {"source", "fr"},
          {"target", "it"}})
      parts += fmt::format("--x\r\nContent-Disposition: form-data; name=\"{}\"\r\n\r\n{}\r\n",
                           field, value);
    return post("/translate_file", parts + "--x--", "multipart/form-data; boundary=x").status;
  };
  EXPECT_EQ(status_of("a.txt", "the dog"), 200);
  EXPECT_EQ(status_of("a.po", "msgid \"the dog\"\nmsgstr \"\"\n"), 400);
}

TEST_F(TwoTranslators, AreListedWithAllThatTheyTranslate) {
  std::map<std::string, std::vector<std::string>> targets;
  for (const auto& one : json_of(get("/languages")))
    targets[one["code"]] = one["targets"].get<std::vector<std::string>>();
  EXPECT_EQ(targets["fr"], (std::vector<std::string>{"en", "it"}));
  EXPECT_EQ(targets["en"], std::vector<std::string>{"it"});
  EXPECT_EQ(post("/translate", R"({"q": "a", "source": "it", "target": "fr"})").status, 400);
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

// A model whose file names a language for people.
class NamedLanguages : public ServingTest {
 protected:
  NamedLanguages() {
    Checkpoint model = load_checkpoint(SmallModels::shared().file("en-de"));
    model.metadata["attend.language_names"] = R"({"en":"English"})";
    save_checkpoint(SmallModels::shared().file("named.safetensors"), model);
    serve({"named.safetensors"});
  }
};

TEST_F(NamedLanguages, AreListed) {
  EXPECT_EQ(get("/languages").body, R"([{"code":"en","name":"English","targets":["de"]}])");
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

TEST_F(LibreTranslate, DetectsTheLanguageOfShortTexts) {
  for (const char* text : {"Hello", "the dog sleeps", "12 + 3", "", "???"}) {
    const auto json = json_of(
        post("/translate",
             json_text(nlohmann::ordered_json{{"q", text}, {"source", "auto"}, {"target", "de"}})));
    EXPECT_EQ(json["detectedLanguage"]["language"], "en") << text;
    EXPECT_EQ(json["translatedText"], *text == '\0' ? "" : own(text)) << text;
  }
  const auto guess = [&](const std::string& text) {
    return json_of(post("/detect", json_text(nlohmann::ordered_json{{"q", text}})))[0];
  };
  EXPECT_EQ(guess("Hello")["language"], "en");
  EXPECT_GT(guess("Hello")["confidence"], 50.0);
  EXPECT_EQ(guess("???")["confidence"], 0.0);
  // It is among the languages of the models, but the confidence is that among all.
  EXPECT_EQ(guess("Der Hund schläft im Garten.")["language"], "en");
  EXPECT_LT(guess("Der Hund schläft im Garten.")["confidence"], 1.0);
}

TEST_F(LibreTranslate, SaysIntoWhichLanguageNothingIsTranslated) {
  json_of(post("/translate", R"({"q": "a", "source": "auto", "target": "fr"})"), 400);
}

TEST_F(LibreTranslate, KnowsOtherNamesOfLanguages) {
  for (const auto& [source, target] :
       {std::pair("en", "DE"), std::pair("en-US", "de-DE"), std::pair("eng_Latn", "deu_Latn"),
        std::pair("eng", "ger")}) {
    const auto json = json_of(
        post("/translate", json_text(nlohmann::ordered_json{
                               {"q", "the dog sleeps"}, {"source", source}, {"target", target}})));
    EXPECT_EQ(json["translatedText"], own("the dog sleeps")) << source;
  }
}

// The address of a translated file.
std::string address_of(RawClient& client, const std::string& fields = "Host: t:1\r\n",
                       const std::string& version = "1.1",
                       const std::pair<std::string, std::string>& file = {"a.txt", "the dog"}) {
  std::string parts;
  for (const auto& [name, value] :
       {std::pair<std::string, std::string>("file\"; filename=\"" + file.first, file.second),
        {"source", "en"},
        {"target", "de"}})
    parts += fmt::format("--x\r\nContent-Disposition: form-data; name=\"{}\"\r\n\r\n{}\r\n", name,
                         value);
  parts += "--x--";
  client.send(
      fmt::format("POST /translate_file HTTP/{}\r\n{}Content-Length: {}\r\n"
                  "Content-Type: multipart/form-data; boundary=x\r\n\r\n{}",
                  version, fields, parts.size(), parts));
  return parse_json(client.receive().body, "response")["translatedFileUrl"];
}

TEST_F(LibreTranslate, MayAnswerWithTheFile) {
  std::string parts;
  for (const auto& [name, value] :
       {std::pair("file\"; filename=\"a b\xc3\xa9.txt", "the dog"), std::pair("source", "en"),
        std::pair("target", "de"), std::pair("direct", "true")})
    parts += fmt::format("--x\r\nContent-Disposition: form-data; name=\"{}\"\r\n\r\n{}\r\n", name,
                         value);
  const RawResponse response =
      post("/translate_file", parts + "--x--", "multipart/form-data; boundary=x");
  EXPECT_EQ(response.body, own("the dog"));
  EXPECT_EQ(response.field("Content-Disposition"), "attachment; filename=\"a_b__.txt\"");
  EXPECT_EQ(response.field("Content-Type"), "text/plain; charset=utf-8");
}

TEST_F(LibreTranslate, TellsTheSentencesOfATextWithoutTrust) {
  const auto json = json_of(
      post("/translate",
           R"({"q": "The dog.\nA cat.", "sentences": true, "source": "en", "target": "de"})"));
  ASSERT_EQ(json["sentences"].size(), 2u) << json;
  EXPECT_EQ(json["sentences"][0]["source"], "The dog.");
  EXPECT_EQ(json["sentences"][1]["source"], "A cat.");
  EXPECT_FALSE(json["sentences"][0].contains("flags"));
  EXPECT_EQ(json["translatedText"], std::string(json["sentences"][0]["translation"]) + "\n" +
                                        std::string(json["sentences"][1]["translation"]));
}

TEST_F(LibreTranslate, NamesTheAddressOfAFileAsTheClientCallsIt) {
  const std::string forwarded =
      "Host: inside\r\nX-Forwarded-Proto: https\r\nX-Forwarded-Host: translate.org\r\n"
      "X-Forwarded-Prefix: /mt\r\n";
  RawClient client(server_->port()), old(server_->port());
  EXPECT_TRUE(address_of(client).starts_with("http://t:1/download_file/"));
  EXPECT_TRUE(address_of(client, forwarded).starts_with("http://inside/download_file/"))
      << "nobody is trusted unasked";
  EXPECT_TRUE(address_of(old, "", "1.0").starts_with("/download_file/")) << "no host is known";
  stop();
  serve({"en-de"}, {.trust_proxy = true});
  RawClient behind(server_->port());
  EXPECT_TRUE(address_of(behind, forwarded).starts_with("https://translate.org/mt/download_file/"));
}

TEST_F(LibreTranslate, NamesTheLanguageInFilesThatSayIt) {
  RawClient client(server_->port());
  const std::string address = address_of(client, "Host: t:1\r\n", "1.1",
                                         {"a.po", "msgid \"\"\nmsgstr \"Language: \\n\"\n"});
  EXPECT_EQ(get(address.substr(address.find("/download"))).body,
            "msgid \"\"\nmsgstr \"Language: de\\n\"\n");
}

TEST_F(LibreTranslate, ServersWithOneFolderSendTheFilesOfEachOther) {
  stop();
  const std::string folder = SmallModels::shared().file("downloads");
  serve({"en-de"}, {.download_dir = folder});
  RawClient client(server_->port());
  const std::string address = address_of(client), path = address.substr(address.find("/download"));
  stop();
  serve({"en-de"}, {.download_dir = folder});
  const RawResponse found = get(path);
  EXPECT_EQ(found.status, 200);
  EXPECT_EQ(found.body, own("the dog"));
  EXPECT_EQ(found.field("Content-Type"), "text/plain; charset=utf-8");
  EXPECT_EQ(get("/download_file/../model.safetensors").status, 404);
}

}  // namespace
}  // namespace attend
