// Prints what every word of a translation looked at, averaged over the heads of the last layer:
//   example_attention_weights model.safetensors "the dog sleeps" "der hund schläft"
#include <attend/error.h>
#include <attend/translator.h>

#include <cstdio>
#include <iostream>

namespace {

// The mean of the heads of a layer.
attend::AttentionMap mean_of(const std::vector<attend::AttentionMap>& heads) {
  attend::AttentionMap mean = heads.front();
  for (std::size_t h = 1; h < heads.size(); ++h) {
    for (std::size_t i = 0; i < mean.weights.size(); ++i) mean.weights[i] += heads[h].weights[i];
  }
  for (float& weight : mean.weights) weight /= static_cast<float>(heads.size());
  return mean;
}

void print(const attend::TranslationAttention& attention) {
  const attend::AttentionMap map = mean_of(attention.layers.back());
  std::printf("%-12s", "");
  for (const std::string& word : attention.src_words) std::printf(" %10s", word.c_str());
  auto weight = map.weights.begin();
  for (const std::string& word : attention.tgt_words) {
    std::printf("\n%-12s", word.c_str());
    for (std::int64_t col = 0; col < map.cols; ++col) std::printf(" %10.3f", *weight++);
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
    print(attend::Translator::load(argv[1]).attention(argv[2], argv[3]));
  } catch (const attend::Error& error) {
    std::cerr << error.what() << '\n';
    return 1;
  }
}
