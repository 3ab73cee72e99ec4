// Raw text for models of lower-cased, tokenized text.
#include "attend/cli/text_input.h"

#include <nlohmann/json.hpp>
#include <thread>

#include "attend/checkpoint/checkpoint.h"
#include "attend/engine.h"
#include "attend/server/serving.h"
#include "cli/started_program.h"
#include "server/raw_client.h"

namespace attend {
namespace {

const TextPreparation kAll{
    .lowercase = true, .normalize_punctuation = true, .tokenize = WordSplitting::moses};

class TextInputTest : public StartedProgramTest {
 protected:
  TextInputTest() {
    for (const auto& [name, language] :
         {std::pair{"train.en", MosesLanguage::en}, {"train.de", MosesLanguage::de}})
      write(name, prepared_lines(read(path(name)), language));
  }
  static std::string prepared_lines(const std::string& text, MosesLanguage language) {
    std::istringstream lines(text);
    std::string out;
    for (std::string line; std::getline(lines, line);) out += prepared(line, kAll, language) + "\n";
    return out;
  }
  void train_some(const std::vector<std::string>& more = {}) {
    ASSERT_EQ(run(training("mt", more)), 0) << error_;
  }
  std::vector<std::string> translate(const std::vector<std::string>& more = {}) const {
    std::vector<std::string> command{"translate", model("mt"), "--max-length", "12"};
    command.insert(command.end(), more.begin(), more.end());
    return command;
  }

