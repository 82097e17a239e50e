#include "offered.h"

#include <CLI/CLI.hpp>
#include <string_view>

#include "choices.h"
#include "verb_help.h"

namespace ompdm::cli {
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
