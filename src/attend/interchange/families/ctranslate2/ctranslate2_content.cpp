#include "attend/interchange/families/ctranslate2/ctranslate2_content.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <variant>

#include "attend/error.h"
#include "attend/interchange/families/ctranslate2/ctranslate2_names.h"
#include "attend/interchange/families/ctranslate2/ctranslate2_shape.h"

namespace attend {

namespace {

constexpr std::uint32_t kPairRevision = 7, kLanguageRevision = 8;
constexpr const char *kSourceTable = "encoder/embeddings_0/weight",
                     *kTargetTable = "decoder/embeddings/weight",
                     *kOutput = "decoder/projection/weight",
                     *kPositionEncodings = "position_encodings/encodings",
                     *kDistances = "self_attention/relative_attention_bias";
// Rows of a table of sinusoids, which have no end in ours.
constexpr std::int64_t kTabulated = 1024;

// One of the stacks of a model.
class WrittenStack {
 public:
  WrittenStack(const StackConfig& shape, std::string scope, int layers, Ctranslate2Content& content)
      : shape_(shape), scope_(std::move(scope)), layers_(layers), content_(content) {}

  // `heads`: the kinds of attention in a layer.
  void describe(std::initializer_list<const char*> attentions) {
    add("num_heads", ElementType::i16, shape_.n_heads);
    add("pre_norm", ElementType::i8, shape_.norm_first);
    const auto& all = kCtranslate2Activations;
    const auto code = std::find(all.begin(), all.end(), shape_.activation);
    if (code == all.end()) throw ConfigError("its feed-forward network has no activation");
    add("activation", ElementType::i8, static_cast<double>(code - all.begin()));
    const bool usual_scale = shape_.embedding_scale == 0.0f;
    add("scale_embeddings", usual_scale ? ElementType::i8 : ElementType::f32,
        usual_scale ? 1.0 : shape_.embedding_scale);
    for (int layer = 0; layer < layers_; ++layer) {
      if (shape_.attention.inverse_temperature > 0.0f)
        for (const char* attention : attentions)
          add(fmt::format("layer_{}/{}/queries_scale", layer, attention), ElementType::f32,
              shape_.attention.inverse_temperature);
      describe_self_attention(fmt::format("layer_{}/self_attention", layer), layer);
    }
    if (is_added(shape_.positions) && shape_.positions != PositionKind::learned) add_sinusoids();
  }

 private:
  void add(const std::string& name, ElementType type, double value) {
    content_.settings.push_back({fmt::format("{}/{}", scope_, name), type, value});
  }

  void describe_self_attention(const std::string& name, int layer) {
    if (shape_.n_key_heads > 0) add(name + "/num_heads_kv", ElementType::i32, shape_.n_key_heads);
    if (shape_.positions == PositionKind::relative) {
      add(name + "/relative_attention_max_distance", ElementType::i32, shape_.relative.distance);
      if (shape_.relative.shared && layer > 0)
        content_.aliases.emplace_back(fmt::format("{}/layer_{}/{}", scope_, layer, kDistances),
                                      fmt::format("{}/layer_0/{}", scope_, kDistances));
    }
    if (shape_.positions != PositionKind::rotary) return;
    add(name + "/rotary_dim", ElementType::i32, 0);
    add(name + "/rotary_interleave", ElementType::i8, 0);
    add(name + "/rotary_base", ElementType::f32, shape_.rotary.theta);
    if (shape_.d_key > 0) add(name + "/head_dim", ElementType::i32, shape_.d_key);
    if (shape_.rotary.scaling == RotaryScaling::none) return;
    add(name + "/rotary_scaling_type", ElementType::i8, 0);
    add(name + "/rotary_scaling_factor", ElementType::f32, shape_.rotary.factor);
  }

  // Positions are computed from 1 on where there is no table, with sines before cosines.
  void add_sinusoids() {
    const std::string name = fmt::format("{}/{}", scope_, kPositionEncodings);
    const Tensor all =
        sinusoids(shape_.positions, shape_.first_position + kTabulated, shape_.d_model).to_host();
    content_.weights.push_back(
        {name, all.slice_rows(shape_.first_position, shape_.first_position + kTabulated)});
  }

  const StackConfig& shape_;
  std::string scope_;
  int layers_;
  Ctranslate2Content& content_;
};

void add_weights(const SavedModel& model, const Checkpoint& values, const NameMap& names,
                 Ctranslate2Content& content) {
  ForeignTensors weights;
  for (const ParameterSet::Entry& entry : model.parameters().entries())
    weights.add(names.theirs(entry.name), values.tensor(entry.name).to_host());
  for (NamedTensor& weight : weights.finish()) content.weights.push_back(std::move(weight));
}

}  // namespace

Ctranslate2Content ctranslate2_content(const TranslationModel& model, const Checkpoint& values) {
  const ArchitectureConfig architecture = model.network->architecture();
  const auto* const shape = std::get_if<TransformerConfig>(&architecture);
  if (shape == nullptr) throw ConfigError("arch is rnn");
  Ctranslate2Content content{"TransformerSpec", kPairRevision};
  WrittenStack(*shape, "encoder", shape->n_encoder_layers, content).describe({"self_attention"});
  const StackConfig decoder = shape->decoder();
  WrittenStack(decoder, "decoder", shape->n_decoder_layers, content)
      .describe({"self_attention", "attention"});
  if (shape->output_scale != 1.0f)
    content.settings.push_back({"decoder/scale_outputs", ElementType::f32, shape->output_scale});
  const ForeignEmbeddings embeddings =
      named_embeddings(shape->tie_embeddings, kSourceTable,
                       shares_inputs(shape->tie_embeddings) ? kSourceTable : kTargetTable, kOutput);
  add_weights(model, values, ctranslate2_names(*shape, embeddings, false), content);
  if (shares_inputs(shape->tie_embeddings))
    content.aliases.emplace_back(kTargetTable, kSourceTable);
  if (shape->tie_embeddings == TiedEmbeddings::all)
    content.aliases.emplace_back(kOutput, kSourceTable);
  if (shape->tie_embeddings == TiedEmbeddings::target)
    content.aliases.emplace_back(kOutput, kTargetTable);
  return content;
}

Ctranslate2Content ctranslate2_content(const LanguageModel& model, const Checkpoint& values) {
  const LanguageTransformerConfig& shape = model.network->config();
  Ctranslate2Content content{"TransformerDecoderSpec", kLanguageRevision};
  WrittenStack(shape, "decoder", shape.n_layers, content).describe({"self_attention"});
  if (shape.positions == PositionKind::alibi)
    for (const char* name : {"decoder/alibi", "decoder/alibi_use_positive_positions"})
      content.settings.push_back({name, ElementType::i8, 1});
  add_weights(model, values, ctranslate2_language_names(), content);
  join_ctranslate2_heads(content.weights);
  if (shape.tied) content.aliases.emplace_back(kOutput, kTargetTable);
  return content;
}

}  // namespace attend
