#include "fix/result.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <filesystem>
#include <fstream>

#include "fix/verdicts.h"
#include "ompdm/error.h"
#include "printable.h"
#include "shell_words.h"

namespace ompdm::cli {
namespace {

void write_whole(const std::filesystem::path& file, const std::string& text) {
  std::ofstream out(file, std::ios::binary | std::ios::trunc);
  out << text;
  if (!out.flush()) throw Error(fmt::format("{}: cannot be written", file.string()));
}

}  // namespace

std::string verified_head(const Target& target, const Measured& measured,
                          const std::vector<std::string>& released) {
  std::string text =
      "# Verified by ompdm on these inputs: built, run, the same output and exit status.\n";
  for (std::size_t i = 0; i < target.commands.size(); ++i) {
    text += fmt::format("#   {}\n", target.command_text(i));
  }
  text += fmt::format("# {}.\n", spared_sentence(measured));
  if (!measured.unseen.empty()) {
    text += fmt::format(
        "# Not compared: what {} had when it came back last, in copies that were still on their "
        "way when they were recorded.\n",
        fmt::join(measured.unseen, ", "));
  }
  if (released.empty()) return text;
  return text + fmt::format(
                    "# No longer brought back: {}. Nothing that was printed depends on it; what "
                    "reads it otherwise would not see it.\n",
                    fmt::join(released, ", "));
}

void write_patch(const std::string& text, const std::string& file) {
  if (file.empty()) {
    print_exactly(text);
    return;
  }
  write_whole(file, text);
  fmt::print("Wrote {}\n", file);
}

void tell_of_older_patch(const std::string& file) {
  if (file.empty() || !std::filesystem::exists(file)) return;
  fmt::print(stderr, "ompdm: {}: not written: what it holds is older than this\n", file);
}

void apply(const ChangedFiles& files) {
  for (const auto& [file, text] : files) {
    write_whole(file, text);
    fmt::print("Applied to {}\n", typed_path(file.string()));
  }
}

void expect_folder_of(const std::string& file) {
  if (file.empty()) return;
  const std::filesystem::path folder = std::filesystem::absolute(file).parent_path();
  if (std::filesystem::is_directory(folder)) return;
  throw Error(fmt::format("{}: cannot be written: there is no folder {}", file, folder.string()),
              Error::Kind::kUsage);
}

}  // namespace ompdm::cli
