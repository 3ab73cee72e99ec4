// Options of fairseq-generate and fairseq-interactive.
#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "attend/interchange/migration/fairseq/fairseq_rules.h"

namespace attend {

namespace {

bool samples(const Migration& m) { return m.is_on("sampling"); }

// `text`: our option, which a sample does not have.
void fairseq_search(Migration& m, const ForeignOption& option, std::string_view text) {
  if (samples(m)) return m.same(option.name, "samples have no beam");
  becomes(m, option, text);
}

void fairseq_length_penalty(Migration& m, const ForeignOption& option, std::string_view) {
  if (samples(m)) return m.same(option.name, "samples have no beam");
  if (m.is_on("unnormalized")) return m.same(option.name, "unnormalized decides");
  becomes(m, option, "length-penalty");
}

void fairseq_unnormalized(Migration& m, const ForeignOption& option, std::string_view) {
  if (samples(m) || !m.is_on(option.name))
    return m.same(option.name, samples(m) ? "samples have no beam" : "off");
  m.translate({option.name}, "length-penalty", {"0"});
}

// The longest output is a x + b tokens for a source of x.
void fairseq_longest(Migration& m, const ForeignOption&, std::string_view) {
  const double a = m.number("max-len-a", 0);
  const std::int64_t b = m.whole("max-len-b", 200);
  if (a == 0) return m.translate({"max-len-a", "max-len-b"}, "max-length", {fmt::format("{}", b)});
  for (const char* name : {"max-len-a", "max-len-b"}) {
    if (a == 2 && b == 50) {
      m.same(name, "twice the source and 50 more is the default");
    } else {
      m.without_equal(name,
                      "max-length is a number of tokens, by default twice the source and 50 "
                      "more");
    }
  }
}

void fairseq_model_files(Migration& m, const ForeignOption& option, std::string_view) {
  if (m.text(option.name).find(':') == std::string::npos)
    return m.without_equal(option.name,
                           "attend translate takes the checkpoint of a translation Transformer in "
                           "place of a model of attend");
  m.without_equal(option.name, "ensemble takes further models of attend");
}

void fairseq_sampling(Migration& m, const ForeignOption& option, std::string_view text) {
  if (!samples(m)) return m.same(option.name, "only for samples");
  if (m.number(option.name, 1) < 0) return m.same(option.name, "off");
  becomes(m, option, text);
}

void fairseq_alignment(Migration& m, const ForeignOption& option, std::string_view) {
  if (option.values.empty() || option.values.front() == "hard")
    return m.translate({option.name}, "alignment", {"true"});
  m.without_equal(option.name, "alignment is hard; attend attention shows all weights");
}

void fairseq_detokenization(Migration& m, const ForeignOption& option, std::string_view) {
  const std::string kind = option.values.empty() ? "@@ " : m.text(option.name);
  if (kind == "sentencepiece")
    return m.same(option.name, "a model with such a vocabulary writes text");
  m.without_equal(option.name,
                  "a model of whole words writes them as they are: sed 's/@@ //g' joins them");
}

void fairseq_no_seed(Migration& m, const ForeignOption& option, std::string_view) {
  if (!samples(m)) return m.same(option.name, "only samples are random");
  becomes(m, option, "seed");
}

void fairseq_half_decoding(Migration& m, const ForeignOption& option, std::string_view) {
  m.without_equal(option.name, "attend quantize makes a model in 16 bits");
}

constexpr std::string_view kKnownToModel = "the model knows its languages";
constexpr std::string_view kStandardInput = "attend translate reads standard input: < FILE";
constexpr std::string_view kAutoregressive = "models write from left to right";

constexpr MigrationRule kFairseqDecodingRules[] = {
    {"data", has_no_equal, kStandardInput, Takes::list},
    {"path", fairseq_model_files},
    {"input", has_no_equal, kStandardInput},
    {"gen-subset", has_no_equal, kStandardInput},
    {"task", is_same_if, "translation|attend translate translates sentences"},
    {"source-lang", is_same, kKnownToModel},
    {"target-lang", is_same, kKnownToModel},
    {"beam", fairseq_search, "beam-size"},
    {"nbest", becomes, "n-best"},
    {"lenpen", fairseq_length_penalty},
    {"unnormalized", fairseq_unnormalized, "", Takes::none},
    {"max-len-a", fairseq_longest},
    {"max-len-b", fairseq_longest},
    {"min-len", becomes, "min-length"},
    {"no-early-stop", has_no_equal_if_on, "a search ends with beam-size outputs: patience",
     Takes::none},
    {"no-beamable-mm", is_same, "does not change results", Takes::none},
    {"match-source-len", has_no_equal_if_on, "max-length and min-length are numbers", Takes::none},
    {"no-repeat-ngram-size", becomes, "no-repeat-ngram"},
    {"sampling", becomes, "sample", Takes::none},
    {"sampling-topk", fairseq_sampling, "top-k"},
    {"sampling-topp", fairseq_sampling, "top-p"},
    {"temperature", fairseq_sampling, "temperature"},
    {"prefix-size", has_no_equal_if_on, "prefix names a file with the beginnings"},
    {"constraints", has_no_equal, "must-contain has phrases for all lines", Takes::maybe},
    {"print-alignment", fairseq_alignment, "", Takes::maybe},
    {"print-step", has_no_equal, "beam-tree writes the steps of a search", Takes::none},
    {"score-reference", has_no_equal, "attend score scores given translations", Takes::none},
    {"sacrebleu", has_no_equal, "attend evaluate measures BLEU as sacreBLEU does", Takes::none},
    {"remove-bpe", fairseq_detokenization, "", Takes::maybe},
    {"post-process", fairseq_detokenization, "", Takes::maybe},
    {"unkpen", has_no_equal_if_on, "forbid-unknown never writes the token for unknown words"},
    {"replace-unk", has_no_equal, "alignment tells the words of the source", Takes::maybe},
    {"diverse-beam-groups", has_no_equal, "n-best has the best of one search"},
    {"diverse-beam-strength", has_no_equal, "n-best has the best of one search"},
    {"diversity-rate", has_no_equal, "n-best has the best of one search"},
    {"lm-path", has_no_equal, "ensemble takes translation models"},
    {"lm-weight", has_no_equal, "ensemble takes translation models"},
    {"iter-decode-eos-penalty", has_no_equal, kAutoregressive},
    {"iter-decode-max-iter", has_no_equal, kAutoregressive},
    {"iter-decode-force-max-iter", has_no_equal, kAutoregressive, Takes::none},
    {"iter-decode-with-beam", has_no_equal, kAutoregressive},
    {"retain-iter-history", has_no_equal, kAutoregressive, Takes::none},
    {"retain-dropout", has_no_equal, "there is no dropout after training", Takes::none},
    {"model-overrides", has_no_equal, "the model file has its options"},
    {"results-path", has_no_equal, "attend translate writes standard output: > FILE"},
    {"quiet", is_same, "translations are written without remarks", Takes::none},
    {"batch-size", becomes, "batch-size"},
    {"max-sentences", becomes, "batch-size"},
    {"max-tokens", has_no_equal, "batch-size counts sentences"},
    {"buffer-size", becomes, "window"},
    {"skip-invalid-size-inputs-valid-test", is_same, "a line that is too long gets an empty line",
     Takes::none},
    {"max-source-positions", becomes, "max-source-tokens"},
    {"dataset-impl", is_same, "attend reads the text itself"},
    {"num-shards", has_no_equal, "split divides a text among machines"},
    {"shard-id", has_no_equal, "split divides a text among machines"},
    {"seed", fairseq_no_seed},
    {"fp16", fairseq_half_decoding, "", Takes::none},
    {"memory-efficient-fp16", fairseq_half_decoding, "", Takes::none},
    {"bf16", fairseq_half_decoding, "", Takes::none},
    {"log-interval", is_same, "progress is told on the terminal"},
};

}  // namespace

std::span<const MigrationRule> fairseq_decoding_rules() { return kFairseqDecodingRules; }

}  // namespace attend
