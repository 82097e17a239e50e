#include "fix/compile_arguments.h"

#include <fmt/format.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "fix/child.h"
#include "ompdm/error.h"

namespace ompdm::cli {
namespace {

namespace fs = std::filesystem;

bool is_clang(const std::string& word) {
  return fs::path(word).filename().string().starts_with("clang");
}

/// With the folder of the headers that belong to the compiler, as omp.h does.
CompileArguments with_resources(CompileArguments of) {
  for (const std::string& compiler : {of.compiler, std::string("clang-19"), std::string("clang")}) {
    if (compiler.empty()) continue;
    const ChildEnd end = run_child({{compiler, "-print-resource-dir"}, "/"});
    const std::string folder = end.output.substr(0, end.output.find('\n'));
    if (end.exit_status != 0 || folder.empty()) continue;
    of.arguments.insert(of.arguments.begin(), "-resource-dir=" + folder);
    break;
  }
  return of;
}

CompileArguments arguments_of(const nlohmann::json& row) {
  CompileArguments found;
  found.directory = row.at("directory").get<std::string>();
  found.file = (found.directory / row.at("file").get<std::string>()).lexically_normal();
  std::vector<std::string> words = row.contains("arguments")
                                       ? row.at("arguments").get<std::vector<std::string>>()
                                       : words_of(row.at("command").get<std::string>());
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string& word = words[i];
    if (word == "-o" || word == "-MF" || word == "-MT" || word == "-MQ") {
      ++i;
      continue;
    }
    const bool is_source = (found.directory / word).lexically_normal() == found.file;
    if (i == 0 || word == "-c" || word == "-MD" || word == "-MMD" || is_source) continue;
    found.arguments.push_back(word);
  }
  // A launcher such as ccache stands before it.
  for (const std::string& word : words) {
    if (word.starts_with('-')) break;
    if (is_clang(word)) found.compiler = word;
  }
  std::erase_if(found.arguments,
                [](const std::string& word) { return !word.starts_with('-') && is_clang(word); });
  return found;
}

}  // namespace

std::vector<std::string> words_of(const std::string& command) {
  std::vector<std::string> words;
  std::string word;
  char quote = 0;
  bool is_one = false;
  for (std::size_t i = 0; i < command.size(); ++i) {
    const char letter = command[i];
    if (quote != 0 && letter == quote) {
      quote = 0;
    } else if (letter == '\\' && quote != '\'' && i + 1 < command.size()) {
      word += command[++i];
      is_one = true;
    } else if (quote == 0 && (letter == '\'' || letter == '"')) {
      quote = letter;
      is_one = true;
    } else if (quote == 0 && (letter == ' ' || letter == '\t' || letter == '\n')) {
      if (is_one) words.push_back(std::move(word));
      word.clear();
      is_one = false;
    } else {
      word += letter;
      is_one = true;
    }
  }
  if (is_one) words.push_back(std::move(word));
  return words;
}

CompileCommands::CompileCommands(const fs::path& folder, const std::vector<fs::path>& near) {
  if (!folder.empty()) {
    const bool is_file = fs::is_regular_file(folder);
    file_ = is_file ? folder : folder / "compile_commands.json";
    if (!fs::exists(file_)) {
      throw Error(
          fmt::format("{}: not found: CMake writes it with "
                      "-DCMAKE_EXPORT_COMPILE_COMMANDS=ON, bear for make",
                      file_.string()));
    }
    read(file_);
    return;
  }
  for (const fs::path& start : near) {
    for (fs::path at = start.parent_path(); at.has_relative_path(); at = at.parent_path()) {
      for (const fs::path& file :
           {at / "compile_commands.json", at / "build/compile_commands.json"}) {
        std::error_code failed;
        if (!fs::exists(file, failed)) continue;
        read(file_ = file);
        return;
      }
    }
  }
}

void CompileCommands::read(const fs::path& file) {
  try {
    std::ifstream in(file);
    for (const auto& row : nlohmann::json::parse(in)) known_.push_back(arguments_of(row));
  } catch (const nlohmann::json::exception&) {
    throw Error(fmt::format("{}: this is no compilation database", file.string()));
  }
}

CompileArguments CompileCommands::of(const fs::path& source) const {
  for (const CompileArguments& one : known_) {
    std::error_code failed;
    if (one.file == source || fs::equivalent(one.file, source, failed)) return with_resources(one);
  }
  // Most compile as the newest standard that compilers know well.
  const bool is_c = source.extension() == ".c";
  return with_resources(
      {source, source.parent_path(), {is_c ? "-std=gnu17" : "-std=gnu++20", "-fopenmp"}, {}});
}

std::vector<fs::path> CompileCommands::sources() const {
  std::vector<fs::path> files;
  for (const CompileArguments& one : known_) files.push_back(one.file);
  return files;
}

}  // namespace ompdm::cli
