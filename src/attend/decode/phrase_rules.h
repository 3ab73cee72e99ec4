// Phrases that an output must contain, and phrases that it must not contain.
//
// Beam search follows how much of them each hypothesis has written (Hokamp and Liu 2017), and
// shares the beam among hypotheses that have written equally much (dynamic beam allocation, Post
// and Vilar 2018).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace attend {

// The ways to write a phrase in tokens: the paths of a graph from 0 to `end`.
struct PhrasePaths {
  struct Arc {
    int from = 0;
    std::int32_t token = 0;
    int to = 0;  // above `from`
  };
  std::vector<Arc> arcs;
  int end = 0;
};

// The one way that has these tokens.
PhrasePaths one_path(std::span<const std::int32_t> tokens);

// A phrase that an output must contain.
struct RequiredPhrase {
  std::vector<std::vector<std::int32_t>> alternatives;  // one of them, its tokens in a row
  bool once = false;                                    // and none of them a second time
};

class PhraseRules {
 public:
  // Required phrases may overlap. No path of a forbidden one is in an output. Throws ConfigError
  // for a phrase without tokens, and if a required phrase contains a forbidden one.
  PhraseRules(const std::vector<RequiredPhrase>& required, std::vector<PhrasePaths> forbidden);
  // The same without alternatives.
  PhraseRules(const std::vector<std::vector<std::int32_t>>& required,
              std::vector<PhrasePaths> forbidden);

  // How much of the phrases is written at the end of a hypothesis.
  struct Progress {
    // Tokens of each alternative; all of them once it is contained, and more when it begins again
    std::vector<std::size_t> required;
    std::vector<std::vector<int>> forbidden;  // places in the graph of each, except the first
    bool violated = false;                    // whether a forbidden phrase is there
  };
  Progress begin() const;
  // The same for an output with this beginning. Throws DataError if it contains a forbidden phrase.
  Progress begin(std::span<const std::int32_t> written) const;
  void read(Progress& progress, std::int32_t token) const;

  // Tokens of all required phrases, of the shortest alternatives.
  int total() const { return total_; }
  // Tokens of those that are contained, and of the one that has the fewest left. One of wanted()
  // adds at least 1. total() - met() more tokens are enough.
  int met(const Progress& progress) const;
  // The tokens that continue the required phrases that are not yet contained.
  std::vector<std::int32_t> wanted(const Progress& progress) const;
  // For each token of an output, whether a required phrase has it.
  std::vector<bool> required_tokens(std::span<const std::int32_t> output) const;
  // Adds the tokens that would complete a forbidden phrase.
  void add_forbidden(const Progress& progress, std::vector<std::int32_t>& tokens) const;

 private:
  struct Alternative {
    std::vector<std::int32_t> tokens;
    // fallback[i]: the longest proper prefix that the first i + 1 tokens end with (Knuth, Morris
    // and Pratt 1977)
    std::vector<std::size_t> fallback;
  };
  // The alternatives [first, end) of one phrase.
  struct Required {
    std::size_t first = 0, end = 0;
    std::size_t tokens = 0;  // of the shortest
    bool once = false;
  };
  void add_required(const RequiredPhrase& phrase);
  bool contains(const Progress& progress, const Required& phrase) const;

  std::vector<Required> required_;
  std::vector<Alternative> alternatives_;
  std::vector<PhrasePaths> forbidden_;  // their arcs are sorted by token
  int total_ = 0;
};

}  // namespace attend
