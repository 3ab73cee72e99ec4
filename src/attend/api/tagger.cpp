#include "attend/tagger.h"

#include <utility>

#include "attend/api/views.h"
#include "attend/core/files/lines.h"
#include "attend/core/threads/entered_runtime.h"

namespace attend {

Tagger Tagger::load(const std::filesystem::path& path, std::shared_ptr<Runtime> runtime) {
  return Tagger(std::make_shared<const Impl>(*LoadedModel::load(path, std::move(runtime))));
}

const std::vector<std::string>& Tagger::labels() const { return impl_->engine.labels(); }

const Tokenizer& Tagger::tokenizer() const { return impl_->engine.model().tokenizer; }

std::vector<Tagging> Tagger::tag(std::span<const std::string> texts,
                                 const TaggingOptions& options) const {
  const EnteredRuntime entered(impl_->runtime);
  return impl_->engine.tag(texts, options);
}

void Tagger::tag(std::istream& lines, const std::string& name, const AnswerSink<Tagging>& sink,
                 const TaggingOptions& options) const {
  const EnteredRuntime entered(impl_->runtime);
  LineReader reader(lines, name);
  impl_->engine.tag(reader, sink, options);
}

}  // namespace attend
