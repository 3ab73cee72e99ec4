#include "attend/core/threads/cpu_quota.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <exception>
#include <fstream>
#include <string_view>
#include <vector>

#include "attend/core/strings/ascii.h"

namespace attend {

namespace {

namespace fs = std::filesystem;

std::vector<std::string> lines_of(const fs::path& path) {
  std::vector<std::string> lines;
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) lines.push_back(std::move(line));
  return lines;
}

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (std::size_t end; (end = text.find(separator)) != text.npos; text.remove_prefix(end + 1))
    parts.push_back(text.substr(0, end));
  parts.push_back(text);
  return parts;
}

bool has(std::string_view list, std::string_view name) {
  const auto names = split(list, ',');
  return std::find(names.begin(), names.end(), name) != names.end();
}

std::optional<std::int64_t> number_in(const fs::path& path) {
  const auto lines = lines_of(path);
  return lines.empty() ? std::nullopt : whole_number(lines.front());
}

// "max" and -1 are no quota.
std::optional<double> quotient(std::optional<std::int64_t> quota,
                               std::optional<std::int64_t> period) {
  if (!quota || !period || *quota <= 0 || *period <= 0) return std::nullopt;
  return static_cast<double>(*quota) / static_cast<double>(*period);
}

// cpu.max: "200000 100000", the second number being optional.
std::optional<double> quota_of_version_2(const fs::path& group) {
  const auto lines = lines_of(group / "cpu.max");
  if (lines.empty()) return std::nullopt;
  const auto fields = split(lines.front(), ' ');
  return quotient(whole_number(fields[0]), fields.size() > 1 ? whole_number(fields[1]) : 100'000);
}

std::optional<double> quota_of_version_1(const fs::path& group) {
  return quotient(number_in(group / "cpu.cfs_quota_us"), number_in(group / "cpu.cfs_period_us"));
}

// A hierarchy of groups that governs CPUs.
struct Hierarchy {
  std::string root;  // the group at the mount point
  fs::path mounted;  // without the first separator
  bool is_version_1 = false;
};

// Spaces and the like are written as octal numbers: "\040".
std::string unescaped(std::string_view text) {
  std::string plain;
  for (std::size_t i = 0; i < text.size(); ++i) {
    int code = 0;
    const char* const digits = text.data() + i + 1;
    const bool escaped = text[i] == '\\' && i + 3 < text.size() &&
                         std::from_chars(digits, digits + 3, code, 8).ptr == digits + 3;
    plain += escaped ? static_cast<char>(code) : text[i];
    if (escaped) i += 3;
  }
  return plain;
}

// From a line "31 23 0:28 / /sys/fs/cgroup/cpu rw,nosuid shared:9 - cgroup cgroup rw,cpu,cpuacct".
std::optional<Hierarchy> hierarchy_of(std::string_view line) {
  const std::size_t middle = line.find(" - ");
  if (middle == line.npos) return std::nullopt;
  const auto mount = split(line.substr(0, middle), ' '), kind = split(line.substr(middle + 3), ' ');
  if (mount.size() < 6 || kind.size() < 3) return std::nullopt;
  const bool is_version_1 = kind[0] == "cgroup" && has(kind[2], "cpu");
  if (!is_version_1 && kind[0] != "cgroup2") return std::nullopt;
  return Hierarchy{unescaped(mount[3]), fs::path(unescaped(mount[4])).relative_path(),
                   is_version_1};
}

// The group of this process: a path from the root of the hierarchy.
std::optional<std::string> group_in(const Hierarchy& hierarchy,
                                    const std::vector<std::string>& groups) {
  for (const std::string_view line : groups) {  // "4:cpu,cpuacct:/docker/1f" or "0::/docker/1f"
    const std::size_t first = line.find(':'), second = line.find(':', first + 1);
    if (first == line.npos || second == line.npos) continue;
    const std::string_view controllers = line.substr(first + 1, second - first - 1);
    if (hierarchy.is_version_1 ? has(controllers, "cpu") : line.substr(0, second + 1) == "0::")
      return std::string(line.substr(second + 1));
  }
  return std::nullopt;
}

// From the mount point to the group. A container may see only a part of the hierarchy, under a name
// that it does not know: then the mount point is its group.
std::vector<fs::path> groups_above(const fs::path& root, const Hierarchy& hierarchy,
                                   std::string_view group) {
  std::string_view top = hierarchy.root;
  while (top.ends_with('/')) top.remove_suffix(1);
  std::vector<fs::path> folders{root / hierarchy.mounted};
  if (!group.starts_with(top)) return folders;
  group.remove_prefix(top.size());
  if (!group.empty() && group.front() != '/') return folders;
  for (const std::string_view name : split(group, '/')) {
    if (name == "..") break;
    if (!name.empty()) folders.push_back(folders.back() / name);
  }
  return folders;
}

std::optional<double> smaller(std::optional<double> a, std::optional<double> b) {
  return a && b ? std::min(*a, *b) : a ? a : b;
}

std::optional<double> find_quota(const fs::path& root) {
  const auto groups = lines_of(root / "proc/self/cgroup");
  std::optional<double> smallest;
  for (const std::string& line : lines_of(root / "proc/self/mountinfo")) {
    const auto hierarchy = hierarchy_of(line);
    const auto group = hierarchy ? group_in(*hierarchy, groups) : std::nullopt;
    if (!group) continue;
    for (const fs::path& folder : groups_above(root, *hierarchy, *group))
      smallest = smaller(smallest, hierarchy->is_version_1 ? quota_of_version_1(folder)
                                                           : quota_of_version_2(folder));
  }
  return smallest;
}

}  // namespace

std::optional<double> cpu_quota(const fs::path& root) {
  try {
    return find_quota(root);
  } catch (const std::exception&) {
    return std::nullopt;
  }
}

int DefaultThreads::count() const {
  if (!quota || *quota >= cores.fast) return std::max(cores.fast, 1);
  return std::max(static_cast<int>(std::ceil(*quota)), 1);
}

std::string DefaultThreads::description() const {
  const std::string limit = quota ? fmt::format("CPU quota {:.4g}", *quota) : "no CPU quota";
  const std::string kinds =
      cores.efficient == 0
          ? fmt::format("{} physical {}", cores.fast, cores.fast == 1 ? "core" : "cores")
          : fmt::format("{} fast and {} efficient cores", cores.fast, cores.efficient);
  return fmt::format("{} ({}, {})", count(), kinds, limit);
}

const DefaultThreads& default_threads() {
  static const DefaultThreads found{cpu_cores(), cpu_quota()};
  return found;
}

}  // namespace attend
