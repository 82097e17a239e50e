#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <iterator>
#include <map>
#include <set>

#include "ompdm/report.h"
#include "report/edits.h"
#include "report/patterns/patterns.h"
#include "report/text_layout.h"
#include "report/units.h"

namespace ompdm::report {

namespace {

using analysis::Edit;
using analysis::EditClause;
using analysis::EditData;
using analysis::EditKind;
using analysis::EditWhen;
using analysis::Finding;
using analysis::Unless;

/// The first directive that is inserted with clauses; null if there is none.
const Edit* first_insertion(const Finding& finding) {
  const auto first = std::ranges::find_if(finding.edits, [](const Edit& edit) {
    return edit.kind == EditKind::kInsert && !edit.clauses.empty();
  });
  return first == finding.edits.end() ? nullptr : &*first;
}

/// Whether data is a member of what `this` points to: all functions of its class call it the same.
bool is_of_this(const EditData& data) {
  return !data.objects.empty() && data.objects.front() == "this[0:1]";
}

/// " (80.0 KB and 160 KB)": of a name's pieces of memory; empty where these have many sizes.
std::string sizes_of(const EditData& data) {
  constexpr std::size_t kFew = 4;
  std::vector<std::string> sizes;
  for (const std::uint64_t bytes : data.pieces) {
    std::string size = spoken_size(bytes);
    if (std::ranges::find(sizes, size) == sizes.end()) sizes.push_back(std::move(size));
    if (sizes.size() > kFew) return {};
  }
  return fmt::format(" ({})", spoken_list(sizes));
}

/// Whether a directive for the first or last use of data may be written outside of the function
/// with the uses. There a parameter or global may have another name.
bool may_be_elsewhere(const Edit& edit, const EditData& data) {
  using Of = analysis::Anchor::Of;
  const bool is_of_uses = edit.anchor.of == Of::kResidency || edit.anchor.of == Of::kUses;
  return is_of_uses && !edit.in_scope && data.local_line == 0 && data.named_at.function != "main";
}

/// "these names and sizes are those of work, reached by the call at main.cpp:11: write those of
/// main".
std::string whose_names(const Edit& edit, const std::vector<std::string>& functions) {
  const std::string of = "these names and sizes are those of " + spoken_list(functions);
  if (edit.calls.empty()) return of + ": write those that the same data has at this place";
  const std::string& here = edit.calls.front().function;
  const std::string calls = places_text(edit.calls);
  return functions.size() == 1
             ? fmt::format("{}, reached by the call at {}: write those of {}", of, calls, here)
             : fmt::format("{}: write those that {} has at its calls, {}", of, here, calls);
}

/// What all insertions of a finding name.
struct Inserted {
  std::vector<std::string> functions;                   ///< whose names are not those of the place
  std::map<std::string, std::set<std::string>> locals;  ///< of a called function, by its name
  std::set<std::uint32_t> data;                         ///< positions in Finding::data
  std::vector<std::string> objects;                     ///< that hold some of it, each once
};

void add_objects(const EditData& data, std::vector<std::string>& objects) {
  for (const std::string& object : data.objects) {
    if (std::ranges::find(objects, object) == objects.end()) objects.push_back(object);
  }
}

Inserted inserted_by(const Finding& finding) {
  Inserted all;
  std::set<std::uint32_t> with_objects;
  for (const Edit& edit : finding.edits) {
    if (edit.kind != EditKind::kInsert || edit.clauses.empty()) continue;
    const std::string here = function_of(edit);
    for (const EditClause& clause : edit.clauses) {
      for (const std::uint32_t number : clause.data) {
        all.data.insert(number);
        // What ends a mapping ends its part of the object, too: a release more would end another's.
        if (clause.kind != "delete") with_objects.insert(number);
        const EditData& data = finding.data[number];
        const std::string& function = data.named_at.function;
        const bool is_foreign = !data.expression.empty() && !is_of_this(data) &&
                                (function != here || may_be_elsewhere(edit, data));
        if (!is_foreign || function.empty()) continue;
        if (data.local_line > 0 && function != here) {
          all.locals[function].insert(data.expression.substr(0, data.expression.find('[')));
        } else if (std::ranges::find(all.functions, function) == all.functions.end()) {
          all.functions.push_back(function);
        }
      }
    }
  }
  for (const std::uint32_t number : with_objects) add_objects(finding.data[number], all.objects);
  return all;
}

/// What is to be known of one name in an insertion at `first`: lines.
void add_notes_of_name(const EditData& data, const Edit& first, std::vector<std::string>& lines) {
  if (data.varies && !data.pieces.empty()) {
    lines.push_back(fmt::format("{} was less at times: name all of it ({})", data.expression,
                                spoken_size(std::ranges::max(data.pieces))));
  }
  if (data.strays && data.pieces.size() == 1 && data.named_at.line > 0) {
    lines.push_back(
        fmt::format("{} was other data in some executions: these lines are not about that data",
                    data.expression));
  }
  const int line = first.anchor.places.empty() ? 0 : first.anchor.places.front().line;
  const bool is_named_here = data.named_at.function == function_of(first);
  if (data.expression.empty() || !is_named_here || line <= 0) return;
  const bool is_at_loop = first.anchor.of == analysis::Anchor::Of::kLoop;
  if (data.local_line > line) {
    lines.push_back(
        fmt::format("{} is only declared at line {}: name the same data as it is called here",
                    data.expression, data.local_line));
  } else if (data.scope_line > line) {
    lines.push_back(
        fmt::format("{} has names that are only declared by line {}: write their values",
                    data.expression, data.scope_line));
  } else if (is_at_loop && data.scope_line == 0 && data.objects.empty()) {
    lines.push_back(fmt::format(
        "names in {} may be other variables here, or none: write the values that they have at {}",
        data.expression, place_text(data.named_at)));
  }
}

/// What is to be known of names in insertions that are sentences: lines that belong to the first of
/// these.
std::vector<std::string> notes_of(const Finding& finding, const Edit& first) {
  const Inserted inserted = inserted_by(finding);
  std::vector<std::string> lines;
  if (!inserted.functions.empty()) lines.push_back(whose_names(first, inserted.functions));
  for (const auto& [function, names] : inserted.locals) {
    const bool is_one = names.size() == 1;
    lines.push_back(
        fmt::format("{} {} of {}: write the {} that the same data has here, after its allocation",
                    spoken_list({names.begin(), names.end()}), is_one ? "is a name" : "are names",
                    function, is_one ? "name" : "names"));
  }
  std::map<std::string, std::size_t> rows_of_name;
  bool of_this = false;
  for (const std::uint32_t number : inserted.data) {
    ++rows_of_name[finding.data[number].expression];
    of_this = of_this || is_of_this(finding.data[number]);
  }
  for (const std::uint32_t number : inserted.data) {
    const EditData& data = finding.data[number];
    if (data.pieces.size() < 2 || data.in_turn || data.expression.empty()) continue;
    if (first.devices.size() > 1) continue;
    lines.push_back(fmt::format(
        "{}{} is {} pieces of memory{}: write these lines for each piece, after its allocation and "
        "before its end",
        data.expression,
        rows_of_name[data.expression] > 1 ? " in " + data.named_at.function : std::string(),
        data.pieces.size(), sizes_of(data)));
  }
  for (const std::uint32_t number : inserted.data) {
    add_notes_of_name(finding.data[number], first, lines);
  }
  if (first.devices.size() > 1) {
    lines.push_back(
        fmt::format("write these lines for each of {}, with the data that this device works on",
                    devices_text(first.devices)));
  }
  if (!inserted.objects.empty()) {
    lines.push_back(fmt::format(
        "map {} with {} members, before them by map(to:), and after them by map(release:){}",
        spoken_list(inserted.objects), inserted.objects.size() == 1 ? "its" : "their",
        of_this ? ", in a member function that is called once for each object" : ""));
    lines.emplace_back(
        "other members that the host or a kernel changes meanwhile need a target update, too");
  }
  if (rows_of_name.contains("")) {
    lines.emplace_back("compile with -g: then the data has its names here");
  }
  return lines;
}

/// Whether it is known what to write in the source.
bool has_patch(const Finding& finding) { return !finding.patch.hunks.empty(); }

bool has(const Finding& finding, Unless unless) {
  return std::ranges::find(finding.unless, unless) != finding.unless.end();
}

/// Whether an expression is a variable of C or C++, and no memory that one points to.
bool is_variable(const EditData& data) {
  return !data.expression.empty() && std::ranges::all_of(data.expression, [](unsigned char c) {
    return std::isalnum(c) != 0 || c == '_' || c == ':';
  });
}

/// Whether some of a finding's data may be memory that the program allocates again: none that is a
/// variable itself. Fortran's arrays may be allocatable, or pointers.
bool may_be_reallocated(const Finding& finding) {
  return has(finding, Unless::kMadeAgain) &&
         (is_fortran_source(finding.file) || finding.data.empty() ||
          !std::ranges::all_of(finding.data, is_variable));
}

/// The source's answer to a condition; null: it was not asked.
const analysis::SourceAnswer* answer_to(const Finding& finding, Unless condition) {
  const auto found =
      std::ranges::find(finding.answers, condition, &analysis::SourceAnswer::condition);
  return found == finding.answers.end() ? nullptr : &*found;
}

/// "heat.cpp:88"; empty where no statement is known.
std::string statement_of(const analysis::SourceAnswer& answer) {
  if (answer.at.line == 0) return {};
  return place_text(analysis::SourcePlace{answer.at.file, answer.at.line, {}, 0});
}

/// A condition with the statement that leaves it open, as the source says.
std::string with_answer(const Finding& finding, Unless condition, std::string words) {
  const analysis::SourceAnswer* answer = answer_to(finding, condition);
  const std::string place = answer == nullptr ? std::string() : statement_of(*answer);
  if (place.empty() || answer->answer == HostUse::Answer::kYes) return words;
  return fmt::format("{} (see {}: {})", words, place, answer->why);
}

/// Whether the source is certain that a condition comes true.
bool is_certain(const Finding& finding, Unless condition) {
  const analysis::SourceAnswer* answer = answer_to(finding, condition);
  return answer != nullptr && answer->answer == HostUse::Answer::kYes;
}

/// Whether the begin of the code of a residency is known.
bool has_place(const Finding& finding) {
  return std::ranges::none_of(finding.edits, [](const analysis::Edit& edit) {
    return edit.anchor.of == analysis::Anchor::Of::kLoop && edit.anchor.unplaced;
  });
}

/// What the source shows to be needed besides: "the host uses u at heat.cpp:88: ...".
std::vector<std::string> needed_lines(const Finding& finding) {
  std::vector<std::string> all;
  for (const analysis::SourceAnswer& answer : finding.answers) {
    if (answer.answer != HostUse::Answer::kYes) continue;
    const std::string names = spoken_list(answer.data);
    const std::string place = statement_of(answer);
    if (answer.condition == Unless::kHostUses) {
      // A patch has the update.
      if (has_patch(finding)) continue;
      all.push_back(
          answer.reads && answer.writes
              ? fmt::format("the host reads and changes {} at {}: write target update from before "
                            "that, and target update to after it",
                            names, place)
          : answer.reads
              ? fmt::format("the host reads {} at {}: write target update from before that", names,
                            place)
              : fmt::format("the host changes {} at {}: write target update to after that", names,
                            place));
      all.back() +=
          has_place(finding) ? ", outside of the host's own loops" : ", if that is in the loop";
    } else if (answer.condition == Unless::kMadeAgain) {
      all.push_back(fmt::format("{} is allocated again at {}: allocate it once, before all this",
                                names, place));
    } else if (answer.condition == Unless::kKernelUses) {
      all.push_back(fmt::format("a kernel uses {} at {}", names, place));
    }
  }
  return all;
}

/// What would make the edits wrong, and what to do then: a line each.
std::vector<std::string> unless_lines(const Finding& finding) {
  const bool is_one = finding.data.size() == 1;
  const char* it = is_one ? "it" : "them";
  std::vector<std::string> lines;
  std::vector<std::string> cases;
  if (has(finding, Unless::kHostChanges)) {
    cases.push_back(
        fmt::format("the host, or a copy from another device, changes {} in between", it));
  }
  if (has(finding, Unless::kKernelChanges))
    cases.push_back(fmt::format("a kernel changes {} in between", it));
  if (has(finding, Unless::kKernelUses)) cases.push_back(fmt::format("a kernel uses {}", it));
  if (has(finding, Unless::kHostWantsRestore)) {
    cases.push_back(fmt::format("the host changes its own copy and wants {} restored", it));
  }
  if (!cases.empty()) {
    lines.push_back(fmt::format("do not change this where {}", fmt::join(cases, ", or ")));
  }
  for (std::string& line : needed_lines(finding)) lines.push_back(std::move(line));
  if (may_be_reallocated(finding) && !is_certain(finding, Unless::kMadeAgain)) {
    lines.push_back(
        fmt::format("if the program allocates {} each time, or later: allocate it once, before all "
                    "this",
                    is_one ? "this data" : "any of this data"));
  }
  if (has(finding, Unless::kNoIteration)) {
    lines.emplace_back(
        "if a loop in between may have no iteration: write to or tofrom, or unset memory is copied "
        "back");
  }
  return lines;
}

/// Conditions that the source resolves: "the host does not change it in between".
std::vector<std::string> settled_lines(const Finding& finding) {
  const char* it = finding.data.size() == 1 ? "it" : "them";
  std::vector<std::string> all;
  for (const analysis::SourceAnswer& answer : finding.answers) {
    if (answer.answer != HostUse::Answer::kNo) continue;
    if (answer.condition == Unless::kHostUses) {
      all.push_back(fmt::format("the host needs none of {} in between", it));
    } else if (answer.condition == Unless::kHostChanges) {
      all.push_back(fmt::format("the host does not change {} in between", it));
    } else if (answer.condition == Unless::kKernelChanges) {
      all.push_back(fmt::format("no kernel changes {} in between", it));
    } else if (answer.condition == Unless::kKernelUses) {
      all.push_back(fmt::format("no kernel uses {} in between", it));
    } else if (answer.condition == Unless::kMadeAgain) {
      all.push_back(fmt::format("the program does not allocate {} again", it));
    }
  }
  return all;
}

/// The same conditions in a few words, with those of inserted directives.
std::vector<std::string> brief_conditions(const Finding& finding) {
  const auto has_edit = [&](EditWhen when) {
    return std::ranges::any_of(finding.edits, [&](const Edit& edit) {
      return edit.when == when && edit.kind == EditKind::kInsert;
    });
  };
  std::vector<std::string> all;
  if (is_certain(finding, Unless::kHostUses)) {
    // It is no condition any more.
  } else if (has_edit(EditWhen::kHostUses)) {
    all.push_back(with_answer(finding, Unless::kHostUses, "the host uses it in between"));
  } else if (has(finding, Unless::kHostUses) || has_edit(EditWhen::kHostChanged)) {
    all.push_back(with_answer(finding, Unless::kHostUses, "the host changes it in between"));
  }
  const auto add = [&](bool is_condition, std::string words) {
    if (is_condition) all.push_back(std::move(words));
  };
  add(has(finding, Unless::kHostChanges),
      with_answer(finding, Unless::kHostChanges, "the host changes it in between"));
  add(has(finding, Unless::kKernelChanges),
      with_answer(finding, Unless::kKernelChanges, "a kernel changes it"));
  add(has(finding, Unless::kKernelUses) && !is_certain(finding, Unless::kKernelUses),
      with_answer(finding, Unless::kKernelUses, "a kernel uses it"));
  add(has_edit(EditWhen::kKernelChanged), "a kernel changes data of its own map(to:)");
  add(has(finding, Unless::kHostWantsRestore),
      with_answer(finding, Unless::kHostWantsRestore, "the host wants its own changes undone"));
  add(may_be_reallocated(finding) && !is_certain(finding, Unless::kMadeAgain),
      with_answer(finding, Unless::kMadeAgain, "it is allocated again"));
  add(has(finding, Unless::kNoIteration),
      with_answer(finding, Unless::kNoIteration, "a loop that fills it has no iteration"));
  add(has(finding, Unless::kNoneBefore),
      with_answer(finding, Unless::kNoneBefore, "the transfer before it is removed"));
  return all;
}

/// Whether some contents that were found equal were compared by blocks alone.
bool rests_on_blocks(const Finding& finding) {
  return std::visit(
      [](const auto& facts) {
        if constexpr (requires { facts.same.in_full; }) {
          return facts.same.in_full < facts.same.equal;
        } else {
          return false;
        }
      },
      finding.facts);
}

std::string place_of(const UnreachedDirective& directive) {
  const Frame& place = directive.place;
  return place_text(analysis::SourcePlace{place.file, place.line, place.function, 0});
}

/// Why there is no edit: "... to the target update at heat.cpp:70, which did not run there in this
/// run".
std::string unreached_text(const Finding& finding) {
  std::vector<std::string> all;
  for (const UnreachedDirective& each : finding.unreached) {
    all.push_back(fmt::format("the {} at {}{}",
                              each.directive == Directive::kApi ? "call"
                              : each.directive == Directive::kTarget
                                  ? "target region"
                                  : analysis::directive_name(each.directive),
                              place_of(each), each.on_host ? " on the host, by its if()" : ""));
  }
  constexpr std::size_t kMost = 4;
  if (all.size() > kMost) {
    const std::string rest = counted(all.size() - kMost + 1, "other directive");
    all.resize(kMost - 1);
    all.push_back(rest);
  }
  const bool none_shows = std::ranges::all_of(finding.unreached, &UnreachedDirective::on_host);
  // A run that takes the other branch alone has been recorded already.
  const bool is_taken =
      std::ranges::find(finding.runs, analysis::RunVerdict::kOtherWork) != finding.runs.end();
  return fmt::format(
      "no edit is given: the loop's code also leads to {}, which {}, and may use or change this "
      "data{}",
      spoken_list(all), none_shows ? "no recording shows" : "did not run there in this run",
      none_shows ? ""
      : is_taken ? " in a run that takes both ways"
                 : " in another run; record a run that takes this branch");
}

/// A remark's lines.
std::vector<AdviceLine> sentences_of(const std::string& remark) {
  std::vector<AdviceLine> lines;
  for (std::size_t begin = 0; begin <= remark.size();) {
    const std::size_t end = std::min(remark.find('\n', begin), remark.size());
    lines.push_back({remark.substr(begin, end - begin)});
    begin = end + 1;
  }
  return lines;
}

/// The lines of a hunk without the blanks that all of them begin with.
std::vector<AdviceLine> lines_of(const SourceHunk& hunk) {
  constexpr std::string_view kBlanks = " \t";
  std::size_t common = std::string::npos;
  for (const std::string& line : hunk.lines) {
    const std::size_t begin = line.find_first_not_of(kBlanks, 1);
    if (begin != std::string::npos) common = std::min(common, begin - 1);
  }
  std::vector<AdviceLine> lines;
  for (const std::string& line : hunk.lines) {
    const std::size_t cut = std::min(common, line.size() - 1);
    lines.push_back({line.substr(0, 1) + ' ' + line.substr(1 + cut), false, true});
  }
  return lines;
}

/// What to write, a hunk each.
std::vector<AdviceStep> patch_steps(const Finding& finding) {
  std::vector<AdviceStep> steps;
  for (const SourceHunk& hunk : finding.patch.hunks) {
    AdviceStep& step = steps.emplace_back();
    const analysis::SourcePlace place{hunk.file, hunk.line, {}, 0};
    step.lines.push_back({fmt::format("at {}:", place_text(place))});
    std::ranges::move(lines_of(hunk), std::back_inserter(step.lines));
  }
  return steps;
}

bool is_for_host(const Edit& edit) {
  return edit.kind == EditKind::kInsert &&
         (edit.when == EditWhen::kHostUses || edit.when == EditWhen::kHostChanged);
}

bool is_last_of_data(const Edit& edit) {
  return edit.kind == EditKind::kInsert && edit.directive == Directive::kTargetExitData &&
         std::ranges::find(edit.clauses, "from", &EditClause::kind) != edit.clauses.end();
}

}  // namespace

std::vector<AdviceStep> advice_steps(const Finding& finding) {
  std::vector<AdviceStep> steps;
  std::vector<AdviceStep> checks;
  bool has_condition = false;
  const Edit* before = nullptr;
  const Edit* first = first_insertion(finding);
  if (has_patch(finding)) steps = patch_steps(finding);
  for (const std::string& left : finding.patch.left_out) {
    checks.push_back({true, {{"left as it is: " + left}}});
  }
  for (const Edit& edit : finding.edits) {
    if (has_patch(finding)) break;
    const bool goes_on = before != nullptr && edit.when == EditWhen::kKernelChanged &&
                         before->when == EditWhen::kKernelChanged && before->kind == edit.kind;
    std::vector<AdviceLine> lines = edit_advice(finding, edit, goes_on);
    if (&edit == first && code_of(finding, edit).empty()) {
      for (std::string& note : notes_of(finding, edit)) lines.push_back({std::move(note)});
    }
    if (is_for_host(edit)) {
      if (!has_condition) {
        lines.push_back({"a target region whose if() is false runs on the host, too"});
      }
      has_condition = true;
    }
    if (is_last_of_data(edit)) {
      lines.push_back(
          {"write release instead of from for data that the host does not read from then on"});
    }
    if (goes_on && !checks.empty()) {
      std::ranges::move(lines, std::back_inserter(checks.back().lines));
    } else {
      const bool is_check = is_condition(edit);
      (is_check ? checks : steps).push_back({is_check, std::move(lines), &edit});
    }
    before = &edit;
  }
  for (std::string& line : unless_lines(finding)) checks.push_back({true, {{std::move(line)}}});
  if (const std::vector<std::string> settled = settled_lines(finding); !settled.empty()) {
    checks.push_back({true, {{"the source shows that " + spoken_list(settled)}}});
  }
  if (!finding.unreached.empty() && !has_patch(finding)) {
    steps.push_back({false, {{unreached_text(finding)}}});
  }
  for (const std::string& remark : remarks_of(finding)) {
    (finding.edits.empty() ? steps : checks)
        .push_back({!finding.edits.empty(), sentences_of(remark)});
  }
  std::ranges::move(checks, std::back_inserter(steps));
  if (is_fortran_source(finding.file)) {
    for (AdviceStep& step : steps) {
      for (AdviceLine& line : step.lines) line.text = in_fortran(std::move(line.text));
    }
  }
  return steps;
}

std::string advice_text(const Finding& finding) {
  constexpr std::size_t kWidest = 88;
  std::string text;
  const auto add = [&](const std::string& line) { text += (text.empty() ? "" : "\n") + line; };
  for (const AdviceStep& step : advice_steps(finding)) {
    for (const AdviceLine& line : step.lines) {
      if (!line.is_code) {
        add((line.is_source ? "  " : "") + line.text);
        continue;
      }
      for (const std::string& part : set_code(line.text, finding.file, kWidest)) add("  " + part);
    }
  }
  return text;
}

std::string step_text(const AdviceStep& step, const Finding& finding, const std::string& mark,
                      const std::string& code_mark, std::size_t width) {
  constexpr std::string_view kAdded = "+ ";
  // Lines of the source have marks of their own.
  std::string source_mark = code_mark;
  if (source_mark.ends_with(kAdded)) source_mark.resize(source_mark.size() - kAdded.size());
  std::string text;
  for (const AdviceLine& line : step.lines) {
    if (line.is_source) {
      text += source_mark + line.text + '\n';
      continue;
    }
    if (!line.is_code) {
      text += paragraph(text.empty() ? mark : std::string(mark.size(), ' '), line.text, width);
      continue;
    }
    for (const std::string& part :
         set_code(line.text, finding.file, width - std::min(width, code_mark.size()))) {
      text += code_mark + part + '\n';
    }
  }
  return text;
}

std::string unless_line(const Finding& finding) {
  if (!finding.unreached.empty() && !has_patch(finding)) {
    const UnreachedDirective& first = finding.unreached.front();
    const std::string places =
        place_of(first) + (finding.unreached.size() > 1 ? " and others" : "");
    return first.on_host
               ? fmt::format("no edit: the region at {} may run on the host, which nothing records",
                             places)
               : "no edit: the run did not take the branch to " + places;
  }
  // The runs that speak against the edits have a sentence of their own.
  if (std::ranges::any_of(finding.runs, analysis::speaks_against_edits)) return {};
  std::vector<std::string> all = brief_conditions(finding);
  const bool is_proven = finding.confidence == analysis::Confidence::kProven;
  if (!finding.edits.empty() && !is_proven && rests_on_blocks(finding)) {
    all.emplace_back("bytes that were not compared change (OMPDM_HASH=full)");
  }
  std::string text = fmt::format("{}", fmt::join(needed_lines(finding), "; "));
  if (all.empty()) return text;
  return text + (text.empty() ? "" : "; ") + "unless " + spoken_list(all, "or");
}

}  // namespace ompdm::report
