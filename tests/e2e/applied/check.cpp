#include "check.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <set>
#include <utility>

#include "edited_program.h"
#include "printed.h"

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

/// What objects move that have to be there with their members.
std::uint64_t moved_by_objects(const std::vector<Json>& findings, const Json& report) {
  std::set<std::string> objects;
  for (const Json& finding : findings) {
    for (const Json& edit : finding["edits"]) {
      for (const Json& clause : edit["clauses"]) {
        for (const Json& item : clause["items"]) {
          for (const std::string object : item["objects"]) objects.insert(object);
        }
      }
    }
  }
  std::uint64_t bytes = 0;
  for (const Json& row : report["variables"]) {
    if (!objects.contains(row["name"])) continue;
    bytes += row["HtoD_bytes"].get<std::uint64_t>() + row["DtoH_bytes"].get<std::uint64_t>();
  }
  return bytes;
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

const Reading* reading_of(const AppliedRun& run, const Json& finding) {
  const auto found =
      std::ranges::find(run.readings, finding["variable"].get<std::string>(), &Reading::variable);
  return found == run.readings.end() ? nullptr : &*found;
}

bool is_that(const NotFollowed& one, const Json& finding) {
  return one.pattern == finding["pattern"].get<std::string>() &&
         one.variable == finding["variable"].get<std::string>() &&
         (one.promised == 0 || one.promised == finding["wasted_bytes"].get<std::uint64_t>());
}

/// A run of the program as it is, and what is followed of what was found in it.
struct Followed {
  const AppliedRun* run = nullptr;
  Recording before;
  std::vector<std::size_t> rows;  ///< of the findings that were followed
  std::vector<Json> findings;     ///< these
};

class Check {
 public:
  explicit Check(const AppliedProgram& program) : program_(program), path_(program.path) {
    if (!path_.empty()) return;
    built_.emplace(program_, Applier());
    path_ = built_->path();
  }

  CheckedProgram run() {
    if (built_ && !built_->complaint().empty()) fault({}, built_->complaint());
    for (const AppliedRun& each : program_.runs) follow(each);
    if (std::ranges::any_of(followed_, [](const Followed& one) { return !one.rows.empty(); })) {
      compare_all();
    }
    return std::move(checked_);
  }

 private:
  void fault(const AppliedRun& run, const std::string& what) {
    checked_.faults.push_back(
        fmt::format("{} {}: {}", program_.name, fmt::join(run.arguments, " "), what));
  }

  void follow(const AppliedRun& run) {
    Followed& followed = followed_.emplace_back(&run, record(program_, path_, run, true));
    for (const std::string& one : followed.before.printed_faults) fault(run, one);
    if (followed.before.report.is_null()) return fault(run, followed.before.complaint);
    const Json& findings = followed.before.report["findings"];
    if (findings.empty()) ++checked_.runs_without;
    for (const NotFollowed& one : run.not_followed) {
      const bool is_found =
          std::ranges::any_of(findings, [&](const Json& finding) { return is_that(one, finding); });
      if (!is_found) fault(run, one.pattern + " is not to be followed, and not found");
    }
    for (const Json& finding : findings) {
      FollowedFinding row = described(run, finding);
      row.is_most = may_be_entered_more_often(followed.before.report, finding);
      const auto refused = std::ranges::find_if(
          run.not_followed, [&](const NotFollowed& one) { return is_that(one, finding); });
      if (refused != run.not_followed.end()) {
        row.left = refused->why;
        row.is_refused = true;
      } else {
        const Reading* reading = reading_of(run, finding);
        const Applied applied = applier_.apply(finding, reading);
        row.left = applied.left;
        row.is_read = reading != nullptr;
        row.edits = applied.deeds.size();
        if (reading != nullptr && !row.left.empty()) fault(run, "not as it was read: " + row.left);
      }
      if (!row.left.empty() && !row.is_refused && prints_code(finding)) {
        fault(run, fmt::format("{} prints code that cannot be applied: {}", row.pattern, row.left));
      }
      if (row.left.empty()) {
        followed.rows.push_back(checked_.findings.size());
        followed.findings.push_back(finding);
      }
      checked_.findings.push_back(std::move(row));
    }
  }

  void compare_all() {
    const EditedProgram edited(program_, applier_);
    for (const Followed& followed : followed_) {
      if (followed.rows.empty()) continue;
      if (!edited.complaint().empty()) {
        fault(*followed.run, "edited: " + edited.complaint());
        continue;
      }
      compare(followed, edited, followed.rows);
      if (followed.rows.size() == 1) continue;
      for (std::size_t i = 0; i < followed.rows.size(); ++i) compare_alone(followed, i);
    }
  }

  void compare_alone(const Followed& followed, std::size_t number) {
    const Json& finding = followed.findings[number];
    Applier applier;
    applier.apply(finding, reading_of(*followed.run, finding));
    const EditedProgram edited(program_, applier);
    if (!edited.complaint().empty()) {
      return fault(*followed.run, "edited alone: " + edited.complaint());
    }
    compare(followed, edited, {followed.rows[number]});
  }

  void compare(const Followed& followed, const EditedProgram& edited,
               const std::vector<std::size_t>& rows) {
    const AppliedRun& run = *followed.run;
    const Recording& before = followed.before;
    const Recording after = record(program_, edited.path(), run);
    if (after.report.is_null()) return fault(run, "edited: " + after.complaint);
    const std::string& wanted = run.then_prints.empty() ? before.out : run.then_prints;
    if (after.status != before.status || after.out != wanted) {
      fault(run, fmt::format("edited: ends with {} and prints {} instead of {} and {}",
                             after.status, after.out, before.status, wanted));
    }
    for (const std::vector<std::string>& arguments : run.also) compare_with(arguments, edited);
    const std::uint64_t then = moved(before.report);
    const std::uint64_t now = moved(after.report);
    if (now > then) fault(run, fmt::format("edited: moves {} bytes instead of {}", now, then));
    if (allocated(after.report) > allocated(before.report)) fault(run, "edited: allocates more");
    Spared spared = {.transfers = static_cast<std::int64_t>(then - now),
                     .on_condition = edited.moved_on_condition(after.report)};
    spared.memory = static_cast<std::int64_t>(allocated(before.report) - allocated(after.report));
    spared.leaked = static_cast<std::int64_t>(leaked(before.report) - leaked(after.report));
    spared.objects = moved_by_objects(followed.findings, after.report);
    expect_kept(run, rows, spared);
    if (rows.size() > 1) return;
    FollowedFinding& row = checked_.findings[rows.front()];
    row.on_condition = spared.on_condition;
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
      fault({arguments}, fmt::format("edited: prints {} instead of {}", after, before));
    }
  }

  /// What an edited program does not do that it did, in bytes.
  struct Spared {
    std::int64_t transfers = 0;
    std::int64_t memory = 0;  ///< allocations
    std::int64_t leaked = 0;
    std::uint64_t on_condition = 0;  ///< moved instead, on a condition that no transfer shows
    std::uint64_t objects = 0;       ///< moved instead with what it is a member of
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
      // Each entry more takes its part of what nine of ten passes spare.
      if (has >= promised || (is_most && 10 * has >= 9 * promised)) return;
      fault(run, fmt::format("{}: spares {} {} of {} promised", which, has, what, promised));
    };
    expect("bytes",
           spared.transfers + static_cast<std::int64_t>(spared.on_condition + spared.objects),
           transfers);
    expect("allocated bytes", spared.memory, memory);
    expect("leaked bytes", spared.leaked, leaked);
  }

  const AppliedProgram& program_;
  std::string path_;
  std::optional<EditedProgram> built_;  ///< where no build made the program
  Applier applier_;
  std::vector<Followed> followed_;
  CheckedProgram checked_;
};

}  // namespace

CheckedProgram check(const AppliedProgram& program) { return Check(program).run(); }

std::string row_of(const std::string& program, const FollowedFinding& finding) {
  const std::string sign = finding.spared < 0 ? "-" : "";
  return fmt::format("| {}{}{} | {}, {} | {} | {} | {}{} | {} | {}{} | {} |", program,
                     finding.run.empty() ? "" : " ", finding.run, finding.pattern,
                     finding.confidence, finding.place, finding.variable, finding.edits,
                     finding.is_read ? ", as read" : "", fmt::group_digits(finding.promised), sign,
                     fmt::group_digits(std::abs(finding.spared)),
                     fmt::group_digits(finding.on_condition));
}

}  // namespace ompdm::e2e
