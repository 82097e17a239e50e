// The command in a prefix of its own whose recorder is a stand-in.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "printable.h"
#include "scratch.h"

namespace ompdm::cli::testing {

class Command : public ::testing::Test {
 protected:
  explicit Command(const char* prefix = "prefix") : prefix_(scratch_.folder() / prefix) {
    std::filesystem::create_directories(prefix_ / "bin");
    std::filesystem::create_directories(prefix_ / "lib");
    std::filesystem::copy_file(OMPDM_COMMAND, prefix_ / "bin/ompdm");
    std::filesystem::copy_file(OMPDM_FAKE_RECORDER, prefix_ / "lib/libompdm.so");
    std::filesystem::create_directory(work());
  }

  [[nodiscard]] std::filesystem::path work() const { return scratch_.folder() / "work"; }

  /// Runs a shell line in which `ompdm` is the command.
  [[nodiscard]] Ran run(const std::string& line) const {
    return shell(work(), "PATH=" + shell_word(prefix_ / "bin") + ":$PATH\n" + line);
  }

  Scratch scratch_;
  std::filesystem::path prefix_;
};

}  // namespace ompdm::cli::testing
