// `ompdm doctor` and the recorder find the same CUPTI, wherever it is.
#include <dlfcn.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <optional>

#include "met.h"
#include "ompdm/trace_file.h"

namespace ompdm::e2e::places_test {
namespace {

namespace fs = std::filesystem;

struct Place {
  const char* name;
  const char* folder;         ///< in a folder of its own, where CUPTI is
  const char* file;           ///< its name there
  const char* variable = "";  ///< that names `value` in that folder
  const char* value = "";
  const char* driver = "13000";
};
void PrintTo(const Place& place, std::ostream* out) { *out << place.name; }

class CuptiPlaces : public testing::TestWithParam<Place> {};

/// The path that doctor says; none if it says that there is none.
std::optional<std::string> told_by_doctor(const Command& command, const fs::path& folder) {
  const Ended doctor = e2e::run(command, folder);
  constexpr std::string_view kFound = "CUPTI ";
  const std::size_t at = doctor.out.find("ok:   CUPTI ");
  if (at == std::string::npos) {
    EXPECT_NE(doctor.out.find("no CUPTI of CUDA 11 to "), std::string::npos) << doctor.out;
    return std::nullopt;
  }
  const std::size_t begin = doctor.out.find(kFound, at) + kFound.size();
  const std::string line = doctor.out.substr(begin, doctor.out.find('\n', begin) - begin);
  return line.substr(0, line.find(" ("));
}

TEST_P(CuptiPlaces, AreTheSameForDoctorAndRecorder) {
  const Place& place = GetParam();
  const bool installed = std::string_view(place.variable).starts_with("CUDA_");
  if (installed && dlopen(place.file, RTLD_LAZY | RTLD_LOCAL) != nullptr) {
    GTEST_SKIP() << "the loader of this machine finds a " << place.file << " before";
  }
  const Folder folder;
  const fs::path root = fs::canonical(folder.path());
  const fs::path driver = root / "driver/lib";
  fs::create_directories(driver);
  fs::create_symlink(OMPDM_STANDIN_LIBRARIES "/libcuda.so", driver / "libcuda.so");
  const fs::path cupti = root / place.folder / place.file;
  const bool is_11 = std::string_view(place.file).starts_with("libcupti.so.11");
  fs::create_directories(cupti.parent_path());
  fs::create_symlink(is_11 ? OMPDM_STANDIN_LIBRARIES "/11/libcupti.so.11.8"
                           : OMPDM_STANDIN_LIBRARIES "/libcupti.so.13",
                     cupti);
  std::map<std::string, std::string> environment = {{"LD_LIBRARY_PATH", driver.string()},
                                                    {"STANDIN_DRIVER", place.driver},
                                                    {"OMP_TARGET_OFFLOAD", "MANDATORY"}};
  if (*place.variable != '\0') {
    std::string& value = environment[place.variable];
    value = (value.empty() ? "" : value + ":") + (root / place.value).string();
  }
  const auto told = told_by_doctor({{OMPDM_COMMAND, "doctor"}, environment}, root);
  Command record{{OMPDM_COMMAND, "record", "--", OMPDM_CUDA_PROGRAMS "/shapes"}, environment};
  EXPECT_EQ(e2e::run(record, root).status, 0);
  const Trace trace = read_trace(root / "trace.json");
  EXPECT_EQ(told, cupti.string());
  EXPECT_EQ(trace.recording.cupti, "on");
  EXPECT_EQ(trace.recording.cupti_version, is_11 ? 13U : 130001U);
}

INSTANTIATE_TEST_SUITE_P(
    , CuptiPlaces,
    testing::Values(
        Place{"beside_the_driver", "driver/lib", "libcupti.so.13"},
        Place{"in_extras_beside_the_driver", "driver/extras/CUPTI/lib64", "libcupti.so.13"},
        Place{"on_the_loaders_path", "path", "libcupti.so.13", "LD_LIBRARY_PATH", "path"},
        Place{"under_cuda_home", "cuda/extras/CUPTI/lib64", "libcupti.so.12", "CUDA_HOME", "cuda",
              "12040"},
        Place{"under_cuda_path", "cuda/targets/x86_64-linux/lib", "libcupti.so.12", "CUDA_PATH",
              "cuda", "12040"},
        Place{"chosen", "mine", "libcupti.so.13", "OMPDM_CUPTI_LIBRARY", "mine/libcupti.so.13"},
        Place{"by_the_minor_version", "driver/lib", "libcupti.so.11.3", "", "", "11080"}),
    [](const auto& test) { return std::string(test.param.name); });

// A machine may have CUPTI in the system's own folders: whatever is found, both find it.
TEST(Cuda, DoctorFindsNoCuptiWhereTheRecorderFindsNone) {
  const Folder folder;
  const fs::path root = fs::canonical(folder.path());
  fs::create_symlink(OMPDM_STANDIN_LIBRARIES "/libcuda.so", root / "libcuda.so");
  fs::create_symlink(OMPDM_STANDIN_LIBRARIES "/libcupti.so.13", root / "libcupti.so.13");
  const std::map<std::string, std::string> environment = {{"LD_LIBRARY_PATH", root.string()},
                                                          {"STANDIN_DRIVER", "11080"},
                                                          {"OMP_TARGET_OFFLOAD", "MANDATORY"}};
  const auto told = told_by_doctor({{OMPDM_COMMAND, "doctor"}, environment}, root);
  Command record{{OMPDM_COMMAND, "record", "--", OMPDM_CUDA_PROGRAMS "/shapes"}, environment};
  EXPECT_EQ(e2e::run(record, root).status, 0);
  EXPECT_EQ(told.has_value(), read_trace(root / "trace.json").recording.cupti == "on");
  EXPECT_NE(told, (root / "libcupti.so.13").string());  // newer than its driver
}

}  // namespace
}  // namespace ompdm::e2e::places_test
