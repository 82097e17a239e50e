// Which directives named data while it was on a device.
#include <gtest/gtest.h>

#include <cstdint>
#include <set>

#include "analysis/one_array.h"
#include "detectors/accesses.h"
#include "model/map_types.h"

namespace ompdm::analysis::namings_test {
namespace {

using test::OneArray;
using Lines = std::set<int>;

/// Of directives that named the data of the first mapping in its life.
Lines lines(OneArray& program) {
  const Trace trace = program.take();
  const Mappings mappings(trace);
  const Namings namings(trace);
  Lines all;
  for (const Index<Site> site : namings.in_life_of(mappings.rows().front())) {
    all.insert(trace.sites[site.value].line);
  }
  return all;
}

/// A directive with map(to: a), which moves nothing.
void name(OneArray& program, Index<Site> at, std::int32_t device = 0) {
  program.begin(at);
  program.trace.regions.edit_back()->map_list = 0;
  program.trace.regions.edit_back()->device = device;
  program.wait(10);
  program.end();
}

TEST(Namings, AreOfWhatFoundItThere) {
  OneArray program;
  program.map();
  program.reader();
  name(program, program.again);
  program.stranger();
  name(program, program.again);
  program.unmap();
  EXPECT_EQ(lines(program), (Lines{30, 50}));
}

TEST(Namings, AreNoUpdates) {
  OneArray program;
  program.map();
  name(program, program.to);
  name(program, program.from);
  program.unmap();
  EXPECT_EQ(lines(program), Lines{});
}

TEST(Namings, AreNeitherItsBeginNorItsEnd) {
  OneArray program;
  program.map();
  program.trace.regions.edit_back()->map_list = 0;
  program.unmap();
  program.trace.regions.edit_back()->map_list = 0;
  EXPECT_EQ(lines(program), Lines{});
}

TEST(Namings, AreOfNoOtherTime) {
  OneArray program;
  name(program, program.check);
  program.wait(10);
  program.map();
  program.unmap();
  name(program, program.again);
  EXPECT_EQ(lines(program), Lines{});
}

TEST(Namings, GoOnToTheProgramsEnd) {
  OneArray program;
  program.map();
  name(program, program.check);
  EXPECT_EQ(lines(program), Lines{35});
}

TEST(Namings, AreOfItsDevice) {
  OneArray program;
  program.map();
  name(program, program.check, 2);
  program.unmap();
  EXPECT_EQ(lines(program), Lines{});
}

TEST(Namings, AreOfAnyPartOfIt) {
  struct Case {
    std::uint64_t offset;
    std::uint32_t type;
    bool is_found;
  };
  for (const Case& one :
       {Case{OneArray::kBytes - 8, kMapTo, true}, Case{OneArray::kBytes, kMapTo, false},
        Case{0, kMapLiteral, false}, Case{0, kMapPrivate, false}}) {
    OneArray program;
    const std::uint64_t host = program.trace.variables[0].address;
    program.trace.map_lists[0] = {{program.a, "a", host, host + one.offset, 8, one.type}};
    program.map();
    name(program, program.check);
    program.unmap();
    EXPECT_EQ(lines(program), one.is_found ? Lines{35} : Lines{}) << one.offset << ' ' << one.type;
  }
}

}  // namespace
}  // namespace ompdm::analysis::namings_test
