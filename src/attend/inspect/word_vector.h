// The vector of a word in a sentence: the mean of those of its tokens.
#pragma once

#include <string>
#include <vector>

#include "attend/tasks/embedding/engine.h"

namespace attend {

// What words are compared by, without their punctuation and, where they are ASCII, without regard
// to case: "Bat," -> "bat".
std::string bare_word(std::string word);

// Of the first such word of a text; empty when there is none.
std::vector<float> word_vector(const TextEmbedding& embedding, const std::string& bare_word);

}  // namespace attend
