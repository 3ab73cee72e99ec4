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
#include "attend/quality.h"
#include "attend/runtime.h"
#include "attend/search.h"
#include "attend/text_preparation.h"
#include "attend/tokenizer.h"

#pragma GCC visibility push(default)
namespace attend {

// The languages of a translation with a multilingual model, by the names that
// Translator::languages() lists, such as "en", "eng_Latn" or "en_XX". Empty: the model's default.
struct LanguagePair {
  std::string source;
  std::string target;
};

struct TranslationOptions {
  BeamSearchOptions beam;
  std::optional<SamplingOptions> sampling;  // draw beam.n_best samples instead of searching
  // Minimum-Bayes-risk decoding (Eikema and Aziz 2020): the translation with the greatest expected
  // utility comes first. The expectation is over the beam, by the probabilities of its outputs, or
  // over `samples`, which are drawn as `sampling` says, and among which the translation is
  Utility mbr = Utility::none;
  // The model of Utility::comet, which reads references. As comet-mbr, it compares a sample with
  // all others, not with itself
  std::optional<QualityScorer> comet = std::nullopt;
  // Instead of `mbr`: the candidate whose quality this model estimates to be the highest, without
  // references, comes first
  std::optional<QualityScorer> rerank = std::nullopt;
  int samples = 0;      // 0: the outputs of the beam; else at least n_best
  int batch_size = 16;  // sentences decoded together; fewer if they average more than 64 tokens
  // Most lines of a stream to read ahead and sort by length; never waits for more
  int window = 1024;
  int max_source_tokens = 1024;  // a longer sentence is a LineError
  bool shortlist = false;  // score only the tokens of the model's shortlist for the source: faster
  // Fill TranslationCandidate::alignment, at the cost of one more pass per candidate
  bool alignment = false;
  // Sentences that get one, instead of all or none: one element per sentence
  std::vector<bool> aligned = {};
  // Fill TranslationCandidate::trust; for translate(), not for whole texts
  bool trust = false;
  LanguagePair languages;
  // Sentences before each one that the model reads with it, the source of earlier sentences of the
  // call: at most as many as it was trained with. 0: none, so that no sentence depends on another.
  // An empty sentence ends a document
  int context = 0;
  // The numbers of sentences that begin a document, ascending
  std::vector<std::size_t> documents = {};
  // How sentences, prefixes and phrases are prepared; candidates have tokens of prepared text
  TextPreparation preparation = {};
  // Texts that the translations begin with: one per sentence, one for all sentences, or none
  std::vector<std::string> prefixes;
  // Prefixes as target token ids, instead of `prefixes`; they may end within a word
  std::vector<std::vector<std::int32_t>> prefix_ids = {};
  // 1: translations begin with their prefix. Below 1, beam search prefers the prefix: while a
  // translation follows it, the probability p of its next token counts as weight + (1 - weight) p,
  // and that of any other token as (1 - weight) p
  float prefix_weight = 1.0f;
  // Phrases that every translation contains, however unlikely, and phrases that no translation
  // contains. Phrases match target tokens from the beginning of a word; the last word may continue
  // ("Hund" in "Hunde"). must_contain is for beam search only, with dynamic beam allocation (Post
  // and Vilar 2018): the beam size should exceed the number of tokens in must_contain
  std::vector<std::string> must_contain = {};
  std::vector<std::string> must_not_contain = {};
  // What translations have exactly as it is in the sentence, once each, where its words go:
  // regular expressions, and "common": placeholders such as {x} and %s, URLs, e-mail addresses,
  // tags, code in backticks. "none": nothing, alone. Empty: nothing in sentences; "common" in
  // translate_text(), translate_html() and translate_file(). Tokens, and steps of a search, have
  // other words in their place
  std::vector<std::string> protect = {};
  // Terms that are translated in a given way where they occur in a sentence, by beam search.
  // Elements with a tab are terms: "dog|dogs\tHund|Hunde"; one of the forms of the translation is
  // then in the translation, as must_contain. Other elements are files with such lines, or of TBX
  std::vector<std::string> glossary = {};
  // Sequences of target tokens that no translation contains, as ids
  std::vector<std::vector<std::int32_t>> forbidden_ids = {};
  bool forbid_unknown = false;  // never write the token for unknown words
  // Target tokens that end a translation, instead of the end of sentence; empty: the latter
  std::vector<std::int32_t> end_ids = {};
  // Receives every step of beam search. `sentence` counts the sentences of the call, or the lines
  // of a stream, from 0. Steps of one sentence come in order; those of several sentences may come
  // from several threads at once. If a batch fails because of one sentence, the others start again
  // with their first step. Must not call the translator. Sampling has no steps.
  std::function<void(std::size_t sentence, const BeamStep& step)> search_listener = {};
};

struct TranslationCandidate {
  std::string text;  // detokenized, if that was asked for
  float score = 0;   // the log-probability divided by length^length_penalty
  // Natural logarithm, end of sentence included, given the prefix
  float log_probability = 0;
  std::vector<std::string> tokens;  // what the model wrote
  // Log-probability of each token (0 for those of the prefix), then of the end of sentence
  std::vector<float> token_scores;
  std::int32_t end = -1;  // id of the token that ended it; -1: it was cut at the maximum length
  // Pairs (source word, target word) of the tokens, counted from 0, from cross-attention
  std::vector<std::pair<int, int>> alignment;
  // With `alignment`: the source token that each of `tokens` attends to most, counted from 0
  std::vector<int> token_alignment = {};
  std::optional<TranslationTrust> trust = std::nullopt;
};

struct Translation {
  // Best first; an empty line has one empty candidate
  std::vector<TranslationCandidate> candidates;
  std::vector<std::string> source_tokens;
  const std::string& text() const { return candidates.front().text; }
};

// A token with its log-probability at some position.
struct TokenChoice {
  std::int32_t id = 0;
  std::string token;
  float log_probability = 0;  // natural logarithm
};

// The most likely tokens at a position of a translation, given the tokens before it.
struct TokenAlternatives {
  TokenChoice written;
  int rank = 1;  // of `written` among all tokens; 1: the most likely
  std::vector<TokenChoice> likeliest;
};

// Attention weights [rows, cols], row-major: how much each row's word attends to each column's.
struct AttentionMap {
  std::int64_t rows = 0;
  std::int64_t cols = 0;
  std::vector<float> weights;
};

// The attention of an encoder-decoder for a sentence and its translation, by words.
struct TranslationAttention {
  // The columns of every map: the source words, and special tokens such as the end of sentence
  std::vector<std::string> src_words;
  // The rows of every map: the target words and the end of sentence. The row of a word holds the
  // weights that predicted the word
  std::vector<std::string> tgt_words;
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

