#include "attend/server/models.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <set>

#include "attend/checkpoint/checkpoint.h"
#include "attend/core/quote.h"
#include "attend/error.h"
#include "attend/model_file.h"
#include "attend/server/http/message.h"

namespace attend {
namespace {

// Throws DataError if the model does not compute what it computed when it was made.
void require_golden(const ModelPlace& place) {
  const std::optional<ModelCheck> check = check_model(model_file_of(place.path));
  if (check && !check->holds())
    throw DataError(fmt::format("{}: {} of its golden samples deviate by {:.1e}", place.path,
                                check->samples, check->deviation));
}

// The model of this place. One without a name may have been loaded under some name.
ModelList::const_iterator loaded_from(const ModelPlace& place, const ModelList& list) {
  const auto same = std::find_if(list.begin(), list.end(),
                                 [&](const auto& model) { return model->place == place; });
  if (same != list.end() || !place.name.empty()) return same;
  return std::find_if(list.begin(), list.end(), [&](const auto& model) {
    return model->place.path == place.path && model->place.adapter == place.adapter;
  });
}

}  // namespace

Models::Models(std::vector<ModelPlace> places, std::string folder, std::shared_ptr<Runtime> runtime)
    : places_(std::move(places)),
      folder_(std::move(folder)),
      runtime_(std::move(runtime)),
      bases_(places_) {
  ModelList list;
  std::set<std::string> names;
  for (const ModelPlace& place : places_now()) {
    list.push_back(load_served_model(place, runtime_, bases_));
    if (!names.insert(list.back()->name).second)
      throw ConfigError(fmt::format("two models are called {}; name one of them: {},name=other",
                                    quote(list.back()->name), place.path));
  }
  if (list.empty())
    throw ConfigError(folder_.empty() ? "expected a model, or --models-dir; got none"
                                      : fmt::format("--models-dir: no models in {}", folder_));
  publish(std::move(list));
}

// Those of the command line, then those in the folder by name.
std::vector<ModelPlace> Models::places_now() const {
  std::vector<ModelPlace> places = places_;
  if (folder_.empty()) return places;
  std::error_code failure;
  std::vector<ModelPlace> found;
  for (const auto& entry : std::filesystem::directory_iterator(folder_, failure)) {
    const bool is_run =
        entry.is_directory() && std::filesystem::exists(model_file_of(entry.path()));
    if (is_run || (entry.is_regular_file() && entry.path().extension() == ".safetensors"))
      found.push_back({.path = entry.path().string()});
  }
  if (failure)
    throw IoError(fmt::format("--models-dir: cannot read {}: {}", folder_, failure.message()));
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

ServedModelPointer Models::translator(std::string_view source, std::string_view target,
                                      std::string_view name) const {
  for (const ServedModelPointer& model : all())
    if ((name.empty() || model->name == name) && model->translates(source, target)) return model;
  throw HttpError{400,
                  fmt::format("no model translates from {} to {}; GET /languages lists the pairs",
                              quote(source), quote(target))};
}

std::vector<std::string> Models::reload() {
  const std::lock_guard change(changing_);
  const ModelList before = all();
  ModelList list;
  std::vector<std::string> failures;
  for (const ModelPlace& found : places_now()) {
    const auto old = loaded_from(found, before);
    // One that was loaded under a name keeps it.
    const ModelPlace& place = old != before.end() ? (*old)->place : found;
    try {
      if (old != before.end() && (*old)->state == file_state(place)) {
        list.push_back(*old);
        continue;
      }
      require_golden(place);
      list.push_back(load_served_model(place, runtime_, bases_));
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
  const ServedModelPointer model = load_served_model(full, runtime_, bases_);
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
