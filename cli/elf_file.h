// ELF files, and the libraries that the dynamic loader will take.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ompdm::cli {

/// A device image of LLVM in a program.
struct OffloadImage {
  std::string triple;        ///< "x86_64-pc-linux-gnu", "nvptx64-nvidia-cuda"
  std::string architecture;  ///< "sm_90"; empty for a host device
  bool is_elf = false;       ///< an ELF image (a cubin, a shared object): `elf_flags` is known
  std::uint32_t elf_flags = 0;
  bool operator==(const OffloadImage&) const = default;
};

/// The images in the contents of a `.llvm.offloading` section. Data that cannot be parsed ends the
/// list.
std::vector<OffloadImage> parse_offload_images(std::string_view section);

/// Whether the e_flags of a cubin hide its architecture from LLVM before 22. ptxas and nvlink of
/// CUDA 13 moved it out of the low byte. The runtime then counts no device, without a message.
bool hides_its_architecture(const OffloadImage& image);

struct ElfFile {
  std::uint16_t machine = 0;  ///< e_machine
  bool is_64_bit = true;
  std::string interpreter;          ///< PT_INTERP: the dynamic loader; empty if there is none
  bool dynamic = false;             ///< has a dynamic section
  std::vector<std::string> needed;  ///< DT_NEEDED in order
  std::string soname;               ///< DT_SONAME
  std::string run_path;             ///< DT_RUNPATH, else DT_RPATH, as written ($ORIGIN unexpanded)
  bool has_symbols = false;         ///< .symtab: not stripped
  bool has_debug_info = false;      ///< .debug_info or its compressed form
  bool tells_names = false;  ///< holds places in the source, as directives hand them to the runtime
  bool offloads = false;  ///< LLVM's OpenMP offloading: a table of kernels, or calls of directives
  bool has_target_regions = false;  ///< by .symtab; for the host alone, unless it `offloads`
  bool has_gcc_offload = false;     ///< gcc's offload tables
  bool defines_tool = false;        ///< exports ompt_start_tool: an OMPT tool of its own
  bool connects_offload = false;  ///< exports ompt_libomp_connect: libomptarget can reach OMPT here
  bool opens_libraries = false;   ///< imports dlopen
  bool is_library = false;        ///< a shared object that is no program
  std::vector<OffloadImage> offload_images;
  std::string build_id;  ///< lower-case hexadecimal; empty if it has none

  /// A program that the kernel starts without a dynamic loader.
  [[nodiscard]] bool is_static() const { return interpreter.empty() && !is_library; }
};

/// The bytes of a section; empty if there is none of that name.
std::string section_of(const std::filesystem::path& path, std::string_view name);

/// Reads the facts of `path`; nothing if it cannot be read or is no ELF file.
std::optional<ElfFile> read_elf(const std::filesystem::path& path);

struct LoadedLibrary {
  std::string name;            ///< as asked for: "libomp.so.5"
  std::filesystem::path path;  ///< where it was found; empty if it was not
  ElfFile file = {};           ///< as loaded_libraries() reads it; empty if it cannot be read
};

/// The libraries that `program` (a path) loads at its start in this process's environment, in load
/// order. A library names no interpreter: then these are the libraries that it adds to a program
/// like this command. Empty if the loader could not be asked.
std::vector<LoadedLibrary> loaded_libraries(const std::filesystem::path& program,
                                            const std::string& interpreter);

/// The library whose name starts with `prefix`, or null.
const LoadedLibrary* find_library(const std::vector<LoadedLibrary>& libraries,
                                  std::string_view prefix);

/// Where a dlopen("NAME") without any RUNPATH would find a library under this process's
/// environment: LD_LIBRARY_PATH, the loader's cache, the system's folders. Empty if nowhere.
std::filesystem::path search_library(const std::string& name);

/// The same for a call made from a library at `caller`, whose run path is searched as well.
std::filesystem::path search_library_from(const std::string& name,
                                          const std::filesystem::path& caller);

}  // namespace ompdm::cli
