#include "fix/patches.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <sstream>
#include <utility>

#include "fix/compile_arguments.h"
#include "fix/recorded_program.h"
#include "fix/sandbox.h"
#include "ompdm/report.h"
#include "report/json_rows.h"

namespace ompdm::cli {

namespace fs = std::filesystem;

namespace {

using analysis::Finding;
using Json = nlohmann::json;

bool has_edits(const Finding& finding) {
  return !finding.edits.empty() || !finding.withheld_edits.empty();
}

/// Whether the program may use old copies of data that edits would update: only a run shows whether
/// that is intended.
bool uses_old_copies(const Finding& finding) {
  return std::ranges::any_of(finding.caveats, [](const analysis::Caveat& caveat) {
    return caveat.kind == analysis::Caveat::Kind::kOldCopy;
  });
}

/// The line of the first number in "@@ -54,2 +54,3 @@".
int line_of_hunk(const std::string& head) {
  constexpr std::size_t kNumber = 4;
  int line = 0;
  std::from_chars(head.data() + kNumber, head.data() + head.size(), line);
  return line;
}

/// A unified diff of one file as hunks, with any line ends.
std::vector<SourceHunk> hunks_of(const std::string& diff, const std::string& file) {
  std::vector<SourceHunk> hunks;
  std::istringstream in(diff);
  for (std::string line; std::getline(in, line);) {
    if (line.ends_with('\r')) line.pop_back();
    if (line.starts_with("@@ ")) {
      hunks.push_back({file, line_of_hunk(line), {}});
    } else if (!hunks.empty() && !line.starts_with('\\')) {
      hunks.back().lines.push_back(std::move(line));
    }
  }
  return hunks;
}

/// `recorded`: the recorded names of files, by their paths on this machine.
SourcePatch patch_of(const EditPlan& plan, const std::map<fs::path, std::string>& recorded) {
  SourcePatch patch;
  patch.refused = plan.refused;
  patch.left_out = plan.left_out;
  if (!plan.refused.empty()) return patch;
  for (const auto& [file, text] : changed_files({plan})) {
    const auto known = recorded.find(file);
    const std::string name = known == recorded.end() ? file.string() : known->second;
    std::ranges::move(hunks_of(diff_of(file, text, 1), name), std::back_inserter(patch.hunks));
  }
  return patch;
}

bool is_whole(const SourcePatch& patch) { return !patch.hunks.empty() && patch.left_out.empty(); }

/// Uses the edits that were withdrawn because of unexecuted directives: ompdm-edit has seen their
/// code.
void take_withheld_edits(Finding& finding) {
  if (finding.withheld_edits.empty()) return;
  std::erase_if(finding.remarks, [](const analysis::Remark& remark) {
    return remark.kind == analysis::Remark::Kind::kRunsAtTimes ||
           remark.kind == analysis::Remark::Kind::kMakeOnce;
  });
  finding.edits = std::exchange(finding.withheld_edits, {});
  finding.unreached.clear();
}

/// Whether a patch has all edits of a finding, and the finding has no open question. Then it is
/// clear around which code its data is kept.
bool is_proven(const Finding& finding) {
  using analysis::Confidence;
  const auto is_no = [](const analysis::SourceAnswer& answer) {
    return answer.answer == HostUse::Answer::kNo;
  };
  return finding.confidence == Confidence::kLikely && is_whole(finding.patch) &&
         finding.unless.empty() && finding.caveats.empty() && !finding.answers.empty() &&
         std::ranges::all_of(finding.answers, is_no);
}

/// The sources that a finding's edits name, by their names in the trace.
std::vector<std::string> files_of(const Finding& finding) {
  std::vector<std::string> files;
  for (const auto* edits : {&finding.edits, &finding.withheld_edits}) {
    for (const analysis::Edit& edit : *edits) {
      for (const analysis::SourcePlace& place : edit.anchor.places) files.push_back(place.file);
    }
  }
  return files;
}

}  // namespace

SourcedFindings sourced_findings(const analysis::Analysis& analysis, const SourceLines& sources) {
  SourcedFindings all;
  all.findings = Json::array();
  for (Finding finding : analysis.findings) {
    if (!finding.withheld_edits.empty()) finding.edits = finding.withheld_edits;
    all.findings.push_back(Json(report::finding_json(finding, analysis)));
    // The source line's own text is no part of an edit's key.
    Json edits = all.findings.back().at("edits");
    for (Json& edit : edits) {
      edit.erase("in_scope");
      edit.erase("pragmas");
    }
    all.keys.push_back(md5_of(edits.dump()));
    all.states.push_back(source_state(all.findings.back(), sources, analysis.process));
  }
  resolve_places(all.findings, sources, all.files);
  return all;
}

void add_patches(Trace& trace, const SourceSearch& search, EditProcess& process,
                 analysis::Analysis& analysis) {
  if (std::ranges::none_of(analysis.findings, has_edits)) return;
  const RecordedProgram recorded = recorded_program(trace, search.folder);
  const SourceLines sources(trace, search.folder, recorded.folders());
  SourcedFindings sourced = sourced_findings(analysis, sources);
  std::map<fs::path, std::string> names;
  for (const Finding& finding : analysis.findings) {
    for (const std::string& file : files_of(finding)) {
      const fs::path path = file.empty() ? fs::path() : sources.place_of(file);
      if (!path.empty()) names.emplace(fs::absolute(path).lexically_normal(), file);
    }
  }
  // Names of files come from the trace, so from anybody: compile commands are not looked for near
  // sources.
  const EditTool tool(
      sourced.findings,
      CompileCommands(search.commands, commands_of_build(recorded.program()), recorded), process);
  for (std::size_t i = 0; i < analysis.findings.size(); ++i) {
    Finding& finding = analysis.findings[i];
    if (!has_edits(finding) || uses_old_copies(finding)) continue;
    const std::string& edits = sourced.keys[i];
    const auto known = std::ranges::find_if(trace.patches, [&](const KeptPatch& kept) {
      return kept.finding == finding.id && kept.edits == edits;
    });
    if (known != trace.patches.end()) {
      finding.patch = known->patch;
    } else if (sourced.states[i].obstacle.empty()) {
      // A report may not take as long as a patch.
      constexpr std::size_t kMostJoined = 8;
      EditOptions options;
      options.most_joined = kMostJoined;
      finding.patch = patch_of(tool.plan(i + 1, options), names);
      trace.patches.push_back({finding.id, edits, finding.patch});
    }
    if (is_proven(finding)) finding.confidence = analysis::Confidence::kProven;
    if (is_whole(finding.patch)) take_withheld_edits(finding);
  }
}

}  // namespace ompdm::cli