  const std::string raw_ = "The man’s dog sleeps.\nA Child sees the small dog, today.\n";
};

TEST_F(TextInputTest, IsPreparedAndTheTranslationsAreRawAgain) {
  train_some({"--max-steps", "1", "--valid-every", "0"});
  int changed = 0;
  for (const char* seed :
       {"1", "2", "3", "4", "5", "6", "7", "8"}) {  // of a model that knows nothing: any pieces
    std::vector<std::string> flags{"--sample", "--seed", seed};
    ASSERT_EQ(run(translate(flags), prepared_lines(raw_, MosesLanguage::en)), 0) << error_;
    EXPECT_EQ(error_, "");
    const std::string tokens = out_;
    flags.insert(flags.end(), {"--lowercase", "--normalize-punctuation", "--tokenize", "moses"});
    std::vector<std::string> plain = flags, json = flags;
    plain.push_back("--no-detokenize");
    ASSERT_EQ(run(translate(plain), raw_), 0) << error_;
    EXPECT_EQ(out_, tokens);
    EXPECT_EQ(error_, "");
    ASSERT_EQ(run(translate(flags), raw_), 0) << error_;
    std::istringstream lines(tokens);
    std::string expected;
    for (std::string line; std::getline(lines, line);)
      expected += moses_detokenize(line, MosesLanguage::de) + "\n";
    EXPECT_EQ(out_, expected);
    changed += out_ != tokens ? 1 : 0;
    json.insert(json.end(), {"--format", "json"});
    ASSERT_EQ(run(translate(json), raw_), 0) << error_;
    EXPECT_EQ(nlohmann::json::parse(out_.substr(0, out_.find('\n')))["translations"][0]["text"],
              expected.substr(0, expected.find('\n')));
  }
  EXPECT_GT(changed, 0) << "a period belongs to its word";
}

TEST_F(TextInputTest, ThatTheModelDoesNotKnowIsNoticed) {
  train_some({"--max-steps", "1", "--valid-every", "0"});
  ASSERT_EQ(run(translate(), raw_), 0) << error_;
  EXPECT_EQ(std::count(error_.begin(), error_.end(), '\n'), 1) << error_;
  EXPECT_NE(error_.find(" % of the tokens are unknown to this model (\"A\", \"Child\", \"The\"); "
                        "it was trained on lower-cased, tokenized text: "
                        "try --lowercase --tokenize moses\n"),
            std::string::npos)
      << error_;
  ASSERT_EQ(run(translate({"--lowercase"}), "The dog sleeps.\n"), 0) << error_;
  EXPECT_EQ(error_.find("--lowercase"), std::string::npos) << error_;
  EXPECT_NE(error_.find("try --tokenize moses"), std::string::npos) << error_;
}

TEST_F(TextInputTest, HasTheLanguagesThatTheModelNames) {
  train_some({"--max-steps", "1", "--valid-every", "0", "--tgt-language", "fr"});
  const Checkpoint named = load_checkpoint(model("mt"));
  EXPECT_EQ(nlohmann::json::parse(named.text("attend.text_kind.src"))["language"], "en")
      << "by the name of the file";
  EXPECT_EQ(nlohmann::json::parse(named.text("attend.text_kind.tgt"))["language"], "fr");
  EXPECT_TRUE(nlohmann::json::parse(named.text("attend.text_kind.src"))["lowercased"]);
  ASSERT_EQ(run({"info", model("mt"), "--all"}), 0) << error_;
  EXPECT_NE(
      out_.find(
          "attend.text_kind.src\n  language = \"en\"\n  lowercased = true\n  tokenized = true\n"),
      std::string::npos)
      << out_;

  Checkpoint older = named;  // as files were before they named a kind of text
  std::erase_if(older.metadata,
                [](const auto& entry) { return entry.first.starts_with("attend.text_kind"); });
  save_checkpoint(path("older"), older);
  ASSERT_EQ(run({"translate", path("older"), "--max-length", "5"}, "the dog sleeps .\n"), 0)
      << error_;
  EXPECT_EQ(error_, "");
  expect_error({"translate", path("older"), "--tokenize", "moses"},
               {"--language", "which the model does not name", "en, de, fr"}, raw_);
  expect_error({"translate", path("older"), "--tokenize", "moses", "--language", "en"},
               {"--tgt-language"}, raw_);
  EXPECT_EQ(run({"translate", path("older"), "--max-length", "5", "--tokenize", "moses",
                 "--language", "en", "--tgt-language", "de"},
                raw_),
            0)
      << error_;
  EXPECT_NE(error_.find("tokens are unknown to this model ("), std::string::npos) << error_;
  EXPECT_EQ(error_.find("trained on"), std::string::npos) << error_;
  expect_error(translate({"--tokenize", "moses", "--language", "cs"}),
               {"--language", "en, de, fr", "'cs'"}, raw_);

  older.metadata["attend.text_kind.src"] = "{\"language\":3}";
  save_checkpoint(path("damaged"), older);
  expect_error({"translate", path("damaged")}, {"damaged: attend.text_kind.src", "language"}, raw_);
}

// The message of what the library refuses.
template <class Refused>
std::string message_of_config_error(const Refused& refused) {
  try {
    refused();
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "";
}

// A server of one model that prepares the text of every request.
class PreparingServer {
 public:
  PreparingServer(const std::string& model, const TextPreparation& preparation) {
    ServingOptions options;
    options.listen = "127.0.0.1:0";
    options.preparation = preparation;
    server_ = std::make_unique<Server>(options, std::vector{parse_model_place(model)},
                                       make_runtime({.threads = 1}));
    thread_ = std::thread([this] { server_->run(); });
  }
  ~PreparingServer() {
    server_->stop();
    thread_.join();
  }
  nlohmann::json post(const std::string& path, const nlohmann::json& body) const {
    return nlohmann::json::parse(
        RawClient(server_->port()).post(path, body.dump(), "application/json").body);
  }

 private:
  std::unique_ptr<Server> server_;
  std::thread thread_;
};

TEST_F(TextInputTest, IsPreparedAlikeInEveryInterface) {
  train_some({"--max-steps", "1", "--valid-every", "0"});
  const std::vector<std::string> texts{"The man’s dog, he sleeps.", "A Child sees the small dog!"};
  const std::string raw = texts[0] + "\n" + texts[1] + "\n";
  const std::vector<std::string> flags{"--lowercase", "--normalize-punctuation", "--tokenize",
                                       "moses"},
      more{"--prefix",       write("prefixes", "Der Hund, ein\nDie „Frau“, ein\n"),
           "--must-contain", "Kind.",
           "--beam-size",    "16",
           "--max-length",   "40"};
  std::vector<std::string> all = flags;
  all.insert(all.end(), more.begin(), more.end());
  ASSERT_EQ(run(translate(all), raw), 0) << error_;
  const std::string expected = out_;
  EXPECT_TRUE(expected.starts_with("der hund, ein")) << expected;
  EXPECT_NE(expected.find("\ndie \"frau\", ein"), std::string::npos) << expected;
  EXPECT_NE(expected.find("kind."), std::string::npos) << expected;

  const Translator translator = Translator::load(model("mt"));
  TranslationOptions options = translator.default_options();
  options.beam.beam_size = 16;
  options.beam.max_length = 40;
  options.preparation = kAll;
  options.must_contain = {"Kind."};
  options.prefixes = {"Der Hund, ein", "Die „Frau“, ein"};
  const std::vector<Translation> found = translator.translate(texts, options);
  EXPECT_EQ(found[0].text() + "\n" + found[1].text() + "\n", expected);
  Engine engine;
  auto [receiver, answers] = futures<Translation>(texts.size());
  engine.submit(translator, TranslationRequest{texts, options}, receiver);
  EXPECT_EQ(answers[0].get().text() + "\n" + answers[1].get().text() + "\n", expected);

  const PreparingServer server(model("mt"), kAll);
  ASSERT_EQ(run({"translate", model("mt"), "--lowercase", "--normalize-punctuation", "--tokenize",
                 "moses"},
                raw),
            0)
      << error_;
  nlohmann::json request{{"q", texts}, {"source", "en"}, {"target", "de"}};
  const auto lines = server.post("/translate", request)["translatedText"];
  EXPECT_EQ(lines[0].get<std::string>() + "\n" + lines[1].get<std::string>() + "\n", out_);

  ASSERT_EQ(run({"translate", model("mt"), "--lowercase"}, raw), 0) << error_;
  request.update({{"tokenize", "none"}, {"normalize_punctuation", false}});
  const auto lower = server.post("/translate", request)["translatedText"];
  EXPECT_EQ(lower[0].get<std::string>() + "\n" + lower[1].get<std::string>() + "\n", out_);
  EXPECT_NE(lower, lines);
  request.update({{"tokenize", "moses"}, {"tgt_language", "cs"}});
  options.preparation.tgt_language = "cs";
  const std::string refusal = "tgt_language: expected one of en, de, fr, got 'cs'";
  EXPECT_EQ(server.post("/translate", request)["error"], refusal);
  EXPECT_EQ(message_of_config_error([&] { translator.translate(texts, options); }), refusal);
  expect_error(translate({"--tokenize", "moses", "--tgt-language", "cs"}),
               {"--tgt-language: expected one of en, de, fr, got 'cs'"}, raw);
}

TEST_F(TextInputTest, ToScoreIsPreparedAlikeInEveryInterface) {
  train_some({"--max-steps", "1", "--valid-every", "0"});
  const std::string source = "The man’s dog, he sleeps.", target = "Der Hund, er schläft.";
  const std::string src = write("raw.en", source + "\n"), tgt = write("raw.de", target + "\n");
  const auto scored = [&](const std::vector<std::string>& flags) {
    std::vector<std::string> command{"score", model("mt"), "--src", src, "--tgt", tgt};
    command.insert(command.end(), flags.begin(), flags.end());
    EXPECT_EQ(run(command), 0) << error_;
    return out_;
  };
  const std::string raw = scored({}),
                    prepared_pair =
                        scored({"--lowercase", "--normalize-punctuation", "--tokenize", "moses"});
  EXPECT_NE(raw, prepared_pair);
  write("raw.en", prepared(source, kAll, MosesLanguage::en) + "\n");
  write("raw.de", prepared(target, kAll, MosesLanguage::de) + "\n");
  EXPECT_EQ(scored({}), prepared_pair);
  const Translator translator = Translator::load(model("mt"));
  const float score =
      translator.score(std::vector{source}, std::vector{target}, {.preparation = kAll})
          .front()
          .log_probability;
  EXPECT_EQ(fmt::format("{:.6f}\n", score), prepared_pair);
  const PreparingServer server(model("mt"), kAll);
  EXPECT_EQ(
      server.post("/score", {{"sources", {source}}, {"targets", {target}}})[0]["log_probability"]
          .get<float>(),
      score);
}

TEST_F(TextInputTest, OfOtherModelsIsPreparedAlikeInEveryInterface) {
  train_classifier("cl");
  ASSERT_EQ(run({"classify", model("cl"), "--lowercase", "--format", "json"}, "GOOD FILM\n"), 0);
  const std::vector<std::string> texts{"GOOD FILM"};
  const Classifier classifier = Classifier::load(model("cl"));
  const float expected =
      classifier.classify(std::vector<std::string>{"good film"})[0].probability();
  ClassificationOptions options;
  options.preparation.lowercase = true;
  EXPECT_EQ(nlohmann::json::parse(out_)["probability"].get<float>(), expected);
  EXPECT_EQ(classifier.classify(texts, options)[0].probability(), expected);
  EXPECT_NE(classifier.classify(texts)[0].probability(), expected);
  const PreparingServer server(model("cl"), {.lowercase = true});
  const auto score = [](const nlohmann::json& labels) { return labels[0]["score"].get<float>(); };
  EXPECT_EQ(score(server.post("/predict", {{"inputs", texts[0]}})), expected);
  EXPECT_EQ(score(server.post("/", {{"inputs", texts}})[0]), expected);
  EXPECT_NE(score(server.post("/predict", {{"inputs", texts[0]}, {"lowercase", false}})), expected);

  const Embedder embedder = Embedder::load(model("cl"));
  const std::vector<float> vector = embedder.embed(std::vector<std::string>{"good film"})[0].values;
  EXPECT_EQ(embedder.embed(texts, {.preparation = options.preparation})[0].values, vector);
  EXPECT_NE(embedder.embed(texts)[0].values, vector);
}

TEST_F(TextInputTest, OfAPairIsPreparedOnBothSidesOfTheTab) {
  train_classifier("cl");
  ASSERT_EQ(run({"classify", model("cl"), "--pairs"}, "good , film\tbad .\n"), 0) << error_;
  const std::string expected = out_;
  ASSERT_EQ(run({"classify", model("cl"), "--pairs", "--tokenize", "moses", "--language", "en",
                 "--lowercase"},
                "Good, film\tBad.\n"),
            0)
      << error_;
  EXPECT_EQ(out_, expected);
}

TEST_F(TextInputTest, OfOtherCommandsIsWatchedToo) {
  train_lm("lm");
  ASSERT_EQ(run({"generate", model("lm"), "--max-tokens", "3", "--prompt", "The Dog, The Child"}),
            0)
      << error_;
  EXPECT_NE(error_.find("trained on lower-cased, tokenized text: try --lowercase"),
            std::string::npos)
      << error_;
  ASSERT_EQ(run({"generate", model("lm"), "--max-tokens", "3", "--prompt", "The dog's,\nA",
                 "--lowercase", "--tokenize", "moses"}),
            0)
      << error_;
  EXPECT_TRUE(out_.starts_with("the dog &apos;s ,\na")) << out_;
  EXPECT_EQ(error_, "");
  const std::string text = write("raw.txt", raw_);
  ASSERT_EQ(run({"evaluate", model("lm"), "--text", text}), 0) << error_;
  EXPECT_NE(error_.find("trained on lower-cased, tokenized text\n"), std::string::npos)
      << "evaluate has no such flags: " << error_;
  train_classifier("cl");
  ASSERT_EQ(run({"classify", model("cl")}, "GOOD FILM\n"), 0) << error_;
  EXPECT_NE(error_.find("unknown to this model (\"FILM\", \"GOOD\"); it was trained on lower-cased "
                        "text: try --lowercase\n"),
            std::string::npos)
      << error_;
  ASSERT_EQ(run({"classify", model("cl"), "--lowercase"}, "GOOD FILM\n"), 0) << error_;
  EXPECT_EQ(error_, "");
  ASSERT_EQ(run({"embed", model("cl")}, "GOOD FILM\n"), 0) << error_;
  EXPECT_NE(error_.find("try --lowercase"), std::string::npos) << error_;
  ASSERT_EQ(run({"evaluate", model("cl"), "--labeled",
                 write("up.tsv", "pos\tGOOD FILM\nneg\tBAD FILM\n")}),
            0)
      << error_;
  EXPECT_NE(error_.find("trained on lower-cased text\n"), std::string::npos) << error_;
}

class RunFolderAsModel : public StartedProgramTest {};

TEST_F(RunFolderAsModel, IsTakenByEveryCommand) {
  train("mt");
  ASSERT_EQ(run({"translate", model("mt"), "--max-length", "5"}, "The man sleeps.\n"), 0) << error_;
  const std::string expected = out_;
  ASSERT_EQ(run({"translate", path("mt"), "--max-length", "5"}, "The man sleeps.\n"), 0) << error_;
  EXPECT_EQ(out_, expected);
  ASSERT_EQ(run({"info", path("mt")}), 0) << error_;
  EXPECT_TRUE(out_.starts_with(model("mt"))) << out_;
  EXPECT_EQ(run({"score", path("mt") + "/", "--src", path("valid.en"), "--tgt", path("valid.de")}),
            0)
      << error_;
  EXPECT_EQ(run({"quantize", path("mt"), "--out", path("small")}), 0) << error_;
  std::filesystem::create_directory(path("empty"));
  expect_error({"translate", path("empty")}, {"empty"}, "The man sleeps.\n");
}

class StandardInputFiles : public StartedProgramTest {};

TEST_F(StandardInputFiles, AreNamedByASign) {
  train("mt");
  train_lm("lm");
  train_classifier("cl");
  const auto same = [&](const std::string& with_file, const std::string& with_sign) {
    ASSERT_EQ(shell("$attend " + with_file), 0) << error_;
    const std::string expected = out_;
    ASSERT_EQ(shell("$attend " + with_sign), 0) << error_;
    EXPECT_EQ(out_, expected) << with_sign;
  };
  same("score mt --src valid.en --tgt valid.de", "score mt --src - --tgt valid.de < valid.en");
  same("score lm --text valid.en", "score lm --text - < valid.en");
  same("evaluate lm --text valid.en", "evaluate lm --text - < valid.en");
  same("evaluate cl --labeled labeled.tsv", "evaluate cl --labeled - < labeled.tsv");
  same("evaluate --hypotheses valid.en --references valid.de",
       "evaluate --hypotheses valid.en --references - < valid.de");
  EXPECT_EQ(shell("$attend evaluate lm --text - < /dev/null"), 1);
  EXPECT_NE(error_.find("standard input is empty"), std::string::npos) << error_;
  EXPECT_EQ(shell("$attend score mt --src - --tgt - < valid.en"), 2);
  EXPECT_NE(
      error_.find("--src, --tgt: expected standard input (-) for one of them, got it for both"),
      std::string::npos)
      << error_;
}

TEST_F(StandardInputFiles, OfALanguageModelAreScoredInBitsPerCharacter) {
  train_lm("lm");
  write("text", "The man sleeps.\nÜ\n");
  ASSERT_EQ(run({"score", model("lm"), "--text", path("text"), "--bits-per-character"}), 0)
      << error_;
  double sum = 0;
  std::istringstream lines(out_);
  for (std::string line; std::getline(lines, line);) sum -= std::stod(line);
  EXPECT_TRUE(error_.starts_with(
      fmt::format("{:.4f} bits per character, perplexity ", sum / std::log(2.0) / 18)))
      << error_ << sum;
  ASSERT_EQ(run({"evaluate", model("lm"), "--text", path("text"), "--format", "json"}), 0)
      << error_;
  const auto json = nlohmann::json::parse(out_);
  EXPECT_NEAR(json["bits_per_character"].get<double>(),
              json["bits_per_token"].get<double>() * json["tokens"].get<double>() / 18, 1e-9);
  ASSERT_EQ(run({"evaluate", model("lm"), "--text", path("text")}), 0) << error_;
  EXPECT_NE(out_.find(" bits per character; context"), std::string::npos) << out_;
}

}  // namespace
}  // namespace attend
