#include "fuzz/fuzzed_models.h"

#include <stdlib.h>

#include <filesystem>

#include "attend/checkpoint/safetensors/safetensors.h"
#include "attend/models/make_encoder_decoder.h"
#include "attend/tasks/language/model.h"
#include "attend/tasks/model_file/model_packing.h"
#include "attend/tasks/model_file/model_quantization.h"
#include "attend/tasks/translation/training/shortlist_training.h"
#include "tasks/small_classifier.h"
#include "tasks/small_embedder.h"
#include "tasks/small_language.h"
#include "tasks/small_model.h"
#include "tasks/small_quality.h"
#include "tasks/small_tagger.h"

namespace attend {

namespace {

Checkpoint translation() { return finished_checkpoint_of(small_model()); }

Checkpoint recurrent_translation() {
  TranslationModel model = small_model();
  RecurrentConfig config;
  config.d_model = 16;
  config.d_hidden = 12;
  config.src_vocab_size = model.src_tokenizer.vocab_size();
  config.tgt_vocab_size = model.tgt_tokenizer.vocab_size();
  model.network = make_encoder_decoder(config, 7);
  return finished_checkpoint_of(model);
}

Checkpoint with_a_shortlist(const Checkpoint& checkpoint) {
  const TranslationModel model = translation_model(checkpoint);
  const ParallelText text{{"the old dog", "a cat", "dogs catch fish"},
                          {"der alte hund", "eine katze", "hund frisst fisch"}};
  ReadReport report;
  const EncodedPairs pairs =
      encode_parallel(text, model.src_tokenizer, model.tgt_tokenizer, {}, report);
  return with_shortlist(checkpoint,
                        make_shortlist(model, pairs, {.translations = 3, .frequent = 2}));
}

Checkpoint language() {
  Checkpoint checkpoint = finished_checkpoint_of(small_language_model());
  checkpoint.metadata["attend.cache"] = R"({"cache_tokens":4})";
  return checkpoint;
}

Checkpoint chatting() {
  LanguageModel model = small_language_model();
  model.chat = ChatFormat{
      "{% for m in messages %}{{ bos_token ~ m.content | trim }}{% endfor %}{{ eos_token }}", "the",
      "mat"};
  return finished_checkpoint_of(model);
}

Checkpoint several_languages() {
  TranslationModel model = small_model();
  model.format.marks.before_source = {PairFormat::kSourceLanguage};
  model.format.marks.before_target.push_back(PairFormat::kTargetLanguage);
  model.format.languages = {{"de", 7}, {"en", 8}};
  model.format.defaults = {"en", "de"};
  return finished_checkpoint_of(model);
}

// As save_checkpoint writes it, taken apart again.
FuzzedModel taken_apart(const Checkpoint& checkpoint, const std::filesystem::path& file) {
  save_checkpoint(file, checkpoint);
  const SafetensorsFile saved = SafetensorsFile::open(file);
  FuzzedModel model;
  model.metadata = saved.metadata();
  model.metadata["attend.checksum"] = "none";
  for (const TensorEntry& entry : saved.entries()) {
    const auto data = saved.data(entry);
    model.tensors.push_back({entry.name,
                             entry.dtype,
                             entry.shape,
                             {reinterpret_cast<const char*>(data.data()), data.size()}});
  }
  return model;
}

}  // namespace

std::vector<FuzzedModel> fuzzed_models() {
  std::string folder = (std::filesystem::temp_directory_path() / "attend_fuzz_XXXXXX").string();
  if (::mkdtemp(folder.data()) == nullptr) throw std::runtime_error("no folder for models");
  const Checkpoint plain = translation();
  std::vector<FuzzedModel> models;
  for (const Checkpoint& checkpoint :
       {plain,
        with_a_shortlist(plain),
        quantize_model(plain),
        quantize_model(plain, WeightBits::sixteen),
        quantize_model(plain, WeightBits::four),
        optimize_model(plain),
        optimize_model(quantize_model(plain)),
        optimize_model(quantize_model(plain, WeightBits::four)),
        recurrent_translation(),
        quantize_model(recurrent_translation()),
        small_classifier_checkpoint(Pooling::max),
        small_classifier_checkpoint(Pooling::first),
        quantize_model(small_classifier_checkpoint()),
        finished_checkpoint_of(small_classifier_for(ProblemType::multi_label)),
        finished_checkpoint_of(small_classifier_for(ProblemType::regression, true, 2)),
        language(),
        quantize_model(language()),
        quantize_model(language(), WeightBits::four),
        chatting(),
        several_languages(),
        finished_checkpoint_of(small_embedder()),
        finished_checkpoint_of(small_quality_model()),
        finished_checkpoint_of(small_quality_model(QualityReading::joined)),
        finished_checkpoint_of(small_tagger())})
    models.push_back(taken_apart(checkpoint, folder + "/model"));
  std::filesystem::remove_all(folder);
  return models;
}

std::string file_of(const FuzzedModel& model) {
  nlohmann::ordered_json header = nlohmann::ordered_json::object();
  if (!model.metadata.empty()) header["__metadata__"] = model.metadata;
  std::string data;
  for (const FuzzedModel::Part& part : model.tensors) {
    header[part.name] = {{"dtype", part.dtype},
                         {"shape", part.shape},
                         {"data_offsets", {data.size(), data.size() + part.data.size()}}};
    data += part.data;
  }
  const std::string text =
      header.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
  std::string file;
  for (int i = 0; i < 8; ++i)
    file += static_cast<char>(static_cast<std::uint64_t>(text.size()) >> (8 * i));
  return file + text + data;
}

}  // namespace attend
