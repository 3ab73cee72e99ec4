#include "attend/translator.h"

#include <utility>

#include "attend/api/views.h"
#include "attend/core/files/lines.h"
#include "attend/core/threads/entered_runtime.h"
#include "attend/error.h"
#include "attend/tasks/explanation/attention_maps.h"
#include "attend/tasks/explanation/explanation.h"
#include "attend/tasks/learned_positions.h"
#include "attend/tasks/translation/document_translation.h"

namespace attend {

Translator Translator::load(const std::filesystem::path& path, std::shared_ptr<Runtime> runtime) {
  return Translator(std::make_shared<const Impl>(*LoadedModel::load(path, std::move(runtime))));
}

Translator Translator::ensemble(std::span<const Translator> members) {
  if (members.empty()) throw ConfigError("ensemble: expected at least one model, got none");
  std::vector<const TranslationEngine*> engines;
  for (const Translator& member : members) engines.push_back(&member.impl_->engine);
  return Translator(std::make_shared<const Impl>(TranslationEngine::ensemble_of(engines),
                                                 members.front().impl_->runtime));
}

TranslationOptions Translator::default_options() const { return impl_->engine.default_options(); }

std::vector<std::string> Translator::languages() const {
  std::vector<std::string> names;
  for (const PairFormat::Language& language : impl_->engine.model().format.languages)
    names.push_back(language.name);
  return names;
}

std::int64_t Translator::longest_source() const { return impl_->engine.longest_source(); }

const Tokenizer& Translator::source_tokenizer() const {
  return impl_->engine.model().src_tokenizer;
}

const Tokenizer& Translator::target_tokenizer() const {
  return impl_->engine.model().tgt_tokenizer;
}

std::vector<Translation> Translator::translate(std::span<const std::string> sentences) const {
  return translate(sentences, default_options());
}

std::vector<Translation> Translator::translate(std::span<const std::string> sentences,
                                               const TranslationOptions& options) const {
  const EnteredRuntime entered(impl_->runtime);
  return impl_->engine.translate(sentences, options);
}

void Translator::translate(std::istream& lines, const std::string& name,
                           const AnswerSink<Translation>& sink,
                           const TranslationOptions& options) const {
  const EnteredRuntime entered(impl_->runtime);
  LineReader reader(lines, name);
  impl_->engine.translate(reader, sink, options);
}

namespace {

// A text as an answer has no place for trust. Throws ConfigError.
const TranslationOptions& for_whole_text(const TranslationOptions& options) {
  if (options.trust)
    throw ConfigError("trust: expected sentences to translate(), got a whole text");
  return options;
}

}  // namespace

std::string Translator::translate_text(const std::string& text,
                                       const TranslationOptions& options) const {
  const EnteredRuntime entered(impl_->runtime);
  return translate_document(impl_->engine, plain_text(text), for_whole_text(options))
      .documents.front();
}

std::string Translator::translate_html(const std::string& html,
                                       const TranslationOptions& options) const {
  const EnteredRuntime entered(impl_->runtime);
  return translate_document(impl_->engine, html_page(html), for_whole_text(options))
      .documents.front();
}

void Translator::translate_file(const std::filesystem::path& in, const std::filesystem::path& out,
                                const TranslationOptions& options,
                                const std::vector<std::string>& columns) const {
  const EnteredRuntime entered(impl_->runtime);
  attend::translate_file(impl_->engine, in, out, for_whole_text(options), columns);
}

std::vector<SequenceScore> Translator::score(std::span<const std::string> sources,
                                             std::span<const std::string> targets,
                                             const ScoringOptions& options,
                                             const LanguagePair& languages) const {
  const EnteredRuntime entered(impl_->runtime);
  return impl_->engine.score(sources, targets, options, languages);
}

std::vector<TokenAlternatives> Translator::alternatives(const std::string& source,
                                                        std::span<const std::int32_t> target,
                                                        int count,
                                                        const LanguagePair& languages) const {
  const EnteredRuntime entered(impl_->runtime);
  return impl_->engine.alternatives(source, {target.begin(), target.end()}, count, languages);
}

TranslationAttention Translator::attention(const std::string& source, const std::string& target,
                                           const LanguagePair& languages) const {
  const EnteredRuntime entered(impl_->runtime);
  const TranslationModel& model = impl_->engine.model();
  const PairSpecialTokens marks = model.format.of(languages);
  std::vector<std::int32_t> src = model.src_tokenizer.encode(source),
                            tgt = model.tgt_tokenizer.encode(target);
  require_room("the source", std::ssize(src), marks.of_source(), model.longest_input());
  require_room("the target", std::ssize(tgt), marks.of_target(), model.longest_input());
  src = marks.around(src);
  const AttentionMaps maps = attention_maps(model, marks, src, tgt);

  // A token's row is the one that predicts it; the last row predicts the end.
  tgt.push_back(model.tgt_tokenizer.eos_id());
  const auto src_words = model.src_tokenizer.words(src), tgt_words = model.tgt_tokenizer.words(tgt);
  TranslationAttention attention;
  for (const Tokenizer::Word& word : src_words) attention.src_words.push_back(word.text);
  for (const Tokenizer::Word& word : tgt_words) attention.tgt_words.push_back(word.text);
  for (const std::vector<AttentionMap>& heads : maps.cross) {
    std::vector<AttentionMap>& layer = attention.layers.emplace_back();
    for (const AttentionMap& head : heads) layer.push_back(word_map(head, tgt_words, src_words));
  }
  return attention;
}

OutputExplanation Translator::explain(const std::string& source, const std::string& target,
                                      const ExplanationOptions& options,
                                      const LanguagePair& languages) const {
  const EnteredRuntime entered(impl_->runtime);
  return attend::explain(impl_->engine.model(), source, target, options, languages);
}

OutputExplanation Translator::explain(const std::string& source,
                                      const TranslationCandidate& translation,
                                      const ExplanationOptions& options,
                                      const LanguagePair& languages) const {
  const EnteredRuntime entered(impl_->runtime);
  return attend::explain(impl_->engine.model(), source,
                         target_ids(impl_->engine.model(), translation), options, languages);
}

}  // namespace attend
