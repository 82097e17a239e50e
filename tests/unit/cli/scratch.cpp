#include "scratch.h"

#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

#include "printable.h"

namespace ompdm::cli::testing {

namespace fs = std::filesystem;

fs::path Scratch::write(const std::string& name, const std::string& text) const {
  const fs::path path = folder() / name;
  fs::create_directories(path.parent_path());
  std::ofstream(path) << text;
  return path;
}

Variable::Variable(const char* name, std::optional<std::string> value) : name_(name) {
  if (const char* old = std::getenv(name)) old_ = old;
  if (value) {
    ::setenv(name, value->c_str(), 1);
  } else {
    ::unsetenv(name);
  }
}

Variable::~Variable() {
  if (old_) {
    ::setenv(name_, old_->c_str(), 1);
  } else {
    ::unsetenv(name_);
  }
}

Ran shell(const fs::path& folder, const std::string& command) {
  const Scratch scratch;
  const fs::path out = scratch.folder() / "out";
  const fs::path err = scratch.folder() / "err";
  const std::string line = "cd " + shell_word(folder) + " && { " + command + "\n} >" +
                           shell_word(out) + " 2>" + shell_word(err);
  const int status = std::system(line.c_str());
  return {WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status), read_file(out),
          read_file(err)};
}

std::string read_file(const fs::path& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

}  // namespace ompdm::cli::testing
