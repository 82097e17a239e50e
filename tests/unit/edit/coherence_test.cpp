// Whether updates in a loop keep the host's copy and the device's the same wherever one is used.
#include <gtest/gtest.h>

#include <stdexcept>

#include "asked.h"

namespace ompdm::edit::coherence_test {
namespace {

using testing::EditTest;
using testing::File;

constexpr const char* kSend = "#pragma omp target update to(u[0:n])  // sent\n";
constexpr const char* kBring = "#pragma omp target update from(u[0:n])  // back\n";
constexpr const char* kChange =
    "#pragma omp target teams distribute parallel for\n"
    "    for (int i = 0; i < n; ++i) u[i] += 1;\n";
constexpr const char* kFill =
    "#pragma omp target teams distribute parallel for\n"
    "    for (int i = 0; i < n; i += 1) u[i] = i * k;\n";

class Coherence : public EditTest {
 protected:
  /// Of u[0:n] in the loop with "// loop": "no", "yes", or the reason of "unknown".
  [[nodiscard]] std::string stale(const std::string& in_loop, const std::string& before_loop = {},
                                  const std::string& before_main = {},
                                  const std::string& behind_loop = {}) const {
    const File file =
        write("updates.c", "#include <stdio.h>\n#include <stdlib.h>\n" + before_main +
                               "int main(int argc, char** argv) {\n"
                               "  int n = 100;\n  int steps = argc > 1 ? atoi(argv[1]) : 9;\n"
                               "  double* u = malloc(n * sizeof *u);\n"
                               "  for (int i = 0; i < n; ++i) u[i] = i;\n"
                               "#pragma omp target enter data map(to: u[0:n])\n" +
                               before_loop + "  for (int k = 0; k < steps; ++k) {  // loop\n" +
                               in_loop + "  }\n" + behind_loop +
                               "#pragma omp target exit data map(from: u[0:n])\n"
                               "  printf(\"%g\\n\", u[7]);\n  free(u);\n}\n");
    Request request = testing::asked(file, {});
    request.is_whole = true;
    const bool is_mapped = in_loop.find("// mapped") != std::string::npos;
    Stretch stretch{0, is_mapped ? "loop" : "resident", {file.at("// loop")}, {}, false, {}};
    for (const char* mark : {"// mapped", "// sent", "// back"}) {
      if (in_loop.find(mark) == std::string::npos) continue;
      if (is_mapped && !stretch.items.empty()) break;
      stretch.items.push_back({"u[0:n]", file.at(mark)});
    }
    request.stretches = {stretch};
    const Answer answer = answer_to(request);
    if (!answer.errors.empty()) throw std::logic_error(answer.errors.front());
    const HostUse& use = answer.facts.value().stretches.at(0).items.at(0).stale;
    return use.use == "unknown" ? use.why : use.use;
  }
};

TEST_F(Coherence, OfUpdatesAroundEachRegion) {
  const std::string all = std::string(kSend) + kChange + kBring;
  EXPECT_EQ(stale(all), "no");
  EXPECT_EQ(stale("    if (k % 3 == 0) u[2] = k;\n" + all), "no");
  EXPECT_EQ(stale(all + "    if (k % 3 == 0) u[2] = k;\n"), "yes")
      << "what the last iteration changes is lost where the data leaves the device";
  EXPECT_EQ(stale(all + "    if (k % 3 == 0) printf(\"%g\\n\", u[2]);\n"), "no");
}

TEST_F(Coherence, AsManyUpdatesAsBeforeAreNoEdit) {
  const std::string all = std::string(kSend) + kChange + kBring;
  const std::string show = "for (int i = 0; i < n; ++i) printf(\"%g\\n\", u[i]);\n";
  const std::string as_many = "as many updates would be needed where the host uses it";
  const std::string loop = "for (int i = 0; i < n - k; ++i) u[i] = ";
  EXPECT_EQ(stale("    " + loop + "k;\n" + all), as_many);
  EXPECT_EQ(stale("    if (k > 3) { " + loop + "k; } else { " + loop + "0; }\n" + all), as_many)
      << "in both arms";
  EXPECT_EQ(stale("    if (k % 3 == 0) { " + loop + "k; }\n" + all), "no");
  EXPECT_EQ(stale("    if (k > 3) { " + loop + "k; }\n" + all), as_many) << "in most iterations";
  EXPECT_EQ(stale(all + "    " + show), "no") << "nothing is sent in the loop any more";
  EXPECT_EQ(stale(kChange + std::string(kBring) + "    " + show), as_many);
  EXPECT_EQ(stale(kChange + std::string(kBring) + "    if (k > 3) continue;\n    " + show), "no");
  EXPECT_EQ(stale(kFill + std::string(kBring) + "    for (int i = 0; i < n; ++i) u[i] = 0;\n"),
            "yes")
      << "the host's change would be sent, which no update of the loop does";
  const std::string in_callee = "static void set(double* p, int k) { if (k % 3 == 0) p[0] = k; }\n";
  EXPECT_EQ(stale("    set(u, k);\n" + all, {}, in_callee), as_many)
      << "updates are written around the call";
}

TEST_F(Coherence, IsLostWhereAnUpdateIsMissing) {
  const std::string send = kSend;
  const std::string bring = kBring;
  EXPECT_EQ(stale(send + kChange + "    printf(\"%g\\n\", u[2]);\n" + bring), "yes");
  EXPECT_EQ(stale(send + kChange + bring + "    u[1] = k;\n" + kChange + bring), "yes");
  EXPECT_EQ(stale(send + kChange + "    if (k % 2 == 0) {\n" + bring + "    }\n"), "yes")
      << "the next iteration sends what is old";
  EXPECT_EQ(stale(send + kChange + bring + "    if (k == 3) continue;\n    u[1] = k;\n" + send +
                  kChange + bring),
            "no");
  EXPECT_EQ(stale(send + kChange + "    if (k == 3) continue;\n" + bring), "yes");
}

TEST_F(Coherence, WhatARegionFillsNeedsNothingBefore) {
  EXPECT_EQ(stale(std::string(kFill) + kBring + "    u[1] = k;\n" + kSend + kChange + kBring),
            "no");
  const std::string half =
      "#pragma omp target teams distribute parallel for\n"
      "    for (int i = 0; i < n / 2; ++i) u[i] = i * k;\n";
  EXPECT_EQ(stale(half + kBring + kSend + kChange + kBring), "no") << "it was there";
  EXPECT_EQ(stale(half + kBring + kSend + kChange + kBring, "  u[0] = 3;\n"), "yes");
}

TEST_F(Coherence, WhatTheLoopDoesNotBringBackNothingMayUseBehindIt) {
  const std::string all = std::string(kBring) + "    if (k == 3) u[1] = k;\n" + kSend + kChange;
  const std::string old = "may use the host's old copy behind the loop";
  EXPECT_EQ(stale(all), "no") << "`target exit data` brings it back";
  EXPECT_EQ(stale(all, {}, {}, "  printf(\"%g\\n\", u[2]);\n"), old);
  EXPECT_EQ(stale(all, {}, {}, "#pragma omp target update to(u[0:n])\n"), old);
  EXPECT_EQ(stale(all, {}, {},
                  "#pragma omp target update from(u[0:n])\n"
                  "  printf(\"%g\\n\", u[2]);\n"),
            "no");
  EXPECT_EQ(stale(all, {}, {}, "#pragma omp target exit data map(release: u[0:n])\n"), old);
}

TEST_F(Coherence, OfTheElementsThatTheHostUses) {
  const auto of_elements = [&](const std::string& host) {
    const std::string code = kBring + host + kSend + kChange;
    return stale(code) == "no";
  };
  EXPECT_TRUE(of_elements("    u[5] += 1;\n"));
  EXPECT_TRUE(of_elements("    u[steps - 1] = u[0];\n"));
  EXPECT_TRUE(of_elements("    if (u[k] > 3) break;\n"));
  EXPECT_FALSE(of_elements("    for (int i = 0; i < n; ++i) u[i] += 1;\n"));
  EXPECT_FALSE(of_elements("    u[argc++] = 1;\n"));
  EXPECT_FALSE(of_elements("    double* v = &u[2]; v[1] = 2;\n"));
  EXPECT_FALSE(
      of_elements("    u[0] = 1;\n    u[1] = 1;\n    u[2] = 1;\n    u[3] = 1;\n    u[4] = 1;\n"))
      << "many small transfers are no gain";
}

TEST_F(Coherence, OfCopiesBackAloneRestsOnTheCodeBefore) {
  const std::string all = std::string(kChange) + kBring;
  EXPECT_EQ(stale(all), "no") << "`target enter data` has sent it";
  EXPECT_EQ(stale(all, "  u[0] = 3;\n#pragma omp target update to(u[0:n])\n"), "no");
  EXPECT_EQ(stale(all, "  u[0] = 3;\n#pragma omp target update to(u[0:1])\n"),
            "the device's copy may be old before it")
      << "a part is not followed";
}

TEST_F(Coherence, ALoopWithoutIterationsMustNotSendWhatIsOld) {
  const std::string all = std::string(kSend) + kFill + kBring;
  const std::string newer = "#pragma omp target\n  for (int i = 0; i < n; ++i) u[i] += 1;\n";
  EXPECT_EQ(stale(all, newer), "the host's copy may be old before it");
  EXPECT_EQ(stale(std::string(kChange) + kBring, "  u[0] = 3;\n"),
            "the device's copy may be old before it");
  const std::string change = "  u[0] = 3;\n";
  const char* old = "may use the device's old copy behind the loop";
  EXPECT_EQ(stale(all, change), old) << "it is copied over what the host has changed";
  EXPECT_EQ(stale(all, change, {}, newer), old);
  const std::string send = "#pragma omp target update to(u[0:n])\n";
  EXPECT_EQ(stale(all, change, {}, send + newer), "no");
  EXPECT_EQ(stale(all, change, {}, "#pragma omp target\n  for (int i = 0; i < n; ++i) u[i] = i;\n"),
            "no");
}

TEST_F(Coherence, AnOldCopyThatNothingReadsIsNotMissed) {
  const std::string send = kSend;
  EXPECT_EQ(stale(send + kChange + send + kFill + kBring), "no");
  EXPECT_EQ(stale(send + kChange + send + kChange + kBring), "yes");
}

TEST_F(Coherence, ConditionsOfIfClausesHoldTogether) {
  const auto with = [](const char* update, const char* region) {
    const std::string even = " if(k % 2 == 0)";
    return std::string("#pragma omp target update") + update + " to(u[0:n])  // sent\n" +
           "#pragma omp target teams distribute parallel for" + region +
           "\n    for (int i = 0; i < n; ++i) u[i] += 1;\n"
           "#pragma omp target update" +
           update + " from(u[0:n])  // back\n";
  };
  EXPECT_EQ(stale(with(" if(k % 2 == 0)", " if(target: k % 2 == 0)") + kSend),
            "as many updates would be needed where the host uses it")
      << "the host runs the region in the other iterations";
  EXPECT_EQ(stale(with(" if(k % 2 == 0)", " if(target: k % 2 == 0)")),
            "may use the device's old copy behind the loop")
      << "its change in the last one is not sent, and lost";
  EXPECT_EQ(stale(with(" if(k % 2 == 0)", " if(target: k % 3 == 0)")), "yes");
  EXPECT_EQ(stale(with(" if(k % 2 == 0)", "")), "yes");
}

TEST_F(Coherence, SeveralConditionsAreKnownUntilTheirVariablesAreSet) {
  const std::string region = "#pragma omp target teams distribute parallel for if(target: ";
  const std::string change = ")\n    for (int i = 0; i < n; ++i) u[i] += 1;\n";
  EXPECT_EQ(stale("#pragma omp target data if(k % 3 != 1) map(tofrom: u[0:n])  // mapped\n    {\n"
                  "#pragma omp target update if(k % 2 == 0) from(u[0:n])\n" +
                  region + "k % 2 != 0" + change +
                  "#pragma omp target update if(k % 2 == 0) to(u[0:n])\n    }\n" + kChange),
            "no")
      << "the block ends as it begins";
  EXPECT_EQ(stale("    int odd = k % 2;\n"
                  "#pragma omp target update if(odd) from(u[0:n])  // back\n" +
                  region + "odd" + change),
            "yes")
      << "another iteration has another variable of that name";
}

TEST_F(Coherence, DataThatComesAndGoesInTheLoopIsOpen) {
  const std::string all = std::string(kSend) + kChange + kBring;
  EXPECT_EQ(stale("#pragma omp target data map(tofrom: u[0:n])\n    {\n" + all + "    }\n"), "no");
  EXPECT_EQ(stale(all + "#pragma omp target exit data map(delete: u[0:n])\n"),
            "copies it always, or deletes it");
  EXPECT_EQ(stale(all + "#pragma omp target exit data map(release: u[0:n])\n"
                        "#pragma omp target enter data map(to: u[0:n])\n"),
            "may take the data from the device");
}

TEST_F(Coherence, OfDataThatTheLoopMaps) {
  const auto mapped = [](const std::string& inside, const char* kind = "tofrom") {
    return std::string("#pragma omp target data map(") + kind + ": u[0:n])  // mapped\n    {\n" +
           inside + "    }\n";
  };
  const std::string change = kChange;
  const std::string send = "#pragma omp target update to(u[0:n])\n";
  const std::string bring = "#pragma omp target update from(u[0:n])\n";
  EXPECT_EQ(stale(mapped(change)), "no");
  EXPECT_EQ(stale(mapped(change + change) + "    u[2] = k;\n"), "no");
  EXPECT_EQ(stale(mapped(change + bring + "    u[2] = k;\n" + send + change)), "no");
  EXPECT_EQ(stale(mapped(change + "    printf(\"%g\\n\", u[2]);\n")), "yes") << "read too early";
  EXPECT_EQ(stale(mapped(change + bring + "    u[2] = k;\n")), "yes") << "lost where it ends";
  EXPECT_EQ(stale(mapped(change + send)), "yes") << "the region's change is overwritten";
  EXPECT_EQ(stale(mapped(change + bring + "    u[2] = k;\n    if (k == 3) {\n" + send + "    }\n" +
                         change)),
            "yes");
  EXPECT_EQ(stale(mapped(change, "to")), "drops a region's changes");
}

TEST_F(Coherence, GoesThroughFunctionsAndOtherNames) {
  const std::string step =
      "static void step(double* v, int m) {\n"
      "#pragma omp target teams distribute parallel for\n"
      "  for (int i = 0; i < m; ++i) v[i] += 1;\n"
      "}\n";
  EXPECT_EQ(stale(std::string(kSend) + "    step(u, n);\n" + kBring, {}, step), "no");
  EXPECT_EQ(stale(std::string(kSend) + "    step(u, n);\n    u[0] = 1;\n    step(u, n);\n" + kBring,
                  {}, step),
            "yes");
}

/// Two arrays whose pointers the loop exchanges.
class CoherenceOfPieces : public EditTest {
 protected:
  [[nodiscard]] std::string stale(const std::string& in_loop,
                                  const std::string& before_main = {}) const {
    const File file =
        write("pieces.cpp",
              "#include <cstdio>\n#include <cstdlib>\n#include <utility>\n" + before_main +
                  "int main(int argc, char** argv) {\n"
                  "  int n = 100;\n  int steps = argc > 1 ? atoi(argv[1]) : 9;\n"
                  "  double* u = new double[n];\n  double* v = new double[n];\n"
                  "  for (int i = 0; i < n; ++i) u[i] = v[i] = i;\n"
                  "  for (int k = 0; k < steps; ++k) {  // loop\n"
                  "#pragma omp target data map(tofrom: u[0:n], v[0:n])  // mapped\n    {\n" +
                  in_loop + "  }\n  }\n  std::printf(\"%g %g\\n\", u[7], v[7]);\n}\n");
    Request request = testing::asked(file, {});
    request.is_whole = true;
    const Place mapped = file.at("// mapped");
    request.stretches = {Stretch{0, "loop", {file.at("// loop")}, {}, false, {}}};
    request.stretches[0].items = {{"u[0:n]", mapped}, {"v[0:n]", mapped}};
    const Answer answer = answer_to(request);
    if (!answer.errors.empty()) throw std::logic_error(answer.errors.front());
    const HostUse& use = answer.facts.value().stretches.at(0).items.at(0).stale;
    return use.use == "unknown" ? use.why : use.use;
  }
};

constexpr const char* kStep =
    "#pragma omp target teams distribute parallel for\n"
    "    for (int i = 0; i < n; ++i) v[i] = u[i] + v[i];\n";
constexpr const char* kBoth =
    "#pragma omp target teams distribute parallel for\n"
    "    for (int i = 0; i < n; ++i) { v[i] += u[i]; u[i] += 1; }\n";
constexpr const char* kShowU = "    if (k % 3 == 0) std::printf(\"%g\\n\", u[2]);\n";
constexpr const char* kShowV = "    if (k % 3 == 0) std::printf(\"%g\\n\", v[2]);\n";
constexpr const char* kBringU = "#pragma omp target update from(u[0:n])\n";
constexpr const char* kBringV = "#pragma omp target update from(v[0:n])\n";
constexpr const char* kSwap = "    std::swap(u, v);\n";

TEST_F(CoherenceOfPieces, AnUpdateIsOfThePieceThatItNames) {
  const std::string both = kBoth;
  EXPECT_EQ(stale(both + kBringU + kShowU + kSwap), "no");
  EXPECT_EQ(stale(both + kBringU + kShowV + kSwap), "yes");
  EXPECT_EQ(stale(both + kBringU + kBringV + kShowV + kSwap), "no");
  EXPECT_EQ(stale(kStep + std::string(kBringU) + kShowV + kSwap), "yes");
  EXPECT_EQ(stale(kStep + std::string(kShowU) + kSwap), "no") << "the region has not written it";
}

TEST_F(CoherenceOfPieces, ANameStandsForAnotherPieceBehindAnExchange) {
  const std::string step = kStep;
  const std::string by_hand = "    double* kept = u;\n    u = v;\n    v = kept;\n";
  EXPECT_EQ(stale(step + kSwap + kBringU + kShowU), "no");
  EXPECT_EQ(stale(step + kSwap + kBringV + kShowU), "yes");
  EXPECT_EQ(stale(step + by_hand + kBringU + kShowU), "no");
  EXPECT_EQ(stale(step + by_hand + kBringV + kShowU), "yes");
  EXPECT_EQ(stale(step + kSwap + kShowV), "no");
}

TEST_F(CoherenceOfPieces, AConditionIsTheSameWhereNothingSetsItsVariables) {
  const auto asked = [](const std::string& condition, const std::string& between) {
    return kStep + std::string("#pragma omp target update if(") + condition +
           " == 0) from(v[0:n])\n" + between + "#pragma omp target if(target: " + condition +
           " != 0) map(tofrom: sum)\n    sum += v[2];\n";
  };
  const std::string c = "    double sum = 0;\n    int c = k % 2;\n";
  EXPECT_EQ(stale(c + asked("c", "") + kSwap), "no");
  EXPECT_EQ(stale(c + asked("c", "    c = 0;\n") + kSwap), "yes");
  EXPECT_EQ(stale(c + "    int& r = c;\n" + asked("r", "    c = 0;\n") + kSwap), "yes");
  EXPECT_EQ(stale(c + asked("c", "    {\n    int c = k % 3;\n") + "    }\n" + kSwap), "yes")
      << "of another variable of that name";
}

TEST_F(CoherenceOfPieces, ParametersAreWhatTheyAreHanded) {
  const std::string function =
      "static void step(double* from, double* to, int n) {\n"
      "#pragma omp target teams distribute parallel for\n"
      "  for (int i = 0; i < n; ++i) to[i] += from[i];\n"
      "}\n";
  EXPECT_EQ(stale("    step(u, v, n);\n" + std::string(kBringV) + kShowV + kSwap, function), "no");
  EXPECT_EQ(stale("    step(u, v, n);\n" + std::string(kBringU) + kShowV + kSwap, function), "yes");
  EXPECT_EQ(stale("    step(u, v, n);\n    step(v, u, n);\n" + std::string(kBringV) + kShowV +
                      kShowU + kSwap,
                  function),
            "yes");
}

}  // namespace
}  // namespace ompdm::edit::coherence_test
