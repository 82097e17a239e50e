// Fortran, by flang. File, line and name of mapped data are those of the source. The descriptors
// that it maps besides are told apart.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "ledger.h"
#include "offload_build.h"

namespace ompdm::e2e::fortran_test {
namespace {

class Fortran : public testing::Test {
 protected:
  void SetUp() override {
    if (offload_build().fortran.empty()) GTEST_SKIP() << "no flang was found (OMPDM_FLANG)";
  }
  static Command command() {
    return {{program("arrays")}, {{"LD_LIBRARY_PATH", offload_build().fortran}}};
  }
  static Recorded recorded() { return record(command()); }
};

// How many descriptors there are is the compiler's affair, and so is whether it writes unwind
// tables.
std::string without_internal(std::string text) {
  const std::size_t begin = text.find(", internal ");
  if (begin != std::string::npos) text.erase(begin, text.find('\n', begin) - begin);
  const std::size_t lost = text.find("lost: calls_without_unwind_table ");
  if (lost != std::string::npos) text.erase(lost, text.find('\n', lost) + 1 - lost);
  return text;
}

TEST_F(Fortran, ReadsAsItsSources) {
  const Recorded program = recorded();
  expect_consistent(program);
  ASSERT_FALSE(program.report.is_null());
  EXPECT_EQ(without_internal(ledger_of(program.report, OMPDM_FORTRAN_SOURCES)),
            ledger({
                "total: HtoD 16 36408, DtoH 12 32000, alloc 13 30008, delete 13 30008",
                "target enter data@arrays.f90:15 x1: HtoD 2 8800, alloc 2",
                "target enter data@arrays.f90:16 x1: HtoD 1 8000, alloc 1",
                "target enter data@arrays.f90:17 x1: HtoD 1 2400, alloc 1",
                "target enter data@arrays.f90:18 x1: HtoD 1 8, alloc 1",
                "target data@arrays.f90:19 x1: HtoD 2 3280, DtoH 1 80, alloc 2",
                "target update@arrays.f90:21 x2: HtoD 2 1600, DtoH 2 9600",
                "target update@arrays.f90:22 x2: DtoH 2 4800",
                "target exit data@arrays.f90:25 x1: DtoH 1 8000",
                "target exit data@arrays.f90:26 x1: DtoH 1 2400",
                "target exit data@arrays.f90:27 x1:",
                "target data@fields.f90:11 x1: HtoD 2 5200, DtoH 1 4800, alloc 2",
                "target update@fields.f90:12 x1: HtoD 1 4800",
                "target data@fields.f90:22 x1: HtoD 1 320, alloc 1",
                "target update@fields.f90:23 x1: DtoH 1 320",
                "target enter data@fields.f90:31 x1: HtoD 1 800, alloc 1",
                "target exit data@fields.f90:32 x1: DtoH 1 800",
                "target data@legacy.f:5 x1: HtoD 1 400, alloc 1",
                "target update@legacy.f:6 x1: DtoH 1 400",
                "target exit data@others.f90:31 x1:",
                "target enter data@others.f90:32 x1: HtoD 1 800, alloc 1",
                "target exit data@others.f90:33 x1: DtoH 1 800",
                "a: HtoD 1 8000, DtoH 1 8000",
                "deep: HtoD 1 3200",
                "grid: HtoD 3 5600",
                "heat: HtoD 1 4800, DtoH 2 9600",
                "local: HtoD 1 320, DtoH 1 320",
                "p: HtoD 1 2400, DtoH 3 7200",
                "s: HtoD 1 8",
                "v: HtoD 1 800, DtoH 1 800",
                "v: HtoD 1 800, DtoH 1 800",
                "v: HtoD 1 400, DtoH 1 400",
                "x: HtoD 1 400",
                "y: HtoD 2 9600, DtoH 1 4800",
                "z: HtoD 1 80, DtoH 1 80",
            }));
}

std::set<std::string> functions(const Json& report) {
  std::set<std::string> names;
  for (const Json& row : report["directives"]) names.insert(row["function"]);
  return names;
}

// Of a procedure within another that was inlined there, debug information may not tell the other.
TEST_F(Fortran, ProceduresAreCalledAsInTheSource) {
  std::set<std::string> names = functions(recorded().report);
  EXPECT_EQ(names.erase("fields::outer::inner") + names.erase("inner"), 1U);
  EXPECT_EQ(names, (std::set<std::string>{"fields::push", "fields::twin", "legacy", "main program",
                                          "others::twin"}));
}

// A module's variable is declared in the module's source, not in the file that its users read.
TEST_F(Fortran, VariablesOfModulesAreDeclaredInTheirSource) {
  const Json report = recorded().report;
  for (const std::string name : {"grid", "heat"}) {
    const auto row = std::ranges::find_if(report["variables"],
                                          [&](const Json& one) { return one["name"] == name; });
    ASSERT_NE(row, report["variables"].end());
    EXPECT_EQ((*row)["file"], OMPDM_FORTRAN_SOURCES "/fields.f90");
    EXPECT_EQ((*row)["line"], name == "grid" ? 5 : 6);
  }
}

TEST_F(Fortran, AdviceIsWrittenInFortran) {
  const Folder folder;
  Command run_it = command();
  run_it.words.insert(run_it.words.begin(), {OMPDM_COMMAND, "record", "--"});
  ASSERT_EQ(run(run_it, folder.path()).status, 0);
  const Ended report = run({{OMPDM_COMMAND, "report", "--all", "trace.json"}}, folder.path());
  EXPECT_NE(report.out.find("- remove the target update from(p) at"), std::string::npos)
      << report.out;
  EXPECT_EQ(report.out.find("#pragma"), std::string::npos) << report.out;
  std::string all;
  for (int number = 1;; ++number) {
    const Ended one =
        run({{OMPDM_COMMAND, "explain", "trace.json", std::to_string(number)}}, folder.path());
    if (one.status != 0) break;
    all += one.out;
  }
  EXPECT_NE(all.find("remove the target update from(p) at arrays.f90:22"), std::string::npos)
      << all;
  EXPECT_EQ(all.find("#pragma"), std::string::npos) << all;
}

}  // namespace
}  // namespace ompdm::e2e::fortran_test
