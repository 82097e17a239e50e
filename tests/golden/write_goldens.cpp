// Writes tests/golden again: `cmake --build build --target update_goldens`. Read the difference
// before committing it. For each scene it writes report.txt, and the other golden files in the
// scene's folder. To add a golden file, put an empty file of its name there.
#include <cstdio>
#include <filesystem>
#include <fstream>

#include "goldens.h"
#include "ompdm/trace_file.h"

namespace {

namespace fs = std::filesystem;
namespace test = ompdm::test;

void write_traces(const test::Scene& scene, const fs::path& folder) {
  for (std::size_t i = 0; i < scene.traces.size(); ++i) {
    const std::string number = std::to_string(i);
    const fs::path path =
        folder / (scene.traces.size() == 1
                      ? "trace.json"
                      : (scene.inputs ? "trace.run" : "trace.rank") + number + ".json");
    ompdm::write_trace(scene.traces[i], path);
    // A file that was cut short has all but its closing line.
    if (scene.traces[i].truncated) fs::resize_file(path, fs::file_size(path) - 2);
  }
}

void write(const std::vector<test::Golden>& goldens) {
  for (const test::Golden& golden : goldens) {
    std::ofstream(golden.file, std::ios::binary) << golden.text;
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2 || !fs::is_directory(argv[1])) {
    std::fprintf(stderr, "usage: %s FOLDER\n", argv[0]);
    return 2;
  }
  const fs::path root = argv[1];
  for (const test::Scene& scene : test::scenes()) {
    const fs::path folder = root / scene.name;
    fs::create_directories(folder);
    write_traces(scene, folder);
    std::ofstream(folder / "report.txt", std::ios::app);
    write(test::goldens_of(folder));
  }
  for (const test::SceneComparison& pair : test::comparisons()) {
    fs::create_directories(root / pair.name);
    write(test::goldens_of(root, pair));
  }
}
