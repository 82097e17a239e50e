// `ompdm completion`: scripts that complete ompdm's commands in a shell. The scripts hold no list
// of commands: they pass the words to a hidden verb, which answers from CLI11's definitions.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "verb_help.h"

namespace ompdm::cli {

namespace {

// Each script prints the candidates in its shell's way. The answer's first line is one of "words",
// "files", "folders" and "program N", where N is the index of the program's name; behind "words"
// follow lines "WORD<tab>DESCRIPTION".
constexpr const char* kBash = R"bash(# bash completion of ompdm, made by `ompdm completion bash`

_ompdm() {
  local current=${COMP_WORDS[COMP_CWORD]} answer program
  mapfile -t answer < <("${COMP_WORDS[0]}" complete-words "${COMP_WORDS[@]:0:COMP_CWORD+1}" 2>/dev/null)
  program=${answer[0]#program }
  [[ $current != '=' ]] || current=  # bash takes --format=json for three words
  [[ ${answer[0]} == words ]] || compopt -o filenames 2>/dev/null
  case ${answer[0]} in
    files) mapfile -t COMPREPLY < <(compgen -f -- "$current") ;;
    folders) mapfile -t COMPREPLY < <(compgen -d -- "$current") ;;
    "program $COMP_CWORD") mapfile -t COMPREPLY < <(compgen -c -- "$current"; compgen -d -- "$current") ;;
    program*)
      if declare -F _command_offset >/dev/null; then
        _command_offset "$program"
      else
        mapfile -t COMPREPLY < <(compgen -f -- "$current")
      fi ;;
    *)
      answer=("${answer[@]:1}")
      mapfile -t COMPREPLY < <(compgen -W "${answer[*]%%$'\t'*}" -- "$current") ;;
  esac
}
complete -F _ompdm ompdm
)bash";

// The words are asked for with each key that completes: -f, since files are offered on demand.
constexpr const char* kFish = R"fish(# fish completion of ompdm, made by `ompdm completion fish`

function __ompdm
  set -l current (commandline -ct)
  set -l words (commandline -opc) "$current"
  set -l answer ($words[1] complete-words $words 2>/dev/null)
  switch "$answer[1]"
    case files folders
      set -l option (string match -r '^--[^=]*=' -- "$current")
      set -l begun (string replace -r '^--[^=]*=' '' -- "$current")
      set -l find __fish_complete_path
      test $answer[1] = files; or set find __fish_complete_directories
      string join \n -- "$option"($find "$begun")
    case 'program *'
      set -l first (math 1 + (string replace 'program ' '' $answer[1]))
      set -e words[-1]
      complete -C (string join ' ' -- (string escape -- $words[$first..-1]) "$current")
    case '*'
      string join \n -- $answer[2..-1]
  end
end

complete -c ompdm -f -a '(__ompdm)'
)fish";

// A file `_ompdm` of a folder in zsh's `fpath`, or to be sourced after `compinit`.
constexpr const char* kZsh = R"zsh(#compdef ompdm
# zsh completion of ompdm, made by `ompdm completion zsh`

_ompdm() {
  local -a answer
  local program
  answer=("${(@f)$("${(Q)words[1]}" complete-words "${(@Q)words[1,CURRENT]}" 2>/dev/null)}")
  case $answer[1] in
    files) compset -P '--*='; _files ;;
    folders) compset -P '--*='; _files -/ ;;
    program*)
      program=${answer[1]#program }
      shift $program words
      (( CURRENT -= program ))
      _normal ;;
    words)
      shift answer
      answer=("${(@)answer//:/\\:}")
      answer=("${(@)answer/$'\t'/:}")
      _describe -t commands ompdm answer ;;
  esac
}

if [[ $funcstack[1] == _ompdm ]]; then _ompdm "$@"; else compdef _ompdm ompdm; fi
)zsh";

bool is_offered(const CLI::Option& option) { return !option.get_group().empty(); }

bool takes_next_word(const CLI::Option& option) { return option.get_items_expected_min() > 0; }

std::string candidate_line(const std::string& word, const std::string& description) {
  return fmt::format("{}\t{}\n", word, description);
}

