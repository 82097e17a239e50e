// `ompdm completion`: scripts that complete ompdm's commands in a shell.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <string>
#include <vector>

#include "verb_help.h"

namespace ompdm::cli {

namespace {

/// Where the value of an option, or what stands in a place, is to be looked for.
enum class Source { kNothing, kChoices, kFiles, kFolders, kVerbs };

/// As the definitions tell it: by the words a value can be, else by the name of its kind.
Source source_of(const OfferedOption& option) {
  if (!option.choices.empty()) return Source::kChoices;
  const bool is_place = !option.names.empty() && !option.names.front().starts_with('-');
  const std::string& kind = is_place ? option.names.front() : option.kind;
  if (kind == "COMMAND") return Source::kVerbs;
  if (kind == "DIR") return Source::kFolders;
  return is_place || kind == "FILE" ? Source::kFiles : Source::kNothing;
}

/// `text` between single quotes, as all of these shells take it.
std::string single_quoted(const std::string& text) {
  std::string quoted = "'";
  for (const char character : text) {
    if (character == '\'') {
      quoted += "'\\''";
    } else {
      quoted += character;
    }
  }
  return quoted + '\'';
}

// What is the same for whatever verbs: the words are found by three functions made of them.
constexpr const char* kBashBegin =
    R"bash(# bash completion of ompdm, made by `ompdm completion bash`

)bash";

constexpr const char* kBashEnd = R"bash(
_ompdm_files() { compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen -f -- "$1"); }

_ompdm_value() {
  case $1 in
    FILE) _ompdm_files "$2" ;;
    DIR) compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen -d -- "$2") ;;
    *) mapfile -t COMPREPLY < <(compgen -W "$1" -- "$2") ;;
  esac
}

_ompdm() {
  local verb=${COMP_WORDS[1]} current=${COMP_WORDS[COMP_CWORD]} i kind
  local before=${COMP_WORDS[COMP_CWORD - 1]} equals=
  COMPREPLY=()
  if ((COMP_CWORD == 1)); then
    mapfile -t COMPREPLY < <(compgen -W "$(_ompdm_verbs) $(_ompdm_options '')" -- "$current")
    return
  fi
  # bash takes --format=json for three words
  if [[ $current == '=' ]]; then
    current= equals==
  elif [[ $before == '=' ]]; then
    before=${COMP_WORDS[COMP_CWORD - 2]} equals==
  fi
  if _ompdm_runs "$verb"; then
    for ((i = 2; i < COMP_CWORD; ++i)); do
      case ${COMP_WORDS[i]} in
        --) ((++i)); break ;;
        -*)
          if [[ ${COMP_WORDS[i + 1]} == '=' ]]; then
            ((i += 2))
          elif [[ -n $(_ompdm_kind "$verb" "${COMP_WORDS[i]}") ]]; then
            ((++i))
          fi ;;
        *) break ;;
      esac
    done
    if ((i < COMP_CWORD)); then  # words of the program
      if declare -F _command_offset >/dev/null; then _command_offset "$i"; else _ompdm_files "$current"; fi
      return
    fi
    if ((i == COMP_CWORD)) && [[ $current != -* ]]; then
      compopt -o filenames 2>/dev/null
      mapfile -t COMPREPLY < <(compgen -c -- "$current"; compgen -d -- "$current")
      return
    fi
  fi
  kind=$(_ompdm_kind "$verb" "$before$equals")
  [[ -n $kind || -z $equals ]] || kind=$(_ompdm_kind "$verb" "$before")
  if [[ -n $kind ]]; then
    [[ $kind == ANY ]] || _ompdm_value "$kind" "$current"
  elif [[ $current == -* ]]; then
    mapfile -t COMPREPLY < <(compgen -W "$(_ompdm_options "$verb")" -- "$current")
  else
    kind=$(_ompdm_kind "$verb" '')
    [[ -z $kind ]] || _ompdm_value "$kind" "$current"
  fi
}
complete -F _ompdm ompdm
)bash";

std::string names_of(const std::vector<OfferedOption>& options) {
  std::vector<std::string> names;
  for (const OfferedOption& option : options) {
    names.insert(names.end(), option.names.begin(), option.names.end());
  }
  return fmt::format("{}", fmt::join(names, " "));
}

