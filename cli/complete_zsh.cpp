#include <fmt/format.h>
#include <fmt/ranges.h>

#include "completion.h"

namespace ompdm::cli {
namespace {

/// Of `text` with each of `special` behind a backslash.
std::string escaped(const std::string& text, const char* special) {
  std::string out;
  for (const char character : text) {
    if (std::string(special).find(character) != std::string::npos) out += '\\';
    out += character;
  }
  return out;
}

std::string action_of(const OfferedOption& option) {
  switch (source_of(option)) {
    case Source::kChoices:
      return fmt::format("({})", fmt::join(option.choices, " "));
    case Source::kFiles:
      return "_files";
    case Source::kFolders:
      return "_files -/";
    case Source::kVerbs:
      return "_ompdm_commands";
    case Source::kNothing:
      break;
  }
  return " ";
}

/// What _arguments takes for an option, a word for each of its names.
std::vector<std::string> option_specs(const OfferedOption& option) {
  std::vector<std::string> specs;
  for (const std::string& name : option.names) {
    std::string spec = option.repeats ? "*" : "";
    if (!option.repeats && option.names.size() > 1) {
      spec += fmt::format("({})", fmt::join(option.names, " "));
    }
    const bool is_long = name.starts_with("--");
    spec += name;
    if (option.value == TakesValue::kNextWord) spec += is_long ? "=" : "+";
    if (option.value == TakesValue::kBehindEquals) spec += "=-";
    spec += '[' + escaped(option.description, "[]\\") + ']';
    if (option.value != TakesValue::kNo) {
      const char* colon = option.value == TakesValue::kBehindEquals ? "::" : ":";
      spec += colon + escaped(option.kind, ":\\") + ':' + action_of(option);
    }
    specs.push_back(single_quoted(spec));
  }
  return specs;
}

std::vector<std::string> specs_of(const OfferedVerb& verb) {
  std::vector<std::string> specs;
  for (const OfferedOption& option : verb.options) {
    for (const std::string& spec : option_specs(option)) specs.push_back(spec);
  }
  for (const OfferedOption& place : verb.places) {
    specs.push_back(single_quoted(
        fmt::format("{}:{}:{}", place.repeats ? "*" : "", place.names.front(), action_of(place))));
  }
  if (verb.runs_program) {
    specs.emplace_back("'(-)1:PROGRAM:_command_names -e'");
    specs.emplace_back("'*::ARG:_normal'");
  }
  return specs;
}

}  // namespace

std::string complete_zsh(const std::vector<OfferedVerb>& verbs,
                         const std::vector<OfferedOption>& options) {
  std::string script =
      "#compdef ompdm\n# zsh completion of ompdm, made by `ompdm completion zsh`\n\n";
  script += "_ompdm_commands() {\n  local -a commands=(\n";
  for (const OfferedVerb& verb : verbs) {
    script +=
        fmt::format("    {}\n", single_quoted(verb.name + ':' + escaped(verb.description, "\\")));
  }
  script +=
      "  )\n  _describe -t commands command commands\n}\n\n_ompdm() {\n"
      "  local curcontext=$curcontext state state_descr line\n  typeset -A opt_args\n"
      "  _arguments -C";
  for (const OfferedOption& option : options) {
    for (const std::string& spec : option_specs(option)) script += " \\\n    " + spec;
  }
  script +=
      " \\\n    '1: :_ompdm_commands' '*:: :->words' && return\n"
      "  [[ $state == words ]] || return\n  case $words[1] in\n";
  for (const OfferedVerb& verb : verbs) {
    script += fmt::format("    {})\n      _arguments -s \\\n        {} ;;\n", verb.name,
                          fmt::join(specs_of(verb), " \\\n        "));
  }
  script +=
      "  esac\n}\n\n"
      "if [[ $funcstack[1] == _ompdm ]]; then _ompdm \"$@\"; else compdef _ompdm ompdm; fi\n";
  return script;
}

}  // namespace ompdm::cli
