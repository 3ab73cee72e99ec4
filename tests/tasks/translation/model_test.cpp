#include "attend/tasks/translation/model.h"

#include <gtest/gtest.h>

#include "attend/checkpoint/parameters.h"
#include "attend/tasks/model_file/registry.h"
#include "attend/tasks/translation/engine.h"
#include "checkpoint/test_folder.h"
#include "tasks/small_model.h"
#include "text/small_engines.h"

namespace attend {
namespace {

class TranslationModelFile : public FolderTest {
 protected:
  TranslationModelFile() { save_checkpoint(file_, checkpoint_); }

  // The message for a model that `change` was done to.
  template <class Change>
  std::string error_after(const Change& change) {
    Checkpoint changed = checkpoint_;
    change(changed);
    save_checkpoint(file_, changed);
    return message();
  }
  // The message for a file of other bytes.
  std::string error_of_bytes(std::string_view bytes) {
    write(file_, bytes);
    return message();
  }
  std::string message() {
    const std::string text = data_error([this] { load_translation_model(file_); });
    EXPECT_TRUE(text.starts_with(file_.string() + ": ")) << text;
    return text;
  }

  static NamedTensor& tensor(Checkpoint& checkpoint, std::string_view name) {
    for (NamedTensor& named : checkpoint.tensors)
      if (named.name == name) return named;
    throw DataError("no such tensor in the test");
  }
  static void edit_config(Checkpoint& checkpoint, std::string_view from, std::string_view to) {
    std::string& config = checkpoint.metadata["attend.config"];
    const std::size_t at = config.find(from);
    ASSERT_NE(at, std::string::npos) << config;
    config.replace(at, from.size(), to);
  }

