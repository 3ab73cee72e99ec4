#include <fmt/format.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <optional>

#include "attend/lab/experiments.h"
#include "attend/lab/translation_trial.h"
#include "attend/models/make_encoder_decoder.h"

namespace attend::lab {

namespace {

std::int64_t parameters_of(ArchitectureConfig config, int vocab_size) {
  common(config).src_vocab_size = common(config).tgt_vocab_size = vocab_size;
  return make_encoder_decoder(config)->parameters().size();
}

// The recurrent encoder-decoder closest in number of parameters to `target`.
RecurrentConfig equal_rnn(const TransformerConfig& transformer, int vocab_size) {
  const std::int64_t target = parameters_of(transformer, vocab_size);
  RecurrentConfig config;
  config.d_model = transformer.d_model;
  config.dropout = transformer.dropout;
  RecurrentConfig best = config;
  std::int64_t distance = target;
  for (int width = 32; width <= 1024; width += 8) {
    config.d_hidden = width;
    const std::int64_t off = std::abs(parameters_of(config, vocab_size) - target);
    if (off < distance) best = config, distance = off;
  }
  return best;
}

// Seconds of training until a BLEU score was first reached, interpolated between validations.
std::optional<double> time_to(double bleu, const Trial& trial) {
  double seconds = 0, before = 0;
  for (const Trial::Point& point : trial.points) {
    if (point.bleu >= bleu)
      return seconds +
             (point.seconds - seconds) * (bleu - before) / std::max(1e-9, point.bleu - before);
    seconds = point.seconds;
    before = point.bleu;
  }
  return std::nullopt;
}

struct Pair {
  Trial transformer, rnn;
};

Plot bleu_plot(const std::string& name, const std::string& corpus, const Pair& pair) {
  Plot plot{name,
            fmt::format("BLEU against time, {}", corpus),
            {"seconds of training"},
            {"BLEU"},
            {{"Transformer", {{0, 0}}}, {"RNN", {{0, 0}}}}};
  for (const bool recurrent : {false, true}) {
    for (const Trial::Point& point : (recurrent ? pair.rnn : pair.transformer).points)
      plot.series[recurrent].points.emplace_back(point.seconds, point.bleu);
  }
  return plot;
}

struct Bench {
  const TrialCorpus& corpus;
  TransformerConfig config;
  std::int64_t batch_tokens;
  double seconds;
};

// Trains both for the same time, in turns, and adds them to the table.
Pair compare(const Lab& lab, const Bench& bench, Table& table) {
  const RecurrentConfig rnn = equal_rnn(bench.config, bench.corpus.vocab_size());
  TrialOptions options;
  options.seconds = bench.seconds;
  options.validations = lab.full_or_quick<std::int64_t>(8, 1);
  options.seed = lab.options.seed;
  options.schedule = {ScheduleKind::inverse_sqrt, 2e-3f, 200, 0.0f};
  const auto objective = [&](const ArchitectureConfig& config) {
    return bench.corpus.objective(config, 0.1f, bench.batch_tokens, lab.options.seed);
  };
  const auto transformer_objective = objective(bench.config), rnn_objective = objective(rnn);
  TrialRun transformer(*transformer_objective, options), recurrent_network(*rnn_objective, options);
  lab.progress(fmt::format("{}: {} s each", bench.corpus.name(), bench.seconds));
  while (!transformer.done() || !recurrent_network.done()) {
    for (TrialRun* run : {&transformer, &recurrent_network})
      if (!run->done()) run->advance();
  }
  const Pair pair{transformer.trial(), recurrent_network.trial()};
  const double common_bleu = std::min(pair.transformer.last().bleu, pair.rnn.last().bleu);
  for (const bool recurrent : {false, true}) {
    const Trial& trial = recurrent ? pair.rnn : pair.transformer;
    const auto reached = time_to(common_bleu, trial);
    const std::int64_t parameters =
        parameters_of(recurrent ? ArchitectureConfig(rnn) : ArchitectureConfig(bench.config),
                      bench.corpus.vocab_size());
    table.rows.push_back(
        {bench.corpus.name(), recurrent ? "RNN" : "Transformer", fmt::format("{}", parameters),
         fmt::format("{}", trial.losses.size()), fmt::format("{:.0f}", trial.tokens_per_second),
         fmt::format("{:.2f}", trial.last().perplexity), fmt::format("{:.1f}", trial.last().bleu),
         reached ? fmt::format("{:.0f} s to BLEU {:.1f}", *reached, common_bleu) : "not reached"});
  }
  return pair;
}

std::string difference(const std::string& corpus, const Pair& pair) {
  return fmt::format(
      "On {}, the Transformer reaches BLEU {:.1f} with {:.0f} tokens/s, the RNN {:.1f} with "
      "{:.0f}.",
      corpus, pair.transformer.last().bleu, pair.transformer.tokens_per_second,
      pair.rnn.last().bleu, pair.rnn.tokens_per_second);
}

}  // namespace

LabResult run_architectures(const Lab& lab) {
  const double seconds = lab.full_or_quick(40.0, 0.3),
               captions_seconds = lab.full_or_quick(120.0, 0.3);
  LabResult result;
  result.measured = fmt::format(
      "A Transformer and a recurrent encoder-decoder with additive attention (bidirectional GRU "
      "encoder, GRU decoder), with about the same number of parameters and the same data, batches, "
      "optimizer and schedule, train in turns for {} seconds each, on Multi30k for {}. BLEU "
      "(greedy) on held-out sentences during training; target tokens per second; the time at which "
      "each first reached the BLEU that both reached. The times, and so the results, depend on the "
      "machine.",
      seconds, captions_seconds);
  result.table.columns = {"corpus",   "model",      "parameters", "steps",
                          "tokens/s", "perplexity", "BLEU",       "time to the same BLEU"};

  std::optional<TrialCorpus> captions;  // read first, so that errors in the folder show at once
  if (!lab.options.data.empty())
    captions =
        TrialCorpus::multi30k((std::filesystem::path(lab.options.data) / "multi30k").string(),
                              lab.full_or_quick(300, 10));
  const TrialCorpus demo = TrialCorpus::demo(lab.full_or_quick(30000, 400),
                                             lab.full_or_quick(300, 10), lab.options.seed);
  const Pair on_demo = compare(lab, {demo, trial_transformer(), 2048, seconds}, result.table);
  result.plots.push_back(bleu_plot("architectures-demo", demo.name(), on_demo));
  result.finding = difference(demo.name(), on_demo);
  bool transformer_wins = on_demo.transformer.last().bleu > on_demo.rnn.last().bleu,
       rnn_wins = on_demo.rnn.last().bleu > on_demo.transformer.last().bleu;
  if (captions) {
    TransformerConfig config = trial_transformer();
    config.dropout = 0.1f;
    const Pair on_captions =
        compare(lab, {*captions, config, 4096, captions_seconds}, result.table);
    result.plots.push_back(bleu_plot("architectures-multi30k", captions->name(), on_captions));
    result.finding += " " + difference(captions->name(), on_captions);
    transformer_wins =
        transformer_wins && on_captions.transformer.last().bleu > on_captions.rnn.last().bleu;
    rnn_wins = rnn_wins && on_captions.rnn.last().bleu > on_captions.transformer.last().bleu;
  }
  result.verdict = transformer_wins ? Verdict::confirmed
                   : rnn_wins       ? Verdict::refuted
                                    : Verdict::unclear;
  return result;
}

}  // namespace attend::lab
