#include "verb_help.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cctype>
#include <memory>
#include <sstream>
#include <string_view>
#include <utility>

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

namespace {

TakesValue value_of(const CLI::Option& option) {
  if (option.get_items_expected_min() > 0) return TakesValue::kNextWord;
  return value_kind(option).empty() ? TakesValue::kNo : TakesValue::kBehindEquals;
}

OfferedOption offered(const CLI::Option& option) {
  OfferedOption offer;
  for (const std::string& name : option.get_snames()) offer.names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) offer.names.push_back("--" + name);
  if (option.get_positional()) offer.names.push_back(option.get_name(true));
  offer.description = option.get_description();
  offer.value = value_of(option);
  if (offer.value != TakesValue::kNo) offer.kind = value_kind(option);
  offer.choices = choices_of(option);
  offer.repeats = option.get_items_expected_max() > 1;
  offer.required = option.get_required();
  return offer;
}

std::vector<OfferedOption> offered_of(const CLI::App& verb, bool places) {
  std::vector<OfferedOption> offers;
  for (const CLI::Option* option : verb.get_options()) {
    if (option->get_group().empty() || option->get_positional() != places) continue;
    offers.push_back(offered(*option));
  }
  return offers;
}

OfferedVerb offered_verb(const CLI::App& verb) {
  OfferedVerb offer;
  offer.name = verb.get_name();
  offer.description = verb.get_description();
  HelpTexts texts = help_texts(verb);
  offer.usage = std::move(texts.usage);
  offer.notes = std::move(texts.notes);
  offer.examples = std::move(texts.examples);
  offer.options = offered_of(verb, false);
  offer.places = offered_of(verb, true);
  offer.runs_program = verb.get_prefix_command();
  return offer;
}

}  // namespace

std::vector<OfferedVerb> offered_verbs(const CLI::App& app) {
  std::vector<OfferedVerb> offers;
  for (const CLI::App* verb : app.get_subcommands({})) {
    if (!verb->get_group().empty()) offers.push_back(offered_verb(*verb));
  }
  return offers;
}

std::vector<OfferedOption> offered_options(const CLI::App& app) { return offered_of(app, false); }

}  // namespace ompdm::cli
