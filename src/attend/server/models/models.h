// The models that a server offers at the moment. They can be replaced while requests are answered:
// a request keeps the ones it began with.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>
#include <type_traits>
#include <vector>

#include "attend/runtime.h"
#include "attend/server/models/served_model.h"

namespace attend {

using ModelList = std::vector<ServedModelPointer>;

// What models leave the memory, and come back when a request needs them. Those that share weights
// with adapters stay.
struct ModelMemory {
  double idle = 0;               // after as many seconds without a request; 0: never
  std::uint64_t most_bytes = 0;  // of the files of the models in memory; 0: any number
};

// A translator, and its own names of the languages that a request asked for.
struct ChosenTranslator {
  ServedModelPointer model;
  std::string source, target;
};

class Models {
 public:
  // Loads the models in `places` and those in `folder`, model files and folders of runs, if it is
  // not empty. They compute on `runtime`. Throws ConfigError for two models of one name or none at
  // all, DataError or IoError.
  Models(std::vector<ModelPlace> places, std::string folder, std::shared_ptr<Runtime> runtime,
         ModelMemory memory = {});

  // A copy: the models may change meanwhile.
  ModelList all() const;

  // The model of that name; the first that fits if `name` is empty or "default". Throws HttpError
  // 404 if there is none.
  template <class Model>
  ServedModelPointer find(std::string_view name) const {
    return find(
        name, [](const ServedModel& model) { return model.is<Model>(); }, kind_of<Model>());
  }
  // The first translator for a pair of languages, or the one of that name: one that has the
  // languages under these names, or else under others (text/language/language_tag.h). Throws
  // HttpError 400 if there is none.
  ChosenTranslator translator(std::string_view source, std::string_view target,
                              std::string_view name = {}) const;
  // The same without a name, or two translators in a row, through a language that the first writes
  // and the second reads: English, if that is one.
  std::vector<ChosenTranslator> translators(std::string_view source, std::string_view target) const;
  // What each language is translated into, by one model or by two in a row; by their own names.
  std::map<std::string, std::set<std::string>> pairs() const;
  // The languages that some model, or two in a row, translate into `target`, or into any if it is
  // empty; English first.
  std::vector<std::string> sources_into(std::string_view target) const;

  // The functions below take as long as loading does. A model file that was written again is
  // checked with its golden samples, and replaces the old one only if it holds.

  // Loads what has changed, what is new in the folder, and drops what is gone from it. Models that
  // load() brought stay, also in place of others. Models that cannot be loaded, or would have the
  // name of another, stay as they are; returns the reasons.
  std::vector<std::string> reload();
  // Loads a model of the folder; it replaces one of that name. Throws HttpError for a path outside
  // of the folder, or without a folder; DataError or IoError.
  ServedModelPointer load(const ModelPlace& place);
  // Until the next reload(), if it is of the folder. Throws HttpError 404 if there is none, 400 for
  // the last one.
  void drop(std::string_view name);

 private:
  template <class Model>
  static constexpr std::string_view kind_of() {
    if constexpr (std::is_same_v<Model, Translator>) return "translation";
    if constexpr (std::is_same_v<Model, Generator>) return "language";
    if constexpr (std::is_same_v<Model, Classifier>) return "classification";
    return "embedding";
  }
  ServedModelPointer find(std::string_view name, bool (*fits)(const ServedModel&),
                          std::string_view kind) const;
  std::vector<ModelPlace> places_now() const;
  void publish(ModelList list);
  ServedModelPointer loaded(const ModelPlace& place);
  // Lets models leave that nobody uses: for as long as they may, and while they are too many.
  void unload_unused();
  void watch_memory(const std::stop_token& stop);

  const std::vector<ModelPlace> places_;
  const std::string folder_;
  const std::shared_ptr<Runtime> runtime_;
  std::mutex changing_;  // one change at a time
  SharedBases bases_;
  const ModelMemory memory_;
  mutable std::mutex mutex_;
  ModelList list_;
  std::jthread watch_;  // ends first
};

}  // namespace attend
