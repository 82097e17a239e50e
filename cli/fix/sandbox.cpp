#include "fix/sandbox.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <memory>
#include <nlohmann/json.hpp>
#include <tuple>

#include "ompdm/columns.h"
#include "ompdm/error.h"
#include "open_trace.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace ompdm::cli {

namespace fs = std::filesystem;

namespace {

std::uint64_t hash_of(const fs::path& file) {
  const std::unique_ptr<XXH3_state_t, decltype(&XXH3_freeState)> state(XXH3_createState(),
                                                                       &XXH3_freeState);
  XXH3_64bits_reset(state.get());
  std::ifstream in(file, std::ios::binary);
  std::array<char, 1 << 16> part{};
  while (in) {
    in.read(part.data(), part.size());
    XXH3_64bits_update(state.get(), part.data(), static_cast<std::size_t>(in.gcount()));
  }
  return XXH3_64bits_digest(state.get());
}

/// The state of a tree's files when the object is made.
class TreeState {
 public:
  explicit TreeState(fs::path tree) : tree_(std::move(tree)), before_(stamps()) {}

  /// Files that were made or changed since then; a file that cannot be read is left out. Removes
  /// those that were made, so that the next run finds the same tree.
  [[nodiscard]] WrittenFiles take_written() const {
    const Stamps now = stamps();
    WrittenFiles files;
    for (const auto& [path, stamp] : now) {
      const auto known = before_.find(path);
      if (known == before_.end() || known->second != stamp) files[path] = hash_of(tree_ / path);
    }
    remove_new(now);
    return files;
  }

  /// Removes files that were made since then, and reads none.
  void remove_new() const { remove_new(stamps()); }

 private:
  struct Stamp {
    fs::file_time_type changed;
    std::uintmax_t size = 0;
    bool operator==(const Stamp&) const = default;
  };
  using Stamps = std::map<fs::path, Stamp>;

  [[nodiscard]] Stamps stamps() const {
    Stamps all;
    std::error_code failed;
    fs::recursive_directory_iterator at(tree_, fs::directory_options::skip_permission_denied,
                                        failed);
    for (; !failed && at != fs::recursive_directory_iterator(); at.increment(failed)) {
      std::error_code unknown;
      if (!at->is_regular_file(unknown) || at->is_symlink(unknown)) continue;
      const Stamp stamp{at->last_write_time(unknown), at->file_size(unknown)};
      if (!unknown) all.emplace(at->path().lexically_relative(tree_), stamp);
    }
    return all;
  }

  void remove_new(const Stamps& now) const {
    for (const auto& [path, stamp] : now) {
      std::error_code ignored;
      if (!before_.contains(path)) fs::remove(tree_ / path, ignored);
    }
  }

  fs::path tree_;
  Stamps before_;
};

/// Whether a path is below a folder, by its words alone.
bool is_below(const fs::path& path, const fs::path& folder) {
  return std::ranges::mismatch(folder, path).in1 == folder.end();
}

fs::path common_folder(const std::vector<fs::path>& files) {
  fs::path folder = files.front().parent_path();
  for (const fs::path& file : files) {
    while (!is_below(file, folder)) folder = folder.parent_path();
  }
  return folder;
}

bool is_too_wide(const fs::path& folder) {
  const char* home = std::getenv("HOME");
  const bool is_home = home != nullptr && *home != '\0' && is_below(home, folder);
  const auto depth = std::distance(folder.begin(), folder.end());
  return depth < 2 || is_home || folder == "/usr" || folder == "/tmp" || folder == "/home";
}

/// Corrects a copied link. It leads into the copy where it led into the tree, and elsewhere by an
/// absolute path.
void lead_as_before(const fs::path& link, const fs::path& from, const fs::path& to) {
  std::error_code failed;
  const fs::path written = fs::read_symlink(link, failed);
  const fs::path folder = from / link.lexically_relative(to).parent_path();
  const fs::path target = (folder / written).lexically_normal();
  if (failed || written.is_absolute() != is_below(target, from)) return;
  fs::remove(link, failed);
  fs::create_symlink(written.is_absolute() ? target.lexically_relative(folder) : target, link,
                     failed);
}

/// The same where the file may be a link to the user's own file.
void write_instead(const fs::path& file, const std::string& text) {
  std::error_code ignored;
  if (fs::is_symlink(file, ignored)) fs::remove(file, ignored);
  write_text(file, text);
}

/// A text in which paths below one folder are replaced by paths below another.
std::string with_paths(std::string text, const std::string& from, const std::string& to) {
  for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size()) {
    text.replace(at, from.size(), to);
  }
  return text;
}

std::string line_at(const std::string& text, std::size_t at) {
  const std::size_t begin = at == 0 ? 0 : text.rfind('\n', at) + 1;
  return text.substr(begin, text.find('\n', at) - begin);
}

