#include "attend/python/module.h"

#include <nanobind/stl/string.h>

#include "attend/version.h"

NB_MODULE(_attend, module) {
  using namespace attend;
  nanobind::set_leak_warnings(false);  // models in global variables live to the end
  module.doc() = "The compiled part of the package attend.";
  module.def("version", &version);
  module.def("build_information", &build_information,
             "Build information, one 'name: value' per line.");
  add_errors(module);
  add_interruption(module);
  add_tokenizer(module);
  add_base_model(module);
  add_quality(module);
  add_translations(module);
  add_translator(module);
  add_classifier(module);
  add_tagger(module);
  add_embedder(module);
  add_generator(module);
  add_model_files(module);
  add_training(module);
  add_options(module);
  add_metrics(module);
  add_tensor(module);
  add_ops(module);
  add_optimizers(module);
  add_plots(module);
  add_program(module);
}
