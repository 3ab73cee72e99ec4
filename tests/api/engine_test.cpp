// An engine through its public header, with models of every kind.
#include "attend/engine.h"

#include "api/small_models.h"
#include "tensor/expect_error.h"

namespace attend {
namespace {

class EngineApi : public ApiTest {};

const std::vector<std::string> kSomeSentences{"the dog sleeps", "", "the cat sees a fish"};

TEST_F(EngineApi, AnswersAsTheModelsThemselves) {
  const Translator translator = Translator::load(train(translation_job("pairs", 60)).model);
  const Generator generator = Generator::load(train(language_job("lines", 20)).model);
  const std::filesystem::path labels = train(classification_job("labels", 20)).model;
  const Classifier classifier = Classifier::load(labels);
  const Embedder embedder = Embedder::load(labels);
  const Tagger tagger = Tagger::load(train(tagging_job("tags", 20)).model);
  Engine engine({}, make_runtime({.threads = 2}));

  auto [to_translate, translations] = futures<Translation>(3);
  engine.submit(translator, {kSomeSentences, translator.default_options()}, to_translate);
  auto [to_generate, generations] = futures<Generation>(2);
  GenerationRequest request{.prompt = "the old", .sample = 7};
  request.options.n_best = 2;
  engine.submit(generator, request, to_generate);
  const std::vector<std::string> texts{"fish and bread", "the dog"};
  auto [to_classify, classes] = futures<Classification>(2);
  engine.submit(classifier, {texts}, to_classify);
  auto [to_embed, vectors] = futures<Embedding>(2);
  engine.submit(embedder, {texts, {.layer = 1}}, to_embed);
  auto [to_tag, tags] = futures<Tagging>(2);
  engine.submit(tagger, {texts}, to_tag);

  auto [to_score_pairs, pair_scores] = futures<SequenceScore>(2);
  engine.submit(translator, PairScoringRequest{{"the dog", "a cat"}, {"der hund", "eine katze"}},
                to_score_pairs);
  auto [to_score_texts, text_scores] = futures<SequenceScore>(2);
  engine.submit(generator, TextScoringRequest{texts}, to_score_texts);
  const std::vector<std::int32_t> ids = generator.prompt_ids("the old dog");
  auto [to_score_tokens, token_scores] = futures<std::vector<GeneratedToken>>(1);
  engine.submit(generator, TokenScoringRequest{.prompts = {ids}, .likeliest = 2}, to_score_tokens);

  const std::vector<Translation> alone = translator.translate(kSomeSentences);
  for (std::size_t i = 0; i < 3; ++i) {
    const Translation translation = translations[i].get();
    EXPECT_EQ(translation.text(), alone[i].text());
    EXPECT_EQ(translation.candidates[0].score, alone[i].candidates[0].score);
  }
  for (std::uint64_t i = 0; i < 2; ++i)
    EXPECT_EQ(generations[i].get().text,
              generator.generate(request.prompt, request.options, {}, 7 + i).text);
  const std::vector<Classification> classified = classifier.classify(texts);
  const std::vector<Embedding> embedded = embedder.embed(texts, {.layer = 1});
  const std::vector<Tagging> tagged = tagger.tag(texts);
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(classes[i].get().probabilities, classified[i].probabilities);
    EXPECT_EQ(vectors[i].get().values, embedded[i].values);
    const Tagging tagging = tags[i].get();
    EXPECT_EQ(tagging.tags, tagged[i].tags);
    EXPECT_EQ(tagging.probabilities, tagged[i].probabilities);
  }
  const std::vector<std::string> sources{"the dog", "a cat"}, targets{"der hund", "eine katze"};
  const std::vector<SequenceScore> of_pairs = translator.score(sources, targets),
                                   of_texts = generator.score(texts);
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(pair_scores[i].get().token_scores, of_pairs[i].token_scores);
    EXPECT_EQ(text_scores[i].get().token_scores, of_texts[i].token_scores);
  }
  const std::vector<GeneratedToken> scored = token_scores[0].get(),
                                    of_tokens = generator.score_tokens(ids, 2);
  ASSERT_EQ(scored.size(), of_tokens.size());
  for (std::size_t i = 1; i < scored.size(); ++i) EXPECT_EQ(scored[i].score, of_tokens[i].score);
}

TEST_F(EngineApi, CancelsByTicketEvenAfterItsEnd) {
  const Generator generator = Generator::load(train(language_job("run", 2)).model);
  GenerationRequest endless{.prompt = "the"};
  endless.options.max_tokens = 1'000'000'000;
  auto [receiver, generations] = futures<Generation>(1);
  Ticket ticket, none;
  {
    Engine engine({}, make_runtime({.threads = 1}));
    ticket = engine.submit(generator, endless, receiver);
    none.cancel();
    ticket.cancel();
    expect_error<CancelledError>([&, &g = generations] { g[0].get(); }, {"cancelled"});
    engine.drain();
    EXPECT_EQ(engine.statistics().cancelled_items, 1);
  }
  ticket.cancel();
}

TEST_F(EngineApi, CancelsWhatIsLeftWhenItEnds) {
  const Generator generator = Generator::load(train(language_job("run", 2)).model);
  GenerationRequest endless{.prompt = "the"};
  endless.options.max_tokens = 1'000'000'000;
  auto [receiver, generations] = futures<Generation>(1);
  {
    Engine engine({}, make_runtime({.threads = 1}));
    engine.submit(generator, endless, receiver);
  }
  expect_error<CancelledError>([&, &g = generations] { g[0].get(); }, {"cancelled"});
}

TEST_F(EngineApi, RefusesBadRequestsAndOptions) {
  const Translator translator = Translator::load(train(translation_job("run", 2)).model);
  Engine engine({.queue_tokens = 10}, make_runtime({.threads = 1}));
  TranslationOptions options = translator.default_options();
  options.beam.beam_size = 0;
  expect_error<ConfigError>(
      [&] {
        engine.submit(translator, {kSomeSentences, options}, {});
      },
      {"beam_size"});
  options = translator.default_options();
  const std::vector<std::string> many(20, "the old dog sees the cat");
  expect_error<LineError>(
      [&] {
        engine.submit(translator, {many, options}, {});
      },
      {"never fits", "at most 10 tokens"});
  expect_error<ConfigError>([] { Engine({.queue_tokens = 0}); }, {"queue_tokens", "from 1"});
}

}  // namespace
}  // namespace attend
