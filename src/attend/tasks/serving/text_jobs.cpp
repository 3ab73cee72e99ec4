#include "attend/tasks/serving/text_jobs.h"

#include <fmt/format.h>

#include <utility>

#include "attend/core/options/option_fields.h"
#include "attend/tasks/serving/pass_job.h"

namespace attend {

namespace {

template <class Input>
std::vector<Input> copies_of(std::span<const Input* const> inputs) {
  std::vector<Input> copies;
  for (const Input* input : inputs) copies.push_back(*input);
  return copies;
}

struct ClassificationPass {
  using Input = PairInput;
  using Answer = Classification;
  static constexpr int kKind = 0;

  ClassificationEngine engine;
  OutputFunction function;

  const void* model() const { return &engine.model(); }
  static std::int64_t tokens(const Input& input) { return std::ssize(input.ids); }
  bool goes_with(const ClassificationPass& other) const { return function == other.function; }
  std::vector<Answer> answers(std::span<const Input* const> inputs) const {
    ClassificationOptions options;
    options.function_to_apply = function;
    return engine.classify_inputs(copies_of(inputs), options);
  }
};

struct TaggingPass {
  using Input = TaggingInput;
  using Answer = Tagging;
  static constexpr int kKind = 0;

  TaggingEngine engine;
  TaggingOptions options;

  const void* model() const { return &engine.model(); }
  std::int64_t tokens(const Input& input) const { return engine.count_tokens(input, options); }
  bool goes_with(const TaggingPass& other) const {
    const TaggingOptions &x = options, &y = other.options;
    return x.aggregation_strategy == y.aggregation_strategy && x.stride == y.stride &&
           x.ignore_labels == y.ignore_labels && x.split_special_tokens == y.split_special_tokens;
  }
  std::vector<Answer> answers(std::span<const Input* const> inputs) const {
    return engine.tag_inputs(copies_of(inputs), options);
  }
};

struct EmbeddingPass {
  struct Input {
    std::string text;
    std::int64_t tokens;
  };
  using Answer = Embedding;
  static constexpr int kKind = 0;

  std::shared_ptr<const EmbeddingEngine> engine;
  EmbeddingOptions options;

  const void* model() const { return engine.get(); }
  static std::int64_t tokens(const Input& input) { return input.tokens; }
  bool goes_with(const EmbeddingPass& other) const {
    const EmbeddingOptions &x = options, &y = other.options;
    return x.layer == y.layer && x.pooling == y.pooling && x.prompt == y.prompt &&
           x.prompt_text == y.prompt_text && x.special_tokens == y.special_tokens &&
           x.split_special_tokens == y.split_special_tokens;
  }
  std::vector<Answer> answers(std::span<const Input* const> inputs) const {
    std::vector<std::string> texts;
    for (const Input* input : inputs) texts.push_back(input->text);
    EmbeddingOptions together = options;
    together.batch_size = static_cast<int>(texts.size());
    std::vector<Embedding> answers;
    for (TextEmbedding& embedding : engine->embed(texts, together))
      answers.push_back(public_embedding(std::move(embedding)));
    return answers;
  }
};

// How messages call a text of a request.
std::string name_of(std::size_t item) { return fmt::format("text {}", item + 1); }

}  // namespace

Jobs jobs_of(const ClassificationEngine& engine, ClassificationRequest request,
             Receiver<Classification> receiver, const std::shared_ptr<const RequestState>& state) {
  const ClassificationEngine reader =
      engine.reading({.pairs = request.pairs,
                      .split_special_tokens = request.split_special_tokens,
                      .preparation = request.preparation});
  std::vector<PairInput> inputs;
  for (const std::string& text : request.texts)
    inputs.push_back(reader.input(text, name_of(inputs.size())));
  return pass_jobs(ClassificationPass{engine, request.function_to_apply}, std::move(inputs),
                   std::move(receiver), state);
}

Jobs jobs_of(const TaggingEngine& engine, TaggingRequest request, Receiver<Tagging> receiver,
             const std::shared_ptr<const RequestState>& state) {
  check_options(request.options);
  std::vector<TaggingInput> inputs;
  for (const std::string& text : request.texts)
    inputs.push_back(engine.input(text, request.options, name_of(inputs.size())));
  return pass_jobs(TaggingPass{engine, std::move(request.options)}, std::move(inputs),
                   std::move(receiver), state);
}

Jobs jobs_of(const std::shared_ptr<const EmbeddingEngine>& engine, EmbeddingRequest request,
             Receiver<Embedding> receiver, const std::shared_ptr<const RequestState>& state) {
  // A pass answers requests together, whatever the preparation of their texts.
  const TextPreparer prepare = engine->preparer(std::exchange(request.options.preparation, {}));
  std::vector<EmbeddingPass::Input> inputs;
  for (const std::string& raw : request.texts) {
    std::string text = prepare(raw);
    const std::int64_t tokens = engine->count_tokens(text, request.options, name_of(inputs.size()));
    inputs.push_back({std::move(text), tokens});
  }
  return pass_jobs(EmbeddingPass{engine, std::move(request.options)}, std::move(inputs),
                   std::move(receiver), state);
}

}  // namespace attend
