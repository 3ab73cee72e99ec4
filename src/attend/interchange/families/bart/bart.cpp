// BART (Lewis et al. 2020) and Pegasus (Zhang et al. 2020), which write summaries, as transformers
// has them.
#include <fmt/format.h>

#include "attend/core/strings/quote.h"
#include "attend/error.h"
#include "attend/interchange/families/bart/bart_type.h"
#include "attend/interchange/families/bart/bart_type_writing.h"
#include "attend/interchange/writing/equal_models.h"
#include "attend/tasks/model_file/model_reading.h"
#include "attend/tasks/translation/model.h"
#include "attend/text/sentencepiece/sentencepiece_writing.h"
#include "attend/text/tokenizer_file.h"

namespace attend {

namespace {

ForeignModel summarizer(const BartTypeModel& model, const ForeignTokenizer& read,
                        const GenerationSettings& generation, ForeignConfig& config) {
  PairFormat format{.marks = {read.prefix, read.suffix, {}}};
  if (!generation.start) config.refuse("decoder_start_token_id", "expected a token");
  format.marks.before_target = {*generation.start};
  if (generation.first) format.marks.before_target.push_back(*generation.first);
  return bart_type_model(model, read.tokenizer, generation, std::move(format));
}

}  // namespace

ForeignModel read_bart(const ModelDirectory& directory, ForeignConfig& config) {
  ignore_common_settings(config);
  const BartTypeModel model = read_bart_type_model(directory, config, {.norm_embedding = true});
  const int vocabulary = model.shape.src_vocab_size;
  GenerationSettings generation = read_generation(directory, config, vocabulary);
  // The older way to force the first token.
  if (config.boolean_or("force_bos_token_to_be_generated", false))
    generation.first = read_int(config, "bos_token_id", between(0, vocabulary - 1));
  config.ignore(
      {"save_step", "replacing_rate", "student_encoder_layers", "student_decoder_layers"});
  const ForeignTokenizer tokenizer = read_tokenizer_of(directory, vocabulary);
  ForeignModel foreign = summarizer(model, tokenizer, generation, config);
  if (const std::string prefix = config.text_or("prefix", ""); !prefix.empty())
    foreign.remarks.push_back(fmt::format(
        "pipelines of transformers put {} before every text; attend does not", quote(prefix)));
  return foreign;
}

ForeignModel read_pegasus(const ModelDirectory& directory, ForeignConfig& config) {
  ignore_common_settings(config);
  const BartTypeModel model = read_bart_type_model(
      directory, config, {.norm_first = true, .positions = PositionKind::sinusoidal_halves});
  const int vocabulary = model.shape.src_vocab_size;
  const GenerationSettings generation = read_generation(directory, config, vocabulary);
  config.require("force_bos_token_to_be_generated", false);
  const ForeignTokenizer tokenizer = read_tokenizer_of(directory, vocabulary);
  return summarizer(model, tokenizer, generation, config);
}

namespace {

// The tokenizer of a model of one vocabulary and one pair of languages. Throws ConfigError.
const Tokenizer& joint_tokenizer(const TranslationModel& model) {
  if (model.tokenizers().size() > 1) throw ConfigError("two vocabularies");
  return model.tgt_tokenizer;
}

bool is_reordered(const Tokenizer& tokenizer) {
  return !detail::is_tokenizer_file(tokenizer.bytes()) &&
         is_reordered_sentencepiece(tokenizer.bytes());
}

TextSpecialTokens marks_of(const TranslationModel& model) {
  return {model.format.marks.before_source, model.format.marks.after_source};
}

constexpr int kFirstUnknown = 2;  // <unk_2> follows <pad>, </s> and two masks

// The pieces of the SentencePiece model: those after the ones that Pegasus puts before them.
void write_pegasus_pieces(const Tokenizer& tokenizer, TextFiles& files) {
  const std::int32_t unknown = tokenizer.unk_id();
  std::vector<std::string> own{"<pad>", "</s>"};
  for (std::int32_t id = unknown; id < tokenizer.vocab_size(); ++id)
    if (tokenizer.piece(id) != filler_piece(id)) own.push_back(tokenizer.piece(id));
  files["spiece.model"] = restore_sentencepiece(tokenizer.bytes(), own);
  files["tokenizer_config.json"] = write_tokenizer_config(
      tokenizer, {{"tokenizer_class", "PegasusTokenizer"}, {"offset", unknown - kFirstUnknown}});
}

// A model of attend, in the words of Pegasus: all sines before all cosines, and a bias on its
// logits.
TransformerConfig use_words_of_pegasus(const TranslationModel& model, Checkpoint& equal) {
  const auto shape = read_options<TransformerConfig>(equal, "attend.config");
  if (shape.positions == PositionKind::sinusoidal) separate_sines_from_cosines(equal);
  if (!shape.output_bias) add_output_bias(equal, model.tgt_tokenizer.vocab_size());
  return read_options<TransformerConfig>(equal, "attend.config");
}

}  // namespace

std::optional<TextFiles> write_bart(const SavedModel& saved, Checkpoint& equal) {
  const TranslationModel* const model = as_transformer(saved);
  if (model == nullptr || !model->format.languages.empty()) return std::nullopt;
  const auto shape = read_options<TransformerConfig>(equal, "attend.config");
  TextFiles files;
  files["config.json"] =
      write_json(bart_type_config(*model, shape, "bart", "BartForConditionalGeneration"));
  files[kGenerationConfig] = write_json(generation_json(*model, shape.max_positions));
  write_tokenizer_files(joint_tokenizer(*model), marks_of(*model), {}, files, equal);
  return files;
}

std::optional<TextFiles> write_pegasus(const SavedModel& saved, Checkpoint& equal) {
  const TranslationModel* const model = as_transformer(saved);
  if (model == nullptr || !model->format.languages.empty()) return std::nullopt;
  const Tokenizer& tokenizer = joint_tokenizer(*model);
  const TransformerConfig shape = use_words_of_pegasus(*model, equal);
  TextFiles files;
  nlohmann::ordered_json config =
      bart_type_config(*model, shape, "pegasus", "PegasusForConditionalGeneration");
  nlohmann::ordered_json generation = generation_json(*model, kUsualLength);
  // The padding token is the one that the decoder begins with.
  config["pad_token_id"] = generation["pad_token_id"] = config["decoder_start_token_id"];
  files["config.json"] = write_json(config);
  files[kGenerationConfig] = write_json(generation);
  if (is_reordered(tokenizer)) {
    write_pegasus_pieces(tokenizer, files);
  } else {
    const std::int32_t start = model->format.marks.before_target.front();
    write_tokenizer_files(tokenizer, marks_of(*model),
                          {{"pad_token", needed_piece(tokenizer, start, "begins a translation")}},
                          files, equal);
  }
  return files;
}

}  // namespace attend
