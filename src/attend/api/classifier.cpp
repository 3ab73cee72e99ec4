#include "attend/classifier.h"

#include <utility>

#include "attend/api/views.h"
#include "attend/core/files/lines.h"
#include "attend/core/threads/entered_runtime.h"
#include "attend/tasks/explanation/explanation.h"

namespace attend {

Classifier Classifier::load(const std::filesystem::path& path, std::shared_ptr<Runtime> runtime) {
  return Classifier(std::make_shared<const Impl>(*LoadedModel::load(path, std::move(runtime))));
}

const std::vector<std::string>& Classifier::labels() const { return impl_->engine.labels(); }

ProblemType Classifier::problem_type() const { return impl_->engine.model().problem_type(); }

bool Classifier::takes_pairs() const { return impl_->engine.model().pairs; }

bool Classifier::is_cross_encoder() const {
  return impl_->engine.model().cross_encoder_function.has_value();
}

const Tokenizer& Classifier::tokenizer() const { return impl_->engine.model().tokenizer; }

std::vector<Classification> Classifier::classify(std::span<const std::string> texts,
                                                 const ClassificationOptions& options) const {
  const EnteredRuntime entered(impl_->runtime);
  return impl_->engine.classify(texts, options);
}

void Classifier::classify(std::istream& lines, const std::string& name,
                          const AnswerSink<Classification>& sink,
                          const ClassificationOptions& options) const {
  const EnteredRuntime entered(impl_->runtime);
  LineReader reader(lines, name);
  impl_->engine.classify(reader, sink, options);
}

OutputExplanation Classifier::explain(const std::string& text,
                                      const ExplanationOptions& options) const {
  const EnteredRuntime entered(impl_->runtime);
  return attend::explain(impl_->engine.model(), text, options);
}

}  // namespace attend