/// The most useful line of a failed build: the first error.
std::string first_error(const ChildEnd& end) {
  const std::string all = end.errors + '\n' + end.output;
  std::size_t at = all.find("error:");
  if (at == std::string::npos) at = all.find("Error");
  return line_at(all, at == std::string::npos ? 0 : at);
}

/// Paths that a message may name. The last before the cause is the likeliest, and comes first.
std::vector<fs::path> named_paths(const std::string& message, std::size_t cause) {
  const auto is_end = [](char c) { return std::strchr(" \t'\"`(),:", c) != nullptr; };
  std::vector<fs::path> paths;
  for (std::size_t at = 0; at < message.size(); ++at) {
    if (is_end(message[at])) continue;
    const std::size_t begin = at;
    while (at < message.size() && !is_end(message[at])) ++at;
    const std::string word = message.substr(begin, at - begin);
    if (word.find('/') == std::string::npos) continue;
    paths.insert(begin < cause ? paths.begin() : paths.end(), word);
  }
  return paths;
}

std::string own_program() { return fs::read_symlink("/proc/self/exe").string(); }

void count(const Trace& trace, Observation& seen) {
  sum_up(trace.ops, [&](const DataOp& op, std::uint64_t times, Nanoseconds) {
    if (op.kind == OpKind::kAlloc && !op.internal) seen.moved.allocations += times;
    const bool crosses = op.kind == OpKind::kHtoD || op.kind == OpKind::kDtoH;
    if (!crosses || op.internal) return;
    seen.moved.bytes += op.bytes * times;
    seen.moved.transfers += times;
  });
  seen.contents = Contents(trace);
}

}  // namespace

void copy_tree(const fs::path& from, const fs::path& to) {
  if (is_below(fs::weakly_canonical(to), from)) {
    throw Error(fmt::format("{} lies in {}, which is to be copied: set TMPDIR to another folder",
                            to.string(), from.string()));
  }
  // The copy is writable even where the tree is not.
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"cp", "-a", "--reflink=auto", from.string() + "/.", to.string()},
        std::vector<std::string>{"chmod", "-R", "u+rwX", to.string()}}) {
    const ChildEnd end = run_child({words, "/"});
    if (end.exit_status != 0) {
      throw Error(fmt::format("{}: cannot be copied: {}", from.string(),
                              end.errors.substr(0, end.errors.find('\n'))));
    }
  }
  std::error_code failed;
  fs::recursive_directory_iterator at(to, failed);
  for (; !failed && at != fs::recursive_directory_iterator(); at.increment(failed)) {
    if (at->is_symlink(failed)) lead_as_before(at->path(), from, to);
  }
}

void write_text(const fs::path& file, const std::string& text) {
  std::ofstream out(file, std::ios::binary | std::ios::trunc);
  out << text;
  if (!out.flush()) throw Error(fmt::format("{}: cannot be written", file.string()));
}

Contents::Contents(const Trace& trace) {
  for (const DataOp& op : trace.ops) {
    const bool crosses = op.kind == OpKind::kHtoD || op.kind == OpKind::kDtoH;
    if (!crosses || op.internal || !op.variable) continue;
    if (op.hash != 0) crossed_.insert(op.hash);
    const std::string& name = trace.variables[op.variable.value].name;
    // Storage without a name may be several variables.
    if (op.kind == OpKind::kDtoH && !name.empty()) returned_[op.dst] = {name, op.bytes, op.hash};
  }
}

void Contents::keep_what_crosses_in(const Contents& other) {
  std::erase_if(returned_, [&](const auto& one) {
    return one.second.hash != 0 && !other.crossed_.contains(one.second.hash);
  });
}

bool Contents::was_seen_in(const Contents& other, const Returned& last) const {
  return last.hash != 0 && std::ranges::none_of(other.returned_, [&](const auto& one) {
           const Returned& there = one.second;
           return there.hash == 0 && (there.name == last.name || there.bytes == last.bytes);
         });
}

std::string Contents::lost_in(const Contents& other) const {
  for (const auto& [address, last] : returned_) {
    // Where contents were not compared, only similar copies back are known: by name or size.
    const bool comes_back =
        was_seen_in(other, last)
            ? other.crossed_.contains(last.hash)
            : std::ranges::any_of(other.returned_, [&](const auto& one) {
                return one.second.name == last.name || one.second.bytes == last.bytes;
              });
    if (!comes_back) {
      return last.name;
    }
  }
  return {};
}

std::set<std::string> Contents::unseen_in(const Contents& other) const {
  std::set<std::string> names;
  for (const auto& [address, last] : returned_) {
    const bool is_known = last.hash != 0 && other.crossed_.contains(last.hash);
    if (!is_known && !was_seen_in(other, last)) names.insert(last.name);
  }
  return names;
}

