// Texts as those that a model was trained on, for every interface: prepared for what it reads, and
// raw again for what it writes.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "attend/text/preparation.h"
#include "attend/text/text_kind.h"

namespace attend {

class TextPreparer {
 public:
  // Leaves all texts as they are.
  TextPreparer() = default;
  // Prepares what a model reads: the sources of a translator, the texts of others. `kinds`: those
  // of the model. Throws ConfigError, naming the option, for a language without rules, if the
  // options need one.
  static TextPreparer of_input(const TextKinds& kinds, const TextPreparation& options);
  // Prepares texts of the language that a translator writes. Throws the same.
  static TextPreparer of_target(const TextKinds& kinds, const TextPreparation& options);
  // Whether restored() does something.
  static bool restores(const TextPreparation& options);

  std::string operator()(std::string_view text) const;
  std::vector<std::string> operator()(std::span<const std::string> texts) const;
  // Prepares the parts of a text alone, such as the lines of a prompt or the texts of a pair.
  std::string in_parts(std::string_view text, char separator) const;
  // A prepared text as raw text.
  std::string restored(std::string text) const;

 private:
  TextPreparer(TextPreparation options, MosesLanguage language)
      : options_(std::move(options)), language_(language) {}

  TextPreparation options_;
  MosesLanguage language_ = MosesLanguage::en;
};

// The kind of what a model reads; nullopt for older files, which do not say.
std::optional<TextKind> kind_of_input(const TextKinds& kinds);

}  // namespace attend
