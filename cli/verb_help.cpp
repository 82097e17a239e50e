#include "verb_help.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cctype>
#include <memory>
#include <sstream>
#include <string_view>
#include <utility>

#include "launch.h"

namespace ompdm::cli {

std::string value_kind(const CLI::Option& option) {
  // Behind a colon CLI11 lists what it checks the value with.
  const std::string kind = option.get_type_name();
  return kind.substr(0, kind.find(':'));
}

std::vector<std::string> choices_of(const CLI::Option& option) {
  std::vector<std::string> choices;
  std::istringstream words(value_kind(option));
  for (std::string word; std::getline(words, word, '|');) {
    const bool named =
        std::ranges::any_of(word, [](unsigned char letter) { return std::isupper(letter) != 0; });
    if (!word.empty() && !named) choices.push_back(word);
  }
  return choices;
}

void add_link_options(CLI::App& verb, LinkModel& model) {
  CLI::Option* link = verb.add_option("--link", model.link,
                                      "Show what transfers would take on this link (a model; see "
                                      "below)")
                          ->type_name("LINK");
  verb.add_option("--kernels", model.kernels,
                  "With --link: kernels FACTOR times as fast as they were recorded")
      ->type_name("FACTOR")
      ->needs(link);
}

std::optional<analysis::Link> link_of(const LinkModel& model) {
  if (model.link.empty()) return std::nullopt;
  analysis::Link link = analysis::parse_link(model.link);
  if (!model.kernels.empty()) link.kernels = analysis::parse_kernel_factor(model.kernels);
  return link;
}

namespace {

/// What set_help() is given.
struct HelpTexts {
  std::string usage;
  std::string notes;
  std::vector<std::string> examples;
};

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

namespace {

int run_help(const CLI::App& app, const std::string& name) {
  if (name.empty()) {
    // The command's own help() would be that of the verb that runs.
    fmt::print("{}",
               app.get_formatter()->make_help(&app, app.get_name(), CLI::AppFormatMode::Normal));
    return 0;
  }
  const auto verbs =
      app.get_subcommands([&](const CLI::App* verb) { return verb->get_name() == name; });
  if (verbs.empty()) throw no_such_verb(app, {name});
  fmt::print("{}", verbs.front()->help());
  return 0;
}

}  // namespace

void setup_help(CLI::App& app, int& exit_status) {
  auto name = std::make_shared<std::string>();
  CLI::App* verb = app.add_subcommand("help", "Print the help of a command");
  verb->group("Help");
  verb->add_option("COMMAND", *name, "One of ompdm's; without it, they are listed")->type_name("");
  set_help(*verb, "ompdm help [COMMAND]", "",
           "ompdm help\n"
           "ompdm help report");
  verb->callback([&app, name, &exit_status] { exit_status = run_help(app, *name); });
}

}  // namespace ompdm::cli
