#include "attend/demo/corpus.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

#include "attend/core/random/random.h"
#include "attend/demo/grammar.h"
#include "attend/demo/sampler.h"
#include "attend/error.h"

namespace attend {
namespace {

// A held-out sentence may use a word only if it occurs this often in training.
constexpr int kKnownFrom = 5;

std::vector<std::string_view> words_of(std::string_view sentence) {
  std::vector<std::string_view> words;
  for (std::size_t begin = 0; begin < sentence.size();) {
    const std::size_t end = std::min(sentence.find_first_of(" .,?", begin), sentence.size());
    if (end > begin) words.push_back(sentence.substr(begin, end - begin));
    begin = end + 1;
  }
  return words;
}

class CorpusGenerator {
 public:
  explicit CorpusGenerator(const DemoCorpusOptions& options) : options_(options) {}

  // Appends `count` sentences not drawn before; with `known_only`, only with words from training.
  void draw(int count, bool known_only, std::vector<std::string>& src,
            std::vector<std::string>& tgt) {
    const std::int64_t give_up = drawn_ + 1000 + std::int64_t{200} * count;
    while (static_cast<int>(src.size()) < count) {
      if (drawn_ >= give_up) {
        throw ConfigError(
            fmt::format("demo corpus: {} distinct sentences of up to {} words were asked for, the "
                        "grammar gave {}; ask for fewer or longer ones",
                        count, options_.max_words, src.size()));
      }
      Random random(RandomKey{options_.seed,
                              stream_of("demo corpus") + static_cast<std::uint64_t>(drawn_++)});
      const demo::Sentence sentence = demo::sample_sentence(random);
      std::string en = demo::english(sentence);
      if (std::ssize(words_of(en)) > options_.max_words) continue;
      std::string de = demo::german(sentence);
      if (seen_src_.contains(en) || seen_tgt_.contains(de)) continue;
      if (known_only && !(knows(en) && knows(de))) continue;
      if (!known_only) count_words(en), count_words(de);
      seen_src_.insert(en);
      seen_tgt_.insert(de);
      src.push_back(std::move(en));
      tgt.push_back(std::move(de));
    }
  }

 private:
  void count_words(const std::string& sentence) {
    for (const std::string_view word : words_of(sentence)) ++counts_[std::string(word)];
  }
  bool knows(const std::string& sentence) const {
    const auto known = [&](std::string_view word) {
      const auto found = counts_.find(std::string(word));
      return found != counts_.end() && found->second >= kKnownFrom;
    };
    return std::ranges::all_of(words_of(sentence), known);
  }

  const DemoCorpusOptions& options_;
  std::int64_t drawn_ = 0;
  std::unordered_set<std::string> seen_src_, seen_tgt_;
  std::unordered_map<std::string, int> counts_;  // in training, both languages
};

}  // namespace

DemoCorpus make_demo_corpus(const DemoCorpusOptions& options) {
  for (const int count : {options.train_sentences, options.valid_sentences, options.test_sentences,
                          options.max_words}) {
    if (count < 1)
      throw ConfigError(fmt::format(
          "demo corpus: sentence counts and max-words must be at least 1, got {}", count));
  }
  DemoCorpus corpus;
  CorpusGenerator generator(options);
  generator.draw(options.train_sentences, false, corpus.train_src, corpus.train_tgt);
  generator.draw(options.valid_sentences, true, corpus.valid_src, corpus.valid_tgt);
  generator.draw(options.test_sentences, true, corpus.test_src, corpus.test_tgt);
  return corpus;
}

}  // namespace attend
