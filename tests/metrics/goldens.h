// What sacreBLEU says about texts made up for the purpose: the data is in goldens.cpp, which
// tools/make_metric_goldens.py writes.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace goldens {

struct Tokens {
  std::string tokenization, line, tokens;
};
struct Lower {
  std::string line, lower;
};
struct Bleu {
  std::string corpus;
  int references;
  std::string tokenization;
  bool lowercase;
  std::string smoothing;
  double smoothing_value;
  int max_order;
  bool effective_order;
  double score;
  std::vector<double> precisions;
  double brevity_penalty;
  std::int64_t hypothesis_length, reference_length;
  std::string line;
};
struct Sentence {
  std::string hypothesis;
  std::vector<std::string> references;
  double bleu, chrf, chrf_plus;
};
struct Chrf {
  std::string corpus;
  int references, char_order, word_order, beta;
  bool lowercase;
  double score;
  std::string name, signature;
};
struct Ter {
  std::string corpus;
  int references;
  bool normalized, no_punct, asian_support, case_sensitive;
  double score;
  std::string signature;
};
struct Bootstrap {
  int baseline, system;
  std::string metric;
  double baseline_score, baseline_mean, baseline_half_width;
  double system_score, system_mean, system_half_width, p_value;
};
struct Randomization {
  int baseline, system;
  std::string metric;
  double p_value;
};

extern const std::map<std::string, std::vector<std::string>> kCorpora;
extern const std::vector<std::vector<std::string>> kReferences;
extern const std::vector<Tokens> kTokens;
extern const std::vector<Lower> kLower;
extern const std::vector<Bleu> kBleu;
extern const std::vector<Sentence> kSentences;
extern const std::vector<Chrf> kChrf;
extern const std::vector<Ter> kTer;
extern const std::vector<std::string> kManyWords, kMovedWords;
extern const double kMovedTer;
extern const double kMultiBleu[2];
extern const std::vector<std::string> kMadeUpReference;
extern const std::vector<std::vector<std::string>> kMadeUpSystems;
extern const std::vector<Bootstrap> kBootstrap;
extern const std::vector<Randomization> kRandomization;

}  // namespace goldens
