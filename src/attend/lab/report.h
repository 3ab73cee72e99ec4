// Results for people: as text for a terminal, and as a page of documentation.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <string_view>

#include "attend/lab/experiment.h"

namespace attend::lab {

// How a result came about.
struct RunDescription {
  std::string command;  // that makes it again
  std::string machine;
  int threads = 1;
  double seconds = 0;
};

// The name of this machine's processor; "unknown" where the system does not say.
std::string machine_name();

// Columns of equal width.
std::string to_text(const Table& table);
// Claim, what was measured, table, verdict.
std::string to_text(const Experiment& experiment, const LabResult& result);

// A page with a section for each experiment that was run, in the order of experiments(), and the
// plots in a folder beside it. A page that is read again keeps its sections: experiments can be
// repeated one by one.
class LabPage {
 public:
  // `plots`: the folder, relative to the page.
  explicit LabPage(std::string plots) : plots_(std::move(plots)) {}
  // Takes the sections of a page that this program wrote; anything else in it is not kept.
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

// Makes the folder, and throws IoError unless results can be written to it: better said before
// minutes of work than after.
void require_writable(const std::filesystem::path& folder);

// Writes FOLDER/<plot>.svg for the plots of a result, and its section into the page FOLDER.md.
// Throws IoError.
void write_result(const std::filesystem::path& folder, const Experiment& experiment,
                  const LabResult& result, const RunDescription& run);

}  // namespace attend::lab
