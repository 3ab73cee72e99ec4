// What models of eole share, whatever their task: settings, weights, the shape of a stack, texts.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "attend/interchange/families/checkpoints/checkpoint_model.h"
#include "attend/interchange/families/checkpoints/subwords.h"
#include "attend/models/stack/stack_config.h"

namespace attend {

inline constexpr std::string_view kEoleSourceWords = "src_emb.embeddings.weight",
                                  kEoleTargetWords = "tgt_emb.embeddings.weight",
                                  kEoleProjection = "generator.weight",
                                  kEoleProjectionBias = "generator.bias";

// A directory of eole: config.json, read, and the vocabularies of vocab.json.
struct EoleFiles {
  const ModelDirectory& directory;
  ForeignConfig& config;
  std::vector<std::string> source, target;
  SpecialPieces special;
  std::string start;  // what a decoder begins with

  ForeignConfig& model() const { return config.object("model"); }
};

CheckpointModel read_eole_translator(const EoleFiles& files);
CheckpointModel read_eole_language(const EoleFiles& files);

// The settings of one part of a model: "encoder", "decoder" or "embeddings". What a part does not
// mention is that of the whole model.
class EoleSettings {
 public:
  EoleSettings(ForeignConfig& model, std::string_view part);

  // Where the setting is, if it is there.
  ForeignConfig& of(std::string_view key);

  int size(std::string_view key, std::int64_t otherwise, const NumberRange& range) {
    return static_cast<int>(of(key).integer_or(key, otherwise, range));
  }
  bool is(std::string_view key, bool otherwise = false) {
    return of(key).boolean_or(key, otherwise);
  }
  void require(std::string_view key, const nlohmann::json& value) { of(key).require(key, value); }

 private:
  ForeignConfig* model_;
  ForeignConfig* part_;
};

// All shards. Throws DataError for factors of layers that are not 1.
TensorTable open_eole_weights(const ModelDirectory& directory);

// Whether sinusoids are added to words, which a file then has.
inline bool adds_sinusoids(const StackConfig& shape) {
  return is_added(shape.positions) && shape.positions != PositionKind::learned;
}
// The positions, and the factor of the embeddings that they are added to.
void read_eole_input(ForeignConfig& model, StackConfig& shape);
// A stack of a model that translates has less to choose from.
enum class EoleStack { translator, language };
// The rest of the shape of a stack; returns the number of its layers. Throws DataError for parts
// that are not supported.
int read_eole_stack(EoleSettings settings, EoleStack kind, StackConfig& shape);

// The names of all weights of a stack, `ours` "encoder" or "decoder", but those of its embeddings.
void add_eole_names(EoleSettings settings, EoleStack kind, const StackConfig& shape,
                    std::string_view ours, NameMap& names);

// What a text is on a side, "src" or "tgt": the entries, and the file that splits words into these.
Tokenizer eole_tokenizer(const EoleFiles& files, const std::string& side,
                         std::vector<std::string>& remarks);
// The id of what the decoder begins with. Throws DataError for none.
std::int32_t eole_start(const EoleFiles& files);

}  // namespace attend
