#include "attend/interchange/writing/ctranslate2_export.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "attend/core/files/atomic_file.h"
#include "attend/core/files/atomic_folder.h"
#include "attend/core/json/json.h"
#include "attend/error.h"
#include "attend/interchange/families/ctranslate2/ctranslate2_content.h"
#include "attend/interchange/families/families.h"
#include "attend/interchange/writing/equal_models.h"
#include "attend/interchange/writing/model_export.h"
#include "attend/interchange/writing/setting_differences.h"
#include "attend/tasks/model_file/registry.h"

namespace attend {

namespace {

using Ct2Json = nlohmann::ordered_json;

Ct2Json pieces_in_order(const Tokenizer& tokenizer) {
  Ct2Json pieces = Ct2Json::array();
  for (std::int32_t id = 0; id < tokenizer.vocab_size(); ++id)
    pieces.push_back(tokenizer.piece(id));
  return pieces;
}

// What config.json says of any model. CTranslate2 expects names of all three tokens.
Ct2Json special_pieces(const Tokenizer& tokenizer, std::int32_t end, float epsilon) {
  const auto named = [&](std::int32_t id) {
    return needed_piece(tokenizer, id >= 0 ? id : end, "ends a text");
  };
  return {{"bos_token", named(tokenizer.bos_id())},
          {"eos_token", needed_piece(tokenizer, end, "ends a text")},
          {"layer_norm_epsilon", Ct2Json(parse_json(fmt::format("{}", epsilon), "epsilon"))},
          {"unk_token", named(tokenizer.unk_id())}};
}

void add_files(const TranslationModel& model, TextFiles& files) {
  const Ct2Json source = pieces_in_order(model.src_tokenizer),
                target = pieces_in_order(model.tgt_tokenizer);
  if (source == target) {
    files["shared_vocabulary.json"] = write_json(source);
  } else {
    files["source_vocabulary.json"] = write_json(source);
    files["target_vocabulary.json"] = write_json(target);
  }
  Ct2Json config =
      special_pieces(model.tgt_tokenizer, model.special().eos, model.stack()->norm.epsilon);
  const std::vector<std::int32_t>& begin = model.format.marks.before_target;
  const bool is_language = begin.empty() || begin.front() < 0;  // which users give as a prefix
  config["decoder_start_token"] =
      is_language ? Ct2Json() : Ct2Json(model.tgt_tokenizer.piece(begin.front()));
  config.update(
      {{"add_source_bos", false}, {"add_source_eos", false}, {"multi_query_attention", false}});
  files["config.json"] = write_json(config);
}

void add_files(const LanguageModel& model, TextFiles& files) {
  files["vocabulary.json"] = write_json(pieces_in_order(model.tokenizer));
  const std::vector<std::int32_t> ends = model.conversation_ends();
  Ct2Json config = special_pieces(model.tokenizer, ends.front(), model.stack()->norm.epsilon);
  config["multi_query_attention"] = true;  // num_heads_kv tells
  files["config.json"] = write_json(config);
}

// Tokens that are never written, without those that belong to no piece.
std::vector<std::int32_t> tokens_to_silence(const TranslationModel& model) {
  const std::vector<std::int32_t> fillers = fillers_of(model.tgt_tokenizer);
  std::vector<std::int32_t> tokens;
  for (const std::int32_t id : model.suppressed)
    if (!std::binary_search(fillers.begin(), fillers.end(), id)) tokens.push_back(id);
  return tokens;
}

// The model as the directory has it, which becomes `equal`.
std::unique_ptr<SavedModel> silenced(Checkpoint& equal) {
  std::unique_ptr<SavedModel> model = load_model(equal);
  const auto* const translation = dynamic_cast<const TranslationModel*>(model.get());
  if (translation == nullptr) return model;
  const std::vector<std::int32_t> tokens = tokens_to_silence(*translation);
  if (tokens.empty()) return model;
  silence_tokens(equal, tokens, translation->tgt_tokenizer.vocab_size());
  return load_model(equal);
}

// Throws ConfigError unless `imported` is `equal`, which is `model`.
void require_read_back(const SavedModel& model, const Checkpoint& equal,
                       const Checkpoint& imported) {
  std::vector<std::string> differences =
      setting_differences(model.configuration(), load_model(imported)->configuration());
  for (const NamedTensor& tensor : equal.tensors)
    if (const Tensor* const found = imported.find(tensor.name);
        found == nullptr || !equal_bytes(tensor.tensor, *found))
      differences.push_back(fmt::format("the tensor {}", tensor.name));
  if (!differences.empty())
    throw ConfigError(fmt::format("{}: CTranslate2 has no equivalent for: {}", equal.source,
                                  fmt::join(differences, "; ")));
}

}  // namespace

void write_ctranslate2_directory(const Checkpoint& checkpoint,
                                 const std::filesystem::path& directory) {
  ExportedModel exported = export_model(checkpoint);
  exported.equal.source = checkpoint.source;
  const std::unique_ptr<SavedModel> model = silenced(exported.equal);
  if (const auto others = options_of_transformers_alone(model->configuration()); !others.empty())
    throw ConfigError(fmt::format("{}: CTranslate2 has no equivalent for: {}", checkpoint.source,
                                  fmt::join(others, "; ")));
  Ctranslate2Content content;
  if (const auto* const translation = dynamic_cast<const TranslationModel*>(model.get())) {
    content = ctranslate2_content(*translation, exported.equal);
    add_files(*translation, exported.files);
  } else if (const auto* const language = dynamic_cast<const LanguageModel*>(model.get())) {
    content = ctranslate2_content(*language, exported.equal);
    add_files(*language, exported.files);
  } else {
    throw ConfigError(fmt::format("{}: models for {} cannot be exported to CTranslate2 yet",
                                  checkpoint.source, model->task()));
  }
  AtomicFolder folder(directory);
  for (const auto& [name, text] : exported.files)
    write_file_atomically(folder.temporary() / name, text);
  write_ctranslate2_file(folder.temporary() / "model.bin", content);
  require_read_back(*model, exported.equal,
                    import_model(ModelDirectory(folder.temporary())).checkpoint);
  folder.commit();
}

}  // namespace attend
