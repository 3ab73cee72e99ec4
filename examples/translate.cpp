// Translates standard input, line by line:  example_translate model.safetensors < in > out
#include <unistd.h>

#include <iostream>

#include "attend/core/error.h"
#include "attend/tasks/translation/translator.h"

int main(int argc, char** argv) {
  if (argc != 2) {
    std::cerr << "usage: example_translate MODEL < in > out\n";
    return 2;
  }
  try {
    const attend::Translator translator = attend::Translator::load(argv[1]);
    attend::TranslationOptions options;
    options.beam.beam_size = 5;
    attend::LineReader lines(STDIN_FILENO, "standard input");
    translator.translate(lines,
                         {.accept = [](const attend::Translation& translation) { std::cout << translation.text() << "\n"; },
                          .caught_up = [] { std::cout.flush(); }},
                         options);
  } catch (const attend::Error& error) {
    std::cerr << error.what() << "\n";
    return 1;
  }
}
