// How a source file is compiled: from compile_commands.json, or as most are.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace ompdm::cli {

struct CompileArguments {
  std::filesystem::path file;
  std::filesystem::path directory;
  std::vector<std::string> arguments;  ///< without compiler, source, -c and -o
  std::string compiler;                ///< empty: not known
};

/// A compile_commands.json, or the lack of one.
class CompileCommands {
 public:
  /// `folder` is what the user named; empty: one near the program or the sources is looked for.
  /// Throws Error where the file that is named cannot be read.
  CompileCommands(const std::filesystem::path& folder,
                  const std::vector<std::filesystem::path>& near);

  /// Empty where there is none.
  [[nodiscard]] const std::filesystem::path& file() const { return file_; }
  /// Of a source that it knows; else OpenMP and a recent standard.
  [[nodiscard]] CompileArguments of(const std::filesystem::path& source) const;
  /// Translation units that may include a header: all that are known.
  [[nodiscard]] std::vector<std::filesystem::path> sources() const;

 private:
  void read(const std::filesystem::path& file);

  std::filesystem::path file_;
  std::vector<CompileArguments> known_;
};

/// The words of a command as a POSIX shell would take them, without expansions.
std::vector<std::string> words_of(const std::string& command);

}  // namespace ompdm::cli
