// Why a model writes one word and not another: what each part of the model adds to the difference
// of their logits.
//
//   const attend::OutputExplanation why =
//       translator.explain("The old dog sleeps.", "Der alte Hund schläft.",
//                          {.position = 2, .instead = "Kater"});
//   for (const attend::LogitPart& part : why.parts) use(part.module, part.head, part.value);
//
// The residual stream is the sum of the embedding and of what attention and feed-forward networks
// add (Elhage et al. 2021, "A Mathematical Framework for Transformer Circuits"). The logits are
// linear in it, except for the normalizations of the stream. These become linear, too, if their
// denominators (standard deviation or root mean square) are treated as constants. A logit, or the
// difference of two, is then a sum of parts. In a post-norm model each part passes through all
// later normalizations.
#pragma once

#include <string>
#include <vector>

#pragma GCC visibility push(default)
namespace attend {

struct ExplanationOptions {
  // The token to explain, counted from 0, given the tokens before it. -1: the first token of a
  // translation, or the token after the text of a language model.
  int position = -1;
  // The word or token to compare with, or the label if the model is a classifier; for a word of
  // several tokens, its first token counts. Empty: the most probable other one.
  std::string instead = {};
  bool alone = false;  // split the logit itself, not its difference from another one
  int top = 5;         // most probable tokens per layer of the lens
  // Divides the logits before probabilities are computed, also in the lens: below 1 the
  // distribution is sharper, above 1 flatter. It does not change logits, differences and parts.
  float temperature = 1.0f;
};

// What a part of the model adds to a logit, or to the difference of two.
struct LogitPart {
  // "embedding"; a sublayer, "decoder.layers.0.cross_attn" or "decoder.layers.0.feed_forward";
  // a bias ("....bias") of the output projection of attention, of a normalization of the stream, or
  // of the output layer ("output.bias"); or "....rounding", the effect of 8-bit arithmetic.
  std::string module;
  int head = -1;  // attention head; -1: not a head
  float value = 0;
};

struct TokenProbability {
  std::string token;
  float probability = 0;
};

// What a module adds to the residual stream of a token.
struct ResidualAddition {
  std::string module;  // "embedding", or a sublayer
  float length = 0;    // L2 norm of the added vector
  float cosine = 0;    // between the added vector and the stream before it; 0 for the embedding
};

struct OutputExplanation {
  // The tokens of the translation with eos, or the tokens of the text of a language model
  std::vector<std::string> tokens;
  // Index of the explained token; tokens.size() for the token after the text of a language model
  int position = 0;
  TokenProbability token;        // the explained token; a classifier's label
  TokenProbability instead;      // the token compared with; empty with ExplanationOptions::alone
  float difference = 0;          // of the two logits, or the logit alone: the sum of the parts
  std::vector<LogitPart> parts;  // in the order of the model
  // The logit lens (nostalgebraist 2020, "interpreting GPT: the logit lens"): the most probable
  // tokens if the residual stream after the embedding, or after a layer, went directly to the last
  // normalization and the output layer.
  std::vector<std::vector<TokenProbability>> lens;
  std::vector<ResidualAddition> additions;  // in the order of the model
};

}  // namespace attend
#pragma GCC visibility pop
