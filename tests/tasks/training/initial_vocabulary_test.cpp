#include "attend/tasks/training/initial_vocabulary.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <iterator>
#include <set>
#include <sstream>

#include "attend/error.h"
#include "attend/tasks/model_file/registry.h"
#include "checkpoint/test_folder.h"
#include "tasks/small_classifier.h"
#include "tasks/small_language.h"
#include "tasks/small_model.h"
#include "tensor/expect_error.h"

namespace attend {
namespace {

const std::vector<std::string> kBefore{"the old dog sees the cat", "the cats and dogs"},
    kNow{"the dog sees the small cats", "a small dog"};

Tokenizer of_type(TokenizerType type, const std::vector<std::string>& texts, int size = 40) {
  TokenizerOptions options;
  options.type = type;
  options.vocab_size = size;
  if (type == TokenizerType::word) {
    std::set<std::string> words;
    for (const std::string& text : texts) {
      std::istringstream line(text);
      words.insert(std::istream_iterator<std::string>(line), {});
    }
    options.vocab_size = static_cast<int>(words.size()) + 4;
  }
  return Tokenizer::train(texts, options);
}

// The rows that a piece of the new vocabulary begins as, by the pieces of the old one.
std::vector<std::string> begins_as(const std::string& piece, const Tokenizer& before,
                                   const Tokenizer& now) {
  const VocabularyMap map = map_vocabulary(before, now);
  std::vector<std::string> pieces;
  for (const std::int32_t id : map.parts[static_cast<std::size_t>(now.id(piece))])
    pieces.push_back(before.piece(id));
  return pieces;
}

using Pieces = std::vector<std::string>;

TEST(VocabularyMap, KeepsWhatBothVocabulariesHave) {
  const Tokenizer before = of_type(TokenizerType::word, kBefore),
                  now = of_type(TokenizerType::word, kNow);
  for (const char* both : {"▁the", "▁dog", "</s>", "<s>", "<unk>", "<pad>"})
    EXPECT_EQ(begins_as(both, before, now), Pieces{both});
  EXPECT_EQ(begins_as("▁small", before, now), Pieces{}) << "unknown, whole and in part";
  const VocabularyMap map = map_vocabulary(before, now);
  EXPECT_EQ(map.parts.size(), static_cast<std::size_t>(now.vocab_size()));
  EXPECT_EQ(map.kept, now.vocab_size() - 2) << "all but small and a";
  EXPECT_EQ(map.summary(),
            fmt::format("{} of {} pieces keep their vectors ({:.1f}%), 0 begin as the mean of "
                        "their parts, 2 as that of all",
                        map.kept, now.vocab_size(),
                        100.0 * static_cast<double>(map.kept) / now.vocab_size()));
}

TEST(VocabularyMap, CutsNewPiecesIntoOldOnes) {
  const Tokenizer before = of_type(TokenizerType::chars, kBefore),
                  now = of_type(TokenizerType::word, kNow);
  EXPECT_EQ(begins_as("▁dog", before, now), (Pieces{"▁", "d", "o", "g"}));
  EXPECT_EQ(begins_as("▁small", before, now), (Pieces{"▁", "s", "a", "l", "l"}))
      << "what is known of it";
}

TEST(VocabularyMap, KnowsPiecesOfOtherTypes) {
  const Tokenizer words = of_type(TokenizerType::word, kNow),
                  pieces = of_type(TokenizerType::wordpiece, kNow, 32),
                  bytes = of_type(TokenizerType::byte_bpe, kNow, 279);
  EXPECT_EQ(begins_as("▁the", pieces, words), Pieces{"the"});
  EXPECT_EQ(begins_as("the", words, pieces), Pieces{"▁the"});
  EXPECT_EQ(begins_as("Ġthe", words, bytes), Pieces{"▁the"});
  EXPECT_EQ(begins_as("▁the", bytes, words), Pieces{"Ġthe"});
  for (const Tokenizer& one : {pieces, bytes})
    EXPECT_EQ(map_vocabulary(words, one).parts[static_cast<std::size_t>(one.eos_id())],
              std::vector<std::int32_t>{words.eos_id()});
}

TEST(VocabularyMap, IsTheIdentityOfOneVocabulary) {
  for (const TokenizerType type : {TokenizerType::bpe, TokenizerType::wordpiece}) {
    const Tokenizer one = of_type(type, kNow, 32);
    const VocabularyMap map = map_vocabulary(one, one);
    EXPECT_EQ(map.kept, one.vocab_size());
    for (std::size_t id = 0; id < map.parts.size(); ++id)
      EXPECT_EQ(map.parts[id], std::vector<std::int32_t>{static_cast<std::int32_t>(id)});
  }
}

TEST(VocabularyMap, MakesRowsOfMeans) {
  const VocabularyMap map{{{2}, {0, 1}, {}}, 1};
  const Tensor table = map_rows(Tensor::from(std::vector<float>{1, 2, 3, 4, 5, 9}, {3, 2}), map);
  EXPECT_EQ(table.shape(), (Shape{3, 2}));
  EXPECT_EQ(table.to_vector(), (std::vector<float>{5, 9, 2, 3, 3, 5}));
  EXPECT_EQ(map_rows(Tensor::from(std::vector<float>{1, 3, 8}, {3}), map).to_vector(),
            (std::vector<float>{8, 2, 4}));
}

TEST(WithVocabularies, MakesAModelOfTheNewVocabulary) {
  const Tokenizer now = of_type(TokenizerType::word, kNow);
  for (const Checkpoint& model :
       {small_classifier_checkpoint(), finished_checkpoint_of(small_language_model())}) {
    std::vector<std::string> notes;
    const Checkpoint mapped = with_vocabularies(model, std::vector{now}, notes);
    const auto loaded = load_model(mapped);
    EXPECT_EQ(loaded->tokenizers()[0].tokenizer.bytes(), now.bytes());
    EXPECT_EQ(mapped.tensor("embedding.weight").shape()[0], now.vocab_size());
    ASSERT_EQ(notes.size(), 1u);
    EXPECT_TRUE(notes[0].starts_with("vocabulary: ")) << notes[0];
  }
}

TEST(WithVocabularies, TakesTwoForTwo) {
  const Checkpoint model = finished_checkpoint_of(small_model());
  const Tokenizer src = of_type(TokenizerType::word, kBefore),
                  tgt = of_type(TokenizerType::word, kNow);
  std::vector<std::string> notes;
  const Checkpoint mapped = with_vocabularies(model, std::vector{src, tgt}, notes);
  const auto loaded = load_model(mapped);
  EXPECT_EQ(loaded->tokenizers()[0].tokenizer.bytes(), src.bytes());
  EXPECT_EQ(loaded->tokenizers()[1].tokenizer.bytes(), tgt.bytes());
  EXPECT_EQ(notes.size(), 2u);
  expect_error<ConfigError>([&] { with_vocabularies(model, std::vector{src}, notes); },
                            {"init_vocabulary", "two vocabularies", "got 1"});
}

TEST(WithVocabularies, RefusesModelsThatNameTokens) {
  std::vector<std::string> notes;
  const std::vector<Tokenizer> now{of_type(TokenizerType::word, kNow)};
  Checkpoint model = small_classifier_checkpoint();
  model.metadata["attend.suppressed_tokens"] = "[3]";
  expect_error<ConfigError>([&] { with_vocabularies(model, now, notes); }, {"suppressed_tokens"});
  model = small_classifier_checkpoint();
  model.tensors.push_back({"bigram_embedding.weight", Tensor::zeros({4, 32})});
  expect_error<ConfigError>([&] { with_vocabularies(model, now, notes); }, {"bigram_buckets"});
}

class LoadVocabulary : public FolderTest {};

TEST_F(LoadVocabulary, ReadsModelsAndSentencePieceFiles) {
  const Tokenizer tokenizer = of_type(TokenizerType::bpe, kNow);
  write(path("spm.model"), tokenizer.bytes());
  EXPECT_EQ(load_vocabulary(path("spm.model")).bytes(), tokenizer.bytes());
  const ClassificationModel model = small_classifier();
  save_checkpoint(path("model.safetensors"), finished_checkpoint_of(model));
  EXPECT_EQ(load_vocabulary(path("model.safetensors")).bytes(), model.tokenizer.bytes());
  EXPECT_EQ(load_vocabulary(folder_).bytes(), model.tokenizer.bytes()) << "the folder of a run";
  write(path("text"), "no vocabulary");
  expect_error<DataError>([&] { load_vocabulary(path("text")); }, {"text"});
  EXPECT_THROW(load_vocabulary(path("nothing")), IoError);
}

}  // namespace
}  // namespace attend
