#include "attend/tasks/explanation/explanation.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "attend/backend/weights.h"
#include "attend/checkpoint/finite.h"
#include "attend/core/options/option_fields.h"
#include "attend/core/strings/quote.h"
#include "attend/core/strings/utf8.h"
#include "attend/core/threads/parallel.h"
#include "attend/core/too_long.h"
#include "attend/error.h"
#include "attend/models/stack/residual_stream.h"
#include "attend/ops/elementwise.h"
#include "attend/ops/pooling.h"
#include "attend/ops/softmax.h"
#include "attend/tasks/learned_positions.h"

namespace attend {

namespace {

// What a network computed of the tokens before the explained one.
struct ComputedOutput {
  std::vector<ResidualStep> steps = {};
  Tensor hidden = {};  // [N, D] of the last stack, "decoder"
  OutputProjection output = {};
  const Tokenizer& tokenizer;
  const std::string& source;  // the file of the model

  std::int64_t row() const { return hidden.rows() - 1; }  // that gives the explained token
};

void check_explainable(const SavedModel& model, const ExplanationOptions& options) {
  check_options(options);
  if (!model.stack())
    throw ConfigError(
        fmt::format("{}: expected a Transformer, whose logits have parts", model.source));
  if (options.alone && !options.instead.empty())
    throw ConfigError("instead: a logit that is explained alone is not compared with another");
}

void require_sum(const SavedModel& model, bool is_sum) {
  if (!is_sum) throw ConfigError(model.source + ": its logits have a cap or a layer before them");
}

void require_explainable_length(const std::vector<std::int32_t>& ids, std::string_view what) {
  if (std::ssize(ids) > kMostExplainedTokens)
    throw TooLongError(fmt::format("{}: expected at most {} tokens, got {}", what,
                                   kMostExplainedTokens, ids.size()));
}

// `before`, and the tokens in front of the explained one: all that a decoder needs to read.
std::vector<std::int32_t> read_before(std::vector<std::int32_t> before,
                                      const std::vector<std::int32_t>& ids, int position,
                                      std::int64_t positions) {
  require_room("the text before the explained token", position, static_cast<int>(before.size()),
               positions);
  before.insert(before.end(), ids.begin(), ids.begin() + position);
  return before;
}

std::vector<std::string> pieces_of(const Tokenizer& tokenizer,
                                   const std::vector<std::int32_t>& ids) {
  std::vector<std::string> pieces;
  for (const std::int32_t id : ids) pieces.push_back(tokenizer.piece(id));
  return pieces;
}

// A word of one token, else a token by its name, else the first token of a word.
std::int32_t token_of_word(const Tokenizer& tokenizer, const std::string& word) {
  const std::vector<std::int32_t> ids = tokenizer.encode(word);
  const bool is_known =
      !ids.empty() && std::find(ids.begin(), ids.end(), tokenizer.unk_id()) == ids.end();
  if (is_known && ids.size() == 1) return ids.front();
  const std::int32_t named = tokenizer.id(word);
  if (named >= 0 && tokenizer.piece(named) == word) return named;
  if (is_known) return ids.front();
  throw ConfigError(fmt::format(
      "instead: expected a word or token of the model's vocabulary, got {}", quote(word)));
}

std::size_t largest_of(std::span<const float> values, std::int64_t left_out = -1) {
  std::size_t best = left_out == 0 ? 1 : 0;
  for (std::size_t i = best + 1; i < values.size(); ++i)
    if (std::cmp_not_equal(i, left_out) && values[i] > values[best]) best = i;
  return best;
}

std::vector<TokenProbability> most_probable(std::span<const float> log_probabilities, int count,
                                            const Tokenizer& tokenizer) {
  std::vector<std::int32_t> order(log_probabilities.size());
  std::iota(order.begin(), order.end(), 0);
  const auto value = [&](std::int32_t id) {
    return log_probabilities[static_cast<std::size_t>(id)];
  };
  const auto end = order.begin() + std::min<std::ptrdiff_t>(count, std::ssize(order));
  std::partial_sort(order.begin(), end, order.end(), [&](std::int32_t a, std::int32_t b) {
    return value(a) != value(b) ? value(a) > value(b) : a < b;
  });
  std::vector<TokenProbability> top;
  for (auto id = order.begin(); id != end; ++id)
    top.push_back({tokenizer.piece(*id), std::exp(value(*id))});
  return top;
}

Tensor logits_of(const Tensor& states, const OutputProjection& output) {
  return linear(Variable(states), Variable(output.weight),
                output.bias.defined() ? Variable(output.bias) : Variable())
      .value()
      .to_host();
}

// log softmax(logits / temperature), row by row.
Tensor scores_at(Tensor logits, float temperature) {
  for (float& logit : logits.span()) logit /= temperature;
  return log_softmax(Variable(logits)).value().to_host();
}

// Two rows of the output layer, or one: their weights and biases, or the differences.
struct Direction {
  std::vector<double> weights = {};
  double bias = 0;
};

Direction direction_of(const OutputProjection& output, std::int32_t token, std::int32_t other) {
  const std::vector<std::int32_t> ids{token, std::max(other, 0)};
  const Tensor rows =
      backend()->float_weights(backend()->select_weights(output.weight, ids)).to_host();
  Direction direction{{rows.row(0), rows.row(0) + rows.cols()}};
  if (output.bias.defined()) {
    const std::vector<float> biases = output.bias.to_vector();
    direction.bias = double{biases[static_cast<std::size_t>(token)]};
    if (other >= 0) direction.bias -= double{biases[static_cast<std::size_t>(other)]};
  }
  if (other < 0) return direction;
  for (std::size_t i = 0; i < direction.weights.size(); ++i)
    direction.weights[i] -= double{rows.row(1)[i]};
  return direction;
}

// Parts that the output layer itself adds.
void add_output_parts(OutputExplanation& explanation, const OutputProjection& output, double bias,
                      bool rounds) {
  if (output.bias.defined())
    explanation.parts.push_back({"output.bias", -1, static_cast<float>(bias)});
  if (!rounds) return;
  const double sum = std::accumulate(explanation.parts.begin(), explanation.parts.end(), 0.0,
                                     [](double s, const LogitPart& p) { return s + p.value; });
  explanation.parts.push_back(
      {"output.rounding", -1, static_cast<float>(explanation.difference - sum)});
}

// `token`: -1 for the most probable one.
void explain_token(OutputExplanation& explanation, const ComputedOutput& at, std::int32_t token,
                   const ExplanationOptions& options) {
  const Tensor logits = logits_of(at.hidden.slice_rows(at.row(), at.row() + 1), at.output);
  const std::span<const float> values = logits.span();
  require_finite(values, "logits", at.source);
  if (token < 0) token = static_cast<std::int32_t>(largest_of(values));
  const Tensor probabilities = scores_at(logits.clone(), options.temperature);
  const auto chosen = [&](std::int32_t id) {
    return TokenProbability{at.tokenizer.piece(id), std::exp(probabilities.span()[id])};
  };
  std::int32_t other = -1;
  if (!options.alone) {
    other = options.instead.empty() ? static_cast<std::int32_t>(largest_of(values, token))
                                    : token_of_word(at.tokenizer, options.instead);
    if (other == token)
      throw ConfigError(fmt::format("instead: expected another token than the explained one, {}",
                                    quote(at.tokenizer.piece(token))));
    explanation.instead = chosen(other);
  }
  explanation.token = chosen(token);
  explanation.difference = values[static_cast<std::size_t>(token)] -
                           (other < 0 ? 0.0f : values[static_cast<std::size_t>(other)]);
  const ResidualStream stream(at.steps, "decoder");
  const Direction direction = direction_of(at.output, token, other);
  explanation.parts = stream.parts(at.row(), direction.weights);
  add_output_parts(explanation, at.output, direction.bias, is_quantized(at.output.weight));
  explanation.additions = stream.additions(at.row());
  const Tensor lens =
      scores_at(logits_of(stream.outputs(at.row()), at.output), options.temperature);
  for (std::int64_t i = 0; i < lens.rows(); ++i)
    explanation.lens.push_back(most_probable({lens.row(i), static_cast<std::size_t>(lens.cols())},
                                             options.top, at.tokenizer));
}

// From a direction of the output of the layer between the vector of a text [1, D] and the output to
// one of that vector: the ratio of what goes out of an activation and what goes in is taken as it
// is. Adds the part of its bias.
Direction behind_text(const TextClassifier& network, const Tensor& text, Direction direction,
                      std::vector<LogitPart>& parts) {
  const std::optional<OutputProjection> head = network.head().projection();
  if (!head) return direction;
  const Tensor in = logits_of(text, *head),
               out = activate(Variable(in), network.head().activation()).value().to_host(),
               weights = backend()->float_weights(head->weight).to_host();
  if (const std::optional<Norm>& norm = network.head().norm()) {
    const LayerNormParameters affine = norm->affine();
    if (affine.beta.defined()) {
      const std::vector<float> shifts = affine.beta.value().to_vector();
      parts.push_back({"head_norm.bias", -1,
                       static_cast<float>(std::inner_product(shifts.begin(), shifts.end(),
                                                             direction.weights.begin(), 0.0))});
    }
    direction.weights =
        ResidualStream::before_norm(affine, std::move(direction.weights), out.to_vector());
  }
  const std::vector<float> biases =
      head->bias.defined() ? head->bias.to_vector() : std::vector<float>(direction.weights.size());
  Direction before{std::vector<double>(static_cast<std::size_t>(weights.cols())), direction.bias};
  double bias = 0;
  for (std::int64_t i = 0; i < in.cols(); ++i) {
    const double entering = double{in.span()[static_cast<std::size_t>(i)]},
                 leaving = double{out.span()[static_cast<std::size_t>(i)]},
                 share = entering == 0.0
                             ? 0.0
                             : direction.weights[static_cast<std::size_t>(i)] * leaving / entering;
    bias += share * double{biases[static_cast<std::size_t>(i)]};
    for (std::size_t j = 0; j < before.weights.size(); ++j)
      before.weights[j] += share * double{weights.row(i)[j]};
  }
  parts.push_back({"head.bias", -1, static_cast<float>(bias)});
  return before;
}

// The direction of each token's vector [N, D] that a direction of the text's vector is.
Tensor behind_tokens(const Tensor& tokens, const Ids& offsets, Pooling pooling,
                     const Direction& direction) {
  const Variable vectors(tokens, true);
  const Variable text = pool(vectors, offsets, pooling);
  const std::vector<float> weights(direction.weights.begin(), direction.weights.end());
  backward(text, Tensor::from(weights, text.shape()));
  return vectors.gradient().to_host();
}

void check_classes_explainable(const ClassificationModel& model,
                               const ExplanationOptions& options) {
  if (model.problem_type() == ProblemType::regression)
    throw ConfigError(
        fmt::format("{}: expected a classifier with classes, found one of numbers", model.source));
  if (options.position >= 0)
    throw ConfigError("position: expected a model that writes tokens, got a classifier");
  if (options.temperature != 1.0f)
    throw ConfigError("temperature: expected a model that writes tokens, got a classifier");
}

// The parts of the stream in the direction of each token [T, D], summed over the tokens.
std::vector<LogitPart> summed_parts(const ResidualStream& stream, const Tensor& directions) {
  std::vector<std::vector<LogitPart>> parts(static_cast<std::size_t>(stream.rows()));
  parallel_each(stream.rows(), [&](std::int64_t row) {
    const std::vector<double> of_row(directions.row(row), directions.row(row) + directions.cols());
    parts[static_cast<std::size_t>(row)] = stream.parts(row, of_row);
  });
  std::vector<LogitPart> sums = parts.front();
  for (std::size_t row = 1; row < parts.size(); ++row)
    for (std::size_t i = 0; i < parts[row].size(); ++i) sums[i].value += parts[row][i].value;
  return sums;
}

std::size_t class_instead(const ClassificationModel& model, const std::string& label,
                          std::span<const float> scores, std::size_t chosen) {
  if (label.empty()) return largest_of(scores, static_cast<std::int64_t>(chosen));
  const auto found = std::find(model.labels.begin(), model.labels.end(), label);
  const auto place = static_cast<std::size_t>(found - model.labels.begin());
  if (found == model.labels.end() || place == chosen)
    throw ConfigError(fmt::format("instead: expected another class of the model than {}, got {}",
                                  quote(model.labels[chosen]), quote(label)));
  return place;
}

int explained_position(const ExplanationOptions& options, std::int64_t last, std::int64_t usual) {
  if (options.position > last)
    throw ConfigError(
        fmt::format("position: expected a token from 0 to {}, got {}", last, options.position));
  return options.position >= 0 ? options.position : static_cast<int>(usual);
}

}  // namespace

OutputExplanation explain(const TranslationModel& model, const std::string& source,
                          const std::string& target, const ExplanationOptions& options,
                          const LanguagePair& languages) {
  return explain(model, source, model.tgt_tokenizer.encode(target), options, languages);
}

OutputExplanation explain(const TranslationModel& model, const std::string& source,
                          std::vector<std::int32_t> target, const ExplanationOptions& options,
                          const LanguagePair& languages) {
  check_explainable(model, options);
  require_mask(model.network->sees_later_tokens());
  require_sum(model, model.network->config().logit_cap == 0.0f);
  const PairSpecialTokens marks = model.format.of(languages);
  const std::vector<std::int32_t> src = model.src_tokenizer.encode(source);
  require_explainable_length(src, "the source");
  require_room("the source", std::ssize(src), marks.of_source(), model.longest_input());
  require_explainable_length(target, "the target");
  target.push_back(model.tgt_tokenizer.eos_id());

  OutputExplanation explanation;
  explanation.tokens = pieces_of(model.tgt_tokenizer, target);
  explanation.position = explained_position(options, std::ssize(target) - 1, 0);
  const std::vector<std::int32_t> read =
      read_before(marks.before_target, target, explanation.position, model.longest_input());
  const NoGradient guard;
  ComputedOutput at{
      .output = model.network->output(), .tokenizer = model.tgt_tokenizer, .source = model.source};
  Pass pass = Pass::inference();
  const Ragged sources = Ragged::one(marks.around(src));
  const Variable memory = model.network->encode(sources, pass);
  pass.residual = &at.steps;
  at.hidden = model.network->decode(Ragged::one(read), memory, sources, pass).value();
  explain_token(explanation, at, target[static_cast<std::size_t>(explanation.position)], options);
  return explanation;
}

OutputExplanation explain(const LanguageModel& model, const std::string& text,
                          const ExplanationOptions& options) {
  check_explainable(model, options);
  require_mask(model.network->sees_later_tokens());
  require_sum(model, model.network->config().has_plain_output());
  const std::vector<std::int32_t> ids = model.ids(text);
  require_explainable_length(ids, "the text");

  OutputExplanation explanation;
  explanation.tokens = pieces_of(model.tokenizer, ids);
  explanation.position = explained_position(options, std::ssize(ids), std::ssize(ids));
  const bool is_behind = explanation.position == std::ssize(ids);
  std::vector<std::int32_t> read =
      read_before(model.text.prefix, ids, explanation.position, model.longest_input());
  if (is_behind) read = model.prompt_of(ids);
  if (read.empty())
    throw ConfigError(
        "position: expected 1 or more, as nothing precedes the first token of a text; got 0");
  const NoGradient guard;
  ComputedOutput at{
      .output = model.network->output(), .tokenizer = model.tokenizer, .source = model.source};
  Pass pass = Pass::inference();
  pass.residual = &at.steps;
  at.hidden = model.network->hidden(Ragged::one(read), pass).value();
  explain_token(explanation, at,
                is_behind ? -1 : ids[static_cast<std::size_t>(explanation.position)], options);
  return explanation;
}

OutputExplanation explain(const ClassificationModel& model, const std::string& text,
                          const ExplanationOptions& options) {
  check_explainable(model, options);
  check_classes_explainable(model, options);
  if (is_blank(text)) throw DataError("the text: expected some words, found none");
  const std::vector<std::int32_t> ids = model.ids(text);
  const Ragged texts = Ragged::one(ids);
  std::vector<ResidualStep> steps;
  std::vector<Tensor> hidden;
  Tensor logits, text_vector;
  OutputExplanation explanation;
  std::size_t label = 0, other = 0;
  {
    const NoGradient guard;
    const Tensor scores = class_scores(model, texts);
    label = largest_of(scores.span());
    explanation.token = {model.labels[label], std::exp(scores.span()[label])};
    if (!options.alone && model.labels.size() > 1) {
      other = class_instead(model, options.instead, scores.span(), label);
      explanation.instead = {model.labels[other], std::exp(scores.span()[other])};
    }
    Pass pass = Pass::inference();
    pass.residual = &steps;
    pass.hidden = &hidden;
    logits = model.logits(texts, pass).value().to_host();
    text_vector =
        pool(Variable(hidden.back()), texts.offsets, model.network->config().pooling).value();
  }
  const bool is_alone = explanation.instead.token.empty();
  const OutputProjection output = model.network->output();
  explanation.tokens = pieces_of(model.tokenizer, ids);
  explanation.position = -1;
  explanation.difference = logits.span()[label] - (is_alone ? 0.0f : logits.span()[other]);

  std::vector<LogitPart> of_head;
  const Direction direction = direction_of(output, static_cast<std::int32_t>(label),
                                           is_alone ? -1 : static_cast<std::int32_t>(other));
  const Tensor directions =
      behind_tokens(hidden.back(), texts.offsets, model.network->config().pooling,
                    behind_text(*model.network, text_vector, direction, of_head));
  explanation.parts = summed_parts(ResidualStream(steps, "encoder"), directions);
  explanation.parts.insert(explanation.parts.end(), of_head.begin(), of_head.end());
  const auto head = model.network->head().projection();
  add_output_parts(explanation, output, direction.bias,
                   is_quantized(output.weight) || (head && is_quantized(head->weight)));
  return explanation;
}

}  // namespace attend
