#include "attend/lab/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <sstream>

#include "attend/core/files/atomic_file.h"
#include "attend/error.h"

namespace attend::lab {

namespace {

constexpr std::string_view kHeading = R"(# The lab

Claims of the Transformer paper, and common claims about it, tested by small experiments, one
command each. `attend lab` lists them; `attend lab NAME` runs one. A verdict may be negative. It
holds for what was measured: small models, synthetic tasks, one machine.

The program writes this page and its plots: `attend lab --all --data DATA --out docs/lab`. DATA
holds `multi30k/`; without `--data`, the parts that need it are skipped. A single experiment,
`attend lab NAME --out docs/lab`, updates its section. For the same seed the numbers repeat, except
times and results that depend on them (path-length and architectures).

)";

// A section begins with a line that names its experiment:
//   <!-- experiment permutation: confirmed -->
constexpr std::string_view kSectionMark = "<!-- experiment ";
constexpr std::string_view kSectionMarkEnd = " -->\n";

std::size_t width_of(std::string_view text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xC0) != 0x80; }));
}

std::string padded(const std::string& text, std::size_t width) {
  return text + std::string(width - std::min(width, width_of(text)), ' ');
}

std::string markdown_row(const std::vector<std::string>& cells) {
  return fmt::format("| {} |\n", fmt::join(cells, " | "));
}

std::string to_markdown(const Table& table) {
  std::string out = markdown_row(table.columns) + "|";
  for (std::size_t i = 0; i < table.columns.size(); ++i) out += i == 0 ? "---|" : "--:|";
  out += "\n";
  for (const auto& row : table.rows) out += markdown_row(row);
  return out;
}

std::string file_content(const std::filesystem::path& path) {
  std::ifstream stream(path, std::ios::binary);
  std::ostringstream content;
  content << stream.rdbuf();
  return content.str();
}

// FOLDER.md, also if FOLDER ends with a slash.
std::filesystem::path page_file(const std::filesystem::path& folder) {
  const std::filesystem::path whole = folder.has_filename() ? folder : folder.parent_path();
  return whole.parent_path() / (whole.filename().string() + ".md");
}

}  // namespace

std::string machine_name() {
  std::ifstream info("/proc/cpuinfo");
  for (std::string line; std::getline(info, line);) {
    const std::size_t colon = line.find(": ");
    if (line.starts_with("model name") && colon != std::string::npos) return line.substr(colon + 2);
  }
  return "unknown";
}

std::string to_text(const Table& table) {
  std::vector<std::size_t> widths;
  for (const std::string& column : table.columns) widths.push_back(width_of(column));
  for (const auto& row : table.rows) {
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], width_of(row[i]));
  }
  std::string out;
  const auto add_row = [&](const std::vector<std::string>& cells) {
    std::string line;
    for (std::size_t i = 0; i < cells.size(); ++i) line += "  " + padded(cells[i], widths[i]);
    out += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
  };
  add_row(table.columns);
  for (const auto& row : table.rows) add_row(row);
  return out;
}

std::string to_text(const Experiment& experiment, const LabResult& result) {
  return fmt::format("{}\n  {}\n\nmeasured: {}\n\n{}\nverdict: {}. {}\n", experiment.name,
                     experiment.claim, result.measured, to_text(result.table),
                     name_of(result.verdict), result.finding);
}

void LabPage::read(std::string_view markdown) {
  for (std::size_t at = markdown.find(kSectionMark); at != std::string_view::npos;) {
    const std::size_t next = markdown.find(kSectionMark, at + 1);
    const std::string_view section =
        markdown.substr(at, next == std::string_view::npos ? next : next - at);
    const std::size_t colon = section.find(": "), end = section.find(kSectionMarkEnd);
    if (colon < end && end != std::string_view::npos) {
      const std::string name(section.substr(kSectionMark.size(), colon - kSectionMark.size()));
      std::string text(section.substr(end + kSectionMarkEnd.size()));
      while (!text.ends_with("\n\n"))
        text += '\n';  // the last one on a page ends with a single line break
      sections_[name] = {std::string(section.substr(colon + 2, end - colon - 2)), std::move(text)};
    }
    at = next;
  }
}

void LabPage::set(const Experiment& experiment, const LabResult& result,
                  const RunDescription& run) {
  std::string text = fmt::format("## {}\n\n**{}**\n\n", experiment.name, experiment.claim);
  text += fmt::format("{}\n\n{}\n", result.measured, to_markdown(result.table));
  for (const Plot& plot : result.plots)
    text += fmt::format("![{}]({}/{}.svg)\n\n", plot.title, plots_, plot.name);
  text += fmt::format("**Verdict: {}.** {}\n\n", name_of(result.verdict), result.finding);
  text += fmt::format("`{}` on {}, {} thread{}, {:.0f} s.\n\n", run.command, run.machine,
                      run.threads, run.threads == 1 ? "" : "s", run.seconds);
  sections_[experiment.name] = {std::string(name_of(result.verdict)), text};
}

std::string LabPage::markdown() const {
  std::string out(kHeading), sections;
  out += "| experiment | claim | verdict |\n|---|---|---|\n";
  for (const Experiment& experiment : experiments()) {
    const auto found = sections_.find(experiment.name);
    if (found == sections_.end()) continue;
    const auto& [verdict, text] = found->second;
    out += fmt::format("| [{0}](#{0}) | {1} | {2} |\n", experiment.name, experiment.claim, verdict);
    sections +=
        fmt::format("{}{}: {}{}{}", kSectionMark, experiment.name, verdict, kSectionMarkEnd, text);
  }
  while (sections.ends_with("\n\n")) sections.pop_back();
  return out + "\n" + sections;
}

void require_writable(const std::filesystem::path& folder) {
  std::error_code failure;
  std::filesystem::create_directories(folder, failure);
  if (failure)
    throw IoError(
        fmt::format("{}: cannot make the folder: {}", folder.string(), failure.message()));
  const AtomicFile beside(page_file(folder)),
      inside(folder / "lab.svg");  // removed again
}

void write_result(const std::filesystem::path& folder, const Experiment& experiment,
                  const LabResult& result, const RunDescription& run) {
  for (const Plot& plot : result.plots)
    write_file_atomically(folder / (plot.name + ".svg"), to_svg(plot));
  const std::filesystem::path file = page_file(folder);
  LabPage page(file.stem().string());
  page.read(file_content(file));
  page.set(experiment, result, run);
  write_file_atomically(file, page.markdown());
}

}  // namespace attend::lab
