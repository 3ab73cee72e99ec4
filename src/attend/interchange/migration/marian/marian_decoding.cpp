// Options of Marian's decoder and server.
#include <fmt/format.h>

#include <string>

#include "attend/interchange/migration/marian/marian_rules.h"

namespace attend {

namespace {

constexpr std::string_view kImported = "attend import reads the directory, and the model has it";
constexpr std::string_view kFewerBits = "attend quantize makes a model in fewer bits";

void marian_models(Migration& m, const ForeignOption& option, std::string_view) {
  if (option.values.size() == 1)
    return m.same(option.name, "attend import makes a model of its directory");
  m.without_equal(option.name,
                  "ensemble takes further models; attend averages probabilities, Marian their "
                  "logarithms");
}

void marian_n_best(Migration& m, const ForeignOption& option, std::string_view) {
  if (!m.is_on(option.name)) return m.same(option.name, "off");
  m.translate({option.name}, "n-best", {m.text("beam-size", "12")});
}

void marian_window(Migration& m, const ForeignOption& option, std::string_view) {
  const std::int64_t sentences = m.whole("maxi-batch", 1) * m.whole("mini-batch", 1);
  m.translate({option.name}, "window", {fmt::format("{}", sentences)});
}

void marian_alignment(Migration& m, const ForeignOption& option, std::string_view) {
  const std::string kind = option.values.empty() ? "1" : m.text(option.name);
  if (kind == "1" || kind == "hard") return m.translate({option.name}, "alignment", {"true"});
  m.without_equal(option.name, "alignment is hard; attend attention shows all weights");
}

void marian_shortlist(Migration& m, const ForeignOption& option, std::string_view) {
  if (is_off(option)) return m.same(option.name, "off");
  m.translate({option.name}, "shortlist", {"true"},
              "attend shortlist learns one from sentence pairs first");
}

// "full", "full 0.8" or "topk 100 0.8".
void marian_sampling(Migration& m, const ForeignOption& option, std::string_view) {
  const std::string kind = option.values.empty() ? "full" : option.values.front();
  const std::size_t temperature = kind == "topk" ? 2 : 1;
  if ((kind != "full" && kind != "topk") || option.values.size() > temperature + 1)
    return m.without_equal(option.name, "sample draws from all tokens, or from the top-k");
  m.translate({option.name}, "sample", {"true"});
  if (kind == "topk" && option.values.size() > 1)
    m.translate({option.name}, "top-k", {option.values[1]});
  if (option.values.size() > temperature)
    m.translate({option.name}, "temperature", {option.values[temperature]});
}

// A beam and a penalty are for searches.
void marian_search(Migration& m, const ForeignOption& option, std::string_view text) {
  if (m.find("output-sampling") != nullptr) return m.same(option.name, "samples have no beam");
  m.translate({option.name}, text,
              option.values.empty() ? std::vector<std::string>{"1"} : option.values);
}

void marian_unknown_words(Migration& m, const ForeignOption& option, std::string_view) {
  if (!m.is_on(option.name)) return m.translate({option.name}, "forbid-unknown", {"true"});
  m.same(option.name, "attend import takes it from decoder.yml");
}

constexpr MigrationRule kDecodingRules[] = {
    {"models", marian_models, "", Takes::list},
    {"model-mmap", is_same, "attend optimize makes a file that is mapped", Takes::maybe},
    {"vocabs", is_same, kImported, Takes::list},
    {"beam-size", marian_search, "beam-size"},
    {"normalize", marian_search, "length-penalty", Takes::maybe},
    {"word-penalty", has_no_equal_if_on, "length-penalty favors long or short translations"},
    {"max-length-factor", has_no_equal,
     "max-length is a number of tokens, by default twice the source and 50 more"},
    {"max-length", becomes, "max-source-tokens"},
    {"max-length-crop", has_no_equal_if_on, "a longer sentence gets an empty line, and is counted",
     Takes::maybe},
    {"allow-unk", marian_unknown_words, "", Takes::maybe},
    {"allow-special", has_no_equal_if_on, "special tokens are not written", Takes::maybe},
    {"n-best", marian_n_best, "", Takes::maybe},
    {"alignment", marian_alignment, "", Takes::maybe},
    {"force-decode", has_no_equal_if_on,
     "prefix names a file with the beginnings of the translations", Takes::maybe},
    {"word-scores", has_no_equal_if_on, "format = \"json\" has the scores of tokens", Takes::maybe},
    {"input", has_no_equal_if_on, "attend translate reads standard input: < FILE", Takes::list},
    {"output", has_no_equal_if_on, "attend translate writes standard output: > FILE"},
    {"stat-freq", is_same, "progress is told on the terminal"},
    {"no-spm-decode", has_no_equal_if_on, "format = \"json\" has the tokens", Takes::maybe},
    {"no-spm-encode", has_no_equal_if_on, "sources are texts, not pieces", Takes::maybe},
    {"mini-batch", becomes, "batch-size"},
    {"mini-batch-words", has_no_equal_if_on, "batch-size counts sentences"},
    {"maxi-batch", marian_window},
    {"maxi-batch-sort", is_same, "a window is sorted by length"},
    {"shortlist", marian_shortlist, "", Takes::list},
    {"output-sampling", marian_sampling, "", Takes::list},
    {"output-approx-knn", has_no_equal_if_on, "shortlist makes the output layer smaller",
     Takes::list},
    {"skip-cost", has_no_equal_if_on, "scores are always computed", Takes::maybe},
    {"weights", has_no_equal_if_on, "all models of an ensemble have one weight", Takes::list},
    {"optimize", is_same, "attend optimize packs the weights", Takes::maybe},
    {"gemm-type", is_same_if, "float32|attend quantize makes a model in fewer bits"},
    {"quantize-range", is_same, kFewerBits},
    {"int8shift", has_no_equal_if_on, kFewerBits, Takes::maybe},
    {"int8shiftAlphaAll", has_no_equal_if_on, kFewerBits, Takes::maybe},
    {"int8shiftAll", has_no_equal_if_on, kFewerBits, Takes::maybe},
    {"encryption-key-path", has_no_equal_if_on, "model files are not encrypted"},
    {"port", has_no_equal, "attend serve has listen, and routes over HTTP"},
    {"cpu-threads", marian_threads, "", Takes::maybe},
    {"precision", is_same_if, "float32|attend quantize makes a model in 16 bits", Takes::list},
    {"fp16", has_no_equal_if_on, "attend quantize makes a model in 16 bits", Takes::maybe},
    {"seed", is_same, "only samples are random"},
    {"relative-paths", is_same, "attend import finds the files in their directory", Takes::maybe},
};

}  // namespace

std::span<const MigrationRule> marian_decoding_rules() { return kDecodingRules; }

}  // namespace attend