std::string names_of(const std::vector<OfferedVerb>& verbs) {
  std::vector<std::string> names;
  for (const OfferedVerb& verb : verbs) names.push_back(verb.name);
  return fmt::format("{}", fmt::join(names, " "));
}

/// The words of a value, or what names where to find them; empty where there are none.
std::string kind_of(const OfferedOption& option, const std::vector<OfferedVerb>& verbs) {
  switch (source_of(option)) {
    case Source::kChoices:
      return fmt::format("{}", fmt::join(option.choices, " "));
    case Source::kFiles:
      return "FILE";
    case Source::kFolders:
      return "DIR";
    case Source::kVerbs:
      return names_of(verbs);
    case Source::kNothing:
      break;
  }
  return "ANY";
}

std::string kinds_of(const OfferedVerb& verb, const std::vector<OfferedVerb>& verbs) {
  std::string lines;
  for (const OfferedOption& option : verb.options) {
    if (option.value == TakesValue::kNo) continue;
    const char* behind = option.value == TakesValue::kBehindEquals ? "=" : "";
    for (const std::string& name : option.names) {
      lines += fmt::format("    '{} {}{}') echo {} ;;\n", verb.name, name, behind,
                           single_quoted(kind_of(option, verbs)));
    }
  }
  if (!verb.places.empty()) {
    lines += fmt::format("    '{} ') echo {} ;;\n", verb.name,
                         single_quoted(kind_of(verb.places.front(), verbs)));
  }
  return lines;
}

/// For bash, with or without its package bash-completion.
std::string complete_bash(const std::vector<OfferedVerb>& verbs,
                          const std::vector<OfferedOption>& options) {
  std::string script = kBashBegin;
  script += fmt::format("_ompdm_verbs() {{ echo {}; }}\n\n", single_quoted(names_of(verbs)));
  script += "_ompdm_options() {\n  case $1 in\n";
  script += fmt::format("    '') echo {} ;;\n", single_quoted(names_of(options)));
  for (const OfferedVerb& verb : verbs) {
    script += fmt::format("    {}) echo {} ;;\n", verb.name, single_quoted(names_of(verb.options)));
  }
  script +=
      "  esac\n}\n\n# Of an option's value, or of what a verb is given: words, FILE, DIR or "
      "ANY\n";
  script += "_ompdm_kind() {\n  case \"$1 $2\" in\n";
  std::vector<std::string> runners;
  for (const OfferedVerb& verb : verbs) {
    script += kinds_of(verb, verbs);
    if (verb.runs_program) runners.push_back(verb.name);
  }
  script += fmt::format("  esac\n}}\n\n_ompdm_runs() {{ [[ $1 == @({}) ]]; }}\n",
                        fmt::join(runners, "|"));
  return script + kBashEnd;
}

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

/// For fish, from 3.0 on.
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

/// For zsh: a file `_ompdm` of a folder in its `fpath`, or to be sourced after `compinit`.
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

int run_completion(const CLI::App& app, const std::string& shell) {
  const std::vector<OfferedVerb> verbs = offered_verbs(app);
  const std::vector<OfferedOption> options = offered_options(app);
  const std::string script = shell == "zsh"    ? complete_zsh(verbs, options)
                             : shell == "fish" ? complete_fish(verbs, options)
                                               : complete_bash(verbs, options);
  fmt::print("{}", script);
  return 0;
}

}  // namespace

void setup_completion(CLI::App& app, int& exit_status) {
  auto shell = std::make_shared<std::string>();
  CLI::App* verb =
      app.add_subcommand("completion", "Print a script that completes ompdm's commands in a shell");
  verb->group("Help");
  verb->add_option("SHELL", *shell, "Whose script")
      ->required()
      ->type_name("bash|zsh|fish")
      ->transform([](const std::string& name) { return name.substr(name.rfind('/') + 1); })
      ->check(CLI::IsMember({"bash", "zsh", "fish"}));
  set_help(*verb, "ompdm completion bash|zsh|fish",
           "`cmake --install` puts these where the shells look for them.",
           "source <(ompdm completion bash)\n"
           "source <(ompdm completion zsh)\n"
           "ompdm completion fish | source");
  verb->callback([&app, shell, &exit_status] { exit_status = run_completion(app, *shell); });
}

}  // namespace ompdm::cli
