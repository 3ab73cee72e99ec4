// A generated English-German parallel corpus, to try a translator without data.
//
// A small grammar samples sentences and renders each in both languages. German differs from English
// in the hard ways: the verb moves to second place, to the end of a subordinate clause, or apart
// from its particle and participle; articles, adjectives and pronouns agree with a gender that
// English does not show, in four cases. Every English sentence has exactly one translation, so a
// perfect score is possible.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace attend {

struct DemoCorpusOptions {
  std::uint64_t seed = 1;
  int train_sentences = 30000;
  int valid_sentences = 500;
  int test_sentences = 500;
  int max_words = 16;  // longer English sentences are not drawn
};

// Line i of src (English) and of tgt (German) are translations of each other: natural text,
// capitalized, with punctuation.
struct DemoCorpus {
  std::vector<std::string> train_src, train_tgt;
  std::vector<std::string> valid_src, valid_tgt;
  std::vector<std::string> test_src, test_tgt;
};

// A function of the options alone. All sentences are distinct, across all three sets and on both
// sides. Every word of valid and test occurs in train. Throws ConfigError for counts below 1 or
// beyond what the grammar can produce.
DemoCorpus make_demo_corpus(const DemoCorpusOptions& options = {});

}  // namespace attend
