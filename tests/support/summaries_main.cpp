// Writes made-up summaries of a job's ranks into a folder, for measurements: FOLDER COUNT.
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "ompdm/summary.h"
#include "summary/random_summary.h"

int main(int argc, char** argv) {
  if (argc != 3) return EXIT_FAILURE;
  const std::filesystem::path folder = argv[1];
  const int count = std::atoi(argv[2]);
  std::filesystem::create_directories(folder);
  for (int rank = 0; rank < count; ++rank) {
    std::ofstream out(folder / ("trace.rank" + std::to_string(rank) + ".summary.json"));
    out << ompdm::summary::to_json(ompdm::test::random_summary(rank, count));
    if (!out) return EXIT_FAILURE;
  }
  return EXIT_SUCCESS;
}
