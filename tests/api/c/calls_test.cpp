#include <cmath>
#include <set>
#include <string_view>

#include "api/c/c_test.h"
#include "attend/classifier.h"
#include "attend/embedder.h"
#include "attend/generator.h"
#include "attend/tagger.h"
#include "attend/translator.h"
#include "tasks/small_embedder.h"

namespace attend {
namespace {

class CCalls : public ApiTest {
 protected:
  OwnedModel trained(const TrainingJob& job) const { return load(train(job).model.string()); }
  OwnedModel translator(int steps = 2) const { return trained(translation_job("run", steps)); }
};

OwnedResult translated(const OwnedModel& model, const std::vector<std::string>& list,
                       const OwnedOptions& options = nullptr) {
  const OwnedTexts texts = texts_of(list);
  return OwnedResult(made([&](attend_error** error) {
    return attend_translate(model.get(), texts.get(), options.get(), nullptr, error);
  }));
}

std::string text_of(const OwnedResult& result, std::int64_t item, std::int64_t choice = 0) {
  std::int64_t length = -1;
  const char* const text = attend_result_text(result.get(), item, choice, &length);
  return {text, static_cast<std::size_t>(length)};
}

std::vector<float> scores_of(const OwnedResult& result, std::int64_t item,
                             std::int64_t choice = 0) {
  std::int64_t count = -1;
  const float* const scores = attend_result_token_scores(result.get(), item, choice, &count);
  return {scores, scores + count};
}

std::vector<std::string> tokens_of(const OwnedResult& result, std::int64_t item,
                                   std::int64_t choice = 0) {
  std::vector<std::string> tokens;
  for (std::int64_t i = 0; i < attend_result_token_count(result.get(), item, choice); ++i)
    tokens.emplace_back(attend_result_token(result.get(), item, choice, i));
  return tokens;
}

std::vector<float> vectors_of(const OwnedResult& result, std::int64_t item) {
  std::int64_t rows = -1, width = -1;
  const float* const values = attend_result_vectors(result.get(), item, &rows, &width);
  return {values, values + rows * width};
}

TEST_F(CCalls, TranslateAsInCpp) {
  const OwnedModel model = translator(150);
  const std::vector<std::string> sentences{"the dog sleeps", "", "the cat sees a fish"};
  const OwnedOptions options = options_of({{"n-best", "3"}, {"alignment", "true"}});
  const OwnedResult result = translated(model, sentences, options);

  const Translator same = Translator::load(path("run"));
  TranslationOptions in_cpp = same.default_options();
  in_cpp.beam.n_best = 3;
  in_cpp.alignment = true;
  const std::vector<Translation> expected = same.translate(sentences, in_cpp);
  ASSERT_EQ(attend_result_count(result.get()), 3);
  for (std::int64_t i = 0; i < 3; ++i) {
    const auto& candidates = expected[static_cast<std::size_t>(i)].candidates;
    ASSERT_EQ(attend_result_choices(result.get(), i), std::ssize(candidates));
    for (std::int64_t c = 0; c < std::ssize(candidates); ++c) {
      const TranslationCandidate& candidate = candidates[static_cast<std::size_t>(c)];
      EXPECT_EQ(text_of(result, i, c), candidate.text);
      EXPECT_EQ(attend_result_score(result.get(), i, c), candidate.score);
      EXPECT_EQ(tokens_of(result, i, c), candidate.tokens);
      EXPECT_EQ(scores_of(result, i, c), candidate.token_scores);
      EXPECT_EQ(attend_result_complete(result.get(), i, c), candidate.end >= 0 ? 1 : 0);
    }
  }
  EXPECT_EQ(text_of(result, 0), "der hund schläft");
  std::int64_t pairs = -1;
  const std::int32_t* const alignment = attend_result_alignment(result.get(), 0, 0, &pairs);
  ASSERT_EQ(pairs, 3);
  for (std::int64_t i = 0; i < pairs; ++i) {
    const auto pair = expected[0].candidates[0].alignment[static_cast<std::size_t>(i)];
    EXPECT_EQ(alignment[2 * i], pair.first);
    EXPECT_EQ(alignment[2 * i + 1], pair.second);
  }
}

TEST_F(CCalls, TakeOptionsByName) {
  const OwnedModel model = translator();
  const OwnedResult cut = translated(model, {"the dog"}, options_of({{"max_length", "1"}}));
  EXPECT_LE(attend_result_token_count(cut.get(), 0, 0), 1);
  const OwnedResult begun = translated(
      model, {"the dog", "a cat"}, options_of({{"prefixes", "der hund"}, {"prefixes", "eine"}}));
  EXPECT_EQ(text_of(begun, 0).substr(0, 8), "der hund");
  EXPECT_EQ(text_of(begun, 1).substr(0, 4), "eine");
  const OwnedResult phrase =
      translated(model, {"the dog"}, options_of({{"must_contain", "fisch"}}));
  EXPECT_NE(text_of(phrase, 0).find("fisch"), std::string::npos);
  OwnedOptions cleared = options_of({{"must_contain", "fisch"}});
  attend_options_set(cleared.get(), "must-contain", nullptr, nullptr);
  EXPECT_EQ(text_of(translated(model, {"the dog"}, cleared), 0),
            text_of(translated(model, {"the dog"}), 0));
  const OwnedResult drawn =
      translated(model, {"the dog"}, options_of({{"sample", "true"}, {"seed", "7"}}));
  TranslationOptions in_cpp;
  in_cpp.sampling = SamplingOptions{.seed = 7};
  const std::vector<std::string> sentence{"the dog"};
  EXPECT_EQ(text_of(drawn, 0), Translator::load(path("run")).translate(sentence, in_cpp)[0].text());
}

TEST_F(CCalls, RefuseOptionsByName) {
  const OwnedModel model = translator();
  const OwnedTexts texts = texts_of({"the dog"});
  const auto expect_refused = [&](const OwnedOptions& options,
                                  std::initializer_list<const char*> parts) {
    expect_failure(ATTEND_CONFIG_ERROR, parts, [&](attend_error** error) {
      return attend_translate(model.get(), texts.get(), options.get(), nullptr, error);
    });
  };
  expect_refused(options_of({{"beem_size", "4"}}), {"beem_size", "did you mean beam_size"});
  expect_refused(options_of({{"trust", "true"}}), {"trust", "results of C"});
  expect_refused(options_of({{"beam-size", "four"}}), {"beam_size: expected a whole", "four"});
  expect_refused(options_of({{"beam_size", "0"}}), {"beam_size", "from 1"});
  expect_refused(options_of({{"beam_size", "2"}, {"beam_size", "3"}}), {"beam_size", "2 values"});
  expect_refused(options_of({{"seed", "1"}}), {"seed: needs sample"});
  expect_refused(options_of({{"sample", "true"}, {"beam-size", "2"}}), {"beam_size"});
  expect_refused(options_of({{"tgt_lang", "de"}}), {"lang"});
}

TEST_F(CCalls, NameTheArgumentThatIsNull) {
  const OwnedModel model = translator();
  const OwnedTexts texts = texts_of({"the dog"});
  const auto expect_refused = [](const char* name, const auto& call) {
    expect_failure(ATTEND_INVALID_ARGUMENT, {name, "NULL"}, call);
  };
  for (const auto call : {attend_translate, attend_classify, attend_tag, attend_embed})
    expect_refused("model", [&](attend_error** error) {
      return call(nullptr, texts.get(), nullptr, nullptr, error);
    });
  for (const auto call : {attend_translate, attend_embed})
    expect_refused("texts", [&](attend_error** error) {
      return call(model.get(), nullptr, nullptr, nullptr, error);
    });
  expect_refused("model", [&](attend_error** error) {
    return attend_generate(nullptr, texts.get(), nullptr, nullptr, nullptr, nullptr, error);
  });
  expect_refused("query", [&](attend_error** error) {
    return attend_rank(model.get(), nullptr, texts.get(), nullptr, nullptr, error);
  });
  expect_refused("documents", [&](attend_error** error) {
    return attend_rank(model.get(), "a", nullptr, nullptr, nullptr, error);
  });
  expect_refused("texts", [&](attend_error** error) {
    return attend_score(model.get(), nullptr, texts.get(), nullptr, nullptr, error);
  });
  expect_refused("targets", [&](attend_error** error) {
    return attend_score(model.get(), texts.get(), nullptr, nullptr, nullptr, error);
  });
}

TEST_F(CCalls, RefuseOtherKindsOfModels) {
  const OwnedModel model = translator();
  const OwnedTexts texts = texts_of({"the dog"});
  for (const auto call : {attend_classify, attend_tag})
    expect_failure(ATTEND_DATA_ERROR, {"translation"}, [&](attend_error** error) {
      return call(model.get(), texts.get(), nullptr, nullptr, error);
    });
  expect_failure(ATTEND_DATA_ERROR, {"translation"}, [&](attend_error** error) {
    return attend_generate(model.get(), texts.get(), nullptr, nullptr, nullptr, nullptr, error);
  });
  const OwnedModel other = trained(classification_job("c", 1));
  expect_failure(ATTEND_DATA_ERROR, {"classification"}, [&](attend_error** error) {
    return attend_score(other.get(), texts.get(), nullptr, nullptr, nullptr, error);
  });
}

TEST_F(CCalls, ClassifyAsInCpp) {
  const OwnedModel model = trained(classification_job("c", 5));
  const std::vector<std::string> list{"the old dog sleeps", "bread and fish"};
  const OwnedTexts texts = texts_of(list);
  const OwnedResult result(made([&](attend_error** error) {
    return attend_classify(model.get(), texts.get(), nullptr, nullptr, error);
  }));
  const Classifier same = Classifier::load(path("c"));
  const std::vector<Classification> expected = same.classify(list);
  for (std::int64_t i = 0; i < 2; ++i) {
    const Classification& one = expected[static_cast<std::size_t>(i)];
    ASSERT_EQ(attend_result_choices(result.get(), i), 1);
    EXPECT_EQ(text_of(result, i), same.labels()[one.label]);
    EXPECT_EQ(attend_result_label(result.get(), i, 0), same.labels()[one.label]);
    EXPECT_EQ(attend_result_index(result.get(), i, 0), static_cast<std::int64_t>(one.label));
    EXPECT_EQ(attend_result_score(result.get(), i, 0), one.probability());
    EXPECT_EQ(vectors_of(result, i), one.probabilities);
  }
  const OwnedTexts blank = texts_of({"the dog", " "});
  expect_failure(ATTEND_DATA_ERROR, {}, [&](attend_error** error) {
    return attend_classify(model.get(), blank.get(), nullptr, nullptr, error);
  });
}

TEST_F(CCalls, ClassifyWithSeveralLabelsAndNumbers) {
  const OwnedModel several = trained(several_labels_job("several", 5));
  const OwnedTexts texts = texts_of({"the cat eats fish"});
  const auto labels_at = [&](const char* threshold) {
    const OwnedOptions options = options_of({{"threshold", threshold}});
    return OwnedResult(made([&](attend_error** error) {
      return attend_classify(several.get(), texts.get(), options.get(), nullptr, error);
    }));
  };
  const OwnedResult all = labels_at("0"), none = labels_at("1");
  EXPECT_EQ(attend_result_choices(all.get(), 0), 2);
  EXPECT_GE(attend_result_score(all.get(), 0, 0), attend_result_score(all.get(), 0, 1));
  EXPECT_EQ(attend_result_choices(none.get(), 0), 0);
  EXPECT_EQ(vectors_of(none, 0).size(), 2u);

  const OwnedModel number = trained(number_job("number", 5));
  const OwnedTexts pair = texts_of({"the dog sleeps\tthe old dog sleeps"});
  const OwnedResult result(made([&](attend_error** error) {
    return attend_classify(number.get(), pair.get(), nullptr, nullptr, error);
  }));
  EXPECT_STREQ(attend_result_label(result.get(), 0, 0), attend_model_label(number.get(), 0));
  EXPECT_EQ(vectors_of(result, 0), std::vector{attend_result_score(result.get(), 0, 0)});
}

TEST_F(CCalls, TagAsInCpp) {
  const OwnedModel model = trained(tagging_job("t", 30));
  const std::vector<std::string> list{"Anna Bell sees Paris"};
  const OwnedTexts texts = texts_of(list);
  const OwnedOptions options = options_of({{"aggregation-strategy", "none"}});
  attend_options_set(options.get(), "ignore_labels", nullptr, nullptr);
  const OwnedResult result(made([&](attend_error** error) {
    return attend_tag(model.get(), texts.get(), options.get(), nullptr, error);
  }));
  const Tagger same = Tagger::load(path("t"));
  const Tagging expected = same.tag(list).front();
  ASSERT_EQ(attend_result_choices(result.get(), 0), 4);
  for (std::int64_t i = 0; i < 4; ++i) {
    const auto word = static_cast<std::size_t>(i);
    std::int64_t begin = -1, end = -1;
    EXPECT_EQ(attend_result_span(result.get(), 0, i, &begin, &end), 1);
    EXPECT_EQ(
        list[0].substr(static_cast<std::size_t>(begin), static_cast<std::size_t>(end - begin)),
        expected.words[word]);
    EXPECT_EQ(text_of(result, 0, i), expected.words[word]);
    EXPECT_EQ(attend_result_label(result.get(), 0, i), same.labels()[expected.tags[word]]);
    EXPECT_EQ(attend_result_score(result.get(), 0, i), expected.probabilities[word]);
  }
}

TEST_F(CCalls, EmbedAsInCpp) {
  const OwnedModel model = translator();
  const std::vector<std::string> list{"the dog sleeps", "a cat"};
  const OwnedTexts texts = texts_of(list);
  const Embedder same = Embedder::load(path("run"));
  for (const char* pooling : {"mean", "none"}) {
    const OwnedOptions options = options_of({{"pooling", pooling}, {"layer", "1"}});
    const OwnedResult result(made([&](attend_error** error) {
      return attend_embed(model.get(), texts.get(), options.get(), nullptr, error);
    }));
    const bool pooled = std::string_view(pooling) == "mean";
    const std::vector<Embedding> expected = same.embed(
        list, {.layer = 1, .pooling = pooled ? EmbeddingPooling::mean : EmbeddingPooling::none});
    for (std::int64_t i = 0; i < 2; ++i) {
      EXPECT_EQ(vectors_of(result, i), expected[static_cast<std::size_t>(i)].values);
      EXPECT_EQ(tokens_of(result, i), expected[static_cast<std::size_t>(i)].tokens);
      EXPECT_EQ(attend_result_index(result.get(), i, 0), 0);
      EXPECT_TRUE(std::isnan(attend_result_score(result.get(), i, 0)));
    }
  }
}

TEST_F(CCalls, RankByVectors) {
  save_checkpoint(path("embedder"), checkpoint_of(small_embedder()));
  const OwnedModel model = load(path("embedder").string());
  EXPECT_STREQ(attend_model_task(model.get()), "embedding");
  const std::vector<std::string> list{"a bad film", "so good", "the film is fine"};
  const OwnedTexts documents = texts_of(list);
  const OwnedOptions options = options_of({{"query-prompt", "query"}});
  const OwnedResult result(made([&](attend_error** error) {
    return attend_rank(model.get(), "a good film", documents.get(), options.get(), nullptr, error);
  }));
  ASSERT_EQ(attend_result_count(result.get()), 1);
  ASSERT_EQ(attend_result_choices(result.get(), 0), 3);
  const Embedder same = Embedder::load(path("embedder"));
  const std::vector<std::string> query{"a good film"};
  const Embedding asked = same.embed(query, {.prompt = "query"}).front();
  std::set<std::int64_t> found;
  for (std::int64_t i = 0; i < 3; ++i) {
    const std::int64_t place = attend_result_index(result.get(), 0, i);
    ASSERT_TRUE(found.insert(place).second && place >= 0 && place < 3);
    const std::vector<std::string> document{list[static_cast<std::size_t>(place)]};
    EXPECT_EQ(text_of(result, 0, i), document[0]);
    EXPECT_EQ(attend_result_score(result.get(), 0, i),
              similarity(same.similarity(), asked.row(0), same.embed(document)[0].row(0)));
    if (i > 0) {
      EXPECT_LE(attend_result_score(result.get(), 0, i),
                attend_result_score(result.get(), 0, i - 1));
    }
  }
  const OwnedOptions tokens = options_of({{"pooling", "none"}});
  expect_failure(ATTEND_CONFIG_ERROR, {"pooling"}, [&](attend_error** error) {
    return attend_rank(model.get(), "good", documents.get(), tokens.get(), nullptr, error);
  });
}

TEST_F(CCalls, RankWithAModelOfPairs) {
  const OwnedModel model = trained(number_job("number", 20));
  const OwnedTexts documents = texts_of({"bread and fish", "the old dog sleeps"});
  const OwnedResult result(made([&](attend_error** error) {
    return attend_rank(model.get(), "the dog sleeps", documents.get(), nullptr, nullptr, error);
  }));
  const std::vector<std::string> pairs{"the dog sleeps\tbread and fish",
                                       "the dog sleeps\tthe old dog sleeps"};
  const std::vector<Classification> expected = Classifier::load(path("number")).classify(pairs);
  for (std::int64_t i = 0; i < 2; ++i)
    EXPECT_EQ(attend_result_score(result.get(), 0, i),
              expected[static_cast<std::size_t>(attend_result_index(result.get(), 0, i))].value);
  const OwnedModel labels = trained(classification_job("c", 1));
  expect_failure(ATTEND_CONFIG_ERROR, {"one label", "2"}, [&](attend_error** error) {
    return attend_rank(labels.get(), "a", documents.get(), nullptr, nullptr, error);
  });
}

TEST_F(CCalls, ScoreAsInCpp) {
  const std::vector<std::string> list{"the dog sleeps", "a cat"}, translations{"der hund", "eine"};
  const OwnedTexts texts = texts_of(list), targets = texts_of(translations);
  const auto expect_scores = [](const OwnedResult& result,
                                const std::vector<SequenceScore>& expected) {
    for (std::int64_t i = 0; i < 2; ++i) {
      const SequenceScore& one = expected[static_cast<std::size_t>(i)];
      EXPECT_EQ(attend_result_score(result.get(), i, 0), one.log_probability);
      EXPECT_EQ(scores_of(result, i), one.token_scores);
    }
  };
  const OwnedModel model = translator();
  expect_scores(OwnedResult(made([&](attend_error** error) {
                  return attend_score(model.get(), texts.get(), targets.get(), nullptr, nullptr,
                                      error);
                })),
                Translator::load(path("run")).score(list, translations));
  const OwnedModel generator = trained(language_job("lm", 2));
  expect_scores(OwnedResult(made([&](attend_error** error) {
                  return attend_score(generator.get(), texts.get(), nullptr, nullptr, nullptr,
                                      error);
                })),
                Generator::load(path("lm")).score(list));
  expect_failure(ATTEND_INVALID_ARGUMENT, {"targets"}, [&](attend_error** error) {
    return attend_score(generator.get(), texts.get(), targets.get(), nullptr, nullptr, error);
  });
  const OwnedOptions few = options_of({{"max_tokens", "1"}});
  expect_failure(ATTEND_DATA_ERROR, {"max_tokens"}, [&](attend_error** error) {
    return attend_score(generator.get(), texts.get(), nullptr, few.get(), nullptr, error);
  });
}

TEST_F(CCalls, AnswerEmptyForPlacesThatDoNotExist) {
  const OwnedModel model = translator();
  const OwnedResult found = translated(model, {"the dog"});
  std::int64_t a = 7, b = 7;
  for (attend_result* result : {found.get(), static_cast<attend_result*>(nullptr)}) {
    for (const std::int64_t item : {-1, 1, 0}) {
      const std::int64_t choice = item == 0 && result != nullptr ? 99 : 0;
      EXPECT_EQ(attend_result_text(result, item, choice, &a), nullptr);
      EXPECT_EQ(a, 0);
      EXPECT_TRUE(std::isnan(attend_result_score(result, item, choice)));
      EXPECT_EQ(attend_result_index(result, item, choice), -1);
      EXPECT_EQ(attend_result_label(result, item, choice), nullptr);
      EXPECT_EQ(attend_result_span(result, item, choice, &a, &b), 0);
      EXPECT_EQ(b, -1);
      EXPECT_EQ(attend_result_complete(result, item, choice), 0);
      EXPECT_EQ(attend_result_token_count(result, item, choice), 0);
      EXPECT_EQ(attend_result_token(result, item, choice, 0), nullptr);
      EXPECT_EQ(attend_result_token_scores(result, item, choice, &a), nullptr);
      EXPECT_EQ(attend_result_alignment(result, item, choice, nullptr), nullptr);
    }
    EXPECT_EQ(attend_result_vectors(result, 0, &a, nullptr), nullptr);
    EXPECT_EQ(attend_result_choices(result, 1), 0);
  }
  EXPECT_EQ(attend_result_count(nullptr), 0);
  EXPECT_EQ(attend_result_token(found.get(), 0, 0, -1), nullptr);
  EXPECT_EQ(attend_result_count(translated(model, {}).get()), 0);
}

}  // namespace
}  // namespace attend
