#include "attend/server/models/served_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>

#include "attend/api/views.h"
#include "attend/checkpoint/checkpoint.h"
#include "attend/core/json/json.h"
#include "attend/core/strings/quote.h"
#include "attend/error.h"
#include "attend/interchange/foreign_model.h"
#include "attend/tasks/classification/model.h"
#include "attend/tasks/language/model.h"
#include "attend/tasks/model_file/model_reading.h"
#include "attend/tasks/model_file/model_settings.h"
#include "attend/tasks/tagging/model.h"
#include "attend/tasks/translation/model.h"
#include "attend/text/language/language_tag.h"

namespace attend {
namespace {

std::string text_if_any(const Checkpoint& checkpoint, const char* key) {
  const auto found = checkpoint.metadata.find(key);
  return found == checkpoint.metadata.end() ? "" : found->second;
}

// As the command line says, or the file, or "model" for model.safetensors, "run" for the folder of
// a run and for run/model.safetensors.
std::string name_of(const ModelPlace& place, const Checkpoint& checkpoint) {
  if (!place.name.empty()) return place.name;
  if (std::string own = text_if_any(checkpoint, kNameKey); !own.empty()) return own;
  const std::string& path = place.adapter.empty() ? place.path : place.adapter;
  std::filesystem::path clean = std::filesystem::absolute(path).lexically_normal();
  if (!clean.has_filename()) clean = clean.parent_path();
  if (clean.filename() == "model.safetensors") clean = clean.parent_path();
  return clean.extension() == ".safetensors" ? clean.stem() : clean.filename();
}

// A translator needs not split text of the target to translate, but requests ask for that.
void prepare_tokenizers_of(const Translator& translator, const std::string& file) {
  try {
    translator.source_tokenizer().prepare();
    translator.target_tokenizer().prepare();
  } catch (const DataError& error) {
    throw DataError(fmt::format("{}: {}", file, error.what()));
  }
}

std::string language_of(const Checkpoint& checkpoint, const std::string& side,
                        const std::string& given) {
  if (!given.empty()) return given;
  const auto kinds = read_text_kinds(checkpoint);
  const auto kind = kinds.find(side);
  return kind == kinds.end() || kind->second.language.empty() ? side : kind->second.language;
}

void set_languages(ServedModel& served, const Translator& translator, const ModelPlace& place,
                   const Checkpoint& checkpoint) {
  served.sources = served.targets = translator.languages();
  served.chooses_languages = !served.sources.empty();
  if (served.chooses_languages) {
    // One of them only, if the command line says so.
    const auto choose = [&](std::vector<std::string>& names, const std::string& chosen) {
      if (chosen.empty()) return;
      if (std::find(names.begin(), names.end(), chosen) == names.end())
        throw ConfigError(
            fmt::format("{}: the model has no language {}", place.path, quote(chosen)));
      names = {chosen};
    };
    choose(served.sources, place.source);
    choose(served.targets, place.target);
    return;
  }
  served.sources = {language_of(checkpoint, "src", place.source)};
  served.targets = {language_of(checkpoint, "tgt", place.target)};
}

std::map<std::string, std::string> language_names_in(const Checkpoint& checkpoint) {
  std::map<std::string, std::string> names;
  const std::string text = text_if_any(checkpoint, kLanguageNamesKey);
  if (text.empty()) return names;
  const std::string where = checkpoint.source + ": " + kLanguageNamesKey;
  const nlohmann::ordered_json json = parse_json(text, where);
  for (const auto& [code, name] : json.items()) {
    if (!name.is_string()) throw DataError(where + ": expected names of languages");
    names[code] = name;
  }
  return names;
}

// Returns the tokenizer of the text that goes in; a shared one is stored once.
Tokenizer input_tokenizer(const Checkpoint& checkpoint) {
  const bool own = checkpoint.find("tokenizer.src") != nullptr;
  return Tokenizer::from_bytes(
      tensor_bytes(checkpoint.tensor(own ? "tokenizer.src" : "tokenizer")));
}

decltype(ModelInMemory::model) view_of(const BaseModel& model, const std::string& task) {
  if (task == TranslationModel::kTask) return model.translator();
  if (task == LanguageModel::kTask) return model.generator();
  if (task == ClassificationModel::kTask) return model.classifier();
  if (task == TaggingModel::kTask) return model.tagger();
  return model.embedder();
}

FileState state_of(const std::string& model) {
  const std::filesystem::path path = model_file_of(model);
  std::error_code failure;
  FileState state{.bytes = std::filesystem::file_size(path, failure)};
  if (!failure) state.written = std::filesystem::last_write_time(path, failure);
  if (failure) throw IoError(fmt::format("cannot read {}: {}", path.string(), failure.message()));
  return state;
}

std::int64_t seconds_since_epoch() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::seconds>(now).count();
}

}  // namespace

ModelPlace parse_model_place(std::string_view text) {
  ModelPlace place;
  const std::size_t comma = text.find(',');
  place.path = text.substr(0, comma);
  while (text.find(',') != text.npos) {
    text.remove_prefix(text.find(',') + 1);
    const std::string_view setting = text.substr(0, text.find(','));
    const std::size_t equals = setting.find('=');
    const std::string_view key = setting.substr(0, equals);
    std::string* const value = key == "name"      ? &place.name
                               : key == "src"     ? &place.source
                               : key == "tgt"     ? &place.target
                               : key == "adapter" ? &place.adapter
                                                  : nullptr;
    if (value == nullptr || equals == setting.npos || equals + 1 == setting.size())
      throw ConfigError(
          fmt::format("{}: expected MODEL, or MODEL followed by ,src=en ,tgt=de ,name=small "
                      ",adapter=FILE; got {}",
                      quote(place.path), quote(setting)));
    *value = setting.substr(equals + 1);
  }
  if (place.path.empty()) throw ConfigError("expected the path of a model, got an empty one");
  return place;
}

