// A folder in which ranks of a job leave their files: started by a shell that sets a launcher's
// variables. For tests only.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "printable.h"
#include "scratch.h"

namespace ompdm::cli {

namespace fs = std::filesystem;
using Json = nlohmann::json;
using testing::Ran;
using testing::Scratch;

class JobFolder : public ::testing::Test {
 protected:
  /// Four ranks that run this in a shell; $r is the rank, "$ompdm record" and "$ranks" what it
  /// says.
  [[nodiscard]] Ran start(const std::string& each) const {
    return shell("for r in 0 1 2 3; do OMPI_COMM_WORLD_SIZE=4 OMPI_COMM_WORLD_RANK=$r sh -c '" +
                 each + "' & done; wait");
  }
  [[nodiscard]] Ran shell(const std::string& command) const {
    return testing::shell(scratch_.folder(),
                          "export OMP_NUM_THREADS=1 ompdm=" + shell_word(OMPDM_COMMAND) +
                              " ranks=" + shell_word(OMPDM_RANKS_FOLDER "/slurm") + " r; " +
                              command);
  }
  [[nodiscard]] Ran ompdm(const std::string& arguments) const {
    return shell("\"$ompdm\" " + arguments);
  }
  [[nodiscard]] Json job() const { return Json::parse(ompdm("report . --format json").out); }
  [[nodiscard]] fs::path file(const std::string& name) const { return scratch_.folder() / name; }
  void recorded() const {
    const Ran ran = start("\"$ompdm\" record \"$ranks\"");
    ASSERT_EQ(std::ranges::count(ran.err, '\n'), 1) << ran.err;
  }

  Scratch scratch_;
};

}  // namespace ompdm::cli
