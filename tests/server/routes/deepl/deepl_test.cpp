// The routes of DeepL.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <thread>

#include "attend/core/json/json_text.h"
#include "attend/translator.h"
#include "server/served_models.h"

namespace attend {
namespace {

class Deepl : public ServingTest {
 protected:
  Deepl() { serve({"en-de"}); }

  static std::string own(const std::string& sentence, std::vector<std::string> glossary = {}) {
    static const Translator translator = Translator::load(SmallModels::shared().file("en-de"));
    TranslationOptions options = translator.default_options();
    options.glossary = std::move(glossary);
    return translator.translate_text(sentence, options);
  }
  RawResponse ask(const std::string& method, const std::string& path, const std::string& body = "",
                  const std::string& fields = "") {
    RawClient client(server_->port());
    client.send(
        fmt::format("{} {} HTTP/1.1\r\nHost: test\r\nContent-Type: application/json\r\n"
                    "{}Content-Length: {}\r\n\r\n{}",
                    method, path, fields, body.size(), body));
    return client.receive();
  }
  // The texts of a translation with these members beside "text" and the languages.
  std::vector<std::string> translated(const std::string& text, const std::string& more = "") {
    const auto answer =
        json_of(post("/v2/translate",
                     R"({"source_lang": "EN", "target_lang": "DE", "text": )" + text + more + "}"));
    std::vector<std::string> texts;
    for (const auto& one : answer["translations"]) texts.push_back(one["text"]);
    return texts;
  }
  std::string refusal(const std::string& more, int status = 400) {
    return json_of(
        post("/v2/translate", R"({"text": ["the dog"], "target_lang": "DE")" + more + "}"),
        status)["message"];
  }
  std::string new_glossary() {
    return json_of(post("/v2/glossaries", R"({"name": "mine", "source_lang": "EN", "target_lang":)"
                                          R"( "DE", "entries": "dog\tkatze", "entries_format": )"
                                          R"("tsv"})"),
                   201)["glossary_id"];
  }
  // Uploads a file and waits for the end of its translation; returns the last status.
  nlohmann::ordered_json translated_file(const std::string& name, const std::string& content) {
    std::string parts;
    for (const auto& [field, value] :
         {std::pair<std::string, std::string>("file\"; filename=\"" + name, content),
          {"source_lang", "EN"},
          {"target_lang", "DE"}})
      parts += fmt::format("--x\r\nContent-Disposition: form-data; name=\"{}\"\r\n\r\n{}\r\n",
                           field, value);
    auto status = json_of(post("/v2/document", parts + "--x--", "multipart/form-data; boundary=x"));
    path_ = "/v2/document/" + status["document_id"].get<std::string>();
    key_ = R"({"document_key": ")" + status["document_key"].get<std::string>() + "\"}";
    for (int i = 0; i < 1000; ++i) {
      status = json_of(post(path_, key_));
      if (status["status"] != "translating") break;
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    return status;
  }

