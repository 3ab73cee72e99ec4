// Reports of results: text for a terminal, and a documentation page.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <string_view>

#include "attend/lab/experiment.h"

namespace attend::lab {

// How a result was obtained.
struct RunDescription {
  std::string command;  // that reproduces it
  std::string machine;
  int threads = 1;
  double seconds = 0;
};

// The CPU's name; "unknown" if the system does not tell.
std::string machine_name();

// Columns of equal width.
std::string to_text(const Table& table);
// Claim, what was measured, table, verdict.
std::string to_text(const Experiment& experiment, const LabResult& result);

// A page with a section per experiment, in the order of experiments(), and a folder of plots beside
// it. Reading a page keeps its sections, so experiments can be repeated one by one.
class LabPage {
 public:
  // `plots`: the folder, relative to the page.
  explicit LabPage(std::string plots) : plots_(std::move(plots)) {}
  // Reads the sections of a page written by this program; drops everything else.
  void read(std::string_view markdown);
  void set(const Experiment& experiment, const LabResult& result, const RunDescription& run);
  std::string markdown() const;

 private:
  struct Section {
    std::string verdict;
    std::string text;
  };
  std::string plots_;
  std::map<std::string, Section> sections_;  // by experiment
};

// Creates the folder, and throws IoError unless it is writable: before minutes of work, not after.
void require_writable(const std::filesystem::path& folder);

// Writes the plots of a result to FOLDER/<plot>.svg and its section into the page FOLDER.md. Throws
// IoError.
void write_result(const std::filesystem::path& folder, const Experiment& experiment,
                  const LabResult& result, const RunDescription& run);

}  // namespace attend::lab
