// Options of onmt_translate.
#include <string>

#include "attend/interchange/migration/opennmt/opennmt_rules.h"

namespace attend {

namespace {

bool draws(const Migration& m) {
  return m.whole("random_sampling_topk", 0) != 0 || m.number("random_sampling_topp", 0) != 0;
}

// `text`: our option, which a sample does not have.
void opennmt_search(Migration& m, const ForeignOption& option, std::string_view text) {
  if (draws(m)) return m.same(option.name, "samples have no beam");
  becomes(m, option, text);
}

void opennmt_length_penalty(Migration& m, const ForeignOption& option, std::string_view) {
  if (draws(m)) return m.same(option.name, "samples have no beam");
  const std::string kind = m.text(option.name);
  if (kind == "wu")
    return m.without_equal(option.name, "length-penalty is an exponent of the length itself");
  m.translate({option.name}, "length-penalty", {kind == "none" ? "0" : "1"});
}

// `text`: our option.
void opennmt_drawing(Migration& m, const ForeignOption& option, std::string_view text) {
  if (!draws(m)) return m.same(option.name, "only for samples");
  if (is_off(option)) return m.same(option.name, "off");
  m.add("sample", "true", "random sampling");
  becomes(m, option, text);
}

void opennmt_drawing_seed(Migration& m, const ForeignOption& option, std::string_view) {
  if (!draws(m) || m.whole(option.name, -1) < 0)
    return m.same(option.name, "only samples are random");
  becomes(m, option, "seed");
}

constexpr std::string_view kTakesCheckpoint =
    "attend translate takes the checkpoint of a translation Transformer in place of a model of "
    "attend";
constexpr std::string_view kReadsInput = "attend translate reads standard input: < FILE";

constexpr MigrationRule kOpenDecodingRules[] = {
    {"model", has_no_equal, kTakesCheckpoint, Takes::list},
    {"models", has_no_equal, kTakesCheckpoint, Takes::list},
    {"src", has_no_equal, kReadsInput},
    {"tgt", has_no_equal_if_on, "attend score scores given translations; prefix begins them"},
    {"output", has_no_equal, "attend translate writes standard output: > FILE"},
    {"beam_size", opennmt_search, "beam-size"},
    {"n_best", becomes, "n-best"},
    {"length_penalty", opennmt_length_penalty},
    {"alpha", is_same, "only for length_penalty: wu"},
    {"coverage_penalty", is_same_if, "none|scores have no coverage"},
    {"beta", is_same, "only for coverage_penalty"},
    {"stepwise_penalty", is_same, "only for coverage_penalty", Takes::maybe},
    {"min_length", becomes, "min-length"},
    {"max_length", becomes, "max-length"},
    {"max_length_ratio", has_no_equal, "max-length is a number of tokens"},
    {"ratio", has_no_equal_if_on, "patience decides how long a search goes on"},
    {"block_ngram_repeat", becomes, "no-repeat-ngram"},
    {"ignore_when_blocking", has_no_equal_if_on, "no-repeat-ngram holds for all tokens",
     Takes::list},
    {"ban_unk_token", becomes, "forbid-unknown", Takes::maybe},
    {"replace_unk", has_no_equal_if_on, "alignment tells the words of the source", Takes::maybe},
    {"phrase_table", has_no_equal_if_on, "alignment tells the words of the source"},
    {"random_sampling_topk", opennmt_drawing, "top-k"},
    {"random_sampling_topp", opennmt_drawing, "top-p"},
    {"random_sampling_temp", opennmt_drawing, "temperature"},
    {"seed", opennmt_drawing_seed},
    {"batch_size", becomes, "batch-size"},
    {"batch_type", is_same_if, "sents|batch-size counts sentences"},
    {"report_align", becomes, "alignment", Takes::maybe},
    {"gold_align", has_no_equal_if_on, "alignment is that of the translations", Takes::maybe},
    {"with_score", has_no_equal_if_on, "format = \"json\" has the scores", Takes::maybe},
    {"dump_beam", has_no_equal_if_on, "beam-tree writes the steps of a search"},
    {"avg_raw_probs", is_same, "an ensemble averages probabilities", Takes::maybe},
    {"precision", has_no_equal_if_on, "attend quantize makes a model in fewer bits"},
    {"transforms", has_no_equal_if_on, "the model splits the text itself", Takes::list},
    {"src_subword_model", is_same, "the model splits the text itself"},
    {"tgt_subword_model", is_same, "the model splits the text itself"},
    {"gpu", is_same, "attend computes on the CPU"},
    {"world_size", is_same, "attend computes on the CPU"},
    {"gpu_ranks", is_same, "attend computes on the CPU", Takes::list},
    {"verbose", is_same, "progress is told on the terminal", Takes::maybe},
    {"report_time", is_same, "progress is told on the terminal", Takes::maybe},
    {"log_file", is_same, "progress is told on the terminal"},
};

}  // namespace

std::span<const MigrationRule> opennmt_decoding_rules() { return kOpenDecodingRules; }

}  // namespace attend
