// What users report about models converted to other programs, and that none of it happens here: a
// test for each complaint.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "attend/core/json/json.h"
#include "attend/error.h"
#include "attend/interchange/foreign_model.h"
#include "attend/interchange/golden/golden_comparison.h"
#include "attend/tasks/embedding/engine.h"
#include "attend/tasks/model_file/registry.h"
#include "attend/tasks/translation/engine.h"
#include "interchange/damaged_directory.h"
#include "interchange/fixtures.h"

namespace attend {
namespace {

TranslationModel translator_of(const char* name) {
  return translation_model(import_model(ModelDirectory(fixture("models") / name)).checkpoint);
}

// The largest difference from what transformers computes.
double difference_from_transformers(const std::filesystem::path& folder) {
  const GoldenComparison found = compare_with_golden(
      *load_model(import_model(ModelDirectory(folder)).checkpoint), folder / "golden.safetensors");
  double largest = 0;
  for (const GoldenDifference& one : found.differences)
    largest = std::max(largest, double{one.largest});
  return found.equal_ids == found.texts ? largest : 1.0;
}

// "The text is right, then it goes on with gibberish": the padding token was written, or the source
// had no end or two.
TEST(Complaint, TheTranslationDoesNotStop) {
  for (const char* name : {"marian", "marian_separate"}) {
    const TranslationEngine engine(translator_of(name));
    const TranslationModel& model = engine.model();
    EXPECT_EQ(model.format.of({}).after_source, std::vector{model.src_tokenizer.eos_id()});
    EXPECT_TRUE(model.format.of({}).before_source.empty());
    TranslationOptions options = engine.default_options();
    options.beam.max_length = 30;
    for (const int beam : {1, 4}) {
      options.beam.beam_size = beam;
      const std::vector<std::string> texts{"A man is walking.", "x"};
      for (const Translation& found : engine.translate(texts, options)) {
        const std::vector<std::string>& tokens = found.candidates[0].tokens;
        EXPECT_EQ(std::count(tokens.begin(), tokens.end(), "<pad>"), 0);
        EXPECT_EQ(std::count(tokens.begin(), tokens.end(), "</s>"), 0);
      }
    }
  }
}

// "The vocabulary is shifted by one": ids were counted instead of read.
TEST(Complaint, TheVocabularyIsShifted) {
  for (const char* name : {"marian", "m2m_100"}) {
    const TranslationModel model = translator_of(name);
    const auto vocabulary =
        parse_json(fixture_bytes(std::string("models/") + name + "/vocab.json"), "vocab.json");
    for (const auto& [piece, id] : vocabulary.items())
      EXPECT_EQ(model.tgt_tokenizer.piece(id.get<std::int32_t>()), piece);
  }
}

// "Separate vocabularies are taken for one".
TEST(Complaint, TwoVocabulariesAreTakenForOne) {
  const TranslationModel model = translator_of("marian_separate");
  EXPECT_NE(model.src_tokenizer.vocab_size(), model.tgt_tokenizer.vocab_size());
  EXPECT_NE(std::get<TransformerConfig>(model.network->architecture()).tie_embeddings,
            TiedEmbeddings::all);
  EXPECT_LE(difference_from_transformers(fixture("models/marian_separate")), 1e-5);
}

using Complaints = DamagedDirectory;

// "The export fails: id -1 is outside the vocabulary".
TEST_F(Complaints, TextsThatBeginWithNothingCannotBeExported) {
  copy("bert_classifier");
  for (const char* name : {"tokenizer.json", "tokenizer_config.json"}) {
    auto file =
        parse_json(fixture_bytes(std::string("models/bert_classifier/") + name), "tokenizer");
    if (file.contains("post_processor")) file["post_processor"]["single"].erase(0);
    file.erase("cls_token");
    write(name, file.dump());
  }
  const Checkpoint model = imported().checkpoint;
  EXPECT_LT(load_model(model)->tokenizers().front().tokenizer.bos_id(), 0);
  const ExportedModel exported = export_model(model);
  EXPECT_EQ(exported.family, "bert");
  const auto config = parse_json(exported.files.at("tokenizer_config.json"), "config");
  EXPECT_FALSE(config.contains("cls_token"));
  EXPECT_EQ(config["sep_token"], "[SEP]");
}

// "Garbage since the last version": what is tied was looked for under one name only, or believed
// from a setting whose meaning has changed.
TEST_F(Complaints, TiedWeightsAreLost) {
  copy("bart");
  leave_out("model.shared.weight");
  expect_refused({"model.shared.weight"});
  copy("t5");
  replace("config.json", "\"tie_word_embeddings\": true", "\"tie_word_embeddings\": false");
  EXPECT_LE(difference_from_transformers(folder_), 1e-5)
      << "scaled since the newer setting says so";
  copy("flan_t5");
  replace("config.json", "\"tie_word_embeddings\": false", "\"tie_word_embeddings\": true");
  EXPECT_LE(difference_from_transformers(folder_), 1e-5) << "the weights decide";
  for (const char* older : {"mbart50_v4", "pegasus_v4"})
    EXPECT_LE(difference_from_transformers(fixture("models") / older), 1e-5) << older;
}

// "Flan-T5 answers something else": its output was scaled although it is not tied.
TEST(Complaint, FlanT5ComputesSomethingElse) {
  EXPECT_LE(difference_from_transformers(fixture("models/flan_t5")), 1e-5);
  EXPECT_LE(difference_from_transformers(fixture("models/t5")), 1e-5);
}

// "It translates into any language": the token of the language was forgotten.
TEST(Complaint, TheLanguageIsForgotten) {
  for (const char* name : {"m2m_100", "nllb", "nllb_legacy", "mbart", "mbart50"}) {
    TranslationModel model = translator_of(name);
    model.format.defaults = {};
    const TranslationEngine engine(model);
    expect_error<ConfigError>([&] { engine.translate(std::vector<std::string>{"A man."}); },
                              {"src_lang", "expected one of them"});
    TranslationOptions options = engine.default_options();
    options.languages.source = model.format.languages.front().name;
    expect_error<ConfigError>(
        [&] { engine.translate(std::vector<std::string>{"A man."}, options); }, {"tgt_lang"});
  }
}

// "The text has pieces that the dictionary does not have".
TEST_F(Complaints, PiecesAreNotInTheDictionary) {
  copy("m2m_100");
  replace("vocab.json", "\"\\u2581the\"", "\"\\u2581other\"");
  const ImportedModel found = imported();
  EXPECT_TRUE(std::any_of(found.remarks.begin(), found.remarks.end(), [](const auto& remark) {
    return remark.find("1 piece of sentencepiece.bpe.model has no id") != remark.npos;
  }));
  const TranslationModel model = translation_model(found.checkpoint);
  const std::vector<std::int32_t> ids = model.src_tokenizer.encode("the");
  EXPECT_EQ(ids, std::vector{model.src_tokenizer.unk_id()});
}

// "The similarity is 0.3 where it should be 0.9": marks around the text were missing, or the
// pooling was another.
TEST_F(Complaints, VectorsAreFarFromTheOriginal) {
  const auto vector_of = [&] {
    const Checkpoint checkpoint = imported().checkpoint;
    const std::vector<std::string> texts{"A man is walking."};
    return EmbeddingEngine(*load_model(checkpoint)).embed(texts, {})[0].vectors.to_vector();
  };
  copy("bert_sentences");
  EXPECT_LE(difference_from_transformers(folder_), 1e-5);
  const std::vector<float> whole = vector_of();
  replace("1_Pooling/config.json", "\"pooling_mode_mean_tokens\": true",
          "\"pooling_mode_mean_tokens\": false");
  replace("1_Pooling/config.json", "\"pooling_mode_max_tokens\": false",
          "\"pooling_mode_max_tokens\": true");
  EXPECT_NE(vector_of(), whole) << "the pooling of the directory is used";
}

// "Pieces with quotes, backslashes or strange spaces have other ids".
TEST_F(Complaints, VocabulariesInYamlHaveSpecialCharacters) {
  copy("native_joint");
  replace("vocab.yml", "old: 9", "\"\\\"\\\\\\x84\": 9");
  const TranslationModel model = translation_model(imported().checkpoint);
  EXPECT_NE(model.src_tokenizer.id("▁\"\\\xC2\x84"), model.src_tokenizer.unk_id());
}

}  // namespace
}  // namespace attend