  TranslationModel model_ = small_model();
  Checkpoint checkpoint_ = checkpoint_of(model_);
  std::filesystem::path file_ = path("model.safetensors");
};

void expect_same_translations(const TranslationModel& a, const TranslationModel& b) {
  const std::vector<std::string> sentences{"the old dog sees the small cat",
                                           "dogs catch fish & chips", "a cat"};
  TranslationOptions options;
  options.beam.max_length = 15;
  options.alignment = true;
  const auto first = TranslationEngine(a).translate(sentences, options),
             second = TranslationEngine(b).translate(sentences, options);
  for (std::size_t i = 0; i < sentences.size(); ++i) {
    EXPECT_EQ(first[i].text(), second[i].text());
    EXPECT_EQ(first[i].candidates[0].token_scores, second[i].candidates[0].token_scores);
    EXPECT_EQ(first[i].candidates[0].alignment, second[i].candidates[0].alignment);
  }
}

TEST_F(TranslationModelFile, TranslatesAsTheModelThatWasSaved) {
  expect_same_translations(load_translation_model(file_), model_);
}

TEST_F(TranslationModelFile, KeepsAJointVocabularyOnce) {
  auto config = std::get<TransformerConfig>(model_.network->architecture());
  config.tie_embeddings = TiedEmbeddings::all;
  config.src_vocab_size = config.tgt_vocab_size;
  config.norm_first = true;
  config.positions = PositionKind::learned;
  config.max_positions = 70;
  const TranslationModel joint{std::make_shared<Transformer>(config, 3), model_.tgt_tokenizer,
                               model_.tgt_tokenizer};
  const Checkpoint checkpoint = checkpoint_of(joint);
  EXPECT_NE(checkpoint.find("tokenizer"), nullptr);
  EXPECT_EQ(checkpoint.find("tokenizer.src"), nullptr);
  save_checkpoint(file_, checkpoint);
  const TranslationModel loaded = load_translation_model(file_);
  EXPECT_TRUE(std::get<TransformerConfig>(loaded.network->architecture()).norm_first);
  EXPECT_EQ(std::get<TransformerConfig>(loaded.network->architecture()).max_positions, 70);
  EXPECT_EQ(loaded.src_tokenizer.bytes(), loaded.tgt_tokenizer.bytes());
  expect_same_translations(loaded, joint);
}

TEST_F(TranslationModelFile, KeepsTheDecodingItWasMadeFor) {
  TranslationModel model = small_model();
  model.decoding.beam_size = 3;
  model.decoding.length_penalty = 1.4f;
  model.decoding.min_length = 2;
  model.decoding.no_repeat_ngram = 4;
  save_checkpoint(file_, checkpoint_of(model));
  const TranslationOptions options = TranslationEngine::load(file_).default_options();
  EXPECT_EQ(options.beam.beam_size, 3);
  EXPECT_EQ(options.beam.length_penalty, 1.4f);
}

TEST_F(TranslationModelFile, WithoutADecodingMeansTheLibrarysDefaults) {
  checkpoint_.metadata.erase("attend.decoding");
  save_checkpoint(file_, checkpoint_);
  const TranslationOptions options = TranslationEngine::load(file_).default_options();
  EXPECT_EQ(options.beam.beam_size, BeamSearchOptions{}.beam_size);
  EXPECT_EQ(options.beam.length_penalty, BeamSearchOptions{}.length_penalty);
}

TEST_F(TranslationModelFile, WithAnImpossibleDecodingIsRefused) {
  EXPECT_CONTAINS(
      error_after([](Checkpoint& c) { c.metadata["attend.decoding"] = R"({"beam_size": 0})"; }),
      "attend.decoding: beam_size: expected a whole number from 1 to 1024, got 0");
  EXPECT_CONTAINS(
      error_after([](Checkpoint& c) { c.metadata["attend.decoding"] = R"({"beam_sise": 2})"; }),
      "beam-size");
}

TEST_F(TranslationModelFile, OfEqualModelsHasEqualBytes) {
  save_checkpoint(path("again"), checkpoint_of(small_model()));
  EXPECT_EQ(read(path("again")), read(file_));
}

TEST_F(TranslationModelFile, CutShortAnywhereIsRefused) {
  const std::string whole = read(file_);
  for (const std::size_t size : {std::size_t{0}, std::size_t{5}, std::size_t{8}, std::size_t{500},
                                 whole.size() / 2, whole.size() - 1})
    error_of_bytes(std::string_view(whole).substr(0, size));
}

TEST_F(TranslationModelFile, DamagedAnywhereIsRefused) {
  const std::string whole = read(file_);
  for (std::size_t at = 0; at < whole.size(); at += 1 + whole.size() / 300) {
    std::string damaged = whole;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x20);
    EXPECT_NE(error_of_bytes(damaged), "no DataError") << "byte " << at;
  }
}

TEST_F(TranslationModelFile, WithADamagedTokenizerIsRefusedForItsChecksum) {
  const std::string whole = read(file_), tokenizer = model_.src_tokenizer.bytes();
  const std::size_t begin = whole.find(tokenizer);
  ASSERT_NE(begin, std::string::npos);
  const std::size_t step = tokenizer.size() / 40;
  for (std::size_t i = 0; i < tokenizer.size(); i += i + 5 < tokenizer.size() ? step : 1) {
    std::string damaged = whole;
    damaged[begin + i] = static_cast<char>(damaged[begin + i] ^ 0x10);
    EXPECT_CONTAINS(error_of_bytes(damaged), "checksum") << "byte " << i;
  }
}

// Only what splits text finds that two of its pieces are the same.
TEST_F(TranslationModelFile, NeedsNotSplitTextOfTheTargetToTranslate) {
  const TranslationEngine whole(load_translation_model(file_));
  std::string tokenizer = model_.tgt_tokenizer.bytes();
  const std::size_t piece = tokenizer.find("\x0A\x01h");
  ASSERT_NE(piece, std::string::npos);
  tokenizer[piece + 2] = 'k';
  tensor(checkpoint_, "tokenizer.tgt").tensor = bytes_tensor(tokenizer);
  add_golden_samples(checkpoint_, model_);
  save_checkpoint(file_, checkpoint_);
  const TranslationEngine engine(load_translation_model(file_));
  const std::vector<std::string> sentences{"the old dog"};
  EXPECT_EQ(engine.translate(sentences)[0].candidates[0].token_scores,
            whole.translate(sentences)[0].candidates[0].token_scores);
  const auto expect_refused = [](const std::string& error) {
    EXPECT_CONTAINS(error, "tokenizer: ");
    EXPECT_CONTAINS(error, "k is already defined");
  };
  TranslationOptions options;
  options.prefixes = {"der"};
  expect_refused(data_error([&] { engine.translate(sentences, options); }));
  const std::string checked = data_error([&] { check_model(load_checkpoint(file_)); });
  EXPECT_TRUE(checked.starts_with(file_.string() + ": ")) << checked;
  expect_refused(checked);
}

TEST_F(TranslationModelFile, KeepsTheLayerThatAligns) {
  TranslationModel model = small_model();
  EXPECT_EQ(model.aligning_layer, -1);
  EXPECT_FALSE(checkpoint_of(model).metadata.contains("attend.alignment_layer"));
  model.aligning_layer = 1;
  save_checkpoint(file_, checkpoint_of(model));
  EXPECT_EQ(load_translation_model(file_).aligning_layer, 1);
  for (const char* const layer : {"2", "-1", "01", "", "one", "1e400"})
    EXPECT_CONTAINS(
        error_after([&](Checkpoint& c) { c.metadata["attend.alignment_layer"] = layer; }),
        "attend.alignment_layer: expected a layer of the decoder, found");
}

TEST_F(TranslationModelFile, OfAnotherProgramIsRefused) {
  write_safetensors(file_, checkpoint_.tensors, {});
  EXPECT_CONTAINS(message(), "not an attend model");
  EXPECT_NE(error_of_bytes("#!/bin/sh\necho this is a script, not a model\n"), "no DataError");
}

TEST_F(TranslationModelFile, OfANewerAttendIsRefused) {
  std::string newer = read(file_);
  const std::string key = "\"attend.format\":\"1\"";
  const std::size_t at = newer.find(key);
  ASSERT_NE(at, std::string::npos);
  newer[at + key.size() - 2] = '9';
  EXPECT_CONTAINS(error_of_bytes(newer), "newer attend (format 9");
}

TEST_F(TranslationModelFile, OfAnotherTaskIsRefused) {
  EXPECT_CONTAINS(error_after([](Checkpoint& c) { c.metadata["attend.task"] = "classification"; }),
                  "expected a model for translation, found one for classification");
  EXPECT_CONTAINS(error_after([](Checkpoint& c) { c.metadata.erase("attend.task"); }),
                  "attend.task");
}

TEST_F(TranslationModelFile, WithoutATensorIsRefused) {
  const auto without = [this](const char* name) {
    return error_after([&](Checkpoint& c) {
      std::erase_if(c.tensors, [&](const NamedTensor& t) { return t.name == name; });
    });
  };
  EXPECT_CONTAINS(without("decoder.layers.1.cross_attn.q_proj.weight"),
                  "decoder.layers.1.cross_attn.q_proj.weight");
  EXPECT_CONTAINS(without("tokenizer.src"), "no tensor 'tokenizer.src'");
  EXPECT_CONTAINS(without("tokenizer.tgt"), "no tensor 'tokenizer.tgt'");
}

TEST_F(TranslationModelFile, WithATensorOfAnotherShapeOrTypeIsRefused) {
  const char* const name = "encoder.layers.0.feed_forward.linear1.weight";
  EXPECT_CONTAINS(error_after([&](Checkpoint& c) {
                    tensor(c, name).tensor = Tensor::zeros({32, 15});
                  }),
                  "expected F32 [32, 16]");
  EXPECT_CONTAINS(error_after([&](Checkpoint& c) {
                    tensor(c, name).tensor = Tensor::zeros({32, 16}, DType::i32);
                  }),
                  "found I32");
}

TEST_F(TranslationModelFile, WithADamagedTokenizerIsRefused) {
  EXPECT_CONTAINS(error_after([](Checkpoint& c) {
                    tensor(c, "tokenizer.src").tensor = bytes_tensor("no SentencePiece model");
                  }),
                  "tokenizer");
  EXPECT_CONTAINS(
      error_after([](Checkpoint& c) { tensor(c, "tokenizer.tgt").tensor = Tensor::zeros({5}); }),
      "U8");
}

TEST_F(TranslationModelFile, WithATokenizerThatLacksItsMarksIsRefused) {
  const auto with_tokenizer = [&](const char* side, SpecialTokens special) {
    detail::ByteBpeDescription description = small_byte_bpe();
    description.vocabulary.special = special;
    return error_after([&](Checkpoint& c) {
      tensor(c, side).tensor = bytes_tensor(detail::tokenizer_bytes(description));
    });
  };
  EXPECT_CONTAINS(with_tokenizer("tokenizer.src", {.bos = 0, .pad = 1, .unk = 3}),
                  "a token that ends a text, found none");
  EXPECT_CONTAINS(with_tokenizer("tokenizer.tgt", {.eos = 2, .pad = 1, .unk = 3}),
                  "a token that begins a translation, found none");
}

TEST_F(TranslationModelFile, WithAnImpossibleConfigurationIsRefused) {
  const auto with = [this](std::string_view from, std::string_view to) {
    return error_after([&](Checkpoint& c) { edit_config(c, from, to); });
  };
  EXPECT_CONTAINS(with("\"d_model\":16", "\"d_model\":17"), "does not divide");
  EXPECT_CONTAINS(with("\"d_model\":16", "\"d_model\":32"), "expected F32 [");
  EXPECT_CONTAINS(with("\"d_model\":16", "\"d_model\":\"wide\""), "d_model");
  EXPECT_CONTAINS(with("\"d_model\":16", "\"d_modle\":16"), "did you mean d-model?");
  EXPECT_CONTAINS(with("\"n_heads\":4", "\"n_heads\":-4"),
                  "attend.config: n_heads: expected a whole number from 1");
  EXPECT_CONTAINS(with("\"n_encoder_layers\":3", "\"n_encoder_layers\":2000000000"), "layers");
  EXPECT_CONTAINS(with("\"d_ff\":32", "\"d_ff\":2000000000"), "attend.config");
  EXPECT_CONTAINS(with("{", "["), "expected JSON");
  EXPECT_CONTAINS(error_after([](Checkpoint& c) { c.metadata.erase("attend.config"); }),
                  "attend.config");
}

TEST_F(TranslationModelFile, ThatIsMissingOrAFolderIsRefused) {
  EXPECT_THROW(load_translation_model(path("nowhere")), IoError);
  std::filesystem::create_directory(path("empty"));
  EXPECT_CONTAINS(data_error([this] { load_translation_model(path("empty")); }),
                  "it is a directory");
}

}  // namespace
}  // namespace attend
