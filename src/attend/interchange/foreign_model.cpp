#include "attend/interchange/foreign_model.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <map>
#include <nlohmann/json.hpp>
#include <system_error>

#include "attend/core/options/option_error.h"
#include "attend/core/strings/counted.h"
#include "attend/error.h"
#include "attend/interchange/families/checkpoints/checkpoint_model.h"
#include "attend/interchange/families/checkpoints/comet.h"
#include "attend/interchange/families/ctranslate2/argos_package.h"
#include "attend/interchange/families/ctranslate2/ctranslate2.h"
#include "attend/interchange/families/decoders/decoder_embedder.h"
#include "attend/interchange/families/families.h"
#include "attend/interchange/families/gguf/gguf_model.h"
#include "attend/interchange/families/marian/native_marian.h"
#include "attend/interchange/weights/foreign_weights.h"
#include "attend/tasks/model_file/golden.h"
#include "attend/tasks/model_file/model_quantization.h"
#include "attend/tasks/model_file/registry.h"
#include "attend/tasks/translation/model.h"

namespace attend {

namespace {

constexpr std::array kFamilies{
    ModelFamily{"marian", "MarianMT (OPUS-MT)", read_marian, write_marian},
    ModelFamily{"m2m_100", "M2M100 or NLLB", read_m2m_100, write_m2m_100},
    ModelFamily{"mbart", "mBART", read_mbart, write_mbart},
    ModelFamily{"bart", "BART", read_bart, write_bart},
    ModelFamily{"pegasus", "Pegasus", read_pegasus, write_pegasus},
    ModelFamily{"gpt2", "GPT-2", read_gpt2, write_decoder<write_gpt2>},
    ModelFamily{"llama", "Llama", read_llama, write_decoder<write_llama>},
    ModelFamily{"mistral", "Mistral", read_mistral, write_decoder<write_mistral>},
    ModelFamily{"qwen2", "Qwen2", read_qwen2, write_decoder<write_qwen2>},
    ModelFamily{"qwen3", "Qwen3", read_qwen3, write_decoder<write_qwen3>},
    ModelFamily{"mixtral", "Mixtral", read_mixtral, write_decoder<write_mixtral>},
    ModelFamily{"qwen2_moe", "Qwen2-MoE", read_qwen2_moe, write_decoder<write_qwen2_moe>},
    ModelFamily{"qwen3_moe", "Qwen3-MoE", read_qwen3_moe, write_decoder<write_qwen3_moe>},
    ModelFamily{"smollm3", "SmolLM3", read_smollm3, write_decoder<write_smollm3>},
    ModelFamily{"phi3", "Phi-3 or Phi-4", read_phi3, write_decoder<write_phi3>},
    ModelFamily{"olmo2", "OLMo 2", read_olmo2, write_decoder<write_olmo2>},
    ModelFamily{"gpt_neox", "GPT-NeoX", read_gpt_neox, write_decoder<write_gpt_neox>},
    ModelFamily{"stablelm", "StableLM", read_stablelm, write_decoder<write_stablelm>},
    ModelFamily{"granite", "Granite", read_granite, write_decoder<write_granite>},
    ModelFamily{"phi", "Phi", read_phi, write_decoder<write_phi>},
    ModelFamily{"falcon", "Falcon", read_falcon, write_decoder<write_falcon>},
    ModelFamily{"gptj", "GPT-J", read_gptj, write_decoder<write_gptj>},
    ModelFamily{"cohere", "Command R", read_cohere, write_decoder<write_cohere>},
    ModelFamily{"mpt", "MPT", read_mpt, write_decoder<write_mpt>},
    ModelFamily{"gemma", "Gemma", read_gemma, write_decoder<write_gemma>},
    ModelFamily{"gemma2", "Gemma 2", read_gemma2, write_decoder<write_gemma2>},
    ModelFamily{"gemma3_text", "Gemma 3", read_gemma3, write_gemma3_or_embedder},
    ModelFamily{"roberta", "RoBERTa", read_roberta, write_roberta},
    ModelFamily{"xlm-roberta", "XLM-R", read_roberta, write_xlm_roberta},
    ModelFamily{"bert", "BERT", read_bert, write_bert},
    ModelFamily{"distilbert", "DistilBERT", read_distilbert, write_distilbert},
    ModelFamily{"mpnet", "MPNet", read_mpnet, write_mpnet},
    ModelFamily{"electra", "ELECTRA", read_electra, write_electra},
    ModelFamily{"camembert", "CamemBERT", read_roberta, write_camembert},
    ModelFamily{"albert", "ALBERT", read_albert, write_albert},
    ModelFamily{"nomic_bert", "NomicBERT", read_nomic_bert, write_nomic_bert},
    ModelFamily{"deberta-v2", "DeBERTa v2 or v3", read_deberta_v2, write_deberta_v2},
    ModelFamily{"gte", "GTE", read_gte, write_gte},
    ModelFamily{"modernbert", "ModernBERT", read_modernbert, write_modernbert},
    ModelFamily{"t5", "T5", read_t5, write_t5},
    ModelFamily{"mt5", "mT5", read_mt5, write_mt5},
    ModelFamily{"umt5", "umT5", read_umt5, write_umt5},
    ModelFamily{"longt5", "LongT5", read_longt5, write_longt5},
    ModelFamily{"t5gemma", "T5Gemma", read_t5gemma, write_t5gemma},
    ModelFamily{"opt", "OPT", read_opt, write_decoder<write_opt>},
    ModelFamily{"bloom", "BLOOM", read_bloom, write_decoder<write_bloom>},
};

// What the authors of GTE call it.
constexpr std::string_view kTypeOfGteAuthors = "new";

// Types that people ask for, and why none of their models is read.
constexpr std::array<std::pair<std::string_view, std::string_view>, 1> kOtherTypes{
    {{"switch_transformers",
      "models of Switch Transformers are not supported: their experts leave out the tokens of a "
      "text beyond a capacity, and no layer here does"}}};

const ModelFamily& family_of(ForeignConfig& config) {
  const std::string type = config.text("model_type");
  for (const auto& [other, why] : kOtherTypes)
    if (type == other) config.refuse("model_type", why);
  const std::string_view name = type == kTypeOfGteAuthors ? "gte" : type;
  for (const ModelFamily& family : kFamilies) {
    if (family.name == name) return family;
  }
  std::vector<std::string_view> known;
  for (const ModelFamily& family : kFamilies) known.push_back(family.name);
  config.refuse("model_type", fmt::format("supported: {}", fmt::join(known, ", ")));
}

// Names as they are in this file.
void omit_base(const ForeignModel& foreign, const TensorTable& weights, ForeignName& name) {
  const std::string_view base = foreign.base;
  if (!name.name.starts_with(base) || weights.contains(name.name)) return;
  const std::string shorter = name.name.substr(base.size());
  if (weights.contains(shorter)) name.name = shorter;
}

std::vector<std::string_view> ignorable_tensors(const ForeignModel& foreign) {
  std::vector<std::string_view> patterns = foreign.ignorable;
  for (const std::string_view pattern : foreign.ignorable)
    if (!foreign.base.empty() && pattern.starts_with(foreign.base))
      patterns.push_back(pattern.substr(foreign.base.size()));
  return patterns;
}

}  // namespace

std::span<const ModelFamily> model_families() { return kFamilies; }

namespace {

constexpr std::string_view kOnnx = ".onnx";
constexpr auto kReplaceInvalid = nlohmann::json::error_handler_t::replace;

// A model and its weights, not read yet.
struct Opened {
  ForeignModel foreign;
  TensorTable weights;
  std::string family, description;
  LanguagePair languages = {};  // that the files name, of a model of one pair
  std::map<std::string, std::string> language_names = {};
  bool is_quantized = false;
};

void add_folder(const ModelDirectory& directory, const std::string& folder, TensorTable& weights) {
  const TensorTable more = open_huggingface_weights(directory.folder(folder));
  for (ForeignTensor tensor : more.tensors()) {
    tensor.name = fmt::format("{}/{}", folder, tensor.name);
    weights.add(std::move(tensor));
  }
}

// Returns the languages of a model of one pair, if its directory names them, as MarianMT's do.
LanguagePair languages_in(const ModelDirectory& directory) {
  constexpr const char* kFile = "tokenizer_config.json";
  if (!directory.contains(kFile)) return {};
  ForeignConfig file =
      ForeignConfig::from_json(directory.text(kFile), directory.path() + "/" + kFile);
  return {file.text_or("source_lang", ""), file.text_or("target_lang", "")};
}

Opened open_huggingface(const ModelDirectory& directory) {
  ForeignConfig config =
      ForeignConfig::from_json(directory.text("config.json"), directory.path() + "/config.json");
  const ModelFamily& family = family_of(config);
  ForeignModel foreign = family.read(directory, config);
  config.require_all_known();
  TensorTable weights = with_separate_experts(open_huggingface_weights(directory), foreign.aliases);
  return {std::move(foreign), std::move(weights), std::string(family.name),
          std::string(family.description), languages_in(directory)};
}

Opened open_converted(Ctranslate2Model model, LanguagePair languages,
                      std::map<std::string, std::string> language_names = {}) {
  return {std::move(model.foreign), std::move(model.weights), "ctranslate2", "CTranslate2",
          std::move(languages),     std::move(language_names)};
}

Opened opened_checkpoint(CheckpointModel model) {
  return {std::move(model.foreign), std::move(model.weights), std::move(model.family),
          std::move(model.description), std::move(model.languages)};
}

[[noreturn]] void refuse_onnx(const std::string& path) {
  throw DataError(fmt::format(
      "{}: it is an ONNX graph, which lists operations and does not say what model they "
      "are; import the model that it was made from",
      path));
}

// eole names its weights so, and no program of transformers does.
constexpr const char* kEoleWeights = "model.00.safetensors";

[[noreturn]] void refuse_sockeye(const ModelDirectory& directory) {
  throw DataError(fmt::format(
      "{}: it is a model of Sockeye ({}), which is not supported; a model that `attend train` "
      "trains on its translations can take its place",
      directory.path(), kSockeyeWeights));
}

Opened open_model(const ModelDirectory& directory) {
  if (auto package = open_argos_package(directory))
    return open_converted(std::move(package->model), std::move(package->languages),
                          std::move(package->language_names));
  if (directory.contains(kCometSettings)) return opened_checkpoint(read_comet(directory));
  const bool has_config = directory.contains("config.json");
  // A binary model of Marian may have the name of CTranslate2's.
  if (auto native = has_config ? std::nullopt : open_native_marian(directory)) {
    LanguagePair languages = languages_in(directory);
    if (languages.source.empty()) languages = std::move(native->languages);
    return {std::move(native->foreign), std::move(native->weights), "marian", "native Marian",
            std::move(languages)};
  }
  if (auto model = open_ctranslate2(directory, directory))
    return open_converted(*std::move(model), languages_in(directory));
  if (directory.contains(kEoleWeights)) return opened_checkpoint(read_eole(directory));
  if (has_config) return open_huggingface(directory);
  if (const auto checkpoint = find_checkpoint(directory))
    return opened_checkpoint(open_checkpoint(directory, *checkpoint));
  if (directory.contains(kSockeyeWeights)) refuse_sockeye(directory);
  for (const std::string& name : directory.names())
    if (name.ends_with(kOnnx)) refuse_onnx(directory.path() + "/" + name);
  throw DataError(
      fmt::format("{}: expected config.json (Hugging Face), decoder.yml (Marian), model.bin "
                  "(CTranslate2) or a checkpoint *.pt (fairseq, OpenNMT-py), found none of them",
                  directory.path()));
}

std::shared_ptr<const SavedModel> with_languages(const std::shared_ptr<const SavedModel>& model,
                                                 const LanguagePair& own,
                                                 const LanguagePair& given) {
  const bool none_given = given.source.empty() && given.target.empty();
  const auto* translation = dynamic_cast<const TranslationModel*>(model.get());
  if (translation == nullptr) {
    if (none_given) return model;
    throw OptionError<ConfigError>("{}, {}: expected a translation model", as_flag("src-lang"),
                                   as_flag("tgt-lang"));
  }
  auto changed = std::make_shared<TranslationModel>(*translation);
  if (!translation->format.languages.empty()) {
    changed->format.set_defaults(given);
    return changed;
  }
  const auto set = [&](const char* side, const std::string& language) {
    if (!language.empty()) changed->text_kinds[side].language = language;
  };
  set("src", given.source.empty() ? own.source : given.source);
  set("tgt", given.target.empty() ? own.target : given.target);
  return changed;
}

Opened open_gguf_model(const std::filesystem::path& path) {
  GgufModel model = open_gguf(path);
  return {.foreign = std::move(model.foreign),
          .weights = std::move(model.weights),
          .family = std::move(model.family),
          .description = "llama.cpp",
          .is_quantized = model.is_quantized};
}

Tensor read_or_zero(Opened& opened, const ParameterSet::Entry& entry) {
  ForeignName name = opened.foreign.names.theirs(entry.name);
  omit_base(opened.foreign, opened.weights, name);
  const auto& zero = opened.foreign.zero_if_missing;
  if (!opened.weights.contains(name.name) &&
      std::find(zero.begin(), zero.end(), name.name) != zero.end())
    return Tensor::from(std::vector<float>(static_cast<std::size_t>(entry.shape.size())),
                        entry.shape);
  return read_parameter(opened.weights, name, entry.shape);
}

ImportedModel import_opened(Opened opened, const std::string& source,
                            const ImportOptions& options) {
  ForeignModel& foreign = opened.foreign;
  ImportedModel imported{{}, opened.family, std::move(foreign.remarks)};
  foreign.model = with_languages(foreign.model, opened.languages, options.languages);
  foreign.model->describe(imported.checkpoint);
  for (const ParameterSet::Entry& entry : foreign.model->parameters().entries())
    imported.checkpoint.tensors.push_back({entry.name, read_or_zero(opened, entry)});
  opened.weights.require_all_used(ignorable_tensors(foreign),
                                  fmt::format("{} model", with_article(opened.description)));
  imported.checkpoint.metadata[kFamilyKey] = imported.family;
  if (!opened.language_names.empty())
    imported.checkpoint.metadata[kLanguageNamesKey] =
        nlohmann::json(opened.language_names).dump(-1, ' ', false, kReplaceInvalid);
  imported.checkpoint.source = source;
  if (opened.is_quantized && !options.dequantize) {
    imported.checkpoint = quantize_model(imported.checkpoint);
  } else {
    add_golden_samples(imported.checkpoint, *load_model(imported.checkpoint));
  }
  return imported;
}

}  // namespace

ModelDirectory open_model_files(const std::filesystem::path& path) {
  std::error_code ignored;
  const bool is_file = std::filesystem::is_regular_file(path, ignored);
  return is_file ? read_argos_archive(path) : ModelDirectory(path);
}

ImportedModel import_model(const ModelDirectory& directory, const ImportOptions& options) {
  Opened opened = open_model(directory);
  for (const std::string& folder : opened.foreign.folders)
    add_folder(directory, folder, opened.weights);
  return import_opened(std::move(opened), directory.path(), options);
}

ImportedModel import_model(const std::filesystem::path& path, const ImportOptions& options) {
  if (is_gguf(path)) return import_opened(open_gguf_model(path), path.string(), options);
  if (path.extension() == kOnnx) refuse_onnx(path.string());
  if (is_checkpoint_file(path)) {
    const std::filesystem::path folder = path.has_parent_path() ? path.parent_path() : ".";
    CheckpointModel model = open_checkpoint(ModelDirectory(folder), path.filename().string());
    return import_opened(opened_checkpoint(std::move(model)), path.string(), options);
  }
  if (is_lightning_file(path)) {
    const ModelDirectory directory(path.has_parent_path() ? path.parent_path() / ".." : "..");
    return import_opened(opened_checkpoint(read_comet(directory, path.filename().string())),
                         path.string(), options);
  }
  return import_model(open_model_files(path), options);
}

}  // namespace attend
