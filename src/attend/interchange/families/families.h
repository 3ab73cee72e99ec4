// The families of models that can be imported and exported. A function read_... reads the settings
// and the tokenizers of a directory; all throw DataError naming what is not supported. A function
// write_... is the other direction (ModelFamily::write).
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "attend/core/options/number_range.h"
#include "attend/interchange/foreign_model.h"
#include "attend/interchange/tokenizers/tokenizer_directory.h"
#include "attend/interchange/writing/tokenizer_writing.h"
#include "attend/models/stack/stack_config.h"
#include "attend/tasks/language/model.h"
#include "attend/tasks/translation/model.h"

namespace attend {

ForeignModel read_marian(const ModelDirectory& directory, ForeignConfig& config);
ForeignModel read_bart(const ModelDirectory& directory, ForeignConfig& config);
ForeignModel read_pegasus(const ModelDirectory& directory, ForeignConfig& config);
ForeignModel read_m2m_100(const ModelDirectory& directory, ForeignConfig& config);
ForeignModel read_mbart(const ModelDirectory& directory, ForeignConfig& config);
ForeignModel read_gpt2(const ModelDirectory& directory, ForeignConfig& config);
ForeignModel read_llama(const ModelDirectory& directory, ForeignConfig& config);
ForeignModel read_mistral(const ModelDirectory& directory, ForeignConfig& config);
ForeignModel read_qwen2(const ModelDirectory& directory, ForeignConfig& config);
ForeignModel read_qwen3(const ModelDirectory& directory, ForeignConfig& config);
ForeignModel read_mixtral(const ModelDirectory& directory, ForeignConfig& config);
ForeignModel read_qwen2_moe(const ModelDirectory& directory, ForeignConfig& config);
ForeignModel read_qwen3_moe(const ModelDirectory& directory, ForeignConfig& config);
ForeignModel read_phi3(const ModelDirectory& directory, ForeignConfig& config);
ForeignModel read_olmo2(const ModelDirectory& directory, ForeignConfig& config);
ForeignModel read_gpt_neox(const ModelDirectory& directory, ForeignConfig& config);
ForeignModel read_stablelm(const ModelDirectory& directory, ForeignConfig& config);
ForeignModel read_granite(const ModelDirectory& directory, ForeignConfig& config);
ForeignModel read_phi(const ModelDirectory& directory, ForeignConfig& config);
ForeignModel read_falcon(const ModelDirectory& directory, ForeignConfig& config);
ForeignModel read_gptj(const ModelDirectory& directory, ForeignConfig& config);
ForeignModel read_cohere(const ModelDirectory& directory, ForeignConfig& config);
ForeignModel read_mpt(const ModelDirectory& directory, ForeignConfig& config);
ForeignModel read_smollm3(const ModelDirectory& directory, ForeignConfig& config);
ForeignModel read_gemma(const ModelDirectory& directory, ForeignConfig& config);
ForeignModel read_gemma2(const ModelDirectory& directory, ForeignConfig& config);
ForeignModel read_gemma3(const ModelDirectory& directory, ForeignConfig& config);
ForeignModel read_bert(const ModelDirectory& directory, ForeignConfig& config);
ForeignModel read_distilbert(const ModelDirectory& directory, ForeignConfig& config);
ForeignModel read_roberta(const ModelDirectory& directory, ForeignConfig& config);
ForeignModel read_mpnet(const ModelDirectory& directory, ForeignConfig& config);
ForeignModel read_electra(const ModelDirectory& directory, ForeignConfig& config);
ForeignModel read_albert(const ModelDirectory& directory, ForeignConfig& config);
ForeignModel read_nomic_bert(const ModelDirectory& directory, ForeignConfig& config);
ForeignModel read_gte(const ModelDirectory& directory, ForeignConfig& config);
ForeignModel read_modernbert(const ModelDirectory& directory, ForeignConfig& config);
ForeignModel read_deberta_v2(const ModelDirectory& directory, ForeignConfig& config);
ForeignModel read_t5(const ModelDirectory& directory, ForeignConfig& config);
ForeignModel read_mt5(const ModelDirectory& directory, ForeignConfig& config);
ForeignModel read_umt5(const ModelDirectory& directory, ForeignConfig& config);
ForeignModel read_longt5(const ModelDirectory& directory, ForeignConfig& config);
ForeignModel read_t5gemma(const ModelDirectory& directory, ForeignConfig& config);
ForeignModel read_bloom(const ModelDirectory& directory, ForeignConfig& config);
ForeignModel read_opt(const ModelDirectory& directory, ForeignConfig& config);

std::optional<TextFiles> write_marian(const SavedModel& model, Checkpoint& equal);
std::optional<TextFiles> write_bart(const SavedModel& model, Checkpoint& equal);
std::optional<TextFiles> write_pegasus(const SavedModel& model, Checkpoint& equal);
std::optional<TextFiles> write_m2m_100(const SavedModel& model, Checkpoint& equal);
std::optional<TextFiles> write_mbart(const SavedModel& model, Checkpoint& equal);
std::optional<TextFiles> write_bert(const SavedModel& model, Checkpoint& equal);
std::optional<TextFiles> write_distilbert(const SavedModel& model, Checkpoint& equal);
std::optional<TextFiles> write_roberta(const SavedModel& model, Checkpoint& equal);
std::optional<TextFiles> write_xlm_roberta(const SavedModel& model, Checkpoint& equal);
std::optional<TextFiles> write_camembert(const SavedModel& model, Checkpoint& equal);
std::optional<TextFiles> write_mpnet(const SavedModel& model, Checkpoint& equal);
std::optional<TextFiles> write_electra(const SavedModel& model, Checkpoint& equal);
std::optional<TextFiles> write_albert(const SavedModel& model, Checkpoint& equal);
std::optional<TextFiles> write_nomic_bert(const SavedModel& model, Checkpoint& equal);
std::optional<TextFiles> write_gte(const SavedModel& model, Checkpoint& equal);
std::optional<TextFiles> write_modernbert(const SavedModel& model, Checkpoint& equal);
std::optional<TextFiles> write_deberta_v2(const SavedModel& model, Checkpoint& equal);
std::optional<TextFiles> write_gpt2(const SavedModel& model, Checkpoint& equal);
std::optional<TextFiles> write_llama(const SavedModel& model, Checkpoint& equal);
std::optional<TextFiles> write_mistral(const SavedModel& model, Checkpoint& equal);
std::optional<TextFiles> write_qwen2(const SavedModel& model, Checkpoint& equal);
std::optional<TextFiles> write_qwen3(const SavedModel& model, Checkpoint& equal);
std::optional<TextFiles> write_mixtral(const SavedModel& model, Checkpoint& equal);
std::optional<TextFiles> write_qwen2_moe(const SavedModel& model, Checkpoint& equal);
std::optional<TextFiles> write_qwen3_moe(const SavedModel& model, Checkpoint& equal);
std::optional<TextFiles> write_phi3(const SavedModel& model, Checkpoint& equal);
std::optional<TextFiles> write_olmo2(const SavedModel& model, Checkpoint& equal);
std::optional<TextFiles> write_gpt_neox(const SavedModel& model, Checkpoint& equal);
std::optional<TextFiles> write_stablelm(const SavedModel& model, Checkpoint& equal);
std::optional<TextFiles> write_granite(const SavedModel& model, Checkpoint& equal);
std::optional<TextFiles> write_phi(const SavedModel& model, Checkpoint& equal);
std::optional<TextFiles> write_falcon(const SavedModel& model, Checkpoint& equal);
std::optional<TextFiles> write_gptj(const SavedModel& model, Checkpoint& equal);
std::optional<TextFiles> write_cohere(const SavedModel& model, Checkpoint& equal);
std::optional<TextFiles> write_mpt(const SavedModel& model, Checkpoint& equal);
std::optional<TextFiles> write_smollm3(const SavedModel& model, Checkpoint& equal);
std::optional<TextFiles> write_gemma(const SavedModel& model, Checkpoint& equal);
std::optional<TextFiles> write_gemma2(const SavedModel& model, Checkpoint& equal);
std::optional<TextFiles> write_gemma3(const SavedModel& model, Checkpoint& equal);
// The same, and EmbeddingGemma.
std::optional<TextFiles> write_gemma3_or_embedder(const SavedModel& model, Checkpoint& equal);
std::optional<TextFiles> write_t5(const SavedModel& model, Checkpoint& equal);
std::optional<TextFiles> write_mt5(const SavedModel& model, Checkpoint& equal);
std::optional<TextFiles> write_umt5(const SavedModel& model, Checkpoint& equal);
std::optional<TextFiles> write_longt5(const SavedModel& model, Checkpoint& equal);
std::optional<TextFiles> write_t5gemma(const SavedModel& model, Checkpoint& equal);
std::optional<TextFiles> write_bloom(const SavedModel& model, Checkpoint& equal);
std::optional<TextFiles> write_opt(const SavedModel& model, Checkpoint& equal);

// Settings of config.json that describe training or other programs, not what the model computes.
void ignore_common_settings(ForeignConfig& config);

// One of the activations that transformers knows by name; nullopt: another.
std::optional<Activation> activation_named(std::string_view name);
Activation read_activation(ForeignConfig& config, std::string_view key);
std::string_view write_activation(Activation activation);

inline constexpr const char* kGenerationConfig = "generation_config.json";
std::string write_json(nlohmann::ordered_json json);

// A layer count, width or the like: an integer in its range.
int read_int(ForeignConfig& config, std::string_view key, const NumberRange& range);
// A share of elements that dropout zeroes in training.
float read_dropout(ForeignConfig& config, std::string_view key, double otherwise);

// The texts of the files in the directory, while it lives.
FileText texts_of(const ModelDirectory& directory);
// The tokenizer in the directory, from whichever files say what it is. A model may have more
// embeddings than the vocabulary has pieces; the others become pieces that are in no text. Throws
// DataError if there are more of them than kMostUnusedPieces, or more pieces than embeddings.
ForeignTokenizer read_tokenizer_of(const ModelDirectory& directory, int embeddings = 0);
// Throws DataError unless the tokenizer has as many pieces as the model has embeddings.
void require_vocabulary(const ModelDirectory& directory, const Tokenizer& tokenizer, int size);
// Throws DataError for a token that the files of the tokenizer add beside those in `known`, for
// classes of tokenizers that do not read them here.
void refuse_added_tokens(const ModelDirectory& directory, const VocabularyOrder& known);

// The pieces that stand for nothing, and a remark where there are some.
std::vector<std::int32_t> fillers_of(const Tokenizer& tokenizer);
void remark_fillers(const Tokenizer& tokenizer, std::vector<std::string>& remarks);

// A remark where the SentencePiece model in the file `name` has pieces without an id.
void remark_unknown_pieces(std::string_view name, std::string_view bytes,
                           const VocabularyOrder& order, std::vector<std::string>& remarks);

// Writes tokenizer.json and tokenizer_config.json, with `settings` beside the special tokens. Our
// bytes may come back as others that cut text into the same tokens, which are then those of
// `equal`. Throws ConfigError for a tokenizer without an equal.
void write_tokenizer_files(const Tokenizer& tokenizer, const TextSpecialTokens& marks,
                           const nlohmann::json& settings, TextFiles& files, Checkpoint& equal);

// A language model of this shape for documents of up to `length` tokens, with the tokenizer, the
// settings of generation and the chat template of the directory, if there is one.
ForeignModel language_model_of(const ModelDirectory& directory, ForeignConfig& config,
                               LanguageTransformerConfig shape, int length, NameMap names);

// What config.json says of every language model, `type` and `architecture` the names of its family.
nlohmann::ordered_json language_config(std::string_view type, std::string_view architecture,
                                       const LanguageModel& model,
                                       const LanguageTransformerConfig& shape);
// The files of a language model: `config` is config.json.
TextFiles write_language_files(const LanguageModel& model, const nlohmann::ordered_json& config,
                               Checkpoint& equal);

}  // namespace attend