  std::string path_, key_;  // of the last file
};

TEST_F(Deepl, TranslatesTextsInFormsAndJson) {
  EXPECT_EQ(translated(R"(["the dog sleeps. a cat", ""])"),
            (std::vector<std::string>{own("the dog sleeps. a cat"), ""}));
  const auto form = json_of(post("/v2/translate",
                                 "text=the+dog&text=a+cat&target_lang=DE&show_billed_characters=1"
                                 "&split_sentences=1&preserve_formatting=0",
                                 "application/x-www-form-urlencoded"))["translations"];
  ASSERT_EQ(form.size(), 2u);
  EXPECT_EQ(form[1]["text"], own("a cat"));
  EXPECT_EQ(form[1]["billed_characters"], 5);
  EXPECT_EQ(form[1]["detected_source_language"], "EN");
  EXPECT_EQ(json_of(get("/v2/usage"))["character_count"], 33);
}

TEST_F(Deepl, KeepsTags) {
  EXPECT_NE(
      translated(R"(["<p>the <b>dog</b></p>"])", R"(, "tag_handling": "html")").at(0).find("</b>"),
      std::string::npos);
  EXPECT_EQ(translated(R"(["<a><p>the dog</p><p>a cat</p></a>"])", R"(, "tag_handling": "xml")"),
            std::vector{"<a><p>" + own("the dog") + "</p><p>" + own("a cat") + "</p></a>"});
  EXPECT_NE(refusal(R"(, "tag_handling": "xml", "text": ["a <b> c"])"), "");
}

TEST_F(Deepl, RefusesByNameWhatItCannotDo) {
  for (const char* name : {"formality", "context", "split_sentences", "model_type", "style_id",
                           "tag_handling", "splitting_tags"})
    EXPECT_NE(refusal(fmt::format(R"(, "{}": "more")", name)).find(name), std::string::npos)
        << name;
  for (const char* same : {R"("formality": "prefer_more")", R"("context": "")",
                           R"("model_type": "latency_optimized")", R"("glossary_id": null)"})
    EXPECT_EQ(
        post("/v2/translate", fmt::format(R"({{"text": "a", "target_lang": "DE", {}}})", same))
            .status,
        200)
        << same;
  EXPECT_NE(refusal(R"(, "source_lang": "FR")").find("FR"), std::string::npos);
  EXPECT_EQ(refusal(R"(, "text": [])").find("text"), 0u);
  EXPECT_NE(json_of(post("/v2/write/rephrase", "{}"), 404)["message"], "");
}

TEST_F(Deepl, ListsLanguagesAsDeeplWritesThem) {
  EXPECT_EQ(json_of(get("/v2/languages"))[0]["language"], "EN");
  EXPECT_EQ(json_of(get("/v2/languages?type=target"))[0]["language"], "DE");
  EXPECT_EQ(json_of(ask("GET", "/v2/languages", "type=target"))[0]["language"], "DE")
      << "as the client of Python sends it";
  EXPECT_EQ(json_of(get("/v2/glossary-language-pairs"))["supported_languages"][0]["target_lang"],
            "de");
  stop();
  serve({"en-de,src=pt,tgt=en,name=a", "en-de,src=eng_Latn,tgt=zho_Hant,name=b"});
  std::vector<std::string> targets;
  const auto list = json_of(get("/v2/languages?type=target"));
  for (const auto& one : list) targets.push_back(one["language"]);
  std::sort(targets.begin(), targets.end());
  EXPECT_EQ(targets, (std::vector<std::string>{"EN-GB", "EN-US", "ZH-HANT"}));
  EXPECT_EQ(
      post("/v2/translate", R"({"text": "a", "source_lang": "PT", "target_lang": "EN-US"})").status,
      200);
}

TEST_F(Deepl, TranslatesWithGlossaries) {
  const std::string id = new_glossary(), plain = own("the dog", {"dog\tkatze"});
  EXPECT_EQ(translated(R"(["the dog"])", R"(, "glossary_id": ")" + id + "\"").at(0), plain);
  EXPECT_EQ(translated(R"(["the dog"])", R"(, "glossary_ids": [")" + id + "\"]").at(0), plain);
  EXPECT_NE(plain.find("katze"), std::string::npos);
  EXPECT_NE(refusal(R"(, "glossary_id": ")" + id + "\"").find("source_lang"), std::string::npos);
  EXPECT_NE(refusal(R"(, "source_lang": "EN", "glossary_id": "x")", 404).find("x"),
            std::string::npos);
}

TEST_F(Deepl, KeepsGlossariesOfOnePair) {
  const std::string id = new_glossary();
  const auto shown = json_of(get("/v2/glossaries/" + id));
  EXPECT_EQ(shown["name"], "mine");
  EXPECT_EQ(shown["source_lang"], "en");
  EXPECT_EQ(shown["entry_count"], 1);
  EXPECT_EQ(json_of(get("/v2/glossaries"))["glossaries"], nlohmann::ordered_json::array({shown}));
  EXPECT_EQ(get("/v2/glossaries/" + id + "/entries").body, "dog\tkatze\n");
  EXPECT_EQ(get("/v2/glossaries/" + id + "/other").status, 404);
  EXPECT_EQ(ask("DELETE", "/v2/glossaries/" + id).status, 204);
  EXPECT_EQ(get("/v2/glossaries/" + id).status, 404);
  EXPECT_EQ(ask("DELETE", "/v2/glossaries/" + id).status, 404);
  EXPECT_NE(json_of(post("/v2/glossaries", R"({"name": "a", "source_lang": "EN", "target_lang": )"
                                           R"("FR", "entries": "a\tb", "entries_format": "tsv"})"),
                    400)["message"],
            "");
}

