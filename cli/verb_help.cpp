#include "verb_help.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <sstream>
#include <utility>

namespace ompdm::cli {
namespace {

constexpr std::size_t kWidth = 100;

/// The words of `text` in lines of at most `width` columns.
std::string folded(const std::string& text, std::size_t width) {
  std::string lines;
  std::size_t used = 0;
  std::istringstream words(text);
  for (std::string word; words >> word; used += word.size()) {
    if (used > 0 && used + 1 + word.size() > width) {
      lines += '\n';
      used = 0;
    } else if (used > 0) {
      lines += ' ';
      ++used;
    }
    lines += word;
  }
  return lines;
}

/// CLI11's layout, but for the kinds of values: our options spell those out themselves ("on|off").
class Layout : public CLI::Formatter {
 public:
  explicit Layout(std::size_t column) : room_(kWidth - column) { column_width(column); }

  std::string make_option_opts(const CLI::Option* option) const override {
    std::string text = CLI::Formatter::make_option_opts(option);
    if (text.starts_with(" [=")) text.erase(0, 1);
    return text.substr(0, std::min(text.find(":{"), text.find(" Excludes:")));
  }

  /// Without what a flag stands for by itself ("--report{text}").
  std::string make_option_name(const CLI::Option* option, bool is_positional) const override {
    std::string text = CLI::Formatter::make_option_name(option, is_positional);
    return text.substr(0, text.find('{'));
  }

  std::string make_option_desc(const CLI::Option* option) const override {
    return folded(CLI::Formatter::make_option_desc(option), room_);
  }

 private:
  std::size_t room_;
};

class VerbLayout : public Layout {
 public:
  explicit VerbLayout(HelpTexts texts) : Layout(34), texts_(std::move(texts)) {}

  [[nodiscard]] const HelpTexts& texts() const { return texts_; }

  std::string make_usage(const CLI::App*, std::string) const override {
    return "\nUsage: " + texts_.usage + "\n";
  }

  std::string make_footer(const CLI::App*) const override {
    std::string footer = texts_.notes.empty() ? "" : texts_.notes + "\n\n";
    if (!texts_.examples.empty()) footer += "Examples:\n";
    for (const std::string& line : texts_.examples) footer += "  " + line + '\n';
    return footer;
  }

 private:
  HelpTexts texts_;
};

}  // namespace

void set_layout(CLI::App& app) { app.formatter(std::make_shared<Layout>(20)); }

void set_help(CLI::App& verb, const std::string& usage, const std::string& notes,
              const std::string& examples) {
  HelpTexts texts{usage, notes, {}};
  std::istringstream lines(examples);
  for (std::string line; std::getline(lines, line);) texts.examples.push_back(line);
  verb.formatter(std::make_shared<VerbLayout>(std::move(texts)));
}

HelpTexts help_texts(const CLI::App& verb) {
  const auto layout = std::dynamic_pointer_cast<const VerbLayout>(verb.get_formatter());
  return layout != nullptr ? layout->texts() : HelpTexts{};
}

}  // namespace ompdm::cli
