#include "near_program.h"

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <sstream>
#include <vector>

#include "ompdm/nearest.h"

namespace ompdm::cli {
namespace {

namespace fs = std::filesystem;

void add_programs(const fs::path& folder, std::vector<std::string>& names) {
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder.empty() ? "." : folder, error)) {
    if (entry.is_regular_file(error) && ::access(entry.path().c_str(), X_OK) == 0) {
      names.push_back(entry.path().filename());
    }
  }
}

std::string near_on_path(const std::string& program) {
  std::vector<std::string> names;
  const char* path = std::getenv("PATH");
  std::istringstream folders(path != nullptr ? path : "");
  for (std::string folder; std::getline(folders, folder, ':');) add_programs(folder, names);
  return nearest(program, names, 1);  // of thousands one is always near
}

}  // namespace

std::string near_program(const std::string& program) {
  const std::size_t slash = program.rfind('/');
  const std::string folder = slash == std::string::npos ? "" : program.substr(0, slash + 1);
  std::vector<std::string> names;
  add_programs(folder, names);
  const std::string name = program.substr(folder.size());
  // A script whose interpreter is missing is not what was meant by its own name.
  if (const std::string here = nearest(name, names); !here.empty() && here != name) {
    return (folder.empty() ? "./" : folder) + here;
  }
  if (!folder.empty()) return {};
  std::error_code error;
  if (fs::is_regular_file(program, error)) return "./" + program;
  return near_on_path(program);
}

}  // namespace ompdm::cli
