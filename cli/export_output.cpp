#include "export_output.h"

#include <filesystem>
#include <fstream>
#include <string_view>
#include <system_error>

#include "ompdm/error.h"
#include "ompdm/finish.h"
#include "ompdm/timeline.h"
#include "ompdm/trace_file.h"
#include "output.h"
#include "standard_input.h"

namespace ompdm::cli {
namespace {

namespace fs = std::filesystem;

constexpr const char* kRemedy = ": choose another name with -o";

bool is_database(const fs::path& path) {
  constexpr std::string_view kMagic("SQLite format 3\0", 16);
  std::string begin(kMagic.size(), '\0');
  std::ifstream file(path, std::ios::binary);
  file.read(begin.data(), static_cast<std::streamsize>(begin.size()));
  return begin == kMagic;
}

bool is_replaceable(const fs::path& path, ExportKind kind) {
  if (kind == ExportKind::kDatabase) return is_database(path);
  return is_timeline(path) || is_part(path);
}

}  // namespace

bool is_standard_output(const std::string& output) {
  return output == kStandardInput || output == "/dev/stdout";
}

void check_export_output(const std::string& output, ExportKind kind,
                         const std::vector<std::string>& inputs) {
  if (output == kStandardInput) {
    throw Error("-: a database cannot be written to standard output: name a file with -o",
                Error::Kind::kUsage);
  }
  refuse_input_as_output(output, inputs);
  std::error_code error;
  const fs::file_status status = fs::status(output, error);
  if (!fs::exists(status)) return;
  if (fs::is_directory(status)) throw Error(output + ": is a folder" + kRemedy);
  if (!fs::is_regular_file(status)) {
    throw Error(output + ": is a pipe or a device, where no file can be put" +
                (kind == ExportKind::kJson ? ": use -o - for standard output, or name a file"
                                           : ": name a file with -o"));
  }
  if (is_replaceable(output, kind)) return;
  throw Error(
      output +
      (is_trace(output) || is_spool(output) ? ": holds a recording" : ": is something else") +
      kRemedy);
}

}  // namespace ompdm::cli
