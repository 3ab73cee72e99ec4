#include "attend/interchange/families/gguf/gguf_gemma.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <vector>

#include "attend/interchange/families/layer_types.h"

namespace attend {

namespace {

constexpr std::array<std::string_view, 3> kGemmas{"gemma", "gemma2", "gemma3"};
constexpr const char *kWindow = "attention.sliding_window",
                     *kPattern = "attention.sliding_window_pattern",
                     *kLocalBase = "rope.freq_base_swa", *kAttentionCap = "attn_logit_softcapping",
                     *kLogitCap = "final_logit_softcapping";
constexpr NumberRange kCaps = above(0, 1e6), kBases = between(1, 1e9);
constexpr std::int64_t kUsualWindow = 4096;  // of Gemma 2
constexpr double kUsualLocalBase = 1e4;      // of Gemma 3

std::int64_t usual_period(int version) { return version == 2 ? 2 : 6; }

// The last layer of each `period` sees everything; 0: none does.
std::vector<LayerKind> kinds_with(std::int64_t period, std::int64_t layers) {
  std::vector<LayerKind> kinds;
  for (std::int64_t i = 1; i <= layers; ++i)
    kinds.push_back(period > 0 && i % period == 0 ? LayerKind::global : LayerKind::local);
  return kinds;
}

// Models of 27 billion parameters, which llama.cpp knows by their depth, divide scores by the root
// of this width; files do not say so.
bool has_scale_of_width(int version, std::int64_t layers) {
  return layers == (version == 2 ? 46 : 62);
}

class GemmaReader {
 public:
  GemmaReader(ForeignConfig& metadata, int version, const std::string& prefix,
              nlohmann::json& config)
      : metadata_(metadata), version_(version), prefix_(prefix), config_(config) {}

  void read() {
    config_["model_type"] = version_ == 3 ? "gemma3_text" : kGemmas[index()];
    config_.erase("hidden_act");
    config_[version_ == 1 ? "hidden_act" : "hidden_activation"] = "gelu_pytorch_tanh";
    if (version_ < 3) config_["tie_word_embeddings"] = true;
    if (config_.contains("rope_scaling") && config_["rope_scaling"]["rope_type"] != "linear")
      metadata_.refuse(key("rope.scaling.type"), "only none and linear are supported there");
    if (version_ == 1) return;
    const bool is_largest = has_scale_of_width(version_, layers());
    const std::int64_t width = config_["hidden_size"], heads = config_["num_attention_heads"];
    config_["query_pre_attn_scalar"] = is_largest ? width / heads : config_["head_dim"].get<int>();
    read_window();
    read_caps();
  }

 private:
  std::size_t index() const { return static_cast<std::size_t>(version_ - 1); }
  std::string key(std::string_view name) const { return fmt::format("{}{}", prefix_, name); }
  std::int64_t layers() const { return config_["num_hidden_layers"]; }

  void read_window() {
    std::vector<LayerKind> kinds = read_pattern();
    if (version_ == 3 && metadata_.integer_or(key(kWindow), 0, between(0, 1e9)) == 0) {
      kinds.assign(kinds.size(), LayerKind::global);
    } else {
      config_["sliding_window"] = metadata_.integer_or(key(kWindow), kUsualWindow, kWindows);
    }
    config_["layer_types"] = layer_types_json(kinds);
    const double global = config_["rope_theta"],
                 local = metadata_.number_or(key(kLocalBase),
                                             version_ == 2 ? global : kUsualLocalBase, kBases);
    if (version_ == 3) config_["rope_local_base_freq"] = local;
    if (version_ == 2 && local != global)
      metadata_.refuse(key(kLocalBase), "only that of other layers is supported");
  }

  // A list with an entry for each layer, or the period.
  std::vector<LayerKind> read_pattern() {
    if (!metadata_.has(key(kPattern))) return kinds_with(usual_period(version_), layers());
    if (metadata_.is_number(key(kPattern)))
      return kinds_with(metadata_.integer(key(kPattern), between(0, 1e6)), layers());
    const std::vector<bool> is_local = metadata_.booleans(key(kPattern));
    if (std::ssize(is_local) != layers())
      metadata_.refuse(key(kPattern), fmt::format("expected one for each of {} layers", layers()));
    std::vector<LayerKind> kinds;
    for (const bool local : is_local) kinds.push_back(local ? LayerKind::local : LayerKind::global);
    return kinds;
  }

  void read_caps() {
    if (version_ == 2) {
      config_["attn_logit_softcapping"] = metadata_.number_or(key(kAttentionCap), 50, kCaps);
      config_["final_logit_softcapping"] = metadata_.number_or(key(kLogitCap), 30, kCaps);
      return;
    }
    metadata_.ignore({key(kAttentionCap)});  // llama.cpp does not read it
    const double cap = metadata_.number_or(key(kLogitCap), 0, between(0, 1e6));
    if (cap > 0) config_["final_logit_softcapping"] = cap;
  }

  ForeignConfig& metadata_;
  int version_;
  const std::string& prefix_;
  nlohmann::json& config_;
};

}  // namespace

int gemma_version(std::string_view architecture) {
  const auto found = std::find(kGemmas.begin(), kGemmas.end(), architecture);
  return found == kGemmas.end() ? 0 : static_cast<int>(found - kGemmas.begin()) + 1;
}

void read_gguf_gemma(ForeignConfig& metadata, int version, const std::string& prefix,
                     nlohmann::json& config) {
  GemmaReader(metadata, version, prefix, config).read();
}

void add_gguf_gemma(const LanguageTransformerConfig& shape, int version, const std::string& prefix,
                    GgufEntries& entries) {
  if (version == 1) return;
  if (shape.attention_window > 0) {
    entries.add_count(prefix + kWindow, shape.attention_window);
    const std::vector<LayerKind> kinds = shape.kinds_of_layers(shape.n_layers);
    std::vector<bool> is_local;
    for (const LayerKind kind : kinds) is_local.push_back(kind == LayerKind::local);
    if (kinds != kinds_with(usual_period(version), shape.n_layers))
      entries.add(prefix + kPattern, is_local);
  }
  if (shape.local_rotary_theta > 0)
    entries.add_number(prefix + kLocalBase, shape.local_rotary_theta);
  if (version == 2) entries.add_number(prefix + kAttentionCap, shape.attention_cap);
  if (shape.logit_cap > 0) entries.add_number(prefix + kLogitCap, shape.logit_cap);
}

}  // namespace attend
