// An English-German parallel corpus made up on the spot, to try a translator on without any data.
//
// A small grammar of our own draws sentences and says each of them in both languages. German
// differs from English where it is hard: the verb moves to the second place, to the end of a
// subordinate clause, or apart from its particle and participle; articles, adjectives and pronouns
// agree with a gender that English does not show, in four cases. Every English sentence has exactly
// one translation, so a model can be right about all of them.
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

// Line i of src (English) and of tgt (German) are translations of each other; natural text,
// capitalized, with punctuation.
struct DemoCorpus {
  std::vector<std::string> train_src, train_tgt;
  std::vector<std::string> valid_src, valid_tgt;
  std::vector<std::string> test_src, test_tgt;
};

// A function of the options alone. All sentences are distinct, over all three sets and on both
// sides: none of valid and test occurs in train. Every word of valid and test occurs in train.
// Throws ConfigError for counts below 1 or a grammar too small for them.
DemoCorpus make_demo_corpus(const DemoCorpusOptions& options = {});

}  // namespace attend
