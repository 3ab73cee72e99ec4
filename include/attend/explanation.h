// Why a model writes this word and not that one: what every part of it adds to the difference.
//
//   const attend::OutputExplanation why =
//       translator.explain("The old dog sleeps.", "Der alte Hund schläft.",
//                          {.position = 2, .instead = "Kater"});
//   for (const attend::LogitPart& part : why.parts) use(part.module, part.head, part.value);
//
// The output of a Transformer is linear in its residual stream, the sum of the embedding and of
// what attention and feed-forward networks add (Elhage et al. 2021, "A Mathematical Framework for
// Transformer Circuits"), but for the normalizations of the stream. These are linear, too, once
// their denominators, the standard deviation or the root mean square, are taken as they are. So a
// logit, or the difference of two, is a sum of parts. In a post-norm model each part goes through
// all normalizations behind it.
#pragma once

#include <string>
#include <vector>

#pragma GCC visibility push(default)
namespace attend {

struct ExplanationOptions {
  // The token to explain, counted from 0; those before it are given. -1: the first one of a
  // translation, the one behind the text of a language model.
  int position = -1;
  // The word, or token, that might have been written instead: of a word of several tokens the first
  // one. Empty: the most probable one of the others.
  std::string instead = {};
  bool alone = false;  // split the logit itself, not its difference from another one
  int top = 5;         // tokens of each layer of the lens
  // Divides the logits of all probabilities, those of the lens included: below 1 they are sharper,
  // above 1 flatter. Logits, their difference and its parts do not depend on it.
  float temperature = 1.0f;
};

// What a part of the model adds to a logit, or to the difference of two.
struct LogitPart {
  // "embedding"; a sublayer, "decoder.layers.0.cross_attn" or "decoder.layers.0.feed_forward";
  // "....bias" of the output projection of attention, of a normalization of the stream, or of the
  // output layer ("output.bias"); "....rounding": what arithmetic in 8 bits changes.
  std::string module;
  int head = -1;  // of attention; -1: no head
  float value = 0;
};

struct TokenProbability {
  std::string token;
  float probability = 0;
};

// What is added to the residual stream of a token.
struct ResidualAddition {
  std::string module;  // "embedding", or a sublayer
  float length = 0;    // L2 norm of what is added
  float cosine = 0;    // of the angle between it and the stream before it; 0 for the embedding
};

struct OutputExplanation {
  // The tokens of the output: of a translation with its end, of a language model those of the text.
  std::vector<std::string> tokens;
  int position = 0;  // the explained one, which a language model has chosen if it is behind the
                     // text
  TokenProbability token;        // it
  TokenProbability instead;      // the other one; no token if the logit is explained alone
  float difference = 0;          // of the two logits, or the logit: the sum of the parts
  std::vector<LogitPart> parts;  // in the order of the model
  // What would be written if the model ended earlier: the most probable tokens when the residual
  // stream behind the embedding, and behind each layer, goes at once through the last normalization
  // and the output layer (nostalgebraist 2020, "interpreting GPT: the logit lens").
  std::vector<std::vector<TokenProbability>> lens;
  std::vector<ResidualAddition> additions;  // in the order of the model
};

}  // namespace attend
#pragma GCC visibility pop
