// A text file written line by line: all of it or nothing.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>

#include "attend/core/files/atomic_file.h"

namespace attend {

class AtomicLines {
 public:
  // Throws like AtomicFile, as all functions do.
  explicit AtomicLines(const std::filesystem::path& path) : file_(path) {}

  // Appends `text`; end_line() ends the line.
  void add(std::string_view text) { waiting_ += text; }
  void end_line() {
    waiting_ += '\n';
    if (waiting_.size() >= kBlock) write();
  }
  // Without it, no file is left.
  void commit() {
    write();
    file_.commit();
  }

 private:
  static constexpr std::size_t kBlock = std::size_t{1} << 20;

  void write() {
    file_.write(waiting_);
    waiting_.clear();
  }

  AtomicFile file_;
  std::string waiting_;
};

}  // namespace attend
