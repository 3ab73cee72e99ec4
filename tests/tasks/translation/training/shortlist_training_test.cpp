#include "attend/tasks/translation/training/shortlist_training.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "attend/error.h"
#include "attend/model_file.h"
#include "attend/tasks/model_file/model_quantization.h"
#include "attend/tasks/translation/engine.h"
#include "checkpoint/test_folder.h"
#include "tasks/small_model.h"
#include "tensor/expect_error.h"

namespace attend {
namespace {

const ParallelText kLesson{
    {"the old dog", "a cat", "dogs catch fish", "the cat", "a dog"},
    {"der alte hund", "eine katze", "hund frisst fisch", "die katze", "ein hund"}};

EncodedPairs lesson(const TranslationModel& model) {
  ReadReport report;
  return encode_parallel(kLesson, model.src_tokenizer, model.tgt_tokenizer, {}, report);
}

std::vector<std::string> texts(const TranslationEngine& translator, bool shortlist) {
  TranslationOptions options;
  options.beam.max_length = 12;
  options.shortlist = shortlist;
  std::vector<std::string> found;
  for (const Translation& t : translator.translate(kLesson.src, options)) found.push_back(t.text());
  return found;
}

class Shortlists : public FolderTest {
 protected:
  TranslationModel model_ = small_model();
};

TEST_F(Shortlists, HaveTheEndTheFrequentAndTheTranslations) {
  const Shortlist shortlist =
      make_shortlist(model_, lesson(model_), {.translations = 3, .frequent = 2});
  EXPECT_EQ(shortlist.always.size(), 3u);
  EXPECT_EQ(shortlist.always.back(), model_.tgt_tokenizer.eos_id());
  EXPECT_EQ(shortlist.translations.sequences(), model_.src_tokenizer.vocab_size());
  for (std::int64_t i = 0; i < shortlist.translations.sequences(); ++i)
    EXPECT_LE(shortlist.translations.length(i), 4) << "itself beside three";
}

TEST_F(Shortlists, CoverTheTextTheyAreMadeFromWhenTheyMayBeLong) {
  const EncodedPairs pairs = lesson(model_);
  const ShortlistMeasure all = measure_shortlist(
      model_, make_shortlist(model_, pairs, {.translations = 1000, .frequent = 0}), pairs);
  EXPECT_EQ(all.coverage, 1.0);
  const ShortlistMeasure few = measure_shortlist(
      model_, make_shortlist(model_, pairs, {.translations = 1, .frequent = 0}), pairs);
  EXPECT_LT(few.tokens, all.tokens);
  EXPECT_LT(few.coverage, 1.0);
  EXPECT_GT(few.coverage, 0.2);
}

TEST_F(Shortlists, TravelInTheModelFileAndThroughQuantization) {
  const Shortlist shortlist =
      make_shortlist(model_, lesson(model_), {.translations = 2, .frequent = 3});
  TranslationModel here = model_;
  here.shortlist = std::make_shared<const Shortlist>(shortlist);
  save_checkpoint(path("m"), with_shortlist(checkpoint_of(model_), shortlist));
  const Checkpoint saved = load_checkpoint(path("m"));
  for (const Checkpoint& file :
       {saved, quantize_model(saved), with_shortlist(saved, shortlist), checkpoint_of(here)}) {
    const TranslationModel loaded = translation_model(file);
    ASSERT_NE(loaded.shortlist, nullptr);
    EXPECT_EQ(loaded.shortlist->always, shortlist.always);
    EXPECT_EQ(loaded.shortlist->translations.ids, shortlist.translations.ids);
    EXPECT_EQ(loaded.shortlist->translations.offsets, shortlist.translations.offsets);
    EXPECT_EQ(texts(TranslationEngine(loaded), true).size(), kLesson.src.size());
  }
  EXPECT_EQ(texts(TranslationEngine(translation_model(saved)), true),
            texts(TranslationEngine(here), true));
  EXPECT_EQ(describe(path("m")).parameters,
            static_cast<std::uint64_t>(model_.network->parameters().values().size()));
}

TEST_F(Shortlists, OfAllTokensChangeNothing) {
  Shortlist shortlist;
  for (std::int32_t id = 0; id < model_.tgt_tokenizer.vocab_size(); ++id)
    shortlist.always.push_back(id);
  shortlist.translations =
      Ragged::copy({}, std::vector<std::int32_t>(
                           static_cast<std::size_t>(model_.src_tokenizer.vocab_size()) + 1, 0));
  model_.shortlist = std::make_shared<const Shortlist>(shortlist);
  const TranslationEngine translator(model_);
  EXPECT_EQ(texts(translator, true), texts(translator, false));
}

TEST_F(Shortlists, LimitWhatIsWritten) {
  model_.shortlist = std::make_shared<const Shortlist>(
      make_shortlist(model_, lesson(model_), {.translations = 1, .frequent = 0}));
  TranslationOptions options;
  options.beam.max_length = 12;
  const auto written_outside = [&](bool shortlist) {
    options.shortlist = shortlist;
    const std::vector<Translation> found =
        TranslationEngine(model_).translate(kLesson.src, options);
    int outside = 0;
    for (std::size_t i = 0; i < found.size(); ++i) {
      const std::vector<std::int32_t> allowed =
          model_.shortlist->allowed(source_ids(model_, kLesson.src[i]));
      for (const std::string& token : found[i].candidates[0].tokens)
        outside +=
            std::binary_search(allowed.begin(), allowed.end(), model_.tgt_tokenizer.id(token)) ? 0
                                                                                               : 1;
    }
    return outside;
  };
  EXPECT_EQ(written_outside(true), 0);
  EXPECT_GT(written_outside(false), 0);
}

TEST_F(Shortlists, ThatAreMissingOrDamagedAreNamed) {
  expect_error<ConfigError>([&] { texts(TranslationEngine(model_), true); },
                            {"shortlist", "attend shortlist"});
  expect_error<ConfigError>([&] { make_shortlist(model_, lesson(model_), {.translations = 0}); },
                            {"translations", "0"});
  const Shortlist good = make_shortlist(model_, lesson(model_), {});
  const auto refuse = [&](auto&& damage) {
    Shortlist shortlist = good;
    damage(shortlist);
    Checkpoint checkpoint = with_shortlist(checkpoint_of(model_), shortlist);
    checkpoint.source = "model";
    expect_error<DataError>([&] { translation_model(checkpoint); }, {"model", "shortlist"});
  };
  refuse([](Shortlist& s) { s.always = {0}; });
  refuse([](Shortlist& s) { s.always.push_back(-1); });
  const auto refuse_offsets = [&](auto&& damage) {
    refuse([&](Shortlist& s) {
      std::vector<std::int32_t> offsets(s.translations.offsets->begin(),
                                        s.translations.offsets->end());
      damage(offsets);
      s.translations.offsets = offsets;
    });
  };
  refuse([](Shortlist& s) {
    std::vector<std::int32_t> ids(s.translations.ids->begin(), s.translations.ids->end());
    ids.back() = 1'000'000;
    s.translations.ids = ids;
  });
  refuse_offsets([](std::vector<std::int32_t>& offsets) { offsets.back() += 1; });
  refuse_offsets([](std::vector<std::int32_t>& offsets) { std::swap(offsets[5], offsets[20]); });
  refuse_offsets([](std::vector<std::int32_t>& offsets) { offsets.pop_back(); });
  refuse_offsets([](std::vector<std::int32_t>& offsets) { offsets.clear(); });
  Checkpoint text = with_shortlist(checkpoint_of(model_), good);
  for (NamedTensor& tensor : text.tensors) {
    if (tensor.name == "shortlist.offsets") tensor.tensor = Tensor::zeros({3});
  }
  expect_error<DataError>([&] { translation_model(text); }, {"shortlist.offsets", "ids"});
}

}  // namespace
}  // namespace attend
