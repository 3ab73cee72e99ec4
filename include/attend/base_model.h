// A model with several low-rank adapters (LoRA). The model with one adapter works like any other
// model; all of them share the weights that no adapter changes.
//
//   const auto base = attend::BaseModel::load("minilm.safetensors");
//   const attend::Classifier topics = base.classifier("topics"), mood = base.classifier("mood");
//
// `attend train ... --init-from minilm.safetensors --lora-rank 8 --out topics` trains an adapter.
//
// Const members may be called from any number of threads at once. Copies share the model.
#pragma once

#include <filesystem>
#include <memory>
#include <string_view>
#include <utility>

#include "attend/classifier.h"
#include "attend/embedder.h"
#include "attend/generator.h"
#include "attend/runtime.h"
#include "attend/tagger.h"
#include "attend/translator.h"

#pragma GCC visibility push(default)
namespace attend {

class BaseModel {
 public:
  // Loads a model file of any kind. Without a runtime it uses the default one. Throws IoError, or
  // DataError for a damaged file or an adapter.
  static BaseModel load(const std::filesystem::path& path,
                        std::shared_ptr<Runtime> runtime = nullptr);

  // What the model is for, as in TrainingJob::task: "translation", "lm", "classification",
  // "tagging" or "embedding".
  std::string_view task() const;

  // The model with an adapter (a file, or the folder of a run), or without a path the model itself.
  // Answers equal those of the file that `attend merge` writes, bit for bit: adapted matrices are
  // computed once, by this call, and are not shared. Throws IoError, or DataError for a damaged
  // file or an adapter of another model.
  BaseModel with_adapter(const std::filesystem::path& adapter) const;

  // The model as one of its kind, or the same with_adapter(). Throws like that, and DataError for
  // another kind of model.
  Translator translator(const std::filesystem::path& adapter = {}) const;
  Generator generator(const std::filesystem::path& adapter = {}) const;
  Classifier classifier(const std::filesystem::path& adapter = {}) const;
  Tagger tagger(const std::filesystem::path& adapter = {}) const;
  // Takes any kind of model, like Embedder::load().
  Embedder embedder(const std::filesystem::path& adapter = {}) const;

 private:
  friend struct ModelAccess;
  struct Impl;
  explicit BaseModel(std::shared_ptr<const Impl> impl) : impl_(std::move(impl)) {}
  std::shared_ptr<const Impl> impl_;
};

}  // namespace attend
#pragma GCC visibility pop
