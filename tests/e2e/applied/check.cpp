#include "check.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <optional>
#include <utility>

#include "edited_program.h"

namespace ompdm::e2e {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

std::uint64_t moved(const Json& report) {
  const Json& totals = report["totals"];
  return totals["HtoD"]["bytes"].get<std::uint64_t>() +
         totals["DtoH"]["bytes"].get<std::uint64_t>();
}

std::uint64_t allocated(const Json& report) {
  return report["totals"]["alloc"]["bytes"].get<std::uint64_t>();
}

/// Allocated, and never freed.
std::uint64_t leaked(const Json& report) {
  return allocated(report) - report["totals"]["delete"]["bytes"].get<std::uint64_t>();
}

bool is_of_memory(const std::string& pattern) {
  return pattern == "unused_allocation" || pattern == "repeated_allocation" ||
         pattern == "device_leak";
}

/// Whether the loop of a finding may have been entered more often than was seen.
bool may_be_entered_more_often(const Json& report, const Json& finding) {
  if (finding["edits"].empty()) return false;
  const Json& place = finding["edits"][0]["places"][0];
  return std::ranges::any_of(report["iterations"], [&](const Json& loop) {
    return loop["entries_at_least"] == true && loop["file"] == place["file"] &&
           std::abs(loop["line"].get<int>() - place["line"].get<int>()) < 2;
  });
}

FollowedFinding described(const AppliedRun& run, const Json& finding) {
  FollowedFinding row;
  row.run = fmt::format("{}", fmt::join(run.arguments, " "));
  row.pattern = finding["pattern"];
  row.confidence = finding["confidence"];
  row.place = fmt::format("{}:{}", fs::path(finding["file"].get<std::string>()).filename().string(),
                          finding["line"].get<int>());
  row.variable = finding["variable"];
  row.is_memory = is_of_memory(row.pattern);
  row.promised = finding[row.is_memory ? "allocated_bytes" : "wasted_bytes"];
  return row;
}

/// Why a finding has no patch; empty: it has one.
std::string left_of(const Json& finding) {
  if (!finding.contains("patch")) return "in words only";
  const Json& patch = finding["patch"];
  if (!patch.contains("hunks") || patch["hunks"].empty()) {
    const std::string why = patch.value("refused", std::string());
    // Without the place.
    const std::size_t at = why.starts_with('/') ? why.find(": ") : std::string::npos;
    return at == std::string::npos ? why : why.substr(at + 2);
  }
  return {};
}

/// A run of the program as it is, and the findings that have a patch.
struct Followed {
  const AppliedRun* run = nullptr;
  std::unique_ptr<Recording> before;
  std::vector<std::size_t> rows;     ///< of CheckedProgram::findings
  std::vector<std::size_t> numbers;  ///< in the report, from 1
};

class Check {
 public:
  explicit Check(const AppliedProgram& program) : program_(program), path_(program.path) {
    if (!path_.empty()) return;
    built_.emplace(program_, "");
    path_ = built_->path();
  }

  CheckedProgram run() {
    if (built_ && !built_->complaint().empty()) fault({}, built_->complaint());
    for (const AppliedRun& each : program_.runs) follow(each);
    return std::move(checked_);
  }

 private:
  void fault(const AppliedRun& run, const std::string& what) {
    checked_.faults.push_back(
        fmt::format("{} {}: {}", program_.name, fmt::join(run.arguments, " "), what));
  }

  void follow(const AppliedRun& run) {
    Followed followed{&run, std::make_unique<Recording>(program_, path_, run), {}, {}};
    if (followed.before->report.is_null()) return fault(run, followed.before->complaint);
    const Json& findings = followed.before->report["findings"];
    if (findings.empty()) ++checked_.runs_without;
    for (std::size_t i = 0; i < findings.size(); ++i) {
      FollowedFinding row = described(run, findings[i]);
      row.left = left_of(findings[i]);
      if (row.left.empty()) {
        const Json& patch = findings[i]["patch"];
        row.is_most = may_be_entered_more_often(followed.before->report, findings[i]) ||
                      (patch.contains("left_out") && !patch["left_out"].empty());
        followed.rows.push_back(checked_.findings.size());
        followed.numbers.push_back(i + 1);
      }
      checked_.findings.push_back(std::move(row));
    }
    if (followed.rows.empty()) return;
    compare(followed, {}, followed.rows);
    if (followed.rows.size() == 1) return;
    for (std::size_t i = 0; i < followed.rows.size(); ++i) {
      compare(followed, {followed.numbers[i]}, {followed.rows[i]});
    }
  }

