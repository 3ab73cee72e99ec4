#include <attend/metrics.h>
#include <attend/translator.h>
#include <attend/version.h>

#include <cstdio>
#include <string>
#include <vector>

int main(int argc, char** argv) {
  if (argc > 1) {
    const std::vector<std::string> sentences{"the dog sleeps"};
    for (const attend::Translation& t : attend::Translator::load(argv[1]).translate(sentences))
      std::puts(t.text().c_str());
  }
  const std::vector<std::string> text{"one two three four"};
  std::printf("attend %s, BLEU %.0f\n", attend::version().c_str(),
              attend::corpus_bleu(text, {text}).score);
}
