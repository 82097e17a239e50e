#include "verb_help.h"

#include <CLI/CLI.hpp>
#include <memory>
#include <sstream>
#include <utility>

namespace ompdm::cli {
namespace {

/// CLI11's layout, but for the usage line and for types, which our options spell out themselves.
class VerbFormatter : public CLI::Formatter {
 public:
  explicit VerbFormatter(std::string usage) : usage_(std::move(usage)) { column_width(34); }

  std::string make_usage(const CLI::App*, std::string) const override {
    return "Usage: " + usage_ + "\n";
  }

 private:
  std::string usage_;
};

}  // namespace

void set_help(CLI::App& verb, const std::string& usage, const std::string& notes,
              const std::string& examples) {
  verb.formatter(std::make_shared<VerbFormatter>(usage));
  std::string footer = notes;
  std::istringstream lines(examples);
  for (std::string line; std::getline(lines, line);) {
    footer +=
        (footer == notes ? (notes.empty() ? "Examples:\n  " : "\n\nExamples:\n  ") : "\n  ") + line;
  }
  verb.footer(footer);
}

}  // namespace ompdm::cli
