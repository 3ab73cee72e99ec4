// A test that runs the program as its users do: arguments and standard input in; exit status,
// output and error out. In a folder of its own.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "attend/cli/exit_status.h"
#include "attend/cli/program.h"
#include "cli/captured_terminal.h"

namespace attend {

class ProgramTest : public testing::Test {
 protected:
  ProgramTest() { std::filesystem::create_directories(folder_); }
  ~ProgramTest() override { std::filesystem::remove_all(folder_); }

  std::string path(const std::string& name) const { return folder_ + "/" + name; }
  // Writes a file of the folder and returns its path.
  std::string write(const std::string& name, const std::string& content) const {
    std::ofstream(path(name), std::ios::binary) << content;
    return path(name);
  }
  static std::string read(const std::string& file) {
    std::ifstream stream(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), {}};
  }

  // "Suite_Name", without the slashes of tests with parameters.
  static std::string name_of_test() {
    const testing::TestInfo& test = *testing::UnitTest::GetInstance()->current_test_info();
    std::string name = std::string(test.test_suite_name()) + "_" + test.name();
    std::replace(name.begin(), name.end(), '/', '_');
    return name;
  }

  // Runs `attend ARGUMENTS < input`; out_ and error_ are what it printed.
  int run(std::vector<std::string> arguments, const std::string& input = "") {
    arguments.insert(arguments.begin(), "attend");
    std::vector<const char*> argv;
    for (const std::string& argument : arguments) argv.push_back(argument.c_str());
    std::istringstream stream(input);
    std::streambuf* const terminal = std::cin.rdbuf(stream.rdbuf());
    const int status =
        captured([&] { return run_program(static_cast<int>(argv.size()), argv.data()); });
    std::cin.rdbuf(terminal);
    std::cin.clear();
    return status;
  }

  // Calls `program`; out_ and error_ are what it printed. Returns its result.
  template <class Program>
  int captured(const Program& program) {
    std::optional<CapturedTerminal> out, error;
    if (out_is_terminal_) {
      out.emplace(STDOUT_FILENO);
    } else {
      testing::internal::CaptureStdout();
    }
    if (error_is_terminal_) {
      error.emplace();
    } else {
      testing::internal::CaptureStderr();
    }
    const int status = program();
    out_ = out ? out->end() : testing::internal::GetCapturedStdout();
    error_ = error ? error->end() : testing::internal::GetCapturedStderr();
    return status;
  }

  // Expects a failure or wrong usage, and one line on standard error that holds all of `parts`.
  void expect_error(const std::vector<std::string>& arguments,
                    const std::vector<std::string>& parts, const std::string& input = "") {
    const int status = run(arguments, input);
    EXPECT_TRUE(status == kFailure || status == kUsageError) << status;
    expect_one_line(parts);
  }
  // The same, and exit status 1: the command was right, what it was to do failed.
  void expect_failure(const std::vector<std::string>& arguments,
                      const std::vector<std::string>& parts, const std::string& input = "") {
    expect_message(kFailure, arguments, parts, input);
  }
  // The same, and exit status 2: the command was wrong.
  void expect_usage_error(const std::vector<std::string>& arguments,
                          const std::vector<std::string>& parts, const std::string& input = "") {
    expect_message(kUsageError, arguments, parts, input);
  }
  void expect_message(int status, const std::vector<std::string>& arguments,
                      const std::vector<std::string>& parts, const std::string& input) {
    EXPECT_EQ(run(arguments, input), status) << testing::PrintToString(arguments) << error_;
    expect_one_line(parts);
  }
  void expect_one_line(const std::vector<std::string>& parts) const {
    EXPECT_EQ(std::count(error_.begin(), error_.end(), '\n'), 1) << error_;
    for (const std::string& part : parts)
      EXPECT_NE(error_.find(part), std::string::npos) << part << " is not in: " << error_;
  }

  std::string folder_ = testing::TempDir() + "attend_" + name_of_test() + std::to_string(getpid());
  std::string out_, error_;
  bool out_is_terminal_ = false, error_is_terminal_ = false;  // of the runs that follow
};

}  // namespace attend
