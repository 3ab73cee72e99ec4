// The calls that ask a model something.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "attend/api/c/call.h"
#include "attend/api/c/requests.h"
#include "attend/error.h"

namespace attend {
namespace {

using Result = std::unique_ptr<attend_result>;

// An item for each answer.
template <class Answer, class ItemOf>
Result result_of(std::vector<Answer> answers, const ItemOf& item_of) {
  auto result = std::make_unique<attend_result>();
  result->items.reserve(answers.size());
  for (Answer& answer : answers) result->items.push_back(item_of(answer));
  return result;
}

ResultItem item_of(Translation& translation) {
  ResultItem item;
  for (TranslationCandidate& candidate : translation.candidates) {
    ResultChoice& choice = item.choices.emplace_back();
    choice.text = std::move(candidate.text);
    choice.score = candidate.score;
    choice.complete = candidate.end >= 0;
    choice.tokens = std::move(candidate.tokens);
    choice.token_scores = std::move(candidate.token_scores);
    for (const auto& [source, target] : candidate.alignment)
      choice.alignment.insert(choice.alignment.end(), {source, target});
  }
  return item;
}

ResultChoice choice_of(Generation generation, const Tokenizer& tokenizer) {
  ResultChoice choice;
  choice.text = std::move(generation.text);
  choice.score = generation.score;
  choice.complete = generation.complete;
  for (const std::int32_t id : generation.ids) choice.tokens.push_back(tokenizer.piece(id));
  choice.token_scores = std::move(generation.token_scores);
  return choice;
}

// Hands text on to a callback of C.
struct TextListener {
  attend_on_text on_text = nullptr;
  void* user = nullptr;

  void tell(std::int64_t item, std::int64_t choice, std::string_view more) const {
    if (on_text == nullptr || more.empty()) return;
    const std::string text(more);
    if (on_text(user, item, choice, text.c_str(), std::ssize(text)) != 0) throw CallCancelled();
  }
};

// The continuations of a prompt.
std::vector<Generation> generations(const Generator& generator, const std::string& prompt,
                                    const GenerationOptions& options, const TextListener& listener,
                                    std::int64_t item) {
  std::vector<Generation> all;
  if (options.beam.beam_size > 0) {
    all = generator.generate_best(prompt, options);
    for (std::size_t i = 0; i < all.size(); ++i)
      listener.tell(item, static_cast<std::int64_t>(i), all[i].text);
    return all;
  }
  for (std::int64_t sample = 0; sample < options.n_best; ++sample) {
    const auto accept = [&](std::string_view more) { listener.tell(item, sample, more); };
    all.push_back(generator.generate(prompt, options, accept, static_cast<std::uint64_t>(sample)));
  }
  return all;
}

ResultItem item_of(Classification& classes, const std::vector<std::string>& labels) {
  ResultItem item;
  const auto add = [&](std::size_t label, float score) {
    ResultChoice& choice = item.choices.emplace_back();
    choice.text = choice.label = labels[label];
    choice.score = score;
    choice.index = static_cast<std::int64_t>(label);
  };
  if (classes.probabilities.empty()) {
    add(0, classes.value);
    item.vectors = {classes.value};
  } else {
    std::vector<std::size_t> found = classes.labels;
    std::stable_sort(found.begin(), found.end(), [&](std::size_t a, std::size_t b) {
      return classes.probabilities[a] > classes.probabilities[b];
    });
    for (const std::size_t label : found) add(label, classes.probabilities[label]);
    item.vectors = std::move(classes.probabilities);
  }
  item.rows = 1;
  item.width = std::ssize(item.vectors);
  return item;
}

ResultItem item_of(Tagging& tagging) {
  ResultItem item;
  for (TagGroup& group : tagging.groups) {
    ResultChoice& choice = item.choices.emplace_back();
    choice.text = std::move(group.text);
    choice.score = group.score;
    choice.label = std::move(group.label);
    choice.begin = static_cast<std::int64_t>(group.span.begin);
    choice.end = static_cast<std::int64_t>(group.span.end);
  }
  return item;
}

ResultItem item_of(Embedding& embedding) {
  ResultItem item;
  ResultChoice& choice = item.choices.emplace_back();
  choice.index = embedding.omitted;
  choice.tokens = std::move(embedding.tokens);
  item.rows = embedding.rows;
  item.width = embedding.width;
  item.vectors = std::move(embedding.values);
  return item;
}

ResultItem item_of(SequenceScore& score) {
  ResultItem item;
  ResultChoice& choice = item.choices.emplace_back();
  choice.score = score.log_probability;
  choice.token_scores = std::move(score.token_scores);
  return item;
}

// How well each document answers the query, by a model of pairs.
std::vector<float> scores_of_pairs(const Classifier& classifier, const std::string& query,
                                   std::span<const std::string> documents,
                                   const attend_options* list) {
  if (classifier.labels().size() != 1)
    throw ConfigError(fmt::format("attend_rank: expected a model with one label, got {}",
                                  classifier.labels().size()));
  ClassificationOptions options;
  options.pairs = true;
  options = with_options(std::move(options), list);
  std::vector<std::string> pairs;
  for (const std::string& document : documents) pairs.push_back(query + '\t' + document);
  std::vector<float> scores;
  for (const Classification& one : classifier.classify(pairs, options))
    scores.push_back(one.probabilities.empty() ? one.value : one.probabilities.front());
  return scores;
}

// The same by their vectors.
std::vector<float> scores_of_vectors(const Embedder& embedder, const std::string& query,
                                     std::span<const std::string> documents,
                                     const attend_options* list) {
  const RankingOptions options = ranking_options(list);
  if (options.documents.pooling == EmbeddingPooling::none)
    throw ConfigError("pooling: expected one vector for each text, got none");
  const Embedding asked = embedder.embed(std::span(&query, 1), options.query).front();
  std::vector<float> scores;
  for (const Embedding& one : embedder.embed(documents, options.documents))
    scores.push_back(similarity(embedder.similarity(), asked.row(0), one.row(0)));
  return scores;
}

Result ranked(const std::vector<float>& scores, std::span<const std::string> documents) {
  ResultItem item;
  for (std::size_t i = 0; i < scores.size(); ++i) {
    ResultChoice& choice = item.choices.emplace_back();
    choice.text = documents[i];
    choice.score = scores[i];
    choice.index = static_cast<std::int64_t>(i);
  }
  std::stable_sort(item.choices.begin(), item.choices.end(),
                   [](const ResultChoice& a, const ResultChoice& b) { return a.score > b.score; });
  auto result = std::make_unique<attend_result>();
  result->items.push_back(std::move(item));
  return result;
}

std::vector<SequenceScore> scores_of(const attend_model& model, std::span<const std::string> texts,
                                     const attend_texts* targets, const attend_options* list) {
  if (model.task == "translation") {
    const Translator translator = model.base.translator();
    const auto options = with_options(PairScoringRequestOptions(), list);
    return translator.score(texts, required(targets, "targets").list, options.text.scoring,
                            options.languages);
  }
  const Generator generator = model.base.generator();
  if (targets != nullptr)
    throw ArgumentError("targets: expected NULL for a language model, got texts");
  return generator.score(texts, with_options(TextScoringRequestOptions(), list).scoring);
}

}  // namespace
}  // namespace attend

