// Packages of Argos Translate, which LibreTranslate runs: an archive .argosmodel, or its content as
// Argos installs it.
//
//   metadata.json         the languages
//   model/                a directory of CTranslate2
//   sentencepiece.model   splits the texts of both languages
//   stanza/, README.md    not read: attend has its own rules for sentences
#pragma once

#include <filesystem>
#include <optional>

#include <map>
#include <string>

#include "attend/interchange/families/ctranslate2/ctranslate2.h"
#include "attend/interchange/model_directory.h"
#include "attend/translator.h"

namespace attend {

// The files of an archive that a package needs, in memory. Throws IoError, and DataError if it is
// no such archive.
ModelDirectory read_argos_archive(const std::filesystem::path& path);

struct ArgosModel {
  Ctranslate2Model model;
  LanguagePair languages;
  std::map<std::string, std::string> language_names;  // "English" of "en"
};

// The model of a package; nullopt: the directory is none. Throws DataError for what is not
// supported.
std::optional<ArgosModel> open_argos_package(const ModelDirectory& package);

}  // namespace attend
