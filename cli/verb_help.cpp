#include "verb_help.h"

#include <CLI/CLI.hpp>
#include <memory>
#include <sstream>
#include <utility>

namespace ompdm::cli {
namespace {

/// CLI11's layout, but for the kinds of values: our options spell those out themselves ("on|off").
class Layout : public CLI::Formatter {
 public:
  explicit Layout(std::size_t column) { column_width(column); }

  std::string make_option_opts(const CLI::Option* option) const override {
    std::string text = CLI::Formatter::make_option_opts(option);
    return text.substr(0, text.find(":{"));
  }
};

class VerbLayout : public Layout {
 public:
  explicit VerbLayout(std::string usage) : Layout(34), usage_(std::move(usage)) {}

  std::string make_usage(const CLI::App*, std::string) const override {
    return "\nUsage: " + usage_ + "\n";
  }

 private:
  std::string usage_;
};

}  // namespace

void set_layout(CLI::App& app) { app.formatter(std::make_shared<Layout>(20)); }

void set_help(CLI::App& verb, const std::string& usage, const std::string& notes,
              const std::string& examples) {
  verb.formatter(std::make_shared<VerbLayout>(usage));
  std::string footer = notes;
  std::istringstream lines(examples);
  for (std::string line; std::getline(lines, line);) {
    footer +=
        (footer == notes ? (notes.empty() ? "Examples:\n  " : "\n\nExamples:\n  ") : "\n  ") + line;
  }
  verb.footer(footer);
}

}  // namespace ompdm::cli
