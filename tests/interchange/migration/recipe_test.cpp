#include "attend/interchange/migration/recipe.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "attend/error.h"

namespace attend {
namespace {

struct RecipeModel {
  int width = 4;
  std::vector<std::string> files;
};
template <class Visitor>
void fields(RecipeModel& o, Visitor&& visit) {
  visit("width", o.width, between(1, 8), "");
  visit("files", o.files, "");
}
struct RecipeRun {
  bool quick = false;
};
template <class Visitor>
void fields(RecipeRun& o, Visitor&& visit) {
  visit("quick", o.quick, "");
}
struct RecipeOptions {
  RecipeRun run;
  RecipeModel model;
};
template <class Visitor>
void groups(RecipeOptions& o, Visitor&& visit) {
  visit("run", o.run);
  visit("model", o.model);
}

TEST(Recipe, WritesWhatIsSetInTheOrderOfTheCommand) {
  Recipe recipe = Recipe::of<RecipeOptions>("train x");
  EXPECT_EQ(recipe.toml(), "");
  recipe.set("files", std::vector<std::string>{"a", "b c"}, "here", "two");
  recipe.set("quick", std::vector<std::string>{"true"}, "here", "");
  recipe.set("width", std::vector<std::string>{"5"}, "here", "five");
  EXPECT_EQ(recipe.toml(),
            "[run]\nquick = true\n\n[model]\nwidth = 5             # five\nfiles = [\"a\", \"b "
            "c\"]  # two\n");
  EXPECT_TRUE(recipe.sets("width"));
  EXPECT_EQ(recipe.value("files"), "a b c");
  EXPECT_EQ(recipe.command(), "train x");
}

TEST(Recipe, RefusesValuesThatTheOptionDoesNotTake) {
  Recipe recipe = Recipe::of<RecipeOptions>("train x");
  try {
    recipe.set("width", std::vector<std::string>{"9"}, "x.yml: dim", "");
    FAIL();
  } catch (const ConfigError& error) {
    EXPECT_EQ(std::string(error.what()), "x.yml: dim: expected a whole number from 1 to 8, got 9");
  }
  EXPECT_FALSE(recipe.sets("width"));
}

}  // namespace
}  // namespace attend