using attend::made_by;
using attend::required;

attend_result* attend_translate(const attend_model* model, const attend_texts* texts,
                                const attend_options* options, attend_cancellation* cancellation,
                                attend_error** error) {
  return made_by(error, cancellation, [&] {
    const attend::Translator translator = required(model, "model").base.translator();
    const std::vector<std::string>& list = required(texts, "texts").list;
    return attend::result_of(translator.translate(list, attend::translation_options(
                                                            translator.default_options(), options)),
                             [](attend::Translation& one) { return attend::item_of(one); });
  });
}

attend_result* attend_generate(const attend_model* model, const attend_texts* prompts,
                               const attend_options* options, attend_on_text on_text, void* user,
                               attend_cancellation* cancellation, attend_error** error) {
  return made_by(error, cancellation, [&] {
    const attend::Generator generator = required(model, "model").base.generator();
    const std::vector<std::string>& list = required(prompts, "prompts").list;
    const auto given = attend::generation_options(generator.default_options(), options);
    auto result = std::make_unique<attend_result>();
    for (const std::string& prompt : list) {
      auto found =
          attend::generations(generator, prompt, given, {on_text, user}, std::ssize(result->items));
      attend::ResultItem& item = result->items.emplace_back();
      for (attend::Generation& one : found)
        item.choices.push_back(attend::choice_of(std::move(one), generator.tokenizer()));
    }
    return result;
  });
}

attend_result* attend_classify(const attend_model* model, const attend_texts* texts,
                               const attend_options* options, attend_cancellation* cancellation,
                               attend_error** error) {
  return made_by(error, cancellation, [&] {
    const attend::Classifier classifier = required(model, "model").base.classifier();
    return attend::result_of(
        classifier.classify(required(texts, "texts").list,
                            attend::with_options(attend::ClassificationOptions(), options)),
        [&](attend::Classification& one) { return attend::item_of(one, model->labels); });
  });
}

attend_result* attend_tag(const attend_model* model, const attend_texts* texts,
                          const attend_options* options, attend_cancellation* cancellation,
                          attend_error** error) {
  return made_by(error, cancellation, [&] {
    const attend::Tagger tagger = required(model, "model").base.tagger();
    return attend::result_of(tagger.tag(required(texts, "texts").list,
                                        attend::with_options(attend::TaggingOptions(), options)),
                             [](attend::Tagging& one) { return attend::item_of(one); });
  });
}

attend_result* attend_embed(const attend_model* model, const attend_texts* texts,
                            const attend_options* options, attend_cancellation* cancellation,
                            attend_error** error) {
  return made_by(error, cancellation, [&] {
    const attend::Embedder embedder = required(model, "model").base.embedder();
    return attend::result_of(
        embedder.embed(required(texts, "texts").list, attend::embedding_options(options)),
        [](attend::Embedding& one) { return attend::item_of(one); });
  });
}

attend_result* attend_rank(const attend_model* model, const char* query,
                           const attend_texts* documents, const attend_options* options,
                           attend_cancellation* cancellation, attend_error** error) {
  return made_by(error, cancellation, [&] {
    const attend::BaseModel& base = required(model, "model").base;
    const std::string text = attend::required_text(query, "query");
    const std::vector<std::string>& list = required(documents, "documents").list;
    return attend::ranked(model->task == "classification"
                              ? attend::scores_of_pairs(base.classifier(), text, list, options)
                              : attend::scores_of_vectors(base.embedder(), text, list, options),
                          list);
  });
}

attend_result* attend_score(const attend_model* model, const attend_texts* texts,
                            const attend_texts* targets, const attend_options* options,
                            attend_cancellation* cancellation, attend_error** error) {
  return made_by(error, cancellation, [&] {
    return attend::result_of(attend::scores_of(required(model, "model"),
                                               required(texts, "texts").list, targets, options),
                             [](attend::SequenceScore& one) { return attend::item_of(one); });
  });
}
