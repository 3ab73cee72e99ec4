// Translation with a trained model: text in, text out. Start here.
//
//   const auto translator = attend::Translator::load("model.safetensors");
//   for (const attend::Translation& t : translator.translate(sentences)) use(t.text());
//
// Text is UTF-8, one sentence per line. Const members may be called from any number of threads at
// once; each call gets the answer it would get alone. Copies share the model.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <istream>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "attend/answers.h"
#include "attend/explanation.h"
#include "attend/metrics.h"
#include "attend/runtime.h"
#include "attend/search.h"
#include "attend/tokenizer.h"

#pragma GCC visibility push(default)
namespace attend {

// The languages of a translation, for a model of several: by the names that Translator::languages()
// lists, such as "en", "eng_Latn" or "en_XX". Empty: the model's default.
struct LanguagePair {
  std::string source;
  std::string target;
};

struct TranslationOptions {
  BeamSearchOptions beam;
  std::optional<SamplingOptions> sampling;  // draw beam.n_best samples instead of searching
  int batch_size = 16;  // sentences decoded together; fewer if they average more than 64 tokens
  // Most lines of a stream to read ahead and sort by length; never waits for more
  int window = 1024;
  int max_source_tokens = 1024;  // a longer sentence is a LineError
  bool shortlist = false;  // score only the tokens of the model's shortlist for the source: faster
  // Fill TranslationCandidate::alignment, at the cost of one more pass per candidate
  bool alignment = false;
  LanguagePair languages;
  // What the translations begin with: a text for each sentence, one for all of them, or none
  std::vector<std::string> prefixes;
  // The same as ids of target tokens, in place of prefixes: a beginning that ends within a word
  std::vector<std::vector<std::int32_t>> prefix_ids = {};
  // Phrases that every translation contains, however unlikely, and phrases that none contains: by
  // the tokens of the target, each behind a space, so that a word may go on ("Hund" as "Hunde").
  // For beam search, which shares its beam among translations with more and fewer of the phrases
  // (Post and Vilar 2018): it should be wider than the phrases have tokens
  std::vector<std::string> must_contain = {};
  std::vector<std::string> must_not_contain = {};
  // Hears every step of beam search, of the sentence with this number in the call, from 0 (in a
  // stream, the number of its line less 1). Steps of a sentence come in order; those of several
  // sentences come from several threads at once. A sentence whose batch fails for another is begun
  // again, with its first step. Must not call the translator. Samples have no steps.
  std::function<void(std::size_t sentence, const BeamStep& step)> search_listener = {};
};

struct TranslationCandidate {
  std::string text;
  float score = 0;  // the log-probability divided by length^length_penalty
  // Natural logarithm, end of sentence included, given the prefix
  float log_probability = 0;
  std::vector<std::string> tokens;  // the tokens of the text
  // Log-probability of each token, 0 for those of the prefix, then of the end of sentence
  std::vector<float> token_scores;
  // (source word, target word), counted from 0, by cross-attention
  std::vector<std::pair<int, int>> alignment;
};

struct Translation {
  // Best first; an empty line has one empty candidate
  std::vector<TranslationCandidate> candidates;
  std::vector<std::string> source_tokens;
  const std::string& text() const { return candidates.front().text; }
};

// A token that may be written somewhere.
struct TokenChoice {
  std::int32_t id = 0;
  std::string token;
  float log_probability = 0;  // natural logarithm
};

// What may be written in place of a token of a translation, given the tokens before it.
struct TokenAlternatives {
  TokenChoice written;
  int rank = 1;  // of it among all tokens; 1: the likeliest
  std::vector<TokenChoice> likeliest;
};

// Attention weights [rows, cols], row-major: how much each row's token attends to each column's.
struct AttentionMap {
  std::int64_t rows = 0;
  std::int64_t cols = 0;
  std::vector<float> weights;
};

// The attention of an encoder-decoder for a sentence and its translation, by words.
struct TranslationAttention {
  // With the special tokens around the source, such as the end: the columns of every map
  std::vector<std::string> src_words;
  std::vector<std::string> tgt_words;  // and the end of sentence: the rows. A word's row is the one
                                       // that predicts the word
  // [layer][head], cross-attention; each row sums to 1
  std::vector<std::vector<AttentionMap>> layers;
};

class Translator {
 public:
  // Loads a model file written by `attend train translation` or train() (attend/training.h).
  // Without a runtime it uses the default one. Throws IoError, or DataError for a damaged file or
  // another kind of model.
  static Translator load(const std::filesystem::path& path,
                         std::shared_ptr<Runtime> runtime = nullptr);

