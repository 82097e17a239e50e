#include "man_page.h"

#include <fmt/format.h>

#include <cctype>
#include <cstdint>
#include <sstream>
#include <string_view>

namespace ompdm::cli {
namespace {

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

}  // namespace

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

}  // namespace ompdm::cli
