#include "fix/workplace.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <iterator>

#include "fix/source_tree.h"
#include "ompdm/error.h"
#include "open_trace.h"

namespace ompdm::cli {
namespace {

namespace fs = std::filesystem;

void write_text(const fs::path& file, const std::string& text) {
  std::ofstream out(file, std::ios::binary | std::ios::trunc);
  out << text;
  if (!out.flush()) throw Error(fmt::format("{}: cannot be written", file.string()));
}

std::string read_text(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// The line that says most of a failed build: the first error.
std::string first_error(const ChildEnd& end) {
  const std::string all = end.errors + '\n' + end.output;
  std::size_t at = all.find("error:");
  if (at == std::string::npos) at = all.find("Error");
  if (at == std::string::npos) at = 0;
  const std::size_t begin = at == 0 ? 0 : all.rfind('\n', at) + 1;
  return all.substr(begin, all.find('\n', at) - begin);
}

void count(const Trace& trace, Observation& seen) {
  trace.ops.sum_up([&](const DataOp& op, std::uint64_t times, Nanoseconds) {
    const bool crosses = op.kind == OpKind::kHtoD || op.kind == OpKind::kDtoH;
    if (!crosses || op.internal) return;
    seen.bytes += op.bytes * times;
    seen.transfers += times;
  });
  for (const DataOp& op : trace.ops) {
    const bool crosses = op.kind == OpKind::kHtoD || op.kind == OpKind::kDtoH;
    if (!crosses || op.internal || op.hash == 0 || !op.variable) continue;
    seen.crossed.insert(op.hash);
    const std::string& name = trace.variables[op.variable.value].name;
    // What has no name may be several things.
    if (op.kind == OpKind::kDtoH && !name.empty()) seen.returned[name] = op.hash;
  }
}

}  // namespace

Workplace::Workplace(const Target& target, const fs::path& folder)
    : target_(target), folder_(folder), copy_(folder / "tree") {
  fs::create_directories(copy_);
  fs::create_directories(folder_ / "tmp");
  copy_tree(target.tree, copy_);
  view_ = {copy_, target.tree};
  in_place_ = can_view(view_);
}

fs::path Workplace::place(const fs::path& path) const {
  return in_place_ ? path : in_copy(path, target_.tree, copy_);
}

ChildEnd Workplace::start(std::vector<std::string> command, const fs::path& directory,
                          bool records) const {
  Child child{std::move(command), place(directory)};
  if (in_place_) child.view = &view_;
  // What a compiler that is stopped leaves goes with the rest.
  child.environment.emplace_back("TMPDIR", (folder_ / "tmp").string());
  if (records) child.environment.emplace_back("OMPDM_HASH", "full");
  return run_child(child);
}

/// Where the copy is not seen in place the command must not lead back to the user's own tree.
std::string Workplace::build_command() const {
  std::string command = target_.build;
  const std::string tree = target_.tree.string();
  const std::string copy = copy_.string();
  for (std::size_t at = 0; !in_place_ && (at = command.find(tree, at)) != std::string::npos;
       at += copy.size()) {
    command.replace(at, tree.size(), copy);
  }
  return command;
}

std::string Workplace::build(const ChangedFiles& changed) {
  // What was written for the edits before is as it was again, and newer than what was built of it.
  for (const auto& [file, text] : originals_) write_text(in_copy(file, target_.tree, copy_), text);
  for (const auto& [file, text] : changed) {
    const fs::path here = in_copy(file, target_.tree, copy_);
    originals_.try_emplace(file, read_text(here));
    write_text(here, text);
  }
  const fs::path program = in_copy(target_.program, target_.tree, copy_);
  std::error_code ignored;
  fs::remove(program, ignored);
  const ChildEnd end = start({"sh", "-c", build_command()}, target_.build_directory, false);
  if (end.exit_status != 0) {
    const std::string error = first_error(end);
    return fmt::format("the build command exits with {}{}{}", end.exit_status,
                       error.empty() ? "" : ": ", error);
  }
  if (!fs::exists(program)) {
    return fmt::format("the build command does not make {}", target_.program.string());
  }
  return {};
}

std::vector<std::string> Workplace::command(std::size_t number) const {
  std::vector<std::string> words = target_.commands.at(number);
  for (std::string& word : words) {
    if (word == target_.program) word = place(target_.program).string();
  }
  return words;
}

Observation Workplace::observe(std::vector<std::string> command, bool records) const {
  const TreeState before(copy_);
  const ChildEnd end = start(std::move(command), target_.directory, records);
  Observation seen;
  seen.exit_status = end.exit_status;
  seen.output = end.output;
  seen.files = before.written();
  before.remove_new();
  seen.wall = end.wall;
  return seen;
}

Observation Workplace::run(std::size_t number) const { return observe(command(number), false); }

Observation Workplace::record(std::size_t number) const {
  const fs::path trace = folder_ / "trace.json";
  std::error_code ignored;
  fs::remove(trace, ignored);
  std::vector<std::string> words = {fs::read_symlink("/proc/self/exe").string(), "record", "-o",
                                    trace.string(), "--"};
  std::ranges::copy(command(number), std::back_inserter(words));
  Observation seen = observe(std::move(words), true);
  if (fs::exists(trace)) count(open_trace(trace.string()).trace, seen);
  return seen;
}

}  // namespace ompdm::cli
