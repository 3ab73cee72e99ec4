#include "attend/lab/translation_trial.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <numeric>

#include "attend/demo/corpus.h"
#include "attend/error.h"
#include "attend/models/make_encoder_decoder.h"

namespace attend::lab {

namespace {

constexpr int kDemoVocabulary = 1200, kMulti30kVocabulary = 8000;

ParallelText first(ParallelText text, int sentences) {
  const auto count = std::min(text.src.size(), static_cast<std::size_t>(sentences));
  text.src.resize(count);
  text.tgt.resize(count);
  return text;
}

DemoCorpus demo_corpus(int train, int valid, std::uint64_t seed) {
  DemoCorpusOptions options;
  options.seed = seed;
  options.train_sentences = train;
  options.valid_sentences = valid;
  options.test_sentences = 1;
  return make_demo_corpus(options);
}

Tokenizer joint_tokenizer(const ParallelText& text, const TokenizerOptions& options) {
  std::vector<std::string> both = text.src;
  both.insert(both.end(), text.tgt.begin(), text.tgt.end());
  return Tokenizer::train(both, options);
}

}  // namespace

TrialCorpus::TrialCorpus(std::string name, const ParallelText& train, ParallelText valid,
                         const TokenizerOptions& options)
    : name_(std::move(name)),
      tokenizer_(joint_tokenizer(train, options)),
      valid_text_(std::move(valid)),
      pretokenized_(options.pretokenized) {
  ReadReport report;
  train_ = encode_parallel(train, tokenizer_, tokenizer_, {}, report);
  valid_ = encode_parallel(valid_text_, tokenizer_, tokenizer_, {}, report);
}

TrialCorpus TrialCorpus::demo(int train_sentences, int valid_sentences, std::uint64_t seed) {
  const DemoCorpus corpus = demo_corpus(train_sentences, valid_sentences, seed);
  TokenizerOptions options;
  options.vocab_size = kDemoVocabulary;
  return TrialCorpus("demo corpus", {corpus.train_src, corpus.train_tgt},
                     {corpus.valid_src, corpus.valid_tgt}, options);
}

TrialCorpus TrialCorpus::multi30k(const std::string& folder, int valid_sentences) {
  const auto file = [&](const char* name) {
    return std::vector<std::string>{(std::filesystem::path(folder) / "tok" / name).string()};
  };
  TokenizerOptions options;
  options.vocab_size = kMulti30kVocabulary;
  options.pretokenized = true;
  return TrialCorpus(
      "Multi30k", read_parallel(file("train.lc.norm.tok.en"), file("train.lc.norm.tok.de")),
      first(read_parallel(file("val.lc.norm.tok.en"), file("val.lc.norm.tok.de")), valid_sentences),
      options);
}

std::unique_ptr<TranslationObjective> TrialCorpus::objective(ArchitectureConfig config,
                                                             float label_smoothing,
                                                             std::int64_t batch_tokens,
                                                             std::uint64_t seed) const {
  common(config).src_vocab_size = common(config).tgt_vocab_size = vocab_size();
  const TranslationModel model{make_encoder_decoder(config, seed), tokenizer_, tokenizer_};
  const SpecialTokens special = tokenizer_.special_tokens();
  TranslationOptions decoding;
  decoding.beam.beam_size = 1;
  TranslationValidation validation{
      TranslationBatcher(valid_, {special, special}, {4096}, std::nullopt),
      references_of(valid_, valid_text_), decoding, pretokenized_};
  return std::make_unique<TranslationObjective>(
      model, TranslationBatcher(train_, {special, special}, {batch_tokens}, seed),
      TranslationLoss{label_smoothing}, std::move(validation));
}

TransformerConfig trial_transformer() {
  TransformerConfig config;
  config.d_model = 128;
  config.n_heads = 4;
  config.d_ff = 512;
  config.n_encoder_layers = config.n_decoder_layers = 2;
  config.dropout = 0;
  return config;
}

double Trial::recent_loss(std::size_t count) const {
  if (losses.empty()) return std::numeric_limits<double>::quiet_NaN();
  const std::size_t taken = std::min(count, losses.size());
  return std::accumulate(losses.end() - static_cast<std::ptrdiff_t>(taken), losses.end(), 0.0) /
         static_cast<double>(taken);
}

namespace {

TrainerOptions training_of(const TrialOptions& options) {
  TrainerOptions training;
  training.max_steps = options.steps > 0 ? options.steps : std::numeric_limits<std::int32_t>::max();
  training.seed = options.seed;
  training.optimizer.adam.clip_norm = options.clip_norm;
  training.schedule = options.schedule;
  return training;
}

}  // namespace

TrialRun::TrialRun(TranslationObjective& objective, const TrialOptions& options)
    : objective_(objective),
      options_(options),
      trainer_(objective, training_of(options),
               {RunFolder(""), false, trial_transformer().d_model, {}, {}, nullptr, {}}) {}

double TrialRun::share() const {
  if (trial_.diverged) return 1.0;
  return options_.steps > 0
             ? static_cast<double>(trainer_.step()) / static_cast<double>(options_.steps)
             : seconds_ / options_.seconds;
}

void TrialRun::advance() {
  const double next =
      static_cast<double>(trial_.points.size() + 1) / static_cast<double>(options_.validations);
  try {
    StepEvent event;
    do {
      event = trainer_.update();
      const auto tokens = static_cast<double>(event.tokens);
      seconds_ += tokens / event.tokens_per_second;
      tokens_ += tokens;
      trial_.tokens_per_second = tokens_ / std::max(seconds_, 1e-9);
      trial_.losses.push_back(event.nll);
    } while (share() < std::min(next, 1.0));
    if (share() < next) return;
    const Validation validation = objective_.validate();
    trial_.points.push_back({event.step, seconds_, std::exp(validation.nll), validation.score});
  } catch (const DivergedError&) {
    trial_.diverged = true;
  }
}

Trial run_trial(TranslationObjective& objective, const TrialOptions& options) {
  TrialRun run(objective, options);
  while (!run.done()) run.advance();
  return run.trial();
}

}  // namespace attend::lab