std::string verb_lines(const CLI::App& app) {
  std::string lines;
  for (const CLI::App* verb : app.get_subcommands({})) {
    if (!verb->get_group().empty())
      lines += candidate_line(verb->get_name(), verb->get_description());
  }
  return lines;
}

std::string option_lines(const CLI::App& verb) {
  std::string lines;
  for (const CLI::Option* option : verb.get_options()) {
    if (!is_offered(*option) || option->get_positional()) continue;
    for (const std::string& name : option->get_snames()) {
      lines += candidate_line("-" + name, option->get_description());
    }
    for (const std::string& name : option->get_lnames()) {
      lines += candidate_line("--" + name, option->get_description());
    }
  }
  return lines;
}

/// The answer for a value of `option`; `before` stands in the same word before the value.
std::string value_answer(const CLI::App& app, const CLI::Option& option,
                         const std::string& before) {
  const std::vector<std::string> choices = choices_of(option);
  const bool is_place = option.get_positional();
  const std::string kind = is_place ? option.get_name(true) : value_kind(option);
  if (choices.empty()) {
    if (kind == "COMMAND") return "words\n" + verb_lines(app);
    if (kind == "DIR") return "folders\n";
    if (is_place || kind == "FILE") return "files\n";
  }
  std::string answer = "words\n";
  for (const std::string& choice : choices) answer += candidate_line(before + choice, "");
  return answer;
}

/// The index in `words` of the program that `verb` runs. Bash splits `--report=json` into three
/// words.
std::size_t program_index(const CLI::App& verb, std::span<const std::string> words) {
  std::size_t at = 2;
  for (; at < words.size() && words[at].starts_with('-'); ++at) {
    if (words[at] == "--") return at + 1;
    const CLI::Option* option = verb.get_option_no_throw(words[at]);
    if (at + 1 < words.size() && words[at + 1] == "=") {
      at += 2;
    } else if (option != nullptr && takes_next_word(*option)) {
      ++at;
    }
  }
  return at;
}

/// The answer for the last of `words`, of which the first is the command.
std::string answer_to(const CLI::App& app, std::span<const std::string> words) {
  if (words.size() < 2) return {};
  const std::string& current = words.back();
  if (words.size() == 2) return "words\n" + verb_lines(app) + option_lines(app);
  const auto verbs =
      app.get_subcommands([&](const CLI::App* verb) { return verb->get_name() == words[1]; });
  if (verbs.empty()) return {};
  const CLI::App& verb = *verbs.front();
  const std::size_t last = words.size() - 1;
  if (verb.get_prefix_command()) {
    const std::size_t program = program_index(verb, words);
    if (program < last || (program == last && !current.starts_with('-'))) {
      return fmt::format("program {}\n", program);
    }
  }
  // "--format=js" of zsh and fish; "--format", "=" and "js" of bash.
  std::string name = words[last - 1];
  std::string before;
  bool has_equals = false;
  if (current == "=") {
    has_equals = true;
  } else if (name == "=") {
    has_equals = true;
    name = words[last - 2];
  } else if (const std::size_t equals = current.find('=');
             current.starts_with("--") && equals != std::string::npos) {
    has_equals = true;
    name = current.substr(0, equals);
    before = name + '=';
  }
  const CLI::Option* option = name.starts_with('-') ? verb.get_option_no_throw(name) : nullptr;
  if (option != nullptr && (takes_next_word(*option) || has_equals)) {
    return value_answer(app, *option, before);
  }
  if (current.starts_with('-')) return "words\n" + option_lines(verb);
  for (const CLI::Option* place : verb.get_options()) {
    if (is_offered(*place) && place->get_positional()) return value_answer(app, *place, "");
  }
  return {};
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
  verb->callback([shell, &exit_status] {
    fmt::print("{}", *shell == "zsh" ? kZsh : *shell == "fish" ? kFish : kBash);
    exit_status = 0;
  });

  CLI::App* complete = app.add_subcommand("complete-words", "Answer a script of completion");
  complete->group("");
  complete->prefix_command();
  complete->callback([&app, complete, &exit_status] {
    fmt::print("{}", answer_to(app, complete->remaining()));
    exit_status = 0;
  });
}

}  // namespace ompdm::cli
