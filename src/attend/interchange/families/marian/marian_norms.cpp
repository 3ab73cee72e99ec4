#include "attend/interchange/families/marian/marian_norms.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <string>
#include <utility>

namespace attend {

namespace {

// The operations between sublayers without dropout: "dan" is "an".
std::string without_dropout(ForeignConfig& config, const char* key) {
  std::string operations = config.text_or(key, "");
  std::erase(operations, 'd');
  return operations;
}

// Marian 1.11 was the first to normalize the input of keys and values of self-attention, too. The
// setting says which version trained the model.
bool normalizes_keys(ForeignConfig& config) {
  const std::string version = config.text_or("version", "");
  int major = 0, minor = 0;
  if (std::sscanf(version.c_str(), "v%d.%d", &major, &minor) != 2)
    config.refuse("version",
                  "expected a version, such as v1.12.0: it says what transformer-preprocess "
                  "normalizes");
  return std::pair(major, minor) >= std::pair(1, 11);
}

}  // namespace

void read_marian_norms(ForeignConfig& config, TransformerConfig& shape) {
  const std::string before = without_dropout(config, "transformer-preprocess"),
                    after = without_dropout(config, "transformer-postprocess"),
                    output = without_dropout(config, "transformer-postprocess-top"),
                    embedding = without_dropout(config, "transformer-postprocess-emb");
  const std::string kind =
      before.empty() ? after.substr(std::min<std::size_t>(1, after.size())) : before;
  shape.norm_first = !before.empty();
  if (kind != "n" && kind != "r")
    config.refuse(shape.norm_first ? "transformer-preprocess" : "transformer-postprocess",
                  "supported: the residual connection and normalization after a sublayer (dan, "
                  "dar), and normalization before it (n, r)");
  if (after != (shape.norm_first ? "a" : "a" + kind))
    config.refuse("transformer-postprocess",
                  "supported: dan, dar and, with transformer-preprocess, da");
  const auto is_normalized = [&](const char* key, const std::string& operations) {
    if (!operations.empty() && operations != kind)
      config.refuse(key, fmt::format("only {} is supported, as elsewhere in the model", kind));
    return !operations.empty();
  };
  const bool normalizes_output = is_normalized("transformer-postprocess-top", output);
  if (normalizes_output != shape.norm_first)
    shape.norm_output = normalizes_output ? OutputNorm::on : OutputNorm::off;
  shape.norm_embedding = is_normalized("transformer-postprocess-emb", embedding);
  shape.norm = {kind == "r" ? NormKind::rms : NormKind::layer, 1e-6f};
  if (shape.norm_first) shape.norm_keys = normalizes_keys(config);
}

}  // namespace attend
