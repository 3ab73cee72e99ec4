// Prints what every word of a translation looked at, averaged over the heads of the last layer:
//   example_attention_weights model.safetensors "the dog sleeps" "der hund schläft"
#include <cstdio>
#include <iostream>

#include "attend/core/error.h"
#include "attend/tasks/attention_maps.h"

namespace {

using namespace attend;

// The mean of the heads of a layer.
AttentionMap mean_of(const std::vector<AttentionMap>& heads) {
  AttentionMap mean = heads.front();
  for (std::size_t h = 1; h < heads.size(); ++h) {
    for (std::size_t i = 0; i < mean.weights.size(); ++i) mean.weights[i] += heads[h].weights[i];
  }
  for (float& weight : mean.weights) weight /= static_cast<float>(heads.size());
  return mean;
}

void print(const TranslationModel& model, const std::string& source, const std::string& target) {
  std::vector<std::int32_t> src = model.src_tokenizer.encode(source);
  src.push_back(model.src_tokenizer.eos_id());
  std::vector<std::int32_t> tgt = model.tgt_tokenizer.encode(target);
  const AttentionMaps maps = attention_maps(model, src, tgt);

  // The row of a token is the one that predicts it; the last row predicts the end.
  tgt.push_back(model.tgt_tokenizer.eos_id());
  const auto src_words = model.src_tokenizer.words(src), tgt_words = model.tgt_tokenizer.words(tgt);
  const AttentionMap map = word_map(mean_of(maps.cross.back()), tgt_words, src_words);
  std::printf("%-12s", "");
  for (const auto& word : src_words) std::printf(" %10s", word.text.c_str());
  for (std::int64_t row = 0; row < map.rows; ++row) {
    std::printf("\n%-12s", tgt_words[static_cast<std::size_t>(row)].text.c_str());
    for (std::int64_t col = 0; col < map.cols; ++col) std::printf(" %10.3f", map.weights[static_cast<std::size_t>(row * map.cols + col)]);
  }
  std::printf("\n");
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) {
    std::cerr << "usage: example_attention_weights MODEL SOURCE TARGET\n";
    return 2;
  }
  try {
    print(load_translation_model(argv[1]), argv[2], argv[3]);
  } catch (const Error& error) {
    std::cerr << error.what() << "\n";
    return 1;
  }
}
