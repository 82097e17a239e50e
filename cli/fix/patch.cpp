#include "fix/patch.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <tuple>

#include "fix/child.h"
#include "ompdm/error.h"

namespace ompdm::cli {
namespace {

namespace fs = std::filesystem;

std::string text_of(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  if (!in) throw Error(fmt::format("{}: cannot be read", file.string()));
  return {std::istreambuf_iterator<char>(in), {}};
}

}  // namespace

ChangedFiles changed_files(const std::vector<EditPlan>& plans) {
  std::map<fs::path, std::vector<Replacement>> by_file;
  for (const EditPlan& plan : plans) {
    for (const Replacement& each : plan.replacements) by_file[each.file].push_back(each);
  }
  ChangedFiles files;
  for (auto& [file, all] : by_file) {
    std::ranges::stable_sort(all, {}, [](const Replacement& one) {
      return std::tuple(one.offset, one.length > 0, !one.behind);
    });
    std::string text = text_of(file);
    // From the end, so that offsets stay.
    std::size_t begin = text.size() + 1;
    for (auto at = all.rbegin(); at != all.rend(); ++at) {
      if (at->offset + at->length > begin || at->offset > text.size()) {
        throw Error(fmt::format("{}: two findings change the same place", file.string()));
      }
      begin = at->offset;
      text.replace(at->offset, at->length, at->text);
    }
    files[file] = std::move(text);
  }
  return files;
}

std::string unified_diff(const ChangedFiles& files, const fs::path& tree) {
  std::string all;
  for (const auto& [file, text] : files) {
    const std::string name = file.lexically_relative(tree).string();
    const ChildEnd end = run_child(
        {{"diff", "-u", "--label", "a/" + name, "--label", "b/" + name, file.string(), "-"},
         "/",
         {},
         text});
    if (end.exit_status > 1) throw Error(fmt::format("diff: {}", end.errors));
    all += end.output;
  }
  return all;
}

}  // namespace ompdm::cli
