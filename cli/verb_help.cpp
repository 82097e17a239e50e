#include "verb_help.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cctype>
#include <memory>
#include <sstream>

#include "launch.h"
#include "ompdm/finish.h"
#include "ompdm/report.h"
#include "ompdm/trace_file.h"
#include "open_trace.h"
#include "printable.h"

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

/// CLI11's layout without the kinds of values, which the options spell out themselves ("on|off"). A
/// verb has a usage and a footer of its own.
class Layout : public CLI::Formatter {
 public:
  explicit Layout(std::size_t column, std::string usage = {}, std::string footer = {})
      : room_(kWidth - column), usage_(std::move(usage)), footer_(std::move(footer)) {
    column_width(column);
  }

  std::string make_option_opts(const CLI::Option* option) const override {
    std::string text = CLI::Formatter::make_option_opts(option);
    if (text.starts_with(" [=")) text.erase(0, 1);
    return text.substr(0, std::min(text.find(":{"), text.find(" Excludes:")));
  }

  /// The name without a flag's default value ("--report{text}").
  std::string make_option_name(const CLI::Option* option, bool is_positional) const override {
    std::string text = CLI::Formatter::make_option_name(option, is_positional);
    return text.substr(0, text.find('{'));
  }

  std::string make_option_desc(const CLI::Option* option) const override {
    return folded(CLI::Formatter::make_option_desc(option), room_);
  }

  std::string make_usage(const CLI::App* app, std::string name) const override {
    return usage_.empty() ? CLI::Formatter::make_usage(app, name) : "\nUsage: " + usage_ + "\n";
  }

  std::string make_footer(const CLI::App* app) const override {
    return footer_.empty() ? CLI::Formatter::make_footer(app) : footer_;
  }

 private:
  std::size_t room_;
  std::string usage_;
  std::string footer_;
};

/// "ompdm" or "ompdm report".
std::string typed_name(const CLI::App& verb) {
  return verb.get_parent() == nullptr ? verb.get_name() : "ompdm " + verb.get_name();
}

/// "report: " for a verb. Empty for the command itself.
std::string prefix_of(const CLI::App& verb) {
  return verb.get_parent() == nullptr ? "" : verb.get_name() + ": ";
}

/// The whole command that was meant, without `ompdm`. Empty if none is known.
std::string meant_command(const CLI::App& app, const std::vector<std::string>& words) {
  const std::string& word = words.front();
  std::vector<std::string> verbs;
  for (const CLI::App* verb : app.get_subcommands({})) {
    if (!verb->get_group().empty()) verbs.push_back(verb->get_name());
  }
  if (const std::string verb = nearest(word, verbs); !verb.empty()) return verb;
  if (is_trace(word) || is_spool(word)) return "report " + typed_command(words);
  std::vector<std::string> command = words;
  if (find_program(word).empty()) command.front() = near_program(word);
  std::error_code error;
  if (command.front().empty() || std::filesystem::is_directory(command.front(), error)) return {};
  return "record " + typed_command(command);
}

