#include "attend/server/models/models.h"

#include <fmt/format.h>

#include <malloc.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <filesystem>
#include <optional>
#include <set>
#include <utility>

#include "attend/checkpoint/checkpoint.h"
#include "attend/core/options/option_error.h"
#include "attend/core/strings/quote.h"
#include "attend/error.h"
#include "attend/model_file.h"
#include "attend/server/http/message.h"
#include "attend/server/models/packages.h"
#include "attend/tensor/allocator.h"
#include "attend/text/language/language_tag.h"

namespace attend {
namespace {

// Throws DataError if the model does not compute what it computed when it was made.
void require_golden(const ModelPlace& place) {
  const std::optional<ModelCheck> check = check_model(model_file_of(place.path));
  if (check && !check->holds())
    throw DataError(fmt::format("{}: {} of its golden samples deviate by {:.1e}", place.path,
                                check->samples, check->deviation));
}

using ListedModel = ModelList::const_iterator;

bool has_file(const ModelPlace& place) {
  std::error_code ignored;
  return std::filesystem::is_regular_file(model_file_of(place.path), ignored);
}

// The models that load() brought, and that are not of these places: of a file within a folder, or
// under a name of their own.
std::vector<ListedModel> brought_beside(const std::vector<ModelPlace>& places,
                                        const ModelList& list) {
  std::vector<ListedModel> brought;
  for (ListedModel model = list.begin(); model != list.end(); ++model) {
    const ModelPlace& own = (*model)->place;
    const bool is_of_them = std::find(places.begin(), places.end(), own) != places.end();
    if (!is_of_them && has_file(own)) brought.push_back(model);
  }
  return brought;
}

// Empty if the file cannot be read: loading it says why.
std::string name_if_readable(const ModelPlace& place) {
  try {
    return served_name(place);
  } catch (const Error&) {
    return "";
  }
}

// The model of this place, or the one that was brought instead: of the same file under some name,
// or of another file under the same name.
ListedModel loaded_from(const ModelPlace& place, const ModelList& list,
                        const std::vector<ListedModel>& brought) {
  const ListedModel own = std::find_if(list.begin(), list.end(),
                                       [&](const auto& model) { return model->place == place; });
  if (own != list.end() || brought.empty()) return own;
  const auto has_same_file = [&](const ServedModelPointer& model) {
    return model->place.path == place.path && model->place.adapter == place.adapter;
  };
  for (const ListedModel& one : brought)
    if (place.name.empty() && has_same_file(*one)) return one;
  const std::string name = name_if_readable(place);
  for (const ListedModel& one : brought)
    if ((*one)->name == name) return one;
  return list.end();
}

}  // namespace

Models::Models(std::vector<ModelPlace> places, std::string folder, std::shared_ptr<Runtime> runtime,
               ModelMemory memory)
    : places_(std::move(places)),
      folder_(std::move(folder)),
      runtime_(std::move(runtime)),
      bases_(places_),
      memory_(memory) {
  std::set<std::string> names;
  for (const ModelPlace& place : places_now()) {
    list_.push_back(loaded(place));
    if (!names.insert(list_.back()->name).second)
      throw ConfigError(fmt::format("two models are called {}; name one of them: {},name=other",
                                    quote(list_.back()->name), place.path));
    unload_unused();
  }
  if (list_.empty())
    throw OptionError<ConfigError>(
        folder_.empty() ? option_text("expected a model, or {}; got none", as_flag("models-dir"))
                        : option_text("{}: no models in {}", as_flag("models-dir"), folder_));
  if (memory_.idle > 0 || memory_.most_bytes > 0)
    watch_ = std::jthread([this](const std::stop_token& stop) { watch_memory(stop); });
}

ServedModelPointer Models::loaded(const ModelPlace& place) {
  ServedModelPointer model = load_served_model(place, runtime_, bases_);
  model->weights->before_loading([this] { unload_unused(); });
  return model;
}

// A request has a pointer of its own to its model: one without is not in use, and cannot be while
// the list is locked.
void Models::unload_unused() {
  const std::lock_guard lock(mutex_);
  const auto long_ago = ModelWeights::Clock::now() - std::chrono::duration<double>(memory_.idle);
  std::uint64_t bytes = 0;
  std::vector<const ServedModel*> unused;
  for (const ServedModelPointer& model : list_) {
    ModelWeights& weights = *model->weights;
    if (!weights.is_loaded()) continue;
    bytes += model->state.bytes;
    if (model.use_count() > 1)
      weights.touch();
    else if (weights.can_leave())
      unused.push_back(model.get());
  }
  std::sort(unused.begin(), unused.end(), [](const ServedModel* a, const ServedModel* b) {
    return a->weights->last_use() < b->weights->last_use();
  });
  bool some = false;
  for (const ServedModel* const model : unused) {
    const bool is_idle = memory_.idle > 0 && model->weights->last_use() < long_ago;
    if (!is_idle && (memory_.most_bytes == 0 || bytes <= memory_.most_bytes)) break;
    model->weights->unload();
    bytes -= model->state.bytes;
    some = true;
  }
  if (!some) return;
  release_cached_memory();
  malloc_trim(0);  // gives the rest back to the system
}

void Models::watch_memory(const std::stop_token& stop) {
  const auto pause = std::chrono::duration<double>(
      memory_.idle > 0 ? std::clamp(memory_.idle / 4, 0.01, 1.0) : 1.0);
  std::mutex mutex;
  std::unique_lock lock(mutex);
  std::condition_variable_any stopped;
  while (!stopped.wait_for(lock, stop, pause, [&] { return stop.stop_requested(); }))
    unload_unused();
}

// The models of the command line come first, then those in the folder by name.
std::vector<ModelPlace> Models::places_now() const {
  std::vector<ModelPlace> places = places_;
  if (folder_.empty()) return places;
  import_packages(folder_);
  std::error_code failure;
  std::vector<ModelPlace> found;
  for (const auto& entry : std::filesystem::directory_iterator(folder_, failure)) {
    const bool is_run = entry.is_directory() && has_file({.path = entry.path().string()});
    if (is_run || (entry.is_regular_file() && entry.path().extension() == ".safetensors"))
      found.push_back({.path = entry.path().string()});
  }
  if (failure)
    throw OptionError<IoError>("{}: cannot read {}: {}", as_flag("models-dir"), folder_,
                               failure.message());
  std::sort(found.begin(), found.end(),
            [](const ModelPlace& a, const ModelPlace& b) { return a.path < b.path; });
  places.insert(places.end(), found.begin(), found.end());
  return places;
}

void Models::publish(ModelList list) {
  const std::lock_guard lock(mutex_);
  list_.swap(list);
}

ModelList Models::all() const {
  const std::lock_guard lock(mutex_);
  return list_;
}

ServedModelPointer Models::find(std::string_view name, bool (*fits)(const ServedModel&),
                                std::string_view kind) const {
  const bool any = name.empty() || name == "default";
  for (const ServedModelPointer& model : all())
    if ((any || model->name == name) && fits(*model)) return model;
  throw HttpError{404, any ? fmt::format("there is no {} model", kind)
                           : fmt::format("there is no {} model {}", kind, quote(name))};
}

namespace {

// nullopt: no such model translates from one to the other.
std::optional<ChosenTranslator> find_translator(const ModelList& list, std::string_view source,
                                                std::string_view target, std::string_view name) {
  const auto has_name = [&](const ServedModel& model) {
    return name.empty() || model.name == name;
  };
  for (const ServedModelPointer& model : list)
    if (has_name(*model) && model->translates(source, target))
      return ChosenTranslator{model, std::string(source), std::string(target)};
  for (const ServedModelPointer& model : list) {
    const auto from = matching_language(source, model->sources),
               into = matching_language(target, model->targets);
    if (has_name(*model) && from && into && model->translates(*from, *into))
      return ChosenTranslator{model, *from, *into};
  }
  return std::nullopt;
}

[[noreturn]] void refuse_pair(std::string_view source, std::string_view target) {
  throw HttpError{400,
                  fmt::format("no model translates from {} to {}; GET /languages lists the pairs",
                              quote(source), quote(target))};
}

void put_english_first(std::vector<std::string>& languages) {
  std::stable_partition(languages.begin(), languages.end(), [](const std::string& language) {
    return language_tag(language).language == "en";
  });
}

}  // namespace

ChosenTranslator Models::translator(std::string_view source, std::string_view target,
                                    std::string_view name) const {
  std::optional<ChosenTranslator> found = find_translator(all(), source, target, name);
  if (!found) refuse_pair(source, target);
  return *std::move(found);
}

std::vector<ChosenTranslator> Models::translators(std::string_view source,
                                                  std::string_view target) const {
  const ModelList list = all();
  if (auto direct = find_translator(list, source, target, {})) return {*std::move(direct)};
  for (const bool english : {true, false}) {
    for (const ServedModelPointer& model : list) {
      const auto from = matching_language(source, model->sources);
      if (!from) continue;
      for (const std::string& between : model->targets) {
        if ((language_tag(between).language == "en") != english ||
            !model->translates(*from, between))
          continue;
        if (auto second = find_translator(list, between, target, {}))
          return {{model, *from, between}, *std::move(second)};
      }
    }
  }
  refuse_pair(source, target);
}

std::map<std::string, std::set<std::string>> Models::pairs() const {
  std::map<std::string, std::set<std::string>> direct;
  for (const ServedModelPointer& model : all())
    for (const std::string& source : model->sources)
      for (const std::string& target : model->targets)
        if (model->translates(source, target)) direct[source].insert(target);
  std::map<std::string, std::set<std::string>> pairs = direct;
  if (all().size() == 1) return pairs;
  for (auto& [source, targets] : pairs) {
    for (const std::string& between : direct[source])
      if (const auto next = direct.find(between); next != direct.end())
        targets.insert(next->second.begin(), next->second.end());
    targets.erase(source);
  }
  return pairs;
}

std::vector<std::string> Models::sources_into(std::string_view target) const {
  const std::map<std::string, std::set<std::string>> all_pairs = pairs();
  std::vector<std::string> languages;
  for (const ServedModelPointer& model : all()) {
    for (const std::string& source : model->sources) {
      const auto targets = all_pairs.find(source);
      if (targets == all_pairs.end()) continue;
      const bool fits =
          target.empty() ||
          matching_language(target, std::vector(targets->second.begin(), targets->second.end()));
      if (fits && std::find(languages.begin(), languages.end(), source) == languages.end())
        languages.push_back(source);
    }
  }
  put_english_first(languages);
  return languages;
}

std::vector<std::string> Models::reload() {
  const std::lock_guard change(changing_);
  const ModelList before = all();
  const std::vector<ModelPlace> places = places_now();
  const std::vector<ListedModel> brought = brought_beside(places, before);
  // What is to be served, and what is served there now.
  std::vector<std::pair<ModelPlace, ListedModel>> wanted;
  std::set<std::string> names;
  const auto want = [&](const ModelPlace& place, ListedModel old) {
    const bool is_wanted_already = old != before.end() && !names.insert((*old)->name).second;
    if (!is_wanted_already) wanted.emplace_back(place, old);
  };
  for (const ModelPlace& place : places) want(place, loaded_from(place, before, brought));
  for (const ListedModel& model : brought) want((*model)->place, model);
  ModelList list;
  std::vector<std::string> failures;
  for (const auto& [found, old] : wanted) {
    // One that was loaded under a name keeps it.
    const ModelPlace& place = old != before.end() ? (*old)->place : found;
    try {
      if (old != before.end() && (*old)->state == file_state(place)) {
        list.push_back(*old);
        continue;
      }
      require_golden(place);
      ServedModelPointer model = loaded(place);
      const bool keeps_name = old != before.end() && (*old)->name == model->name;
      if (!keeps_name && !names.insert(model->name).second)
        throw ConfigError(fmt::format("another model is called {}", quote(model->name)));
      list.push_back(std::move(model));
    } catch (const std::exception& error) {
      const bool kept = old != before.end();
      failures.push_back(fmt::format("{}: {}: {}", kept ? (*old)->name : place.path,
                                     kept ? "kept as it was" : "not loaded", error.what()));
      if (kept) list.push_back(*old);
    }
  }
  if (!list.empty()) publish(std::move(list));
  return failures;
}

ServedModelPointer Models::load(const ModelPlace& place) {
  if (folder_.empty())
    throw HttpError{403,
                    "models are loaded from a folder; the server was started without "
                    "--models-dir"};
  // Names within the folder, without a way out of it.
  const std::filesystem::path name = std::filesystem::path(place.path).lexically_normal();
  if (name.is_absolute() || name.empty() || *name.begin() == "..")
    throw HttpError{403, fmt::format("{} is not in the folder of models", quote(place.path))};
  ModelPlace full = place;
  full.path = (std::filesystem::path(folder_) / name).string();
  const std::lock_guard change(changing_);
  require_golden(full);
  const ServedModelPointer model = loaded(full);
  ModelList list = all();
  const auto old = std::find_if(list.begin(), list.end(),
                                [&](const auto& one) { return one->name == model->name; });
  if (old == list.end()) {
    list.push_back(model);
  } else {
    *old = model;
  }
  publish(std::move(list));
  return model;
}

void Models::drop(std::string_view name) {
  const std::lock_guard change(changing_);
  ModelList list = all();
  if (std::erase_if(list, [&](const auto& one) { return one->name == name; }) == 0)
    throw HttpError{404, fmt::format("there is no model {}", quote(name))};
  if (list.empty()) throw HttpError{400, "the last model cannot be dropped"};
  publish(std::move(list));
}

}  // namespace attend
