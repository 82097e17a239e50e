// Advice as readers of Fortran have it.
#include <gtest/gtest.h>

#include "analysis/found.h"
#include "analysis/one_array.h"
#include "ompdm/report.h"
#include "report/edits.h"

namespace ompdm::analysis::fortran_wording_test {
namespace {

TEST(FortranWording, SourcesAreKnownByTheirEnding) {
  for (const char* file :
       {"heat.f90", "/src/HEAT.F90", "a.F", "b.for", "c.f03", "d.f08", "e.ftn"}) {
    EXPECT_TRUE(report::is_fortran_source(file)) << file;
  }
  for (const char* file : {"heat.cpp", "f90", "f.c", "fields.mod", "", "a.f90/b.c"}) {
    EXPECT_FALSE(report::is_fortran_source(file)) << file;
  }
}

TEST(FortranWording, DirectivesAreThoseOfFortran) {
  EXPECT_EQ(report::in_fortran("drop #pragma omp target update from(p) at a.f90:22"),
            "drop !$omp target update from(p) at a.f90:22");
  EXPECT_EQ(report::in_fortran("write target teams distribute parallel for there"),
            "write target teams distribute parallel do there");
}

// By the file of the directive that a finding is about.
TEST(FortranWording, AFindingsAdviceIsWrittenInItsLanguage) {
  test::OneArray program;
  program.map();
  program.kernel();
  program.send();
  program.unmap();
  Trace trace = program.take();
  for (Site& site : trace.sites) site.file = "a.f90";
  const Analysis analysis = analyze(std::move(trace));
  ASSERT_EQ(test::patterns(analysis), "unused_transfer");
  EXPECT_TRUE(
      test::contains(report::advice_text(analysis.findings[0]), "remove the target update to(a)"))
      << report::advice_text(analysis.findings[0]);
}

}  // namespace
}  // namespace ompdm::analysis::fortran_wording_test
