// What an option changes, and what it leaves alone: a command is run without it and with it, and
// everything that can be seen of the two runs is compared.
#pragma once

#include <algorithm>
#include <functional>
#include <map>
#include <regex>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "cli/program_test.h"

namespace attend {

// An option, a value that is not its default, what else must be given for it to matter, and which
// of the things seen must then differ. One with a question mark may; everything else must stay the
// same. The value of a flag is yes or no.
struct OptionCase {
  std::string option;
  std::string value;
  std::string with;
  std::string changes;
};

using Seen = std::map<std::string, std::string>;

inline std::vector<std::string> words_of(const std::string& text) {
  std::istringstream words(text);
  return {std::istream_iterator<std::string>(words), {}};
}

class OptionEffects : public ProgramTest {
 protected:
  // Runs a command line and tells what can be seen of it.
  using Observe = std::function<Seen(const std::vector<std::string>& arguments)>;

  static std::vector<std::string> joined(std::vector<std::string> a,
                                         const std::vector<std::string>& b) {
    a.insert(a.end(), b.begin(), b.end());
    return a;
  }
  // A file of the folder may be named by "@NAME".
  std::vector<std::string> with_paths(const std::string& text) const {
    std::vector<std::string> words = words_of(text);
    for (std::string& word : words)
      if (word.starts_with('@')) word = path(word.substr(1));
    return words;
  }
  std::vector<std::string> flag(const OptionCase& one) const {
    if (one.value == "yes") return {"--" + one.option};
    if (one.value == "no") return {"--no-" + one.option};
    return joined({"--" + one.option}, with_paths(one.value));
  }

  // A command line without an option that is on it: a list would grow by one given twice.
  static std::vector<std::string> without(std::vector<std::string> arguments,
                                          const std::string& option) {
    const auto begin = std::find(arguments.begin(), arguments.end(), "--" + option);
    if (begin == arguments.end()) return arguments;
    const auto end = std::find_if(begin + 1, arguments.end(),
                                  [](const std::string& word) { return word.starts_with("--"); });
    arguments.erase(begin, end);
    return arguments;
  }

  void expect_effects(const std::vector<std::string>& base, const std::vector<OptionCase>& cases,
                      const Observe& observe) {
    std::map<std::string, Seen> before;
    for (const OptionCase& one : cases) {
      SCOPED_TRACE("--" + one.option + " " + one.value +
                   (one.with.empty() ? "" : " with " + one.with));
      const std::vector<std::string> plain = joined(base, with_paths(one.with));
      if (!before.contains(one.with)) before[one.with] = observe(plain);
      const std::vector<std::string> changed = joined(without(plain, one.option), flag(one));
      expect_differences(before[one.with], observe(changed), one.changes);
      if (one.option != "threads") continue;
      // Not as many as a command has without the option.
      const std::string more = std::to_string(std::thread::hardware_concurrency() + 1);
      expect_to_be_told(more + " threads", observe,
                        joined(without(plain, one.option), {"--threads", more}));
    }
  }

  // At a terminal a command says how many threads it has.
  void expect_to_be_told(const std::string& text, const Observe& observe,
                         const std::vector<std::string>& arguments) {
    error_is_terminal_ = true;
    observe(arguments);
    error_is_terminal_ = false;
    EXPECT_NE(error_.find(text), std::string::npos) << "expected \"" << text << "\" in: " << error_;
  }

  static void expect_differences(const Seen& before, const Seen& after,
                                 const std::string& expected) {
    std::set<std::string> must, may, all;
    for (const std::string& name : words_of(expected)) {
      if (name.ends_with('?')) {
        may.insert(name.substr(0, name.size() - 1));
      } else {
        must.insert(name);
      }
    }
    for (const Seen* seen : {&before, &after})
      for (const auto& [name, value] : *seen) all.insert(name);
    for (const std::string& name : must)
      EXPECT_TRUE(all.contains(name)) << "nothing of the runs is called " << name;
    for (const std::string& name : all) {
      const bool differs =
          !before.contains(name) || !after.contains(name) || before.at(name) != after.at(name);
      if (must.contains(name)) {
        EXPECT_TRUE(differs) << name << " is the same with and without it: "
                             << (after.contains(name) ? after.at(name).substr(0, 300) : "");
      } else if (!may.contains(name)) {
        EXPECT_FALSE(differs) << name << " differs, from\n"
                              << (before.contains(name) ? before.at(name).substr(0, 300)
                                                        : "nothing")
                              << "\nto\n"
                              << (after.contains(name) ? after.at(name).substr(0, 300) : "nothing");
      }
    }
  }

  // The options that the help of a command lists.
  std::set<std::string> options_of(const std::string& command) {
    EXPECT_EQ(run(joined(words_of(command), {"--help"})), 0) << error_;
    const std::regex line("\n +(?:-h,)?--(?:\\[no-\\])?([a-z0-9-]+)");
    std::set<std::string> names;
    for (std::sregex_iterator match(out_.begin(), out_.end(), line), end; match != end; ++match)
      names.insert((*match)[1]);
    names.erase("help");
    EXPECT_FALSE(names.empty()) << out_;
    return names;
  }
  // Fails with the name of an option that has no case, and of a case that has no option. `others`
  // are those with a test of their own.
  void expect_a_case_for_every_option(const std::string& command,
                                      const std::vector<std::vector<OptionCase>>& tables,
                                      std::set<std::string> others) {
    const std::set<std::string> options = options_of(command);
    for (const auto& table : tables)
      for (const OptionCase& one : table) others.insert(one.option);
    for (const std::string& option : options)
      EXPECT_TRUE(others.contains(option))
          << command << " --" << option << " needs a case that shows what it changes";
    for (const std::string& option : others)
      EXPECT_TRUE(options.contains(option)) << command << " has no option --" << option;
  }
};

}  // namespace attend
