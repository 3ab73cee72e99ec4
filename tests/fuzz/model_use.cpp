#include "fuzz/model_use.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <span>
#include <stdexcept>

#include "attend/cli/program.h"
#include "attend/error.h"
#include "attend/model_file.h"
#include "attend/tasks/classification/engine.h"
#include "attend/tasks/embedding/engine.h"
#include "attend/tasks/embedding/model.h"
#include "attend/tasks/language/chat.h"
#include "attend/tasks/language/engine.h"
#include "attend/tasks/model_file/registry.h"
#include "attend/tasks/quality/model.h"
#include "attend/tasks/tagging/engine.h"
#include "attend/tasks/translation/engine.h"

namespace attend {

namespace {

void require(bool holds, const std::string& what) {
  if (!holds) throw std::logic_error(what);
}

void require_numbers(std::span<const float> numbers) {
  for (const float number : numbers)
    require(std::isfinite(number), "an answer that is not a number");
}

// One of the streams of the process, caught in memory.
class Caught {
 public:
  Caught(std::FILE* stream, int descriptor)
      : stream_(stream),
        descriptor_(descriptor),
        before_(::dup(descriptor)),
        file_(::memfd_create("caught", MFD_CLOEXEC)) {
    if (before_ < 0 || file_ < 0 || ::dup2(file_, descriptor_) < 0)
      throw std::runtime_error("the output cannot be caught");
  }
  ~Caught() {
    std::fflush(stream_);
    ::dup2(before_, descriptor_);
    ::close(before_);
    ::close(file_);
  }
  Caught(const Caught&) = delete;
  Caught& operator=(const Caught&) = delete;

  std::string text() const {
    std::fflush(stream_);
    std::string text(static_cast<std::size_t>(::lseek(file_, 0, SEEK_END)), '\0');
    const ssize_t size = ::pread(file_, text.data(), text.size(), 0);
    text.resize(size < 0 ? 0 : static_cast<std::size_t>(size));
    return text;
  }

 private:
  std::FILE* stream_;
  int descriptor_, before_, file_;
};

// The command itself, which catches all exceptions: what it prints tells whose they were.
void show(const std::string& path, bool json) {
  std::string output, errors;
  int status = 0;
  {
    const Caught out(stdout, STDOUT_FILENO), error(stderr, STDERR_FILENO);
    const char* const arguments[] = {"attend", "info", path.c_str(), "--format",
                                     json ? "json" : "text"};
    status = run_program(5, arguments);
    output = out.text();
    errors = error.text();
  }
  require(status == 0 ? errors.empty() : status == 1 && errors.starts_with("attend: "),
          "exit status and message: " + errors);
  for (const char* foreign :
       {"[json.exception", "std::", "basic_string", "vector::", "bad_alloc", "stoi"})
    require(errors.find(foreign) == errors.npos, "an exception that is not attend's: " + errors);
  if (json && !output.empty())
    require(!nlohmann::json::parse(output, nullptr, false).is_discarded(), "JSON that is none");
}

void use_translation(const TranslationModel& model) {
  const TranslationEngine translator(model);
  const std::vector<std::string> texts{"the old dog sees fish"}, targets{"der alte hund"};
  TranslationOptions options = translator.default_options();
  options.beam.max_length = 8;
  options.shortlist = translator.model().shortlist != nullptr;
  options.alignment = true;
  for (const Translation& translation : translator.translate(texts, options)) {
    for (const TranslationCandidate& candidate : translation.candidates) {
      require_numbers(candidate.token_scores);
      require_numbers(std::span(&candidate.score, 1));
    }
  }
  for (const SequenceScore& score : translator.score(texts, targets))
    require_numbers(score.token_scores);
}

void use_classifier(const ClassificationModel& model) {
  const ClassificationEngine classifier(model);
  const std::vector<std::string> texts{model.pairs ? "a good film\ta bad film" : "a good film"};
  for (const Classification& result : classifier.classify(texts)) {
    require_numbers(result.probabilities);
    require_numbers(std::span(&result.value, 1));
    require(result.label < classifier.labels().size(), "a class without a label");
  }
}

void use_tagger(const TaggingModel& model) {
  const TaggingEngine tagger(model);
  const std::vector<std::string> texts{"Mr Bell sees a film"};
  for (const Tagging& result : tagger.tag(texts)) {
    require_numbers(result.probabilities);
    require(result.tags.size() == result.words.size(), "a word without a tag");
    for (const std::size_t tag : result.tags)
      require(tag < tagger.labels().size(), "a tag without a name");
    (void)result.entities(tagger.labels());
  }
}

void use_language_model(const LanguageModel& model) {
  const GenerationEngine generator(model);
  GenerationOptions options = generator.default_options();
  options.max_tokens = 12;
  require_numbers(generator.generate("the cat", options).token_scores);
  if (!model.chat) return;
  const Chat chat(*model.chat, model.tokenizer);
  for (const std::int32_t id : chat.tokens({{{"role", "user"}, {"content", "a cat"}}}))
    require(id >= 0 && id < model.tokenizer.vocab_size(), "a token outside the vocabulary");
}

void embed(const std::string& path) {
  const std::vector<std::string> texts{"the old cat"};
  for (const TextEmbedding& embedding : EmbeddingEngine::load(path).embed(texts, {}))
    require_numbers(embedding.vectors.span());
}

}  // namespace

std::string use_model(const std::string& path) {
  show(path, true);
  show(path, false);
  try {
    describe(path);
    visit_model(
        *load_model(path), [](const TranslationModel& model) { use_translation(model); },
        [](const ClassificationModel& model) { use_classifier(model); },
        [](const LanguageModel& model) { use_language_model(model); },
        [](const TaggingModel& model) { use_tagger(model); },
        [](const EmbeddingModel& model) {
          require_numbers(text_vectors(model, Ragged::one(model.ids("a film"))).span());
        },
        [](const QualityModel& model) {
          const Ragged text = Ragged::one(model.ids("a film"));
          require_numbers(quality_scores(model, {text, text, text}));
        },
        [](const SavedModel& model) {
          throw std::logic_error("no use for " + std::string(model.task()));
        });
    embed(path);
    check_model(load_checkpoint(path));
    return "used";
  } catch (const DataError&) {
    return "DataError";
  } catch (const ConfigError&) {
    return "ConfigError";
  } catch (const Error&) {
    return "Error";
  }
}

}  // namespace attend
