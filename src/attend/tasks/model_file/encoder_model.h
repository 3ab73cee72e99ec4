// What the saved models of an encoder and a head have in common: classifiers, taggers, models that
// turn texts into vectors, and those that score translations.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "attend/data/classification.h"
#include "attend/tasks/model_file/golden.h"
#include "attend/tasks/model_file/saved_model.h"
#include "attend/text/tokenizer.h"

namespace attend {

// What all of them have, whatever they answer.
template <class Network>
struct SavedEncoder : SavedModel {
  std::shared_ptr<Network> network;
  Tokenizer tokenizer;
  SpecialText special_text = SpecialText::as_text;  // in texts to answer

  // The special tokens around a text: eos, and bos where the model has one.
  virtual SpecialTokens special() const = 0;
  // The longest input, and the side on which longer ones are truncated.
  virtual TextLengthOptions text_length() const = 0;

  ParameterSet& parameters() const override { return network->parameters(); }
  std::vector<NamedTokenizer> tokenizers() const override { return {{"tokenizer", tokenizer}}; }
  std::int64_t longest_input() const override { return network->config().learned_positions(); }
  std::optional<StackConfig> stack() const override { return network->config(); }

  TextEncoder text_encoder() const override {
    return {tokenizer,
            special(),
            network->config().n_encoder_layers,
            network->config().d_model,
            [network = network] { return network->embeddings(); },
            [network = network](const Ragged& texts, Pass& pass) {
              return network->encode(texts, pass);
            }};
  }

 protected:
  SavedEncoder(std::shared_ptr<Network> network_, Tokenizer tokenizer_)
      : network(std::move(network_)), tokenizer(std::move(tokenizer_)) {}

  // The ids of a text for a golden sample.
  std::vector<std::int32_t> random_text(Random& random) const {
    return classifier_ids(random_ids(random, tokenizer), special(), text_length());
  }
};

// A model that answers single texts, or pairs in one.
template <class Network>
struct EncoderModel : SavedEncoder<Network> {
  // Texts -> the numbers of the golden samples, a row for each. No gradients. Throws NotFiniteError
  // if one is not finite.
  virtual Tensor outputs(const Ragged& texts) const = 0;

  GoldenInput random_input(Random& random) const override { return {this->random_text(random)}; }
  std::vector<std::vector<float>> golden_outputs(
      const std::vector<GoldenInput>& inputs) const override {
    RaggedBuilder texts;
    for (const GoldenInput& input : inputs) texts.add(input[0]);
    const Tensor rows = outputs(texts.build());
    std::vector<std::vector<float>> all;
    for (std::int64_t b = 0; b < rows.rows(); ++b)
      all.emplace_back(rows.row(b), rows.row(b) + rows.cols());
    return all;
  }

 protected:
  using SavedEncoder<Network>::SavedEncoder;
};

}  // namespace attend