  /// With the patch of the findings with these numbers; none: of all.
  void compare(const Followed& followed, const std::vector<std::size_t>& numbers,
               const std::vector<std::size_t>& rows) {
    const AppliedRun& run = *followed.run;
    const Recording& before = *followed.before;
    const EditedProgram edited(program_, before.patch(numbers));
    if (!edited.complaint().empty()) return fault(run, "patched: " + edited.complaint());
    const Recording after(program_, edited.path(), run);
    if (after.report.is_null()) return fault(run, "patched: " + after.complaint);
    const std::string& wanted = run.then_prints.empty() ? before.out : run.then_prints;
    if (after.status != before.status || after.out != wanted) {
      fault(run, fmt::format("patched: ends with {} and prints {} instead of {} and {}",
                             after.status, after.out, before.status, wanted));
    }
    for (const std::vector<std::string>& arguments : run.also) compare_with(arguments, edited);
    const std::uint64_t then = moved(before.report);
    const std::uint64_t now = moved(after.report);
    if (now > then) fault(run, fmt::format("patched: moves {} bytes instead of {}", now, then));
    if (allocated(after.report) > allocated(before.report)) fault(run, "patched: allocates more");
    Spared spared = {.transfers = static_cast<std::int64_t>(then - now),
                     .updates = edited.moved_by_updates(after.report)};
    spared.memory = static_cast<std::int64_t>(allocated(before.report) - allocated(after.report));
    spared.leaked = static_cast<std::int64_t>(leaked(before.report) - leaked(after.report));
    expect_kept(run, rows, spared);
    if (rows.size() > 1) return;
    FollowedFinding& row = checked_.findings[rows.front()];
    row.updates = spared.updates;
    row.spared = !row.is_memory                 ? spared.transfers
                 : row.pattern == "device_leak" ? spared.leaked
                                                : spared.memory;
  }

  void compare_with(const std::vector<std::string>& arguments, const EditedProgram& edited) {
    const auto prints = [&](const std::string& path) {
      const Folder folder;
      Command command = {{path}};
      command.words.insert(command.words.end(), arguments.begin(), arguments.end());
      const Ended ended = e2e::run(command, folder.path());
      return fmt::format("{} and ends with {}", ended.out, ended.status);
    };
    const std::string before = prints(path_);
    const std::string after = prints(edited.path());
    if (before != after) {
      fault({arguments}, fmt::format("patched: prints {} instead of {}", after, before));
    }
  }

  /// What a patched program does not do that it did, in bytes.
  struct Spared {
    std::int64_t transfers = 0;
    std::int64_t memory = 0;  ///< allocations
    std::int64_t leaked = 0;
    std::uint64_t updates = 0;  ///< moved instead, by updates that were added
  };

  void expect_kept(const AppliedRun& run, const std::vector<std::size_t>& rows,
                   const Spared& spared) {
    std::int64_t transfers = 0;
    std::int64_t memory = 0;
    std::int64_t leaked = 0;
    bool is_most = run.has_empty_loop;
    for (const std::size_t row : rows) {
      const FollowedFinding& one = checked_.findings[row];
      (!one.is_memory                 ? transfers
       : one.pattern == "device_leak" ? leaked
                                      : memory) += static_cast<std::int64_t>(one.promised);
      is_most = is_most || one.is_most;
    }
    const std::string which = rows.size() > 1 ? "all" : checked_.findings[rows.front()].pattern;
    const auto expect = [&](const char* what, std::int64_t has, std::int64_t promised) {
      if (has >= promised || is_most) return;
      fault(run, fmt::format("{}: spares {} {} of {} promised", which, has, what, promised));
    };
    expect("bytes", spared.transfers + static_cast<std::int64_t>(spared.updates), transfers);
    expect("allocated bytes", spared.memory, memory);
    expect("leaked bytes", spared.leaked, leaked);
  }

  const AppliedProgram& program_;
  std::string path_;
  std::optional<EditedProgram> built_;  ///< where no build made the program
  CheckedProgram checked_;
};

}  // namespace

CheckedProgram check(const AppliedProgram& program) { return Check(program).run(); }

std::string row_of(const std::string& program, const FollowedFinding& finding) {
  const std::string sign = finding.spared < 0 ? "-" : "";
  return fmt::format(
      "| {}{}{} | {}, {} | {} | {} | {} | {}{} | {} |", program, finding.run.empty() ? "" : " ",
      finding.run, finding.pattern, finding.confidence, finding.place, finding.variable,
      fmt::group_digits(finding.promised), sign, fmt::group_digits(std::abs(finding.spared)),
      fmt::group_digits(finding.updates));
}

}  // namespace ompdm::e2e