TEST_F(Deepl, KeepsGlossariesOfSeveralPairs) {
  stop();
  serve({"en-de,name=a", "en-de,src=de,tgt=en,name=b"});
  const auto entry = [](const std::string& source, const std::string& target,
                        const std::string& lines) {
    return fmt::format(R"({{"source_lang": "{}", "target_lang": "{}", "entries": "{}", )"
                       R"("entries_format": "tsv"}})",
                       source, target, lines);
  };
  const auto made = json_of(
      post("/v3/glossaries", R"({"name": "both", "dictionaries": [)" + entry("EN", "DE", "a\\tb") +
                                 ", " + entry("DE", "EN", "b\\ta") + "]}"),
      201);
  const std::string path = "/v3/glossaries/" + made["glossary_id"].get<std::string>();
  const std::string pair = "?source_lang=en&target_lang=de";
  const auto terms = [&] {
    return json_of(get(path + "/entries" + pair))["dictionaries"][0]["entries"];
  };
  EXPECT_EQ(json_of(ask("PATCH", path,
                        R"({"name": "new", "dictionaries": [)" + entry("EN", "DE", "c\\td") +
                            "]}"))["name"],
            "new");
  EXPECT_EQ(terms(), "a\tb\nc\td\n");
  EXPECT_EQ(json_of(ask("PUT", path + "/dictionaries", entry("EN", "DE", "e\\tf")))["entry_count"],
            1);
  EXPECT_EQ(terms(), "e\tf\n");
  EXPECT_EQ(get("/v2/glossaries/" + made["glossary_id"].get<std::string>()).status, 404);
  EXPECT_EQ(ask("DELETE", path + "/dictionaries" + pair).status, 204);
  EXPECT_EQ(get(path + "/entries" + pair).status, 404);
  EXPECT_EQ(json_of(get(path))["dictionaries"].size(), 1u);
  EXPECT_EQ(post("/v3/glossaries", R"({"name": "x", "dictionaries": ["y"]})").status, 400);
}

TEST_F(Deepl, TranslatesFiles) {
  const auto status = translated_file("a.txt", "the dog\n\nthe dog\n");
  EXPECT_EQ(status["status"], "done") << status.dump();
  EXPECT_EQ(status["billed_characters"], 17);
  const RawResponse file = post(path_ + "/result", key_);
  EXPECT_EQ(file.body, own("the dog") + "\n\n" + own("the dog") + "\n");
  EXPECT_NE(file.field("Content-Disposition").find("a.txt"), std::string::npos);
  EXPECT_EQ(post(path_, R"({"document_key": "other"})").status, 404);
  EXPECT_EQ(post(path_ + "/other", key_).status, 404);
}

TEST_F(Deepl, WantsItsOwnKeys) {
  stop();
  const std::filesystem::path keys =
      std::filesystem::temp_directory_path() / ("attend_deepl_" + std::to_string(getpid()));
  std::ofstream(keys) << "11111111 name=a\n22222222 name=b\n";
  ServingOptions options;
  options.api_key = keys.string();
  serve({"en-de"}, options);
  std::filesystem::remove(keys);
  const auto as = [&](const std::string& key, const std::string& method, const std::string& path,
                      const std::string& body = "") {
    return ask(method, path, body, "Authorization: DeepL-Auth-Key " + key + "\r\n");
  };
  EXPECT_NE(json_of(get("/v2/usage"), 403)["message"], "");
  EXPECT_EQ(as("33333333", "GET", "/v2/usage").status, 403);
  EXPECT_EQ(as("11111111", "GET", "/v2/usage").status, 200);
  const auto made = json_of(as("11111111", "POST", "/v2/glossaries",
                               R"({"name": "a", "source_lang": "EN", "target_lang": "DE", )"
                               R"("entries": "a\tb", "entries_format": "tsv"})"),
                            201);
  const std::string path = "/v2/glossaries/" + made["glossary_id"].get<std::string>();
  EXPECT_EQ(as("11111111", "GET", path).status, 200);
  EXPECT_EQ(as("22222222", "GET", path).status, 404);
}

TEST_F(Deepl, DetectsTheLanguageOfEachText) {
  stop();
  serve({"en-de", "en-de,name=other,src=fr"});
  const auto answer = json_of(post("/v2/translate", R"({"target_lang": "DE", "text": [)"
                                                    R"("the dog sees the cat", "le chien dort )"
                                                    R"(dans la maison", "the old man", "42"]})"));
  std::vector<std::string> languages, texts;
  for (const auto& one : answer["translations"]) {
    languages.push_back(one["detected_source_language"]);
    texts.push_back(one["text"]);
  }
  EXPECT_EQ(languages, (std::vector<std::string>{"EN", "FR", "EN", "EN"}));
  EXPECT_EQ(texts, (std::vector<std::string>{own("the dog sees the cat"),
                                             own("le chien dort dans la maison"),
                                             own("the old man"), own("42")}))
      << "in their order";
}

}  // namespace
}  // namespace attend
