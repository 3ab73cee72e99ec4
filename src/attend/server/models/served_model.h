// A model that a server offers, with its name and its languages.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <typeindex>
#include <vector>

#include "attend/server/models/model_weights.h"
#include "attend/tasks/language/chat.h"
#include "attend/text/text_kind.h"

namespace attend {

// A model on the command line: "model.safetensors,src=en,tgt=de,name=small", or one with an
// adapter: "base.safetensors,adapter=topics".
struct ModelPlace {
  std::string path;         // a model file, or the folder of a run
  std::string name = {};    // empty: as the file says, or that of the file or folder
  std::string source = {};  // languages; empty: as the file says, or "src" and "tgt"
  std::string target = {};
  std::string adapter = {};  // a file, or the folder of a run; empty: none

  bool operator==(const ModelPlace&) const = default;
};

// Throws ConfigError.
ModelPlace parse_model_place(std::string_view text);

// What tells whether a file was written again, or the base of an adapter was.
struct FileState {
  std::uint64_t bytes = 0;
  std::filesystem::file_time_type written = {};
  std::uint64_t base_bytes = 0;  // of the base; nothing without an adapter
  std::filesystem::file_time_type base_written = {};

  bool operator==(const FileState&) const = default;
};

// Describes the adapter and its base, if there is one. Throws IoError if there is no such file.
FileState file_state(const ModelPlace& place);

// Models in memory that are shared by those with adapters of them.
class SharedBases {
 public:
  // Shares the models in `places` that have an adapter there.
  explicit SharedBases(const std::vector<ModelPlace>& places);

  // The model at `path`, loaded if it is not yet or its file was written again; null if it has no
  // adapters. Throws DataError or IoError.
  const BaseModel* find(const std::string& path, const std::shared_ptr<Runtime>& runtime);

 private:
  struct Loaded {
    FileState state;
    std::optional<BaseModel> model;
  };
  std::map<std::string, Loaded> bases_;
};

struct ServedModel {
  std::string name;
  ModelPlace place;                  // as it was asked for
  std::string description;           // as the file says; empty: nothing
  FileState state;                   // when it was loaded
  std::string task;                  // "translation", "language modeling", ...
  std::vector<std::string> sources;  // languages of a translator: one, or those to choose from
  std::vector<std::string> targets;
  bool chooses_languages = false;              // whether a request names the languages to the model
  std::int64_t loaded_at = 0;                  // seconds since the epoch
  Tokenizer tokenizer;                         // of the text that goes in
  std::shared_ptr<const Chat> chat = nullptr;  // of a language model that knows conversations
  std::string chat_problem = {};               // why a chat template cannot be used
  std::type_index kind;                        // Translator, Generator, ...
  bool takes_pairs = false;                    // of a classifier
  TextKinds text_kinds = {};
  std::map<std::string, std::string> language_names = {};  // for people: "English" of "en"
  std::shared_ptr<ModelWeights> weights;

  template <class Model>
  bool is() const {
    return kind == typeid(Model);
  }
  // Null for a model of another kind. One that has left the memory is loaded.
  template <class Model>
  const Model* as() const {
    return is<Model>() ? &std::get<Model>(weights->get().model) : nullptr;
  }
  const ModelInMemory& loaded() const { return weights->get(); }
  bool translates(std::string_view source, std::string_view target) const;
  // What the model calls these languages; as they are if it does not know them. Nothing for a model
  // that does not choose.
  LanguagePair own_names(std::string_view source, std::string_view target) const;
};

using ServedModelPointer = std::shared_ptr<const ServedModel>;

// The name that a model has there. Throws DataError or IoError if its file has to say.
std::string served_name(const ModelPlace& place);

// Reads and checks a model, with all that its requests may need; it computes on `runtime`. Throws
// DataError or IoError.
ServedModelPointer load_served_model(const ModelPlace& place, std::shared_ptr<Runtime> runtime,
                                     SharedBases& bases);

}  // namespace attend