FileState file_state(const ModelPlace& place) {
  const FileState base = state_of(place.path);
  if (place.adapter.empty()) return base;
  FileState adapter = state_of(place.adapter);
  adapter.base_bytes = base.bytes;
  adapter.base_written = base.written;
  return adapter;
}

SharedBases::SharedBases(const std::vector<ModelPlace>& places) {
  for (const ModelPlace& place : places)
    if (!place.adapter.empty()) bases_[place.path];
}

const BaseModel* SharedBases::find(const std::string& path,
                                   const std::shared_ptr<Runtime>& runtime) {
  const auto found = bases_.find(path);
  if (found == bases_.end()) return nullptr;
  auto& [state, model] = found->second;
  if (const FileState now = state_of(path); !model || state != now) {
    model = BaseModel::load(path, runtime);
    state = now;
  }
  return &*model;
}

bool ServedModel::translates(std::string_view source, std::string_view target) const {
  const auto has = [](const std::vector<std::string>& names, std::string_view wanted) {
    return std::find(names.begin(), names.end(), wanted) != names.end();
  };
  return is<Translator>() && has(sources, source) && has(targets, target) &&
         (source != target || !chooses_languages);
}

LanguagePair ServedModel::own_names(std::string_view source, std::string_view target) const {
  if (!chooses_languages) return {};
  return {matching_language(source, sources).value_or(std::string(source)),
          matching_language(target, targets).value_or(std::string(target))};
}

std::string served_name(const ModelPlace& place) {
  if (!place.name.empty()) return place.name;
  return name_of(place, open_checkpoint(!place.adapter.empty() ? place.adapter : place.path));
}

namespace {

ModelInMemory loaded_model(const BaseModel& base, const std::string& task,
                           const std::string& file) {
  ModelInMemory loaded{base, std::make_shared<const Explorer>(ModelAccess::loaded(base)),
                       view_of(base, task)};
  if (const auto* const translator = std::get_if<Translator>(&loaded.model))
    prepare_tokenizers_of(*translator, file);
  return loaded;
}

// Loads a model again that has left the memory. Throws DataError if its file is another one now.
ModelWeights::Load loads_again(const ServedModel& served, std::shared_ptr<Runtime> runtime) {
  return [place = served.place, state = served.state, task = served.task,
          runtime = std::move(runtime)] {
    if (file_state(place) != state)
      throw DataError(
          fmt::format("{}: the file was written again while the model was not in "
                      "memory; load it again, by SIGHUP or /models/load",
                      place.path));
    const std::filesystem::path path = model_file_of(place.path);
    return loaded_model(BaseModel::load(path, runtime), task, path.string());
  };
}

std::type_index kind_of(const ModelInMemory& loaded) {
  return std::visit([](const auto& model) { return std::type_index(typeid(model)); }, loaded.model);
}

}  // namespace

ServedModelPointer load_served_model(const ModelPlace& place, std::shared_ptr<Runtime> runtime,
                                     SharedBases& bases) {
  const std::filesystem::path path = model_file_of(place.path);
  return read_checkpoint(path, [&](const Checkpoint& base) {
    // What is said of a model is said by its adapter, but for the tokenizer.
    const Checkpoint checkpoint = place.adapter.empty() ? base : load_checkpoint(place.adapter);
    const BaseModel* const shared = bases.find(place.path, runtime);
    const std::string& task = checkpoint.text("attend.task");
    ModelInMemory loaded = loaded_model(
        (shared != nullptr ? *shared : BaseModel::load(path, runtime)).with_adapter(place.adapter),
        task, base.source);
    ServedModel served{.name = name_of(place, checkpoint),
                       .place = place,
                       .description = text_if_any(checkpoint, kDescriptionKey),
                       .state = file_state(place),
                       .task = task,
                       .sources = {},
                       .targets = {},
                       .loaded_at = seconds_since_epoch(),
                       .tokenizer = input_tokenizer(base),
                       .kind = kind_of(loaded),
                       .text_kinds = ModelAccess::loaded(loaded.base)->model()->text_kinds,
                       .language_names = language_names_in(base),
                       .weights = nullptr};
    if (checkpoint.metadata.contains(kChatKey)) {
      const ChatFormat format =
          ChatFormat::from_json(checkpoint.text(kChatKey), place.path + ": " + kChatKey);
      served.chat_problem = chat_problem(format, served.tokenizer);
      if (served.chat_problem.empty())
        served.chat = std::make_shared<const Chat>(format, served.tokenizer);
    }
    if (const auto* const translator = std::get_if<Translator>(&loaded.model)) {
      set_languages(served, *translator, place, checkpoint);
    } else if (!place.source.empty() || !place.target.empty()) {
      throw ConfigError(
          fmt::format("{}: src= and tgt= are for translation models; this one is for {}",
                      place.path, served.task));
    }
    if (const auto* const classifier = std::get_if<Classifier>(&loaded.model))
      served.takes_pairs = classifier->takes_pairs();
    // A model that shares its weights stays: their memory is not its own.
    served.weights = std::make_shared<ModelWeights>(
        std::move(loaded), shared == nullptr ? loads_again(served, runtime) : nullptr);
    return ServedModelPointer(std::make_shared<const ServedModel>(std::move(served)));
  });
}

}  // namespace attend
