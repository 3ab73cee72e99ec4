#include "attend/tasks/language/engine.h"

#include <gtest/gtest.h>

#include <limits>

#include "attend/core/strings/utf8.h"
#include "attend/error.h"
#include "tasks/model_checkpoint.h"
#include "tasks/small_language.h"
#include "tensor/expect_error.h"

namespace attend {
namespace {

GenerationOptions with_tokens(int count) {
  GenerationOptions options;
  options.max_tokens = count;
  return options;
}

TEST(GenerationEngine, IsAFunctionOfTheSeedAndTheSample) {
  const GenerationEngine generator(small_language_model());
  GenerationOptions options = with_tokens(30);
  const std::string text = generator.generate("the cat", options).text;
  EXPECT_EQ(generator.generate("the cat", options).text, text);
  EXPECT_NE(generator.generate("the cat", options, {}, 1).text, text);
  options.sampling.seed = 2;
  EXPECT_NE(generator.generate("the cat", options).text, text);
}

// A model from elsewhere may begin texts with another token than the end of a line.
TEST(GenerationEngine, BeginsWithTheFirstTokenOfTheModelThatItsFileKeeps) {
  LanguageModel model = small_language_model();
  const GenerationOptions options = with_tokens(30);
  const std::string usual = GenerationEngine(model).generate("the cat", options).text;
  model.text = text_of_lines(model.tokenizer.bos_id(), model.tokenizer.eos_id());
  ASSERT_NE(model.tokenizer.bos_id(), model.tokenizer.eos_id());
  const LanguageModel loaded = language_model(checkpoint_of(model));
  EXPECT_EQ(loaded.text, model.text);
  EXPECT_NE(GenerationEngine(loaded).generate("the cat", options).text, usual);
  Checkpoint damaged = checkpoint_of(model);
  damaged.metadata["attend.first_token"] = "[1000000]";
  expect_error<DataError>([&] { language_model(damaged); }, {"attend.first_token"});
}

TEST(GenerationEngine, WritesInLinesWhatTheirFormatDoesNotForbid) {
  LanguageModel model = small_language_model();
  const SpecialTokens special = model.tokenizer.special_tokens();
  const std::vector<std::int32_t> usual{special.pad, special.unk, special.bos};
  EXPECT_EQ(unwritten_tokens(model), usual);
  model.text.forbidden = {{special.pad}};
  EXPECT_TRUE(unwritten_tokens(model).empty());
  const Checkpoint saved = checkpoint_of(model);
  EXPECT_EQ(language_model(saved).text, model.text);
  for (const auto& [from, to, message] :
       {std::tuple{"\"suffix\":[]", "\"suffix\":[1]", "expected lines that one token begins"},
        {"\"lines\"", "\"words\"", "unit: expected documents or lines, found 'words'"},
        {"\"prefix\":[", "\"prefix\":[0,", "expected lines that one token begins"}}) {
    Checkpoint damaged = saved;
    std::string& format = damaged.metadata["attend.language_format"];
    ASSERT_NE(format.find(from), format.npos) << format;
    format.replace(format.find(from), std::string(from).size(), to);
    expect_error<DataError>([&] { language_model(damaged); }, {"attend.language_format", message});
  }
}

TEST(GenerationEngine, SearchesForTheLikeliestContinuations) {
  const GenerationEngine generator(small_language_model());
  GenerationOptions options = with_tokens(6);
  options.one_line = true;
  options.beam.beam_size = 4;
  options.n_best = 3;
  const std::vector<Generation> found = generator.generate_best("the cat", options);
  ASSERT_EQ(found.size(), 3u);
  EXPECT_GE(found[0].score, found[1].score);
  EXPECT_NE(found[0].text, found[1].text);
  std::string streamed;
  const Generation best =
      generator.generate("the cat", options, [&](std::string_view more) { streamed += more; });
  EXPECT_EQ(best.text, found[0].text);
  EXPECT_EQ(streamed, found[0].text);
  for (const Generation& one : found) {
    EXPECT_EQ(one.token_scores.size(), one.ids.size());
    EXPECT_EQ(one.complete, one.ids.back() == generator.model().tokenizer.eos_id());
  }
}

// With one hypothesis the search takes the likeliest token every time, as sampling among one token
// does.
TEST(GenerationEngine, SearchesGreedilyWithABeamOfOne) {
  const GenerationEngine generator(small_language_model());
  GenerationOptions search = with_tokens(30), sampling = with_tokens(30);
  search.beam.beam_size = 1;
  sampling.sampling.top_k = 1;
  EXPECT_EQ(generator.generate("the cat", search).ids, generator.generate("the cat", sampling).ids);
}

TEST(GenerationEngine, RefusesMoreContinuationsThanTheBeamHas) {
  GenerationOptions options = with_tokens(3);
  options.beam.beam_size = 2;
  options.n_best = 3;
  expect_error<ConfigError>(
      [&] { GenerationEngine(small_language_model()).generate_best("the cat", options); },
      {"n_best", "beam_size 2"});
}

TEST(GenerationEngine, HandsOnTheTextAsItGrows) {
  const GenerationEngine generator(small_language_model());
  std::string streamed;
  int pieces = 0;
  const Generation generation =
      generator.generate("the cat", with_tokens(20), [&](std::string_view more) {
        streamed += more;
        ++pieces;
      });
  EXPECT_EQ(streamed, generation.text);
  EXPECT_EQ(pieces, 20);
  EXPECT_EQ(generation.ids.size(), 20u);
  EXPECT_EQ(generation.token_scores.size(), 20u);
  EXPECT_FALSE(generation.complete);
}

// Greedy choices are those of whole passes over the last tokens: the cache changes nothing, nor
// does a context that has to start over.
TEST(GenerationEngine, ChoosesWhatWholePassesChoose) {
  const LanguageModel model = small_language_model(rhyme_tokenizer(), 8);
  const GenerationEngine generator(model);
  GenerationOptions options = with_tokens(25);
  options.sampling.top_k = 1;
  const Generation found = generator.generate("a fat", options);

  const NoGradient guard;
  Pass pass = Pass::inference();
  std::vector<std::int32_t> window{model.tokenizer.eos_id()};
  for (const std::int32_t id : model.tokenizer.encode("a fat")) window.push_back(id);
  for (std::size_t n = 0; n < found.ids.size(); ++n) {
    const std::vector<std::int32_t> offsets{0, static_cast<std::int32_t>(window.size())};
    const Tensor logits =
        model.network->project(model.network->hidden(Ragged::copy(window, offsets), pass)).value();
    const float* last = logits.row(logits.rows() - 1);
    std::int32_t best = model.tokenizer.eos_id();
    for (std::int32_t v = 4; v < model.tokenizer.vocab_size(); ++v)
      best = last[v] > last[best] ? v : best;
    ASSERT_EQ(found.ids[n], best) << "token " << n;
    if (window.size() == 8) window.erase(window.begin(), window.end() - 4);
    window.push_back(best);
  }
}

TEST(GenerationEngine, WritesLinesAndStopsAtTheirEndWhenAsked) {
  const LanguageModel model = small_language_model();
  model.network->parameters().values().zero();  // all pieces are equally likely
  const GenerationEngine generator(model);
  const Generation text = generator.generate("", with_tokens(200));
  EXPECT_NE(text.text.find('\n'), std::string::npos);
  GenerationOptions options = with_tokens(200);
  options.one_line = true;
  const Generation line = generator.generate("", options);
  EXPECT_TRUE(line.complete);
  EXPECT_EQ(line.text.find('\n'), line.text.size() - 1);
  EXPECT_EQ(line.ids.back(), model.tokenizer.eos_id());
  EXPECT_EQ(line.text, text.text.substr(0, line.text.size()));
}

// Its tokens are those of a prompt; it ends with the eos that would begin a line.
TEST(GenerationEngine, EndsAPartOfAConversationWithEos) {
  const LanguageModel model = small_language_model();
  model.network->parameters().values().zero();  // all pieces are equally likely
  const GenerationEngine engine(model);
  const Tokenizer& tokenizer = engine.model().tokenizer;
  std::vector<std::int32_t> tokens{engine.model().text.prefix.front()};
  for (const std::int32_t id : tokenizer.encode("the old")) tokens.push_back(id);
  const auto answer = [&](const GenerationOptions& options, std::uint64_t sample) {
    const auto running = engine.running();
    running->join(engine.conversation(tokens, options, sample));
    for (;;)
      for (auto& outcome : running->step()) return outcome.result.at(0);
  };
  GenerationOptions options;
  options.max_tokens = 60;
  options.one_line = true;
  int complete = 0;
  for (std::uint64_t sample = 0; sample < 5; ++sample) {
    const Generation line = engine.generate("the old", options, {}, sample);
    const Generation found = answer(options, sample);
    EXPECT_EQ(found.ids, line.ids);
    EXPECT_EQ(found.complete, line.complete);
    // It begins without the space that goes on with a line.
    EXPECT_EQ(" " + found.text + (line.complete ? "\n" : ""),
              (line.text.starts_with(' ') ? "" : " ") + line.text);
    complete += line.complete ? 1 : 0;
  }
  EXPECT_GT(complete, 0);
  GenerationOptions without = options;
  without.one_line = false;
  EXPECT_EQ(answer(without, 0).ids, answer(options, 0).ids);
  tokens.assign(1000, tokens.back());
  EXPECT_THROW(engine.conversation(tokens, options, 0), DataError);
  EXPECT_THROW(engine.conversation({}, options, 0), DataError);
  EXPECT_THROW(engine.conversation({tokenizer.vocab_size()}, options, 0), DataError);
}

TEST(GenerationEngine, ReadsAPromptOfSeveralLines) {
  const LanguageModel model = small_language_model();
  const GenerationEngine generator(model);
  GenerationOptions options = with_tokens(1);
  options.sampling.top_k = 1;
  std::vector<std::int32_t> stream =
      encode_language(std::vector<std::string>{"the dog", "a cat"}, model.tokenizer).stream;
  stream.pop_back();  // the last line goes on
  const NoGradient guard;
  Pass pass = Pass::inference();
  const std::vector<std::int32_t> offsets{0, static_cast<std::int32_t>(stream.size())};
  const Variable hidden = model.network->hidden(Ragged::copy(stream, offsets), pass);
  const Generation found = generator.generate("the dog\na cat", options);
  std::vector<std::int32_t> targets(stream.begin() + 1, stream.end());
  targets.push_back(found.ids[0]);
  EXPECT_NEAR(found.token_scores[0],
              model.network->target_log_probabilities(hidden, targets).back(), 1e-4);
}

TEST(GenerationEngine, WritesWithTheCacheThatMeasuresPerplexity) {
  const LanguageModel model = small_language_model(rhyme_tokenizer(), 12);
  GenerationOptions options = with_tokens(30);
  options.cache = {20, 0.3f, 2.0f};
  const Generation found = GenerationEngine(model).generate("the cat sat", options);
  std::vector<std::int32_t> text = model.tokenizer.encode("the cat sat");
  const std::size_t prompt = text.size();
  text.insert(text.end(), found.ids.begin(), found.ids.end());

  const NoGradient guard;
  Pass pass = Pass::inference();
  ContinuousCache cache(options.cache, model.network->config().d_model);
  std::vector<std::int32_t> window{model.tokenizer.eos_id()};
  for (std::size_t n = 0; n < text.size(); ++n) {
    const std::vector<std::int32_t> offsets{0, static_cast<std::int32_t>(window.size())},
        target{text[n]};
    const Tensor hidden = model.network->hidden(Ragged::copy(window, offsets), pass).value();
    const Tensor last = hidden.slice_rows(hidden.rows() - 1, hidden.rows());
    const float expected =
        cache.read(last, target, model.network->target_log_probabilities(Variable(last), target))
            .front();
    if (n >= prompt) {
      EXPECT_NEAR(found.token_scores[n - prompt], expected, 1e-4) << "token " << n;
    }
    if (window.size() == 12) window.erase(window.begin(), window.end() - 6);
    window.push_back(text[n]);
  }
  options.cache.tokens = -1;
  expect_error<ConfigError>([&] { GenerationEngine(model).generate("the cat sat", options); },
                            {"cache_tokens"});
}

TEST(GenerationEngine, NeverWritesPiecesWithoutText) {
  const LanguageModel model = small_language_model();
  model.network->parameters().values().zero();  // all pieces are equally likely
  const Generation generation = GenerationEngine(model).generate("", with_tokens(300));
  for (const std::int32_t id : generation.ids) EXPECT_GE(id, model.tokenizer.eos_id());
}

TEST(GenerationEngine, AvoidsWhatItHasSaidWhenRepetitionIsPenalized) {
  const LanguageModel model = small_language_model(rhyme_tokenizer(), 100);
  GenerationOptions options = with_tokens(10);
  options.sampling.top_k = 1;
  options.repetition_penalty = 1e6f;
  std::vector<std::int32_t> ids = GenerationEngine(model).generate("", options).ids;
  EXPECT_GT(std::erase(ids, model.tokenizer.eos_id()), 1u) << "lines may end again";
  std::vector<std::int32_t> distinct = ids;
  std::sort(distinct.begin(), distinct.end());
  distinct.erase(std::unique(distinct.begin(), distinct.end()), distinct.end());
  EXPECT_EQ(distinct.size(), ids.size());
}

// The word after "cat" when it is penalized: its own logit is the first, that of "dog" the second,
// and all others are far below.
std::string after_cat(float cat, float dog, float penalty) {
  const LanguageModel model = small_language_model();
  const auto id = [&](const char* word) { return model.tokenizer.encode(word).front(); };
  // Whatever is read, what is projected to logits is the bias of the last normalization: the first
  // column of the embeddings.
  ParameterSet& parameters = model.network->parameters();
  parameters.values().zero();
  for (const auto& entry : parameters.entries()) {
    const Tensor value = parameters.value(entry);
    if (entry.name == "decoder.norm.bias") value.data()[0] = 1.0f;
    if (entry.name != "embedding.weight") continue;
    for (std::int64_t v = 0; v < value.rows(); ++v) value.row(v)[0] = -50.0f;
    value.row(id("cat"))[0] = cat;
    value.row(id("dog"))[0] = dog;
  }
  GenerationOptions options = with_tokens(1);
  options.sampling.top_k = 1;
  options.repetition_penalty = penalty;
  return GenerationEngine(model).generate("cat", options).text;
}

TEST(GenerationEngine, DividesPositiveLogitsOfWhatItHasSaidAndMultipliesNegativeOnes) {
  EXPECT_EQ(after_cat(2.0f, 1.5f, 1.0f), " cat");
  EXPECT_EQ(after_cat(2.0f, 1.5f, 1.3f), " cat") << "2 / 1.3 = 1.54";
  EXPECT_EQ(after_cat(2.0f, 1.5f, 1.4f), " dog") << "2 / 1.4 = 1.43";
  EXPECT_EQ(after_cat(-1.0f, -1.5f, 1.4f), " cat") << "-1 * 1.4 = -1.4";
  EXPECT_EQ(after_cat(-1.0f, -1.5f, 1.6f), " dog") << "-1 * 1.6 = -1.6";
}

TEST(GenerationEngine, HandsOnWholeCharactersOnly) {
  TokenizerOptions options;
  options.type = TokenizerType::bpe;
  options.byte_fallback = true;
  options.vocab_size = 4 + 256 + 20;
  const Tokenizer tokenizer = Tokenizer::train(kRhyme, options);
  const GenerationEngine generator(small_language_model(tokenizer));
  const Generation generation = generator.generate(
      "the", with_tokens(100), [](std::string_view more) { EXPECT_TRUE(is_utf8(more)); });
  EXPECT_TRUE(is_utf8(generation.text));
}

TEST(GenerationEngine, EndsALineOnlyWithItsEnd) {
  TokenizerOptions options;
  options.byte_fallback = true;
  options.vocab_size = 4 + 256 + 20;
  const LanguageModel model = small_language_model(Tokenizer::train(kRhyme, options), 64);
  model.network->parameters()
      .values()
      .zero();  // all pieces are equally likely, the bytes of line ends too
  const Generation generation = GenerationEngine(model).generate("", with_tokens(2000));
  const auto drawn = [&](std::string_view piece) {
    return std::count(generation.ids.begin(), generation.ids.end(), model.tokenizer.id(piece));
  };
  EXPECT_GT(drawn("<0x0A>"), 0);
  EXPECT_GT(drawn("<0x0D>"), 0);
  EXPECT_EQ(std::count(generation.text.begin(), generation.text.end(), '\n'), drawn("</s>"));
  EXPECT_EQ(std::count(generation.text.begin(), generation.text.end(), '\r'), 0);
}

TEST(GenerationEngine, WritesWhatItsTokensDecodeTo) {
  TokenizerOptions options;
  options.byte_fallback = true;
  options.vocab_size = 4 + 256 + 20;
  const LanguageModel model = small_language_model(Tokenizer::train(kRhyme, options), 64);
  model.network->parameters().values().zero();
  const std::string prompt = "the cat sät";
  for (std::uint64_t sample = 0; sample < 5; ++sample) {
    const Generation generation =
        GenerationEngine(model).generate(prompt, with_tokens(400), {}, sample);
    std::vector<std::int32_t> line = model.tokenizer.encode(prompt);
    std::string expected;
    for (const std::int32_t id : generation.ids) {
      if (id == model.tokenizer.eos_id()) {
        expected += model.tokenizer.decode(line) + "\n";
        line.clear();
      } else {
        line.push_back(id);
      }
    }
    EXPECT_EQ(prompt + generation.text, expected + model.tokenizer.decode(line));
  }
}

TEST(GenerationEngine, RefusesAPromptThatDoesNotFit) {
  const GenerationEngine generator(small_language_model());
  EXPECT_NO_THROW(generator.generate("the cat sat on the mat and",
                                     with_tokens(1)));  // seven words and the beginning
  expect_error<DataError>(
      [&] { generator.generate("the cat sat on the mat and a", with_tokens(1)); },
      {"9 tokens", "at most 8", "shorten"});
  GenerationOptions options = with_tokens(1);
  options.prompt_source = "standard input";
  expect_error<DataError>([&] { generator.generate("the cat sat on the mat and a", options); },
                          {"standard input: the prompt has 9 tokens"});
  expect_error<DataError>([&] { generator.generate("\xff", with_tokens(1)); }, {"UTF-8"});
}

TEST(GenerationEngine, NamesTheOptionThatIsWrong) {
  const GenerationEngine generator(small_language_model());
  const auto refused = [&](auto change, const char* name) {
    GenerationOptions options;
    change(options);
    expect_error<ConfigError>([&] { generator.generate("a", options); }, {name});
  };
  refused([](auto& o) { o.max_tokens = 0; }, "max_tokens");
  refused([](auto& o) { o.sampling.temperature = -1.0f; }, "temperature");
  refused([](auto& o) { o.sampling.top_p = 1.5f; }, "top_p");
  refused([](auto& o) { o.sampling.top_k = -2; }, "top_k");
  refused([](auto& o) { o.repetition_penalty = 0.0f; }, "repetition_penalty");
  refused([](auto& o) { o.repetition_penalty = std::numeric_limits<float>::infinity(); },
          "repetition_penalty");
  refused([](auto& o) { o.context = -1; }, "context");
}

}  // namespace
}  // namespace attend
