// The parts of the Python module attend._attend: each adds its functions and classes. The package
// attend (python/attend) wraps them; users see its documentation.
//
// Arguments are converted with the interpreter's lock (GIL) held; whatever computes runs without.
#pragma once

#include <nanobind/nanobind.h>

namespace attend {

void add_errors(nanobind::module_& module);
void add_interruption(nanobind::module_& module);
void add_tokenizer(nanobind::module_& module);
void add_base_model(nanobind::module_& module);
// Before translators, whose options may hold one.
void add_quality(nanobind::module_& module);
void add_translations(nanobind::module_& module);
void add_translator(nanobind::module_& module);
void add_classifier(nanobind::module_& module);
void add_tagger(nanobind::module_& module);
void add_embedder(nanobind::module_& module);
void add_generator(nanobind::module_& module);
void add_model_files(nanobind::module_& module);
void add_training(nanobind::module_& module);
void add_options(nanobind::module_& module);
void add_metrics(nanobind::module_& module);
// Tensors with gradients, and what is built of them.
void add_tensor(nanobind::module_& module);
void add_ops(nanobind::module_& module);
void add_optimizers(nanobind::module_& module);
void add_plots(nanobind::module_& module);
void add_program(nanobind::module_& module);

}  // namespace attend
