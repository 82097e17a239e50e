// `ompdm help` and `ompdm man`: the help of a verb, and manual pages.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cctype>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <memory>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "launch.h"
#include "ompdm/error.h"
#include "verb_help.h"

namespace ompdm::cli {

namespace {

/// The page ompdm-VERB(1); `all` are named in its last section.
std::string man_page(const OfferedVerb& verb, const std::vector<OfferedVerb>& all);

/// The page ompdm(1), below whose commands stands `start`, lines that say where to begin.
std::string man_page(const std::string& description, const std::string& start,
                     const std::vector<OfferedOption>& options,
                     const std::vector<OfferedVerb>& all);

/// The character that begins at `at`, and where the next one does.
std::uint32_t next_character(std::string_view text, std::size_t& at) {
  const auto first = static_cast<unsigned char>(text[at++]);
  std::uint32_t character = first < 0x80 ? first
                                         : first & (first < 0xE0   ? 0x1F
                                                    : first < 0xF0 ? 0x0F
                                                                   : 0x07);
  while (at < text.size() && (static_cast<unsigned char>(text[at]) & 0xC0) == 0x80) {
    character = character << 6 | (static_cast<unsigned char>(text[at++]) & 0x3F);
  }
  return character;
}

/// Text that roff prints as it is, wherever in a line it stands.
std::string plain(std::string_view text) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const std::uint32_t character = next_character(text, at);
    switch (character) {
      case '\\':
        out += "\\e";
        break;
      case '-':
        out += "\\-";
        break;
      case '\'':
        out += "\\(aq";
        break;
      case '`':
        out += "\\(ga";
        break;
      case '^':
        out += "\\(ha";
        break;
      case '~':
        out += "\\(ti";
        break;
      default:
        out += character < 0x80 ? std::string(1, static_cast<char>(character))
                                : fmt::format("\\[u{:04X}]", character);
    }
  }
  if (out.starts_with('.')) out.insert(0, "\\&");
  return out;
}

std::string bold(std::string_view text) { return "\\fB" + plain(text) + "\\fR"; }
std::string italic(std::string_view text) { return "\\fI" + plain(text) + "\\fR"; }

std::string beginning_small(std::string text) {
  if (!text.empty()) text[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(text[0])));
  return text;
}

std::string title(const std::string& name) {
  std::string capitals;
  for (const char letter : name) {
    capitals += static_cast<char>(std::toupper(static_cast<unsigned char>(letter)));
  }
  return fmt::format(".TH {} 1 \"\" \"ompdm {}\" \"ompdm\"\n.nh\n", plain(capitals), OMPDM_VERSION);
}

/// "ompdm report" in bold, and what can follow.
std::string synopsis(const std::string& usage, const std::string& name) {
  const std::string rest = usage.starts_with(name) ? usage.substr(name.size()) : "";
  return fmt::format(".SH SYNOPSIS\n{}{}\n", bold(name), plain(rest));
}

/// Prose is filled; lines that begin with a blank are a table, and stay.
std::string filled(const std::string& text) {
  std::string out;
  bool table = false;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    const bool row = line.starts_with(' ');
    if (row != table) out += row ? ".nf\n" : ".fi\n";
    table = row;
    out += line.empty() ? ".PP\n" : plain(line) + '\n';
  }
  return table ? out + ".fi\n" : out;
}

std::string notes(const std::string& text) {
  return text.empty() ? "" : ".SH NOTES\n" + filled(text);
}

std::string examples(const std::vector<std::string>& lines) {
  if (lines.empty()) return {};
  std::string out = ".SH EXAMPLES\n.nf\n";
  for (const std::string& line : lines) out += plain(line) + '\n';
  return out + ".fi\n";
}

std::string option(const OfferedOption& offer) {
  std::string names;
  for (const std::string& name : offer.names) {
    names += (names.empty() ? "" : ", ") + (name.starts_with('-') ? bold(name) : italic(name));
  }
  if (offer.value == TakesValue::kBehindEquals) names += "[=" + italic(offer.kind) + ']';
  if (offer.value == TakesValue::kNextWord && !offer.kind.empty())
    names += ' ' + italic(offer.kind);
  if (offer.repeats) names += " ...";
  return fmt::format(".TP\n{}\n{}\n", names, plain(offer.description));
}

std::string options(const std::vector<OfferedOption>& places,
                    const std::vector<OfferedOption>& offers) {
  std::string out = ".SH OPTIONS\n";
  for (const OfferedOption& place : places) out += option(place);
  for (const OfferedOption& offer : offers) out += option(offer);
  return out;
}

