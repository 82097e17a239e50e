// The applier itself, on sources that make it hard to see where code begins and ends.
#include "applier.h"

#include <gtest/gtest.h>

#include <fstream>

#include "run.h"

namespace ompdm::e2e::applier_test {
namespace {

using Json = nlohmann::json;

/// A source, and edits on it.
class Edited {
 public:
  explicit Edited(const std::string& text) : path_(folder_.path() / "a.c") {
    std::ofstream(path_) << text;
  }

  [[nodiscard]] Json edit(const char* kind, const char* of, const char* side, int line) const {
    return {{"kind", kind},
            {"of", of},
            {"side", side},
            {"places", {{{"file", path_}, {"line", line}, {"function", "f"}}}},
            {"when", "always"},
            {"after_taskwait", false},
            {"in_scope", true},
            {"devices", {0}},
            {"clauses", Json::array()},
            {"pragmas", Json::array()}};
  }
  static Json clause(const char* kind, const std::vector<std::string>& expressions) {
    Json items = Json::array();
    for (const std::string& one : expressions) {
      items.push_back(
          {{"expression", one}, {"objects", Json::array()}, {"named_at", {{"function", "f"}}}});
    }
    return {{"kind", kind}, {"items", items}};
  }

  /// The source with these edits; why not, if they cannot be made.
  std::string with(const std::vector<Json>& edits) {
    Applier applier;
    const Json finding = {{"edits", edits}, {"file", path_}, {"unreached", Json::array()}};
    const Applied applied = applier.apply(finding);
    return applied.left.empty() ? applier.results().at(path_).text : "left: " + applied.left;
  }

  /// With a directive before and one behind the loop.
  std::string around_loop(int line) {
    Json before = edit("insert", "loop", "before", line);
    Json behind = edit("insert", "loop", "after", line);
    before["pragmas"] = {"#pragma omp target enter data map(to: a)"};
    behind["pragmas"] = {"#pragma omp target exit data map(from: a)"};
    return with({before, behind});
  }

 private:
  Folder folder_;
  std::filesystem::path path_;
};

const std::string kEnter = "\n#pragma omp target enter data map(to: a)\n";
const std::string kExit = "\n#pragma omp target exit data map(from: a)\n";

TEST(Applier, KnowsWhatIsNoCode) {
  const std::string head = "void f() {\n  ";
  const std::string loop =
      "for (int i = 0; i < 1'000; ++i) {  // }\n    puts(\"}\");  /* } */\n    c = '}';\n"
      "    puts(R\"x(}\")x\");\n#define END }\n  }";
  EXPECT_EQ(Edited(head + loop + "\n}\n").around_loop(2), head + kEnter + loop + kExit + "\n}\n");
}

TEST(Applier, TakesALoopWithoutBracesToItsEnd) {
  const std::string head = "void f() {\n  ";
  const std::string loop =
      "for (int i = 0;\n       i < 3; ++i)\n    if (i) g(h({1, 2}));\n    else\n      while (k()) "
      "g(2);";
  EXPECT_EQ(Edited(head + loop + " g(3);\n}\n").around_loop(3),
            head + kEnter + loop + kExit + " g(3);\n}\n");
}

TEST(Applier, GoesBeforeWhatBelongsToTheLoop) {
  const std::string head = "void f() {\n";
  const std::string loop =
      "#pragma omp parallel \\\n    num_threads(2)\n#pragma omp for\n  for (int i = 0; i < 3; ++i) "
      "g();";
  for (const int line : {4, 5}) {
    EXPECT_EQ(Edited(head + loop + "\n}\n").around_loop(line),
              head + kEnter + loop + kExit + "\n}\n");
  }
}

TEST(Applier, PutsBracesWhereOneStatementStands) {
  EXPECT_EQ(Edited("void f() {\n  if (k)\n    while (g()) h();\n}\n").around_loop(3),
            "void f() {\n  if (k)\n    \n{\n" + kEnter + "while (g()) h();" + kExit + "\n}\n\n}\n");
}

TEST(Applier, GoesBeforeEachReturn) {
  EXPECT_EQ(Edited("int f() {\n  for (;;) {\n    if (k) return 1;\n"
                   "    g([] { return 2; });\n  }\n}\n")
                .around_loop(2),
            "int f() {\n  " + kEnter + "for (;;) {\n    if (k) \n{\n" + kExit +
                "return 1;\n}\n\n    g([] { return 2; });\n  }" + kExit + "\n}\n");
}

TEST(Applier, LeavesTwoLoopsOfOneLine) {
  EXPECT_EQ(Edited("void f() { for (;;) g(); for (;;) h(); }\n").around_loop(1),
            "left: no one loop in its line");
}

TEST(Applier, TakesItemsOutOfContinuedLines) {
  Edited source(
      "void f() {\n#pragma omp target map(to : a[0 : n], /* */ b) \\\n"
      "    map(from : c) reduction(+ : s) nowait  // why\n  g();\n}\n");
  Json edit = source.edit("leave_out", "directive", "at", 2);
  edit["clauses"] = {Edited::clause("", {"a[0:n]", "c"})};
  EXPECT_EQ(source.with({edit}),
            "void f() {\n#pragma omp target map(to: b) reduction(+ : s) nowait\n  g();\n}\n");
}

TEST(Applier, RemovesWhatHasNoItemsLeft) {
  Edited source("void f() {\n#pragma omp target update to(a[0:n])\n  g();\n}\n");
  Json edit = source.edit("remove", "directive", "at", 2);
  edit["clauses"] = {Edited::clause("to", {"a[0:n]"})};
  EXPECT_EQ(source.with({edit}), "void f() {\n\n  g();\n}\n");
  edit["clauses"] = {Edited::clause("to", {"b"})};
  EXPECT_EQ(source.with({edit}), "left: no item b in its directive");
}

TEST(Applier, ReplacesMapTypes) {
  Edited source("void f() {\n#pragma omp target map(tofrom : a, b) map(to : c)\n  g();\n}\n");
  Json edit = source.edit("replace", "directive", "at", 2);
  edit["clauses"] = {Edited::clause("to", {"a"}), Edited::clause("firstprivate", {"d"})};
  EXPECT_EQ(source.with({edit}),
            "void f() {\n#pragma omp target map(tofrom: b) map(to: c, a) firstprivate(d)\n"
            "  g();\n}\n");
}

TEST(Applier, UpdatesWhereTheHostUsesIt) {
  Edited source(
      "void f() {\n  for (;;) {\n    x = a[1];  // host: reads a\n"
      "    b = 1;  // host: changes b\n  }\n}\n");
  Json uses = source.edit("insert", "loop", "within", 2);
  uses["when"] = "host_uses";
  uses["clauses"] = {Edited::clause("from", {"a[0:n]", "b"})};
  uses["pragmas"] = {"#pragma omp target update from(a[0:n], b)"};
  EXPECT_EQ(source.with({uses}),
            "void f() {\n  for (;;) {\n    \n#pragma omp target update from(a[0:n])\nx = a[1];  // "
            "host: reads a\n    b = 1;  // host: changes b\n  }\n}\n");
}

TEST(Applier, LeavesWhatIsInWords) {
  Edited source("void f() {\n  for (;;) g();\n}\n");
  Json edit = source.edit("insert", "loop", "before", 2);
  edit["in_scope"] = false;
  edit["places"][0]["line"] = 0;
  EXPECT_EQ(source.with({edit}), "left: a loop without a line");
}

}  // namespace
}  // namespace ompdm::e2e::applier_test
