#include "trace/trace_name.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <stdio.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <iterator>
#include <string_view>
#include <vector>

#include "ompdm/error.h"
#include "ompdm/trace_file.h"
#include "trace/spool_file.h"

namespace ompdm::trace {
namespace {

namespace fs = std::filesystem;

// The endings under which one run's trace may lie.
constexpr std::string_view kForms[] = {".json.gz", ".json", ".ompdm.gz", ".ompdm"};

// "results/trace.json.gz" -> "results/trace" and ".json.gz".
struct Parts {
  fs::path folder;
  std::string stem;
  std::string extension;
};

Parts split(const fs::path& path) {
  Parts parts{path.parent_path(), path.filename().string(), ""};
  for (const std::string_view extension : kForms) {
    if (!parts.stem.ends_with(extension) || parts.stem.size() == extension.size()) continue;
    parts.stem.resize(parts.stem.size() - extension.size());
    parts.extension = extension;
    return parts;
  }
  parts.extension = path.extension().string();
  parts.stem = path.stem().string();
  return parts;
}

fs::path join(const Parts& parts, const std::string& mark) {
  return parts.folder / (parts.stem + mark + parts.extension);
}

bool has_form(const Parts& parts) {
  return std::ranges::find(kForms, parts.extension) != std::end(kForms);
}

// 0, or errno; EEXIST if there is a file of the new name, which is left alone.
int rename_without_overwriting(const fs::path& from, const fs::path& to) {
  if (renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), RENAME_NOREPLACE) == 0) return 0;
  if (errno != EINVAL && errno != ENOSYS) return errno;
  // File systems without it (NFS) have hard links, which never overwrite either.
  if (link(from.c_str(), to.c_str()) == 0) return unlink(from.c_str()) == 0 ? 0 : errno;
  if (errno == EEXIST) return errno;
  // Neither: the best that is left is to look first.
  std::error_code ignored;
  if (fs::exists(fs::symlink_status(to, ignored))) return EEXIST;
  return rename(from.c_str(), to.c_str()) == 0 ? 0 : errno;
}

// The highest N of the STEM.~N~.EXTENSION beside a trace, in any of its forms, 0 without any. A
// spool that was set aside becomes one.
unsigned highest_kept(const Parts& parts) {
  unsigned highest = 0;
  std::error_code ignored;
  const fs::path folder = parts.folder.empty() ? fs::path(".") : parts.folder;
  for (fs::directory_iterator at(folder, ignored), end; at != end; at.increment(ignored)) {
    const std::string name = at->path().filename().string();
    std::string_view rest(name);
    if (rest.ends_with(".spool")) rest.remove_suffix(std::strlen(".spool"));
    if (!rest.starts_with(parts.stem + ".~")) continue;
    rest.remove_prefix(parts.stem.size() + 2);
    unsigned number = 0;
    const auto [stop, error] = std::from_chars(rest.data(), rest.data() + rest.size(), number);
    const std::string_view after(stop, static_cast<std::size_t>(rest.data() + rest.size() - stop));
    if (error != std::errc() || !after.starts_with('~')) continue;
    const std::string_view extension = after.substr(1);
    const bool is_one = has_form(parts) ? std::ranges::find(kForms, extension) != std::end(kForms)
                                        : extension == parts.extension;
    if (is_one) highest = std::max(highest, number);
  }
  return highest;
}

[[noreturn]] void fail(const fs::path& wanted, int error) {
  throw Error(fmt::format("{}: cannot be given its name ({}): choose another with -o",
                          wanted.string(), std::strerror(error)));
}

// Moves the trace that has the wanted name out of the way; empty if it was gone by itself.
fs::path keep(const fs::path& old, const Parts& parts) {
  for (unsigned number = highest_kept(parts) + 1;; ++number) {
    fs::path kept = join(parts, fmt::format(".~{}~", number));
    const int error = rename_without_overwriting(old, kept);
    if (error == 0) return kept;
    if (error == ENOENT) return {};
    if (error != EEXIST) fail(old, error);
  }
}

enum class Found { kNothing, kTrace, kOther };

// Of one file, whatever other processes put under that name meanwhile.
Found look_at(const fs::path& path) {
  std::error_code ignored;
  const int file = open(path.c_str(), O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
  if (file < 0) {
    const bool is_gone = errno == ENOENT && !fs::is_symlink(fs::symlink_status(path, ignored));
    return is_gone ? Found::kNothing : Found::kOther;
  }
  const fs::path opened = fmt::format("/proc/self/fd/{}", file);
  const bool ours = fs::is_regular_file(opened, ignored) && is_trace(opened);
  close(file);
  return ours ? Found::kTrace : Found::kOther;
}

fs::path place_beside(const fs::path& temporary, const Parts& parts, std::uint32_t pid) {
  for (unsigned number = 0;; ++number) {
    const std::string mark =
        number == 0 ? fmt::format(".p{}", pid) : fmt::format(".p{}.{}", pid, number);
    fs::path other = join(parts, mark);
    const int error = rename_without_overwriting(temporary, other);
    if (error == 0) return other;
    if (error != EEXIST) fail(other, error);
  }
}

}  // namespace

fs::path output_of(const spool::FileHeader& header, const fs::path& spool) {
  const std::string named = text_of(header.output);
  if (!named.empty()) return named;
  fs::path beside = spool;
  return beside.extension() == ".spool" ? beside.replace_extension() : beside += ".json";
}

fs::path name_of_long_run(const fs::path& trace) {
  Parts parts = split(trace);
  if (!parts.extension.starts_with(".json") || !has_form(parts)) return trace;
  parts.extension = ".ompdm";
  return join(parts, "");
}

PlacedTrace place_trace(const fs::path& temporary, const fs::path& asked, bool is_long,
                        std::uint32_t pid) {
  const fs::path of_long_run = name_of_long_run(asked);
  const fs::path& wanted = is_long ? of_long_run : asked;
  const fs::path& other = is_long ? asked : of_long_run;
  const Parts parts = split(wanted);
  PlacedTrace placed{wanted, {}, {}};
  // First, so that nobody who types one of the names gets the older run. Two runs do not come here
  // at once: both would have had to hold the spool of this name. Were they told to by -o, either
  // finds its own under the name that it asked for.
  if (other != wanted && look_at(other) == Found::kTrace) {
    placed.kept = keep(other, split(other));
  }
  while (true) {
    const int error = rename_without_overwriting(temporary, wanted);
    if (error == 0) return placed;
    if (error != EEXIST) fail(wanted, error);
    const Found found = look_at(wanted);
    if (found == Found::kNothing) continue;
    if (found == Found::kOther) {
      placed.path = place_beside(temporary, parts, pid);
      placed.note = fmt::format("{} is no ompdm trace and was left alone", wanted.string());
      return placed;
    }
    if (const fs::path kept = keep(wanted, parts); !kept.empty()) placed.kept = kept;
  }
}

}  // namespace ompdm::trace