fs::path tree_of(const std::vector<fs::path>& files) {
  const fs::path common = common_folder(files);
  for (fs::path folder = common; folder.has_relative_path(); folder = folder.parent_path()) {
    std::error_code failed;
    if (fs::exists(folder / ".git", failed) && !is_too_wide(folder)) return folder;
  }
  if (is_too_wide(common)) {
    throw Error(
        fmt::format("{} is all that the program and its sources have in common: name the "
                    "folder that is to be copied with --tree",
                    common.string()));
  }
  return common;
}

bool has_tree(const std::vector<fs::path>& files) { return !is_too_wide(common_folder(files)); }

fs::path in_copy(const fs::path& path, const fs::path& tree, const fs::path& copy) {
  return is_below(path, tree) ? copy / path.lexically_relative(tree) : path;
}

std::string Target::command_text(std::size_t number) const {
  const std::vector<std::string>& words = commands.at(number);
  return is_recorded_command ? fmt::format("{}", fmt::join(words, " ")) : words.back();
}

Sandbox::Sandbox(const Target& target, const fs::path& folder)
    : target_(target), folder_(folder), copy_(folder / "tree"), log_(folder) {
  fs::create_directories(copy_);
  fs::create_directories(folder_ / "tmp");
  copy_tree(target.tree, copy_);
  run_view_ = {copy_, target.tree, folder_};
  in_place_ = can_view(run_view_);
  if (!in_place_) run_view_.seen_at.clear();
  build_view_ = run_view_;
  for (const View::Guard guard : {View::Guard::kMounts, View::Guard::kLandlock}) {
    if (guard == View::Guard::kMounts && !in_place_) continue;
    build_view_.guard = guard;
    if (can_view(build_view_)) return;
  }
  throw Error(fmt::format(
      "{}: this machine has neither mount namespaces nor Landlock. A build of a copy could change "
      "the original files: do without --build, or use another machine",
      target.tree.string()));
}

fs::path Sandbox::program() const { return own(target_.program); }

fs::path Sandbox::own(const fs::path& file) const {
  fs::path here = in_copy(file, target_.tree, copy_);
  const fs::path folder = fs::weakly_canonical(here.parent_path());
  if (!is_below(folder, fs::canonical(copy_))) {
    throw Error(
        fmt::format("{}: a link leads to {}, outside of {}, the copied tree "
                    "built: name a folder that holds both with --tree",
                    file.string(), folder.string(), target_.tree.string()));
  }
  return here;
}

fs::path Sandbox::place(const fs::path& path) const {
  return in_place_ ? path : in_copy(path, target_.tree, copy_);
}

ChildEnd Sandbox::start(std::vector<std::string> command, const View& view,
                        const fs::path& directory, Environment environment) const {
  Child child{std::move(command), place(directory), std::move(environment)};
  child.view = &view;
  // Temporary files of a stopped compiler are removed with the folder.
  child.environment.emplace_back("TMPDIR", (folder_ / "tmp").string());
  return run_child(child);
}

/// The build command. Without the mount its paths must lead into the copy, not into the user's
/// tree.
std::string Sandbox::build_command() const {
  return in_place_ ? target_.build
                   : with_paths(target_.build, target_.tree.string(), copy_.string());
}

std::vector<CompileArguments> Sandbox::compiles() const {
  std::vector<CompileArguments> all;
  for (StartedProcess& process : log_.processes()) {
    const auto own = [&](const std::string& text) {
      return in_place_ ? text : with_paths(text, copy_.string(), target_.tree.string());
    };
    process.directory = own(process.directory.string());
    for (std::string& word : process.words) word = own(word);
    std::ranges::move(compiles_of(process), std::back_inserter(all));
  }
  return all;
}

/// Throws Error where the build failed because it tried to write a file outside of the copy.
void Sandbox::refuse_outside(const ChildEnd& build) const {
  const std::string all = build.errors + '\n' + build.output;
  const bool is_by_mounts = build_view_.guard == View::Guard::kMounts;
  // Compilers check the access first, and then print another cause.
  const std::string refusal = is_by_mounts ? "Read-only file system" : "Permission denied";
  for (const std::string& cause : {refusal, std::string("Operation not permitted")}) {
    for (std::size_t at = 0; (at = all.find(cause, at)) != std::string::npos; at += cause.size()) {
      const std::string line = line_at(all, at);
      std::string file = outside_file(line, line.find(cause));
      // No file in the copy can have this cause.
      if (file.empty() && is_by_mounts && cause == refusal) file = line;
      if (file.empty()) continue;
      throw Error(fmt::format(
          "{}: the build command writes this file, outside of {}, the copied tree. Name a "
          "folder that holds both with --tree, or let the build write into the tree",
          file, target_.tree.string()));
    }
  }
}