/// The error for a word with a dash that is no option of `verb` or the command.
Error no_such_option(const CLI::App& verb, const std::string& word) {
  std::vector<std::string> names;
  for (const CLI::Option* option : verb.get_options()) {
    if (option->get_group().empty()) continue;
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  const std::string name = word.substr(0, word.find('='));
  const std::string meant = nearest(name, names);
  const std::string remedy = meant.empty() ? fmt::format("see `{} --help`", typed_name(verb))
                                           : fmt::format("did you mean {}?", meant);
  return Error(fmt::format("{}{}: no such option: {}", prefix_of(verb), name, remedy),
               Error::Kind::kUsage);
}

int run_help(const CLI::App& app, const std::string& name) {
  if (name.empty()) {
    // The command's own help() would print the help of the verb that runs.
    fmt::print("{}",
               app.get_formatter()->make_help(&app, app.get_name(), CLI::AppFormatMode::Normal));
    return 0;
  }
  const CLI::App* verb = find_verb(app, name);
  if (verb == nullptr) throw no_such_verb(app, {name});
  fmt::print("{}", verb->help());
  return 0;
}

// Scripts that print the candidates in the way of each shell. The first line of the answer is
// "words", "files", "folders" or "program N". N is the index of the program's name. Behind "words"
// there are lines "WORD<tab>DESCRIPTION".
constexpr const char* kBashScript =
    R"bash(# bash completion of ompdm, made by `ompdm completion bash`

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

// The words are requested at each key that completes: -f, since files are offered on demand.
constexpr const char* kFishScript =
    R"fish(# fish completion of ompdm, made by `ompdm completion fish`

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

// A file `_ompdm` in a folder of zsh's `fpath`, or to be sourced after `compinit`.
constexpr const char* kZshScript = R"zsh(#compdef ompdm
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
    const std::string description = option->get_description();
    for (const auto& name : option->get_snames()) lines += candidate_line("-" + name, description);
    for (const auto& name : option->get_lnames()) lines += candidate_line("--" + name, description);
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
  const CLI::App* const named = find_verb(app, words[1]);
  if (named == nullptr) return {};
  const CLI::App& verb = *named;
  const std::size_t last = words.size() - 1;
  if (verb.get_prefix_command()) {
    const std::size_t program = program_index(verb, words);
    if (program < last || (program == last && !current.starts_with('-'))) {
      return fmt::format("program {}\n", program);
    }
  }
  // "--format=js" of zsh and fish; "--format", "=" and "js" of bash.
  const std::size_t equals = current.starts_with("--") ? current.find('=') : std::string::npos;
  std::string name = words[last - 1];
  std::string before;
  const bool has_equals = current == "=" || name == "=" || equals != std::string::npos;
  if (current != "=" && name == "=") {
    name = words[last - 2];
  } else if (equals != std::string::npos) {
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

const CLI::App* find_verb(const CLI::App& app, const std::string& name) {
  const auto verbs =
      app.get_subcommands([&](const CLI::App* verb) { return verb->get_name() == name; });
  return verbs.empty() ? nullptr : verbs.front();
}

std::string value_kind(const CLI::Option& option) {
  // Behind a colon CLI11 lists the checks of the value.
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
                                      "Show the times of transfers on this link (a model; see "
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

void setup_verbs(CLI::App& app, int& exit_status) {
  for (const auto setup : {setup_record, setup_check, setup_report, setup_explain, setup_fix,
                           setup_compare, setup_export, setup_merge, setup_finish, setup_info,
                           setup_doctor, setup_lesson, setup_env, setup_help, setup_completion}) {
    setup(app, exit_status);
  }
}

void set_layout(CLI::App& app) { app.formatter(std::make_shared<Layout>(20)); }

void set_help(CLI::App& verb, const std::string& usage, const std::string& notes,
              const std::string& examples) {
  std::string footer = notes.empty() ? "" : notes + "\n\n";
  footer += "Examples:\n";
  std::istringstream lines(examples);
  for (std::string line; std::getline(lines, line);) footer += "  " + line + '\n';
  verb.formatter(std::make_shared<Layout>(34, usage, std::move(footer)));
}

Error no_such_verb(const CLI::App& app, const std::vector<std::string>& words) {
  refuse_timeline(words.front());
  const std::string meant = meant_command(app, words);
  const std::string remedy =
      meant.empty() ? "see `ompdm --help`" : fmt::format("did you mean `ompdm {}`?", meant);
  return Error(fmt::format("{}: no such command: {}", words.front(), remedy), Error::Kind::kUsage);
}

void check_program_words(const CLI::App& verb, const std::vector<std::string>& words) {
  if (!words.empty() && words.front().starts_with('-')) throw no_such_option(verb, words.front());
}

Error cannot_parse(const CLI::App& app, const CLI::ParseError& error) {
  const auto verbs = app.get_subcommands();
  const CLI::App& verb = verbs.empty() ? app : *verbs.front();
  const std::vector<std::string> extras = verb.remaining();
  if (!verb.get_prefix_command() && !extras.empty()) {
    const auto option =
        std::ranges::find_if(extras, [](const std::string& word) { return word.starts_with('-'); });
    if (option != extras.end()) return no_such_option(verb, *option);
    return Error(fmt::format("{}{}: one argument too many: see `{} --help`", prefix_of(verb),
                             extras.front(), typed_name(verb)),
                 Error::Kind::kUsage);
  }
  return Error(
      fmt::format("{}{}: see `{} --help`", prefix_of(verb), error.what(), typed_name(verb)),
      Error::Kind::kUsage);
}

void setup_help(CLI::App& app, int& exit_status) {
  auto name = std::make_shared<std::string>();
  CLI::App* verb = app.add_subcommand("help", "Print the help of a command")->group("Help");
  verb->add_option("COMMAND", *name, "One of ompdm's; without it, they are listed")->type_name("");
  set_help(*verb, "ompdm help [COMMAND]", "",
           "ompdm help\n"
           "ompdm help report");
  verb->callback([&app, name, &exit_status] { exit_status = run_help(app, *name); });
}

void setup_completion(CLI::App& app, int& exit_status) {
  auto shell = std::make_shared<std::string>();
  CLI::App* verb =
      app.add_subcommand("completion", "Print a script that completes ompdm's commands in a shell")
          ->group("Help");
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
    fmt::print("{}", *shell == "zsh" ? kZshScript : *shell == "fish" ? kFishScript : kBashScript);
    exit_status = 0;
  });

  CLI::App* complete =
      app.add_subcommand("complete-words", "Answer a script of completion")->group("");
  complete->prefix_command();
  complete->callback([&app, complete, &exit_status] {
    fmt::print("{}", answer_to(app, complete->remaining()));
    exit_status = 0;
  });
}

}  // namespace ompdm::cli
