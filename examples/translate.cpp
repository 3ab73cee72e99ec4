// Translates standard input, line by line:  example_translate model.safetensors < in > out
#include <attend/error.h>
#include <attend/translator.h>

#include <iostream>

int main(int argc, char** argv) {
  if (argc != 2) {
    std::cerr << "usage: example_translate MODEL < in > out\n";
    return 2;
  }
  try {
    const auto translator = attend::Translator::load(argv[1]);
    attend::TranslationOptions options = translator.default_options();
    options.beam.beam_size = 5;
    translator.translate(std::cin, "standard input",
                         {.accept =
                              [](const attend::Translation& translation) {
                                std::cout << translation.text() << '\n';
                              },
                          .caught_up = [] { std::cout.flush(); }},
                         options);
  } catch (const attend::Error& error) {
    std::cerr << error.what() << '\n';
    return 1;
  }
}