/// The file outside of the copy that an error message names; `cause` is the position of the cause.
/// Empty: none.
std::string Sandbox::outside_file(const std::string& message, std::size_t cause) const {
  for (const fs::path& path : named_paths(message, cause)) {
    const fs::path seen = (target_.build_directory / path).lexically_normal();
    fs::path file = fs::weakly_canonical(in_copy(seen, target_.tree, copy_));
    const bool is_kept = is_below(file, fs::canonical(folder_)) || is_below(file, target_.tree);
    if (!is_kept && ::access(file.parent_path().c_str(), F_OK) == 0) return file;
  }
  return {};
}

std::string Sandbox::build_unchanged(const std::vector<fs::path>& files) {
  ChangedFiles written;
  for (const fs::path& file : files) {
    if (is_below(file, target_.tree)) written[file] = read_text(own(file));
  }
  return build(written, log_.environment());
}

std::string Sandbox::build(const ChangedFiles& changed, Environment environment) {
  // Restores the files of earlier edits; their new time makes the build compile them.
  for (const auto& [file, text] : originals_) write_instead(own(file), text);
  for (const auto& [file, text] : changed) {
    const fs::path here = own(file);
    originals_.try_emplace(file, read_text(here));
    write_instead(here, text);
  }
  std::error_code ignored;
  fs::remove(program(), ignored);
  // refuse_outside() reads messages in English.
  environment.emplace_back("LC_MESSAGES", "C");
  const ChildEnd end = start({"sh", "-c", build_command()}, build_view_, target_.build_directory,
                             std::move(environment));
  if (end.exit_status != 0) {
    refuse_outside(end);
    const std::string error = first_error(end);
    return fmt::format("the build command exits with {}{}{}", end.exit_status,
                       error.empty() ? "" : ": ", error);
  }
  if (!fs::exists(program())) {
    return fmt::format("the build command does not make {}", target_.program.string());
  }
  return {};
}

std::vector<std::string> Sandbox::command(std::size_t number) const {
  std::vector<std::string> words = target_.commands.at(number);
  for (std::string& word : words) {
    if (word == target_.program) word = place(target_.program).string();
  }
  return words;
}

Observation Sandbox::observe(std::vector<std::string> command, bool records) const {
  const TreeState before(copy_);
  Observation seen{start(std::move(command), run_view_, target_.directory,
                         records ? Environment{{"OMPDM_HASH", "full"}} : Environment())};
  seen.files = before.take_written();
  return seen;
}

Observation Sandbox::run(std::size_t number) const { return observe(command(number), false); }

std::chrono::nanoseconds Sandbox::time(std::size_t number) const {
  const TreeState before(copy_);
  const ChildEnd end = start(command(number), run_view_, target_.directory, {});
  before.remove_new();
  return end.wall;
}

std::string Sandbox::ask(std::vector<std::string> words) const {
  if (!in_place_) throw Error("this machine has no mount namespaces");
  words.insert(words.begin(), own_program());
  const ChildEnd end = start(std::move(words), run_view_, target_.build_directory, {});
  if (end.exit_status != 0) throw Error(end.errors.substr(0, end.errors.find('\n')));
  return end.output;
}

std::optional<std::multiset<std::string>> Sandbox::check(std::size_t number) const {
  const fs::path file = folder_ / "check.json";
  std::error_code ignored;
  fs::remove(file, ignored);
  std::vector<std::string> words = {own_program(), "check", "--format", "json",        "--in-place",
                                    "--source",    "off",   "-o",       file.string(), "--"};
  std::ranges::copy(command(number), std::back_inserter(words));
  const TreeState before(copy_);
  static_cast<void>(start(std::move(words), run_view_, target_.directory, {}));
  before.remove_new();
  if (!fs::exists(file)) return std::nullopt;
  const auto json = nlohmann::json::parse(read_text(file), nullptr, false);
  if (!json.contains("mapping")) return std::nullopt;
  std::multiset<std::string> found;
  for (const auto& row : json.at("mapping")) {
    found.insert(fmt::format("{} of {}", row.at("pattern").get<std::string>(),
                             row.at("item").get<std::string>()));
  }
  return found;
}

Observation Sandbox::record(std::size_t number) const {
  const fs::path trace = this->trace(number);
  std::error_code ignored;
  fs::remove(trace, ignored);
  fs::remove(fs::path(trace).replace_extension(".ompdm"), ignored);
  std::vector<std::string> words = {own_program(), "record", "-o", trace.string(), "--"};
  std::ranges::copy(command(number), std::back_inserter(words));
  Observation seen = observe(std::move(words), true);
  if (fs::exists(named_trace(trace))) count(open_trace(trace.string()).trace, seen);
  return seen;
}

}  // namespace ompdm::cli
