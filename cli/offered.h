// The command's verbs and options as data, read from their definitions: what completions and man
// pages are made of.
#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
}  // namespace CLI

namespace ompdm::cli {

enum class TakesValue {
  kNo,
  kNextWord,      ///< `--format json`, and `--format=json`
  kBehindEquals,  ///< `--report=json`, and `--report` alone
};

/// An option, or an argument that is known by its place.
struct OfferedOption {
  std::vector<std::string> names;  ///< "-o", "--output"; of a place "TRACE"
  std::string description;
  TakesValue value = TakesValue::kNo;
  std::string kind;                  ///< of its value: "FILE", "text|json"; may be empty
  std::vector<std::string> choices;  ///< words that the value can be
  bool repeats = false;
  bool required = false;
};

struct OfferedVerb {
  std::string name;
  std::string description;
  std::string usage;  ///< "ompdm report TRACE... [options]"
  std::string notes;  ///< lines; may be empty
  std::vector<std::string> examples;
  std::vector<OfferedOption> options;
  std::vector<OfferedOption> places;
  bool runs_program = false;  ///< its other words are a program and what that is given
};

/// Those that the help lists, in its order; `app` is the command itself.
std::vector<OfferedVerb> offered_verbs(const CLI::App& app);

/// The options of the command itself.
std::vector<OfferedOption> offered_options(const CLI::App& app);

}  // namespace ompdm::cli
