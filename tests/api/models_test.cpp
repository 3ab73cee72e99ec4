// Models of each kind through the public headers: trained, loaded, used.
#include <cmath>
#include <sstream>
#include <thread>

#include "api/small_models.h"
#include "attend/classifier.h"
#include "attend/core/threads/parallel.h"
#include "attend/embedder.h"
#include "attend/error.h"
#include "attend/generator.h"
#include "attend/model_file.h"
#include "attend/translator.h"
#include "attend/version.h"
#include "tensor/expect_error.h"

namespace attend {
namespace {

class ModelApi : public ApiTest {};

std::vector<std::string> texts_of(const std::vector<Translation>& translations) {
  std::vector<std::string> texts;
  for (const Translation& translation : translations) texts.push_back(translation.text());
  return texts;
}

TEST_F(ModelApi, TranslatesListsAndStreamsAlike) {
  const Translator translator = Translator::load(train(translation_job("run", 150)).model);
  const std::vector<std::string> sentences{"the dog sleeps", "", "the cat sees a fish"};
  const std::vector<std::string> texts = texts_of(translator.translate(sentences));
  EXPECT_EQ(texts,
            (std::vector<std::string>{"der hund schläft", "", "die katze sieht einen fisch"}));

  std::istringstream lines("the dog sleeps\n\nthe cat sees a fish\n");
  std::vector<std::string> streamed;
  translator.translate(
      lines, "lines",
      {.accept = [&](const Translation& translation) { streamed.push_back(translation.text()); }},
      translator.default_options());
  EXPECT_EQ(streamed, texts);

  TranslationOptions options = translator.default_options();
  options.beam.n_best = 3;
  options.alignment = true;
  const Translation best = translator.translate(sentences, options).front();
  EXPECT_EQ(best.candidates.size(), 3u);
  EXPECT_EQ(best.candidates.front().alignment.size(), 3u);
  EXPECT_GE(best.candidates[0].score, best.candidates[1].score);
  const std::vector<std::string> source{sentences.front()}, target{best.text()};
  EXPECT_NEAR(translator.score(source, target).front().log_probability,
              best.candidates.front().log_probability, 1e-3);
}

TEST_F(ModelApi, ExplainsWhatItScores) {
  const Translator translator = Translator::load(train(translation_job("run", 2)).model);
  const std::vector<std::string> source{"the dog sleeps"}, target{"der hund"};
  const std::vector<float> scores = translator.score(source, target).front().token_scores;
  for (std::size_t i = 0; i < scores.size(); ++i) {
    const OutputExplanation why =
        translator.explain(source.front(), target.front(), {.position = static_cast<int>(i)});
    EXPECT_NEAR(std::log(why.token.probability), scores[i], 1e-4f);
    EXPECT_EQ(why.tokens.size(), scores.size());
  }
  const TranslationCandidate best = translator.translate(source).front().candidates.front();
  const OutputExplanation why = translator.explain(source.front(), best, {.position = 0});
  EXPECT_NEAR(std::log(why.token.probability), best.token_scores.front(), 1e-4f);
}

TEST_F(ModelApi, NamesTheLineOfAStreamThatIsWrong) {
  const Translator translator = Translator::load(train(translation_job("run", 2)).model);
  std::istringstream lines("the dog sleeps\n\xff\n");
  std::size_t accepted = 0;
  expect_error<DataError>(
      [&] {
        translator.translate(lines, "my text", {.accept = [&](const Translation&) { ++accepted; }},
                             translator.default_options());
      },
      {"my text:2: "});
  EXPECT_EQ(accepted, 1u);
}

TEST_F(ModelApi, ChecksOptionsThatDidNotPassTheCommandLine) {
  const Translator translator = Translator::load(train(translation_job("run", 2)).model);
  const std::vector<std::string> sentences{"the dog"};
  TranslationOptions options;
  options.beam.beam_size = 0;
  expect_error<ConfigError>([&] { translator.translate(sentences, options); },
                            {"beam_size", "got 0"});
}

TEST_F(ModelApi, ShowsWhatATranslationLookedAt) {
  const Translator translator = Translator::load(train(translation_job("run", 2)).model);
  const TranslationAttention attention = translator.attention("the dog sleeps", "der hund");
  EXPECT_EQ(attention.src_words, (std::vector<std::string>{"the", "dog", "sleeps", "</s>"}));
  EXPECT_EQ(attention.tgt_words, (std::vector<std::string>{"der", "hund", "</s>"}));
  ASSERT_EQ(attention.layers.size(), 2u);
  ASSERT_EQ(attention.layers[1].size(), 2u);
  const AttentionMap& map = attention.layers[1][0];
  ASSERT_EQ(map.rows, 3);
  ASSERT_EQ(map.cols, 4);
  for (int row = 0; row < 3; ++row) {
    float sum = 0;
    for (int col = 0; col < 4; ++col) sum += map.weights[static_cast<std::size_t>(row * 4 + col)];
    EXPECT_NEAR(sum, 1, 1e-5);
  }
}

TEST_F(ModelApi, SaysHowLongASentenceMayBe) {
  train(translation_job("any", 1));
  EXPECT_EQ(Translator::load(path("any")).longest_source(), 0);
  TrainingJob job = translation_job("learned", 1);
  job.options.emplace_back("positions", "learned");
  job.options.emplace_back("max-positions", 40);
  job.options.emplace_back("max-length", 39);
  train(job);
  const Translator translator = Translator::load(path("learned"));
  EXPECT_EQ(translator.longest_source(), 39) << "one position is for the end of the sentence";
  const std::vector<Translator> members{Translator::load(path("any")), translator};
  EXPECT_EQ(Translator::ensemble(members).longest_source(), 39) << "what all have positions for";
  std::string sentence = "dog";
  const auto tokens = [&] { return std::ssize(translator.source_tokenizer().encode(sentence)); };
  while (tokens() < 39) sentence += tokens() < 38 ? " the" : " a";
  ASSERT_EQ(tokens(), 39);
  EXPECT_NO_THROW(translator.translate(std::vector{sentence}));
  while (tokens() < 40) sentence += " dog";
  EXPECT_THROW(translator.translate(std::vector{sentence}), LineError);
}

TEST_F(ModelApi, AnswersSeveralThreadsAsItAnswersOne) {
  const std::filesystem::path model = train(translation_job("run", 20)).model;
  const Translator shared = Translator::load(model),
                   own = Translator::load(model, make_runtime({.threads = 2}));
  const std::vector<std::string> sentences{"the dog sleeps", "the old cat eats", "a fish"};
  const std::vector<std::string> expected = texts_of(shared.translate(sentences));
  std::vector<std::vector<std::string>> answers(4);
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < answers.size(); ++i)
    threads.emplace_back(
        [&, i] { answers[i] = texts_of((i % 2 == 0 ? shared : own).translate(sentences)); });
  for (std::thread& thread : threads) thread.join();
  for (const auto& answer : answers) EXPECT_EQ(answer, expected);
}

TEST_F(ModelApi, ComputesWithTheThreadsOfItsRuntime) {
  const Translator translator =
      Translator::load(train(translation_job("run", 2)).model, make_runtime({.threads = 3}));
  std::istringstream lines("the dog sleeps\n");
  translator.translate(lines, "lines",
                       {.accept = [](const Translation&) { EXPECT_EQ(threads(), 3); }},
                       translator.default_options());
}

TEST_F(ModelApi, Classifies) {
  const Classifier classifier = Classifier::load(train(classification_job("run", 60)).model);
  EXPECT_EQ(classifier.labels(), (std::vector<std::string>{"animal", "food"}));
  const std::vector<std::string> texts{"the dog sleeps", "bread and fish"};
  const std::vector<Classification> classified = classifier.classify(texts);
  EXPECT_EQ(classified[0].label, 0u);
  EXPECT_EQ(classified[1].label, 1u);
  EXPECT_NEAR(classified[0].probabilities[0] + classified[0].probabilities[1], 1, 1e-5);

  std::istringstream lines("bread and fish\n \n");
  std::vector<std::size_t> labels;
  expect_error<DataError>(
      [&] {
        classifier.classify(lines, "my text", {.accept = [&](const Classification& c) {
                              labels.push_back(c.label);
                            }});
      },
      {"my text:2: "});
  EXPECT_EQ(labels, std::vector<std::size_t>{1});
}

TEST_F(ModelApi, ContinuesTextAndSaysHowLikelyItIs) {
  const Generator generator = Generator::load(train(language_job("run", 100)).model);
  GenerationOptions options = generator.default_options();
  options.beam.beam_size = 2;
  options.one_line = true;
  std::string streamed;
  const Generation generation =
      generator.generate("the dog", options, [&](std::string_view more) { streamed += more; });
  EXPECT_GT(generation.text.size(), 1u);
  EXPECT_TRUE(generation.text.ends_with("\n")) << generation.text;
  EXPECT_EQ(streamed, generation.text);
  EXPECT_EQ(generator.generate_best("the dog", options).front().text, generation.text);

  const std::vector<std::string> lines{"the dog sleeps", "sleeps fish the the"};
  const std::vector<SequenceScore> scores = generator.score(lines);
  EXPECT_GT(scores[0].log_probability, scores[1].log_probability);
  EXPECT_EQ(scores[0].token_scores.size(), generator.tokenizer().encode(lines[0]).size() + 1);
  const std::vector<std::string> likely{lines[0]}, unlikely{lines[1]};
  EXPECT_LT(generator.perplexity(likely).per_token(), generator.perplexity(unlikely).per_token());
  const std::vector<std::string> short_and_long{lines[0], lines[0] + " " + lines[1]};
  const int tokens = static_cast<int>(scores[0].token_scores.size()) - 1;
  expect_error<DataError>([&] { generator.score(short_and_long, {.max_tokens = tokens}); },
                          {"line 2: expected at most"});
}

TEST_F(ModelApi, PredictsWithTheCacheThatAModelWasMadeFor) {
  TrainingJob job = language_job("without", 5);
  const Generator without = Generator::load(train(job).model);
  job.folder = path("with");
  job.options.emplace_back("cache-tokens", 20);
  const Generator with = Generator::load(train(job).model);
  EXPECT_EQ(with.default_options().cache.tokens, 20);
  const std::vector<std::string> lines{"the dog sees the dog sees the dog"};
  EXPECT_LT(with.perplexity(lines).per_token(), without.perplexity(lines).per_token());
}

TEST_F(ModelApi, MakesVectorsOfTexts) {
  const std::filesystem::path model = train(classification_job("run", 5)).model;
  const Embedder embedder = Embedder::load(model);
  const std::vector<std::string> texts{"the old dog", "bread"};
  const std::vector<Embedding> pooled = embedder.embed(texts);
  EXPECT_EQ(pooled[0].rows, 1);
  EXPECT_EQ(pooled[0].width, 16);
  EXPECT_FLOAT_EQ(cosine_similarity(pooled[0].row(0), pooled[0].row(0)), 1);
  const std::vector<Embedding> tokens =
      embedder.embed(texts, {.layer = 0, .pooling = EmbeddingPooling::none});
  EXPECT_EQ(tokens[0].rows, static_cast<std::int64_t>(tokens[0].tokens.size()));
  EXPECT_EQ(tokens[0].values.size(), tokens[0].tokens.size() * 16);
  EXPECT_EQ(embedder.embed_without_context(texts, EmbeddingPooling::max)[1].rows, 1);
  expect_error<ConfigError>([&] { embedder.embed(texts, {.layer = embedder.layers() + 1}); },
                            {"layer"});
}

TEST_F(ModelApi, RefusesAModelOfAnotherKind) {
  const std::filesystem::path model = train(language_job("run", 2)).model;
  expect_error<DataError>([&] { Translator::load(model); }, {model.string()});
  expect_error<IoError>([&] { Classifier::load(path("absent.safetensors")); },
                        {"absent.safetensors"});
}

TEST_F(ModelApi, DescribesChecksAndQuantizesFiles) {
  const std::filesystem::path model = train(language_job("run", 2)).model,
                              small = path("small.safetensors");
  EXPECT_EQ(describe(model).format_problem, "");
  const std::optional<ModelCheck> check = check_model(model);
  ASSERT_TRUE(check);
  EXPECT_TRUE(check->holds());
  quantize_model(model, small);
  EXPECT_LT(describe(small).file_bytes, describe(model).file_bytes);
  EXPECT_NO_THROW(Generator::load(small));
  const std::filesystem::path half = path("half.safetensors");
  quantize_model(model, half, 16);
  EXPECT_LT(describe(small).file_bytes, describe(half).file_bytes);
  EXPECT_LT(describe(half).file_bytes, describe(model).file_bytes);
  EXPECT_NO_THROW(Generator::load(half));
  const std::filesystem::path four = path("four.safetensors");
  quantize_model(model, four, 4);
  EXPECT_LT(describe(four).file_bytes, describe(small).file_bytes);
  EXPECT_EQ(describe(four).parameters, describe(small).parameters);
  EXPECT_TRUE(check_model(four)->holds());
  EXPECT_NO_THROW(Generator::load(four));
  expect_error<ConfigError>([&] { quantize_model(model, half, 6); }, {"4, 8 or 16", "6"});
  expect_error<DataError>([&] { quantize_model(small, path("smaller.safetensors")); },
                          {"small.safetensors"});
}

TEST_F(ModelApi, ChangesWhatAFileSaysAndNothingElse) {
  const std::filesystem::path model = train(language_job("run", 2)).model;
  const std::string before = content(model);
  set_model_settings(path("run"), {{"name", "small"}, {"language", "en"}});
  EXPECT_EQ(describe(model).format_problem, "");
  EXPECT_EQ(describe(model).metadata.at("attend.name"), "small");
  EXPECT_TRUE(check_model(model)->holds());
  expect_error<ConfigError>(
      [&] {
        set_model_settings(model, {{"name", ""}, {"nam", "x"}});
      },
      {"'nam' cannot be set"});
  EXPECT_EQ(describe(model).metadata.at("attend.name"), "small") << "all or nothing";
  set_model_settings(model, {{"name", ""}, {"language", "en"}});
  EXPECT_EQ(content(model), before);
  expect_error<IoError>([&] { set_model_settings(path("none"), {{"name", "x"}}); }, {"none"});
}

TEST_F(ModelApi, AveragesCheckpointsIntoAModelThatChecks) {
  TrainingJob job = language_job("run", 4);
  job.options.emplace_back("save-every", 2);
  train(job);
  const std::vector<std::filesystem::path> checkpoints{
      path("run") / "checkpoints/step-00000002.safetensors",
      path("run") / "checkpoints/step-00000004.safetensors"};
  average_models(checkpoints, path("mean.safetensors"));
  const std::optional<ModelCheck> check = check_model(path("mean.safetensors"));
  ASSERT_TRUE(check);
  EXPECT_TRUE(check->holds());
  expect_error<ConfigError>([&] { average_models({}, path("none.safetensors")); }, {});
}

TEST(RuntimeApi, HasAsManyThreadsAsAskedFor) {
  EXPECT_EQ(threads_of(*make_runtime({.threads = 3})), 3);
  EXPECT_GE(threads_of(*make_runtime()), 1);
  EXPECT_THROW(make_runtime({.threads = -1}), ConfigError);
  EXPECT_THROW(make_runtime({.threads = 100000}), ConfigError);
}

TEST(VersionApi, SaysWhatTheLibraryIsMadeOf) {
  EXPECT_EQ(version(), "0.2.0");
  for (const char* part : {"compiler: ", "instruction sets: ", "in use: ", "threads by default: ",
                           "SentencePiece ", "Highway "})
    EXPECT_NE(build_information().find(part), std::string::npos) << part;
}

}  // namespace
}  // namespace attend
