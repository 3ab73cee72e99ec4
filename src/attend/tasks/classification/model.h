// A saved text classifier: see saved_model.h, and
//
//   metadata   attend.task    "classification"
//              attend.config  the ClassifierConfig, as JSON
//              attend.text    the TextLengthOptions, as JSON: how texts are truncated
//              attend.labels  the class names, a JSON array in the order of the logits; of a
//                             regression, the name of the number
//              attend.pairs   "true" if it was trained on pairs of texts; else absent
//              attend.cross_encoder  of a regression that is a cross-encoder of another program:
//                             "sigmoid" or "none", what its output goes through
//              attend.activation_fn  what CrossEncoder of sentence-transformers applies to the
//                             outputs of another program's model, unless it follows from the rest
//   tensors    tokenizer
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "attend/checkpoint/checkpoint.h"
#include "attend/models/text_classifier.h"
#include "attend/tasks/model_file/encoder_model.h"
#include "attend/text/tokenizer.h"

namespace attend {

struct ClassificationModel final : EncoderModel<TextClassifier> {
  static constexpr std::string_view kTask = "classification";

  std::vector<std::string> labels;
  TextLengthOptions length;
  bool pairs = false;  // trained on pairs of texts
  // A cross-encoder of another program has sigmoid or none, its standard function.
  std::optional<OutputFunction> cross_encoder_function = {};
  // What sentence-transformers applies to the outputs, as a class of PyTorch: see activation().
  static constexpr const char *kSigmoid = "torch.nn.modules.activation.Sigmoid",
                              *kIdentity = "torch.nn.modules.linear.Identity";
  std::string saved_activation = {};
  // The same, if none is saved: the sigmoid for one output that is no number trained here.
  std::string activation() const;

  ClassificationModel(std::shared_ptr<TextClassifier> network, Tokenizer tokenizer,
                      std::vector<std::string> labels, TextLengthOptions length);

  // No bos unless the classifier uses the first token or its option bos says so.
  SpecialTokens special() const override;
  TextLengthOptions text_length() const override { return length; }
  ProblemType problem_type() const { return network->config().problem_type; }
  TextFormat format() const { return {special(), length, pairs, network->config().separators}; }
  // What the classifier reads of a text, or of a pair with a tab between. Throws DataError for a
  // pair without exactly one.
  PairInput input(std::string_view text) const;
  std::vector<std::int32_t> ids(std::string_view text) const { return input(text).ids; }
  // The types of the tokens: the second for those of a second text, after the first eos. None
  // where the network has no types.
  Ids token_types(const Ragged& texts) const;
  // The same for texts that may have eos tokens in them. `second`: PairInput::second of each.
  Ids token_types(const Ragged& texts, std::span<const std::size_t> second) const;
  // B texts -> logits [B, C].
  Variable logits(const Ragged& texts, Pass& pass) const {
    return logits(texts, pass, token_types(texts));
  }
  Variable logits(const Ragged& texts, Pass& pass, const Ids& types) const {
    return network->forward(texts, pass, types);
  }
  // B texts -> what the output layer reads [B, D].
  Variable features(const Ragged& texts, Pass& pass) const;

  std::string_view task() const override { return kTask; }
  Metadata configuration() const override;
  GoldenFormat golden_format() const override {
    return {{{"text", &tokenizer}},
            problem_type() == ProblemType::regression ? "values" : "log_probabilities",
            "classified texts"};
  }
  // Returns what class_scores() returns.
  Tensor outputs(const Ragged& texts) const override;
};

// Throws IoError, or DataError for a damaged file or another kind of model.
ClassificationModel load_classification_model(const std::filesystem::path& path);
ClassificationModel classification_model(const Checkpoint& checkpoint);

// The outputs [B, C] for ragged ids [B texts]. No gradients. Throws like class_scores().
Tensor class_logits(const ClassificationModel& model, const Ragged& texts, const Ids& types);

// log p(class | text) of ragged ids [B texts] -> [B, C], of each class alone where a text may have
// several; of a regression the numbers [B, 1]. No gradients. Throws NotFiniteError if one is not
// finite.
Tensor class_scores(const ClassificationModel& model, const Ragged& texts, const Ids& types);
inline Tensor class_scores(const ClassificationModel& model, const Ragged& texts) {
  return class_scores(model, texts, model.token_types(texts));
}

}  // namespace attend
