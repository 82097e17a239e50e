#include <fmt/format.h>
#include <fmt/ranges.h>

#include "completion.h"

namespace ompdm::cli {
namespace {

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

}  // namespace

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

}  // namespace ompdm::cli