  // Models that translate and score together, by the arithmetic mean of their probabilities of
  // every token. Defaults, alignments and attention are those of the first; it computes on the
  // runtime of the first. At least one. Throws DataError, which names the file, for a model that
  // reads or writes other tokens than the first, or other languages.
  static Translator ensemble(std::span<const Translator> members);

  // The defaults stored in the model: its beam size and length penalty.
  TranslationOptions default_options() const;

  // The languages to choose from, by name; none for a model of one pair of languages.
  std::vector<std::string> languages() const;

  // Tokens of the longest sentence that the model has positions for; 0: any length.
  std::int64_t longest_source() const;

  const Tokenizer& source_tokenizer() const;
  const Tokenizer& target_tokenizer() const;

  // Returns one translation per sentence, in order. Results do not depend on the other sentences.
  // Throws ConfigError for an option out of range, for a language that the model does not have, for
  // another number of prefixes than of sentences, and for phrases that it cannot write; DataError
  // for a sentence that is too long, and for one without a translation that has all phrases.
  std::vector<Translation> translate(std::span<const std::string> sentences) const;
  std::vector<Translation> translate(std::span<const std::string> sentences,
                                     const TranslationOptions& options) const;

  // Translates line by line to the end of the stream, in bounded memory. `sink` receives the
  // answers and the lines that cannot be answered. `name` names the stream in messages ("name:line:
  // ..."). The options may have one prefix, for all lines.
  void translate(std::istream& lines, const std::string& name, const AnswerSink<Translation>& sink,
                 const TranslationOptions& options) const;

  // The log-probability of given translations. Throws DataError for a text that is too long, or
  // unless there are as many targets as sources, ConfigError as translate() does.
  std::vector<SequenceScore> score(std::span<const std::string> sources,
                                   std::span<const std::string> targets,
                                   const ScoringOptions& options = {},
                                   const LanguagePair& languages = {}) const;

  // For each token of a translation, and for its end: the `count` likeliest tokens there. `target`
  // has ids of target tokens, such as those of target_tokenizer().encode(). Throws DataError for a
  // text that is too long, ConfigError for an id that is no target token and as translate() does.
  std::vector<TokenAlternatives> alternatives(const std::string& source,
                                              std::span<const std::int32_t> target, int count,
                                              const LanguagePair& languages = {}) const;

  // The attention while reading `source` and writing `target`. Throws DataError for a text that is
  // too long, ConfigError as translate() does.
  TranslationAttention attention(const std::string& source, const std::string& target,
                                 const LanguagePair& languages = {}) const;

  // Why the model writes a token of `target`, and not another one, when it translates `source`.
  // Throws ConfigError for a recurrent network, an option out of range, a position behind the end
  // and a word that is not in the vocabulary; DataError for a text of more than 1024 tokens.
  OutputExplanation explain(const std::string& source, const std::string& target,
                            const ExplanationOptions& options = {},
                            const LanguagePair& languages = {}) const;
  // The same for a translation of this model, token by token as it was written.
  OutputExplanation explain(const std::string& source, const TranslationCandidate& translation,
                            const ExplanationOptions& options = {},
                            const LanguagePair& languages = {}) const;

 private:
  friend class BaseModel;
  friend class Engine;
  struct Impl;
  explicit Translator(std::shared_ptr<const Impl> impl) : impl_(std::move(impl)) {}
  std::shared_ptr<const Impl> impl_;
};

}  // namespace attend
#pragma GCC visibility pop
