// OpenNMT-py's options of training: vocabularies, batches, the optimizer and the run.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "attend/interchange/migration/opennmt/opennmt_rules.h"

namespace attend {

namespace {

constexpr std::string_view kLearned = "the vocabulary is learned from the training text";
constexpr std::string_view kOnCpu = "attend computes on the CPU, and with mpirun on several";
constexpr std::string_view kOneForAll = "one value holds for the whole training";
constexpr std::string_view kToldThere = "progress is told on the terminal and in log.jsonl";

// The larger one of both sides; `text`: our option.
void opennmt_sizes(Migration& m, const ForeignOption&, std::string_view text) {
  const std::int64_t source = m.whole("src_vocab_size", 32768),
                     target = m.whole("tgt_vocab_size", 32768);
  m.translate({"src_vocab_size", "tgt_vocab_size"}, text,
              {fmt::format("{}", std::max(source, target))},
              source == target ? "" : "both vocabularies have the larger size here");
}

void opennmt_lengths(Migration& m, const ForeignOption&, std::string_view text) {
  const std::int64_t source = m.whole("src_seq_length", m.whole("tgt_seq_length", 0)),
                     target = m.whole("tgt_seq_length", source);
  m.translate({"src_seq_length", "tgt_seq_length"}, text,
              {fmt::format("{}", std::min(source, target))},
              source == target ? "" : "the shorter limit, for both sides");
}

void opennmt_transforms(Migration& m, const ForeignOption& option, std::string_view) {
  std::string others;
  for (const std::string& name : option.values) {
    if (name == "sentencepiece") {
      m.add("tokenizer", "unigram", "transforms: sentencepiece; a new vocabulary is learned");
    } else if (name != "filtertoolong") {
      others += (others.empty() ? "" : " ") + name;
    }
  }
  if (others.empty()) return m.expand(option.name);
  m.without_equal(option.name,
                  fmt::format("change the text before training, or leave out: {}", others));
}

void opennmt_batch(Migration& m, const ForeignOption&, std::string_view) {
  const bool tokens = m.text("batch_type", "sents") == "tokens";
  if (tokens) {
    return m.translate({"batch_size", "batch_type"}, "batch-tokens", {m.text("batch_size", "64")},
                       "without padding, unlike OpenNMT-py");
  }
  for (const char* name : {"batch_size", "batch_type"})
    m.without_equal(name, "batch-tokens counts tokens; the recipe has those of the preset base");
  m.add("batch-tokens", "4096", "as preset base");
}

void opennmt_accumulation(Migration& m, const ForeignOption& option, std::string_view) {
  const ForeignOption* const count = m.find("accum_count");
  if (count != nullptr && count->values.size() != 1) {
    m.without_equal("accum_count", kOneForAll);
    return m.same("world_size", "accumulate times as many batches are a step");
  }
  const std::int64_t batches = m.whole("accum_count", 1) * m.whole("world_size", 1);
  if (batches < 1) m.refuse(option, "a number above 0");
  m.translate({"accum_count", "world_size"}, "accumulate", {fmt::format("{}", batches)});
}

void opennmt_schedule(Migration& m, const ForeignOption&, std::string_view) {
  const std::string name = m.text("decay_method", "none");
  const double rate = m.number("learning_rate", 1), warmup = m.number("warmup_steps", 4000);
  if (name == "noam") {
    m.translate({"decay_method"}, "schedule", {"noam"});
    m.translate({"learning_rate"}, "learning-rate", {fmt::format("{:.10g}", rate)});
    return m.translate({"warmup_steps"}, "warmup-steps", {fmt::format("{:.10g}", warmup)});
  }
  if (name == "rsqrt" && warmup > 0) {
    m.translate({"decay_method"}, "schedule", {"inverse_sqrt"});
    m.translate({"learning_rate"}, "learning-rate",
                {fmt::format("{:.10g}", rate / std::sqrt(warmup))},
                "divided by the root of warmup_steps");
    return m.translate({"warmup_steps"}, "warmup-steps", {fmt::format("{:.10g}", warmup)},
                       "here the rate rises until then");
  }
  m.add("schedule", "constant", "without the steps of decay_method");
  m.add("warmup-steps", "0", "the rate does not rise");
  m.translate({"learning_rate"}, "learning-rate", {fmt::format("{:.10g}", rate)});
  m.without_equal("decay_method", "attend has noam, inverse_sqrt, linear, cosine and constant");
  m.same("warmup_steps", "only for other schedules");
}

void opennmt_average(Migration& m, const ForeignOption& option, std::string_view) {
  const double share = m.number(option.name, 0);
  if (share == 0) return m.same(option.name, "off");
  if (m.whole("average_every", 1) != 1)
    return m.without_equal(option.name, "ema-decay averages after every step");
  m.translate({option.name}, "ema-decay", {fmt::format("{:.10g}", 1 - share)});
}

void opennmt_keeping(Migration& m, const ForeignOption& option, std::string_view) {
  m.translate({option.name}, "keep-checkpoints",
              {m.whole(option.name, -1) < 0 ? "0" : m.text(option.name)});
}

void opennmt_seed(Migration& m, const ForeignOption& option, std::string_view) {
  if (m.whole(option.name, -1) > 0) return becomes(m, option, "seed");
  m.without_equal(option.name, "a random seed; without a seed, attend takes 1");
}

void opennmt_precision(Migration& m, const ForeignOption& option, std::string_view) {
  const std::string type = m.text(option.name);
  if (type == "fp32") return m.same(option.name, "the default");
  if (type == "bf16")
    return m.translate({option.name}, "precision", {"bf16"},
                       "only the operands of products; sums and parameters stay f32");
  m.without_equal(
      option.name,
      "precision = \"bf16\" is fast on CPUs with bf16 instructions; float16 is not used");
}

constexpr MigrationRule kOpenTrainingRules[] = {
    {"data", has_no_equal, "written by an older version: set src-train and tgt-train"},
    {"src_vocab", is_same, kLearned},
    {"tgt_vocab", is_same, kLearned},
    {"share_vocab", becomes, "joint-vocabulary", Takes::maybe},
    {"src_vocab_size", opennmt_sizes, "vocab-size"},
    {"tgt_vocab_size", opennmt_sizes, "vocab-size"},
    {"vocab_size_multiple", is_same, "vocabularies are not padded"},
    {"src_words_min_frequency", has_no_equal_if_on, "the most frequent words get a token"},
    {"tgt_words_min_frequency", has_no_equal_if_on, "the most frequent words get a token"},
    {"src_seq_length", opennmt_lengths, "max-length"},
    {"tgt_seq_length", opennmt_lengths, "max-length"},
    {"src_seq_length_trunc", has_no_equal_if_on, "over-long = \"truncate\" shortens both sides"},
    {"tgt_seq_length_trunc", has_no_equal_if_on, "over-long = \"truncate\" shortens both sides"},
    {"transforms", opennmt_transforms, "", Takes::list},
    {"src_subword_model", is_same, kLearned},
    {"tgt_subword_model", is_same, kLearned},
    {"src_subword_type", is_same, kLearned},
    {"tgt_subword_type", is_same, kLearned},
    {"src_subword_nbest", has_no_equal, "bpe-dropout draws segmentations of tokenizer = \"bpe\""},
    {"tgt_subword_nbest", has_no_equal, "bpe-dropout draws segmentations of tokenizer = \"bpe\""},
    {"src_subword_alpha", has_no_equal_if_on,
     "bpe-dropout draws segmentations of tokenizer = \"bpe\""},
    {"tgt_subword_alpha", has_no_equal_if_on,
     "bpe-dropout draws segmentations of tokenizer = \"bpe\""},
    {"skip_empty_level", is_same, "pairs with an empty line are left out, and counted"},
    {"save_data", is_same, "attend reads the text itself"},
    {"overwrite", is_same, "attend reads the text itself", Takes::maybe},
    {"n_sample", is_same, "the vocabulary is learned from the whole text"},
    {"bucket_size", is_same, "batches are made of the whole text"},
    {"bucket_size_init", is_same, "batches are made of the whole text"},
    {"bucket_size_increment", is_same, "batches are made of the whole text"},
    {"prefetch_factor", is_same, "reading takes what threads it needs"},
    {"num_workers", is_same, "reading takes what threads it needs"},
    {"num_threads", is_same, "reading takes what threads it needs"},
    {"batch_size", opennmt_batch},
    {"batch_type", opennmt_batch},
    {"batch_size_multiple", is_same, "batches have any number of sentences"},
    {"valid_batch_size", is_same, "does not change what is measured"},
    {"normalization", is_same_if, "tokens|the loss is the mean of the tokens"},
    {"accum_count", opennmt_accumulation, "", Takes::list},
    {"accum_steps", has_no_equal_if_on, kOneForAll, Takes::list},
    {"world_size", opennmt_accumulation},
    {"optim", is_same_if, "adam|the optimizer is Adam here"},
    {"adam_beta1", becomes, "adam-beta1"},
    {"adam_beta2", becomes, "adam-beta2"},
    {"max_grad_norm", becomes, "clip-norm"},
    {"label_smoothing", becomes, "label-smoothing"},
    {"decay_method", opennmt_schedule},
    {"learning_rate", opennmt_schedule},
    {"warmup_steps", opennmt_schedule},
    {"learning_rate_decay", is_same, "only for other schedules"},
    {"start_decay_steps", is_same, "only for other schedules"},
    {"decay_steps", is_same, "only for other schedules"},
    {"average_decay", opennmt_average},
    {"average_every", is_same, "only for average_decay"},
    {"train_steps", becomes, "max-steps"},
    {"valid_steps", becomes, "valid-every"},
    {"save_checkpoint_steps", becomes, "save-every"},
    {"keep_checkpoint", opennmt_keeping},
    {"early_stopping", becomes, "patience"},
    {"early_stopping_criteria", has_no_equal_if_on, "the BLEU of the validation text decides",
     Takes::list},
    {"valid_metrics", is_same, "validation measures BLEU", Takes::list},
    {"report_every", becomes, "log-every"},
    {"seed", opennmt_seed},
    {"model_dtype", opennmt_precision},
    {"apex_opt_level", is_same, "only for float16"},
    {"loss_scale", is_same, "only for float16"},
    {"save_model", is_same, "the folder of the run, out, has the model"},
    {"save_format", is_same, "models are safetensors files"},
    {"train_from", has_no_equal_if_on, "init-from takes a model that attend reads"},
    {"reset_optim", is_same_if, "none|resume goes on with a run as if it had not stopped"},
    {"update_vocab", has_no_equal_if_on, "init-vocabulary replaces a vocabulary", Takes::maybe},
    {"freeze_encoder", has_no_equal_if_on, "freeze = [\"encoder.*\"]", Takes::maybe},
    {"freeze_decoder", has_no_equal_if_on, "freeze = [\"decoder.*\"]", Takes::maybe},
    {"src_embeddings", has_no_equal_if_on, "embeddings are trained from the text"},
    {"tgt_embeddings", has_no_equal_if_on, "embeddings are trained from the text"},
    {"both_embeddings", has_no_equal_if_on, "embeddings are trained from the text"},
    {"embeddings_type", is_same, "embeddings are trained from the text"},
    {"use_ckpting", has_no_equal_if_on, "recompute = true recomputes whole layers", Takes::list},
    {"lora_layers", has_no_equal_if_on, "lora-rank and lora-targets, with init-from", Takes::list},
    {"gpu_ranks", is_same, kOnCpu, Takes::list},
    {"gpu_backend", is_same, kOnCpu},
    {"gpu_verbose_level", is_same, kOnCpu},
    {"parallel_mode", is_same_if, "data_parallel|every process has the whole model"},
    {"master_ip", is_same, kOnCpu},
    {"master_port", is_same, kOnCpu},
    {"log_file", is_same, kToldThere},
    {"log_file_level", is_same, kToldThere},
    {"verbose", is_same, kToldThere, Takes::maybe},
    {"exp", is_same, kToldThere},
    {"exp_host", is_same, kToldThere},
    {"tensorboard", is_same, "the folder of the run has events for TensorBoard", Takes::maybe},
    {"tensorboard_log_dir", is_same, "the folder of the run has events for TensorBoard"},
};

}  // namespace

std::span<const MigrationRule> opennmt_training_rules() { return kOpenTrainingRules; }

}  // namespace attend
