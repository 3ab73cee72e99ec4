// Trains a small language model on a text and lets it continue a prompt:
//   example_write_text train.txt run "the old"
#include <attend/error.h>
#include <attend/generator.h>
#include <attend/training.h>

#include <iostream>

int main(int argc, char** argv) {
  if (argc != 4) {
    std::cerr << "usage: example_write_text TEXT RUN PROMPT\n";
    return 2;
  }
  try {
    attend::TrainingJob job;
    job.task = "lm";
    job.folder = argv[2];
    job.options = {{"train", argv[1]},      {"vocab-size", 60}, {"d-model", 64},
                   {"n-heads", 4},          {"d-ff", 128},      {"n-layers", 1},
                   {"sequence-length", 32}, {"max-steps", 60}};
    const auto generator = attend::Generator::load(attend::train(job).model);

    attend::GenerationOptions options = generator.default_options();
    options.max_tokens = 20;
    options.one_line = true;
    generator.generate(argv[3], options,
                       [](std::string_view more) { std::cout << more << std::flush; });
  } catch (const attend::Error& error) {
    std::cerr << error.what() << '\n';
    return 1;
  }
}
