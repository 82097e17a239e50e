#include "report/glance/edit_lines.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <regex>
#include <set>
#include <utility>

#include "report/advice.h"
#include "report/edit_lead.h"
#include "report/fitted_text.h"
#include "report/fortran_wording.h"
#include "report/pragma.h"

namespace ompdm::report {
namespace {

using analysis::Anchor;
using analysis::Edit;
using analysis::EditClause;
using analysis::EditKind;
using analysis::EditWhen;
using analysis::Finding;
using Side = Anchor::Side;

/// What is told by the `unless` line, and in full by `ompdm explain`.
bool is_condition(const Edit& edit) {
  switch (edit.when) {
    case EditWhen::kHostUses:
    case EditWhen::kHostChanged:
    case EditWhen::kKernelChanged:
      return edit.kind == EditKind::kInsert;
    default:
      return false;
  }
}

std::string joined_lines(const std::string& pragma) {
  std::string text;
  for (const std::string& word : words_of(pragma)) {
    const std::string part = word.ends_with('\n') ? word.substr(0, word.size() - 1) : word;
    if (part == "\\" || part == "\\\n" || part.empty()) continue;
    text += (text.empty() ? "" : " ") + part;
  }
  return text;
}

std::string pragma_of(const Finding& finding, const Edit& edit) {
  if (edit.directive == Directive::kApi) return "omp_target_free(...)";
  const Pragmas pragmas(finding);
  for (const std::string& text : {pragmas.plain(edit), pragmas.of_this(edit)}) {
    if (!text.empty()) return joined_lines(text);
  }
  return joined_lines(pragmas.in_words(edit));
}

std::string items_of(const Finding& finding, const Edit& edit) {
  std::vector<std::string> items;
  for (const EditClause& clause : edit.clauses) {
    for (const std::uint32_t number : clause.data) items.push_back(finding.data[number].expression);
  }
  return clause_list(items);
}

std::string place_of(const Edit& edit, const SourceNames& names) {
  if (edit.anchor.places.empty()) return {};
  const analysis::SourcePlace& place = edit.anchor.places.front();
  const std::string text = names.place(place.file, place.line);
  return text.empty() ? place_text(place) : text;
}

/// The source's own line there, without its indentation; none where it is not at hand.
std::optional<std::string> source_at(const Edit& edit, const Layout& layout) {
  if (!layout.source || edit.anchor.places.empty()) return std::nullopt;
  const analysis::SourcePlace& place = edit.anchor.places.front();
  if (place.file.empty() || place.line <= 0) return std::nullopt;
  std::optional<std::string> line = layout.source(place.file, place.line);
  if (!line) return line;
  const std::size_t first = line->find_first_not_of(" \t");
  return first == std::string::npos ? std::string() : line->substr(first);
}

std::string also(const Edit& edit) {
  const std::size_t more =
      edit.anchor.places.size() - std::min<std::size_t>(1, edit.anchor.places.size());
  return more == 0 ? std::string() : fmt::format(" (and at {} more)", more);
}

/// Whether a loop begins in a line, as far as the source tells: a compiler's place may be that of
/// the branch at a loop's end.
bool is_head_of_loop(const std::string& source) {
  static const std::regex kHead(R"(^[^}].*\b(for|while|do)\b|^(for|while|do)\b)",
                                std::regex::icase);
  return std::regex_search(source, kHead);
}

/// "   (as step() names it)": of names that are no others' at the place; "   (as line 56 names
/// it)": of names that stood for other data at times.
std::string named_elsewhere(const Finding& finding, const Edit& edit) {
  const std::string here = function_of(edit);
  std::set<std::string> functions;
  for (const EditClause& clause : edit.clauses) {
    for (const std::uint32_t number : clause.data) {
      const analysis::EditData& data = finding.data[number];
      if (data.expression.empty() || is_of_this(data)) return {};
      if (data.strays && data.named_at.line > 0) {
        return fmt::format("   (as line {} names it)", data.named_at.line);
      }
      functions.insert(data.named_at.function);
    }
  }
  if (here.empty() || functions.size() != 1 || functions.begin()->empty() ||
      *functions.begin() == here) {
    return {};
  }
  return fmt::format("   (as {} names it)", *functions.begin());
}

EditLine inserted(const Finding& finding, const Edit& edit, const SourceNames& names,
                  const Layout& layout) {
  const std::string pragma = pragma_of(finding, edit) + named_elsewhere(finding, edit);
  const bool is_loop = edit.anchor.of == Anchor::Of::kLoop || edit.anchor.of == Anchor::Of::kCalls;
  const std::string place = place_of(edit, names);
  const bool has_line = !edit.anchor.places.empty() && edit.anchor.places.front().line > 0;
  const std::optional<std::string> source = source_at(edit, layout);
  if (edit.anchor.side == Side::kBefore && edit.anchor.of == Anchor::Of::kLoop && source &&
      !is_head_of_loop(*source)) {
    return {"", '+', "before the loop: " + pragma};
  }
  if (edit.anchor.side == Side::kBefore && has_line && edit.anchor.of != Anchor::Of::kUses &&
      edit.when == EditWhen::kAlways) {
    const bool is_stay = edit.anchor.of == Anchor::Of::kStay;
    return {place, '+', pragma + (is_stay ? "   (before it is first reached)" : "")};
  }
  if (edit.anchor.side == Side::kAfter && is_loop) return {"", '+', "after the loop: " + pragma};
  return {"", '+', lead_of(edit) + ": " + pragma};
}

EditLine changed(const Finding& finding, const Edit& edit, const SourceNames& names,
                 const Layout& layout) {
  const std::string place = place_of(edit, names);
  const std::string items = items_of(finding, edit);
  switch (edit.kind) {
    case EditKind::kKeep: {
      const char* why = edit.clauses.empty() ? "stays: it moves nothing then"
                                             : "stays: it copies all the same (always)";
      const std::optional<std::string> source = source_at(edit, layout);
      if (!source) return {place, ' ', why + also(edit)};
      constexpr std::size_t kSource = 56;
      return {place, ' ', fmt::format("{}   ({}){}", shortened(*source, kSource), why, also(edit))};
    }
    case EditKind::kReplace: {
      if (items.empty()) return {place, '+', "map(release:) instead of map(delete:)" + also(edit)};
      std::string clauses;
      for (const EditClause& clause : edit.clauses) {
        std::vector<std::string> named;
        for (const std::uint32_t number : clause.data) {
          named.push_back(finding.data[number].expression);
        }
        if (named.empty()) continue;
        clauses += clauses.empty() ? "" : " ";
        clauses += fmt::format("map({}: {})", clause.kind, clause_list(named));
      }
      return {place, '+', clauses + also(edit)};
    }
    case EditKind::kLeaveOut:
      return {place, '-', items + also(edit)};
    default:
      break;
  }
  std::string text = fmt::format("#pragma omp {}", analysis::directive_name(edit.directive));
  if (!items.empty() && edit.directive == Directive::kTargetUpdate) {
    text += fmt::format(" {}({})", edit.clauses.front().kind, items);
  }
  return {place, '-', text + also(edit)};
}

}  // namespace

std::string fitted_directive(const std::string& text, std::size_t width) {
  static const std::regex kSection(R"(\[[^\[\]]*\])");
  static const std::regex kComment(R"( /\*.*?\*/)");
  std::string fitted = text;
  for (const std::regex* part : {&kSection, &kComment}) {
    if (display_width(fitted) <= width) return fitted;
    fitted = std::regex_replace(fitted, *part, "");
  }
  return display_width(fitted) <= width ? fitted : shortened(text, width);
}

std::vector<EditLine> edit_lines(const Finding& finding, const SourceNames& names,
                                 const Layout& layout, std::size_t most) {
  std::vector<EditLine> lines;
  std::vector<const Edit*> edits;
  for (const Edit& edit : finding.edits) {
    if (!is_condition(edit)) edits.push_back(&edit);
  }
  const bool has_room = edits.size() < most;
  for (const Edit* edit : edits) {
    if (lines.size() + 1 == most && edits.size() > most) {
      const std::size_t left = edits.size() - lines.size();
      lines.push_back({"", '+', fmt::format("... and {} more edits", left)});
      break;
    }
    if (edit->kind != EditKind::kInsert) {
      lines.push_back(changed(finding, *edit, names, layout));
      continue;
    }
    lines.push_back(inserted(finding, *edit, names, layout));
    const bool is_at_line = !lines.back().place.empty();
    // The user's own line beneath the first that is to be written.
    if (edit == edits.front() && is_at_line && has_room) {
      if (std::optional<std::string> source = source_at(*edit, layout)) {
        lines.push_back({"", ' ', *std::move(source)});
      }
    }
  }
  if (is_fortran_source(finding.file)) {
    for (EditLine& line : lines) line.text = in_fortran(finding.file, std::move(line.text));
  }
  return lines;
}

}  // namespace ompdm::report
