#include <fmt/format.h>
#include <fmt/ranges.h>

#include "completion.h"

namespace ompdm::cli {
namespace {

constexpr const char* kFishBegin =
    R"fish(# fish completion of ompdm, made by `ompdm completion fish`

function __ompdm_verb
  set -l words (commandline -opc)
  test (count $words) -gt 1; and contains -- $words[2] $argv
end

function __ompdm_no_verb
  test (count (commandline -opc)) -eq 1
end

complete -c ompdm -f
)fish";

/// fish knows two characters between single quotes.
std::string quoted(const std::string& text) {
  std::string out = "'";
  for (const char character : text) {
    if (character == '\'' || character == '\\') out += '\\';
    out += character;
  }
  return out + '\'';
}

std::string words_of(const OfferedOption& option, const std::vector<OfferedVerb>& verbs) {
  switch (source_of(option)) {
    case Source::kChoices:
      return fmt::format(" -x -a '{}'", fmt::join(option.choices, " "));
    case Source::kFiles:
      return " -r -F";
    case Source::kFolders:
      return " -x -a '(__fish_complete_directories)'";
    case Source::kVerbs: {
      std::string names;
      for (const OfferedVerb& verb : verbs) names += (names.empty() ? "" : " ") + verb.name;
      return fmt::format(" -x -a '{}'", names);
    }
    case Source::kNothing:
      break;
  }
  return " -x";
}

std::string names_of(const OfferedOption& option) {
  std::string names;
  for (const std::string& name : option.names) {
    names += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
  }
  return names;
}

/// What follows the words that make it one of the command's, or of a verb's.
std::string line_of(const std::string& condition, const OfferedOption& option,
                    const std::vector<OfferedVerb>& verbs) {
  std::string line = fmt::format("complete -c ompdm -n {}{}", condition, names_of(option));
  if (option.value == TakesValue::kNextWord) line += words_of(option, verbs);
  // fish has no value that may be left out: the words stand for themselves.
  if (option.value == TakesValue::kBehindEquals) {
    std::string forms;
    for (const std::string& choice : option.choices) {
      forms += fmt::format(" {}={}", option.names.back(), choice);
    }
    line += fmt::format(" -d {}\ncomplete -c ompdm -n {} -a {}", quoted(option.description),
                        condition, quoted(forms.empty() ? forms : forms.substr(1)));
  }
  return line + fmt::format(" -d {}\n", quoted(option.description));
}

/// `__fish_complete_subcommand` has to know which words are values.
std::string program_of(const OfferedVerb& verb) {
  std::string taking;
  for (const OfferedOption& option : verb.options) {
    if (option.value != TakesValue::kNextWord) continue;
    for (const std::string& name : option.names) taking += ' ' + name;
  }
  return fmt::format(
      "complete -c ompdm -n '__ompdm_verb {}' -x -a '(__fish_complete_subcommand "
      "--fcs-skip=2{})'\n",
      verb.name, taking);
}

}  // namespace

std::string complete_fish(const std::vector<OfferedVerb>& verbs,
                          const std::vector<OfferedOption>& options) {
  std::string script = kFishBegin;
  for (const OfferedOption& option : options) script += line_of("__ompdm_no_verb", option, verbs);
  for (const OfferedVerb& verb : verbs) {
    script += fmt::format("complete -c ompdm -n __ompdm_no_verb -a {} -d {}\n", verb.name,
                          quoted(verb.description));
  }
  for (const OfferedVerb& verb : verbs) {
    const std::string condition = fmt::format("'__ompdm_verb {}'", verb.name);
    for (const OfferedOption& option : verb.options) script += line_of(condition, option, verbs);
    if (!verb.places.empty()) {
      script += fmt::format("complete -c ompdm -n {}{}\n", condition,
                            words_of(verb.places.front(), verbs));
    }
    if (verb.runs_program) script += program_of(verb);
  }
  return script;
}

}  // namespace ompdm::cli