/// "ompdm(1), ompdm-record(1)", but for the page itself.
std::string see_also(const std::vector<OfferedVerb>& all, const std::string& itself) {
  std::vector<std::string> names;
  if (itself != "ompdm") names.emplace_back("ompdm");
  for (const OfferedVerb& verb : all) {
    if ("ompdm-" + verb.name != itself) names.push_back("ompdm-" + verb.name);
  }
  std::string out = ".SH \"SEE ALSO\"\n";
  for (std::size_t i = 0; i < names.size(); ++i) {
    out += fmt::format(".BR {} (1){}\n", plain(names[i]), i + 1 < names.size() ? "," : "");
  }
  return out;
}

constexpr const char* kExitStatus =
    ".SH \"EXIT STATUS\"\n"
    ".TP\n0\nsuccess\n"
    ".TP\n1\nfailure: one line on standard error says what is wrong, and what to do\n"
    ".TP\n2\nthe command line makes no sense\n"
    ".TP\n3\na condition of \\fB\\-\\-fail\\-if\\fR holds\n"
    ".PP\n\\fBompdm record\\fR has the exit status of its program.\n";

std::string man_page(const OfferedVerb& verb, const std::vector<OfferedVerb>& all) {
  const std::string page = "ompdm-" + verb.name;
  return title(page) +
         fmt::format(".SH NAME\n{} \\- {}\n", plain(page),
                     plain(beginning_small(verb.description))) +
         synopsis(verb.usage, "ompdm " + verb.name) + ".SH DESCRIPTION\n" +
         plain(verb.description) + ".\n" + options(verb.places, verb.options) + notes(verb.notes) +
         examples(verb.examples) + see_also(all, page);
}

std::string man_page(const std::string& description, const std::string& start,
                     const std::vector<OfferedOption>& offers,
                     const std::vector<OfferedVerb>& all) {
  std::string commands = ".SH COMMANDS\n";
  for (const OfferedVerb& verb : all) {
    commands += fmt::format(".TP\n{}\n{}\n", bold(verb.name), plain(verb.description));
  }
  return title("ompdm") + ".SH NAME\nompdm \\- data movement of OpenMP\\-offload programs\n" +
         synopsis("ompdm COMMAND [ARG...]", "ompdm") + ".SH DESCRIPTION\n" + plain(description) +
         "\n" + commands + options({}, offers) + kExitStatus + ".SH EXAMPLES\n" + filled(start) +
         see_also(all, "ompdm");
}

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

namespace {

namespace fs = std::filesystem;

struct ManOptions {
  std::string command;
  std::string folder;
};

std::string page_of_ompdm(const CLI::App& app) {
  std::string description = app.get_description();
  description.erase(description.find_last_not_of('\n') + 1);
  return man_page(description, app.get_footer(), offered_options(app), offered_verbs(app));
}

void write_page(const fs::path& path, const std::string& page) {
  std::ofstream out(path, std::ios::binary);
  out << page;
  out.close();
  if (!out) throw Error(path.string() + ": cannot be written: check the folder and its rights");
}

int run_man(const CLI::App& app, const ManOptions& options) {
  const std::vector<OfferedVerb> verbs = offered_verbs(app);
  if (!options.folder.empty()) {
    write_page(fs::path(options.folder) / "ompdm.1", page_of_ompdm(app));
    for (const OfferedVerb& verb : verbs) {
      write_page(fs::path(options.folder) / ("ompdm-" + verb.name + ".1"), man_page(verb, verbs));
    }
    return 0;
  }
  if (options.command.empty()) {
    fmt::print("{}", page_of_ompdm(app));
    return 0;
  }
  const auto verb = std::ranges::find(verbs, options.command, &OfferedVerb::name);
  if (verb == verbs.end()) throw no_such_verb(app, {options.command});
  fmt::print("{}", man_page(*verb, verbs));
  return 0;
}

}  // namespace

void setup_man(CLI::App& app, int& exit_status) {
  auto options = std::make_shared<ManOptions>();
  CLI::App* verb = app.add_subcommand("man", "Print a man page's source");
  verb->group("");
  verb->add_option("COMMAND", options->command, "One of ompdm's; without it, ompdm itself")
      ->type_name("");
  verb->add_option("--folder", options->folder, "Write all of them into DIR instead")
      ->type_name("DIR");
  set_help(*verb, "ompdm man [COMMAND | --folder DIR]", "", "ompdm man report | man -l -");
  verb->callback([&app, options, &exit_status] { exit_status = run_man(app, *options); });
}

}  // namespace ompdm::cli