  // An ensemble of one or more models: it translates and scores with the arithmetic mean of their
  // token probabilities. Throws ConfigError without a model. Defaults, alignments, attention and
  // the runtime are those of the first model. Throws DataError, which names the file, for a model
  // whose vocabularies or languages differ from those of the first.
  static Translator ensemble(std::span<const Translator> members);

  // The defaults stored in the model: its beam size, its length penalty, and the context that it
  // was trained with.
  TranslationOptions default_options() const;

  // The languages of a multilingual model, by name; empty for a bilingual one.
  std::vector<std::string> languages() const;

  // The length in tokens of the longest sentence that the model has positions for; 0: any length.
  std::int64_t longest_source() const;

  const Tokenizer& source_tokenizer() const;
  const Tokenizer& target_tokenizer() const;

  // Returns one translation per sentence, in order. Without context, results do not depend on the
  // other sentences. Throws ConfigError for an option out of range, a language that the model does
  // not have, a wrong number of prefixes, or phrases that the model cannot write; DataError for a
  // sentence that is too long or for which no translation with all phrases was found.
  std::vector<Translation> translate(std::span<const std::string> sentences) const;
  std::vector<Translation> translate(std::span<const std::string> sentences,
                                     const TranslationOptions& options) const;

  // Translates line by line to the end of the stream, in bounded memory. `sink` receives the
  // answers and the lines that cannot be answered. `name` names the stream in messages ("name:line:
  // ..."). The options may have one prefix, for all lines.
  void translate(std::istream& lines, const std::string& name, const AnswerSink<Translation>& sink,
                 const TranslationOptions& options) const;

  // Translates a text of any number of sentences and paragraphs; white space between sentences
  // stays. Sentences are found by the rules of the source language that the options or the model
  // name. One that is too long for the model is cut after a clause. The options may have one
  // prefix, for all sentences. Throws as translate(), and ConfigError for n_best, alignment, trust.
  std::string translate_text(const std::string& text, const TranslationOptions& options) const;
  // The same for the texts of a document or a fragment of HTML. Tags stay with their words. Throws
  // DataError also for more than a million tags.
  std::string translate_html(const std::string& html, const TranslationOptions& options) const;
  // The same for a file, whose extension names its format: .txt, .html, .docx, .odt and others
  // (docs/documents.md). `out`, of the same format, is written in one step. Throws DataError also
  // for a file that cannot be read as this format, ConfigError for an unknown one, IoError.
  // `columns`: those of a table (.csv, .tsv) that are translated, by name or by number from 1;
  // empty: all.
  void translate_file(const std::filesystem::path& in, const std::filesystem::path& out,
                      const TranslationOptions& options,
                      const std::vector<std::string>& columns = {}) const;

  // The log-probability of given translations. Throws DataError for a text that is too long, or
  // unless there are as many targets as sources, ConfigError as translate() does.
  std::vector<SequenceScore> score(std::span<const std::string> sources,
                                   std::span<const std::string> targets,
                                   const ScoringOptions& options = {},
                                   const LanguagePair& languages = {}) const;

  // The `count` most likely tokens at each position of a translation, and at its end. `target` has
  // target token ids, such as those of target_tokenizer().encode(). Throws DataError for a text
  // that is too long, ConfigError for an invalid id and as translate() does.
  std::vector<TokenAlternatives> alternatives(const std::string& source,
                                              std::span<const std::int32_t> target, int count,
                                              const LanguagePair& languages = {}) const;

  // The attention while reading `source` and writing `target`. Throws DataError for a text that is
  // too long, ConfigError as translate() does.
  TranslationAttention attention(const std::string& source, const std::string& target,
                                 const LanguagePair& languages = {}) const;

  // Explains why the model prefers a token of `target` to another one when it translates `source`.
  // Throws ConfigError for a recurrent network, an option out of range, a position beyond the end
  // or a word that is not in the vocabulary; DataError for a text of more than 1024 tokens.
  OutputExplanation explain(const std::string& source, const std::string& target,
                            const ExplanationOptions& options = {},
                            const LanguagePair& languages = {}) const;
  // The same for a candidate of translate(), with exactly its tokens.
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
