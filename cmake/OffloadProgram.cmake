# Builds OpenMP-offload programs with a compiler of their own, whatever compiles the rest: g++ and
# older clangs cannot build a device image. And these programs are what is measured, so they are
# built the same way under every preset (build types and sanitizers do not reach them).
#
#   OMPDM_HAVE_OFFLOAD          result: ON when a compiler compiles and links a target region
#   OMPDM_OFFLOAD_CXX, _C       cache: that compiler; set them to choose another
#   OMPDM_OFFLOAD_TARGETS       cache: value of -fopenmp-targets; empty: left to the options below
#   OMPDM_OFFLOAD_OPTIONS       cache: more options for every program; for an NVIDIA GPU
#       -DOMPDM_OFFLOAD_TARGETS=nvptx64-nvidia-cuda
#       -DOMPDM_OFFLOAD_OPTIONS="--offload-arch=sm_90;--cuda-path=CUDA;--ptxas-path=PTXAS"
#       (not beside the host's target: in such a program the emulated devices come first)
#   OMPDM_OFFLOAD_LIBRARY_DIR   result: folder of that compiler's OpenMP runtime
#   OMPDM_OFFLOAD_VERSION       result: that compiler's version
#   offload_programs            target: every program made here, and what is added to it

set(OMPDM_OFFLOAD_CXX "" CACHE STRING "C++ compiler for OpenMP-offload programs (empty: search)")
set(OMPDM_OFFLOAD_C "" CACHE STRING "C compiler for them (empty: beside the C++ one)")
# Another C++ compiler than the one that worked brings the C compiler beside it, not that of before.
if(OMPDM_OFFLOAD_WORKS)
  list(GET OMPDM_OFFLOAD_WORKS 0 _ompdm_worked_cxx)
  list(GET OMPDM_OFFLOAD_WORKS 1 _ompdm_worked_c)
  if(NOT OMPDM_OFFLOAD_CXX STREQUAL _ompdm_worked_cxx AND OMPDM_OFFLOAD_C STREQUAL _ompdm_worked_c)
    set(OMPDM_OFFLOAD_C "" CACHE STRING "" FORCE)
  endif()
endif()
set(OMPDM_OFFLOAD_TARGETS "x86_64-pc-linux-gnu" CACHE STRING "Value of -fopenmp-targets")
set(OMPDM_OFFLOAD_OPTIONS "" CACHE STRING "More options for every OpenMP-offload program")

# Folder of a compiler's OpenMP runtime, which the dynamic loader does not search; empty if it has none.
function(_ompdm_offload_library_dir compiler result)
  set(folder "")
  execute_process(COMMAND "${compiler}" -print-file-name=libomptarget.so
    OUTPUT_VARIABLE library OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  if(IS_ABSOLUTE "${library}")
    get_filename_component(folder "${library}" DIRECTORY)
    file(REAL_PATH "${folder}" folder)
  endif()
  set(${result} "${folder}" PARENT_SCOPE)
endfunction()

function(_ompdm_offload_default_options compiler result)
  set(options -O2 -g -fopenmp)
  if(OMPDM_OFFLOAD_TARGETS)
    list(APPEND options "-fopenmp-targets=${OMPDM_OFFLOAD_TARGETS}")
  endif()
  # Debian's clang does not look for the device's runtime beside the host's.
  if(OMPDM_OFFLOAD_TARGETS MATCHES "nvptx" AND NOT OMPDM_OFFLOAD_OPTIONS MATCHES "libomptarget-nvptx-bc-path")
    _ompdm_offload_library_dir("${compiler}" folder)
    if(folder)
      list(APPEND options "--libomptarget-nvptx-bc-path=${folder}")
    endif()
  endif()
  set(${result} ${options} ${OMPDM_OFFLOAD_OPTIONS} PARENT_SCOPE)
endfunction()

# try_compile() only knows the project's own compiler, so the attempt is made by hand.
function(_ompdm_can_offload compiler extension result)
  set(folder "${CMAKE_BINARY_DIR}/CMakeFiles/ompdm-offload")
  set(source "${folder}/region.${extension}")
  file(WRITE "${source}" "int main(void) {
  int x = 1;
#pragma omp target map(tofrom: x)
  x = 0;
  return x;
}
")
  _ompdm_offload_default_options("${compiler}" options)
  execute_process(
    COMMAND "${compiler}" ${options} "${source}" -o "${folder}/region"
    RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE output TIMEOUT 120)
  if(status EQUAL 0)
    set(${result} ON PARENT_SCOPE)
  else()
    string(REGEX MATCH "error: [^\n]*" reason "${output}")
    set(_ompdm_offload_reason "${compiler}: ${reason}" PARENT_SCOPE)
    set(${result} OFF PARENT_SCOPE)
  endif()
endfunction()

# The oldest LLVM whose runtime tells what a transfer is; 14 builds images as well.
set(_ompdm_oldest_llvm 19)

function(_ompdm_find_offload_compilers)
  set(candidates "${OMPDM_OFFLOAD_CXX}")
  if(NOT OMPDM_OFFLOAD_CXX)
    # What scripts/llvm unpacked is for where nothing is installed.
    file(GLOB unpacked "${PROJECT_SOURCE_DIR}/build/llvm-*/usr/bin/clang++-[1-9][0-9]")
    set(candidates "")
    foreach(version RANGE ${_ompdm_oldest_llvm} 29)
      list(APPEND candidates clang++-${version})
    endforeach()
    list(APPEND candidates clang++ ${unpacked})
    if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
      list(PREPEND candidates "${CMAKE_CXX_COMPILER}")
    endif()
  endif()
  set(reasons "")
  foreach(candidate IN LISTS candidates)
    find_program(cxx "${candidate}" NO_CACHE)
    set(version "")
    if(cxx AND NOT OMPDM_OFFLOAD_CXX)
      execute_process(COMMAND "${cxx}" -dumpversion OUTPUT_VARIABLE version ERROR_QUIET
        OUTPUT_STRIP_TRAILING_WHITESPACE)
    endif()
    if(version AND version VERSION_LESS _ompdm_oldest_llvm)
      list(APPEND reasons "${cxx}: LLVM ${version} is older than ${_ompdm_oldest_llvm}")
    elseif(cxx)
      cmake_path(ABSOLUTE_PATH cxx BASE_DIRECTORY "${PROJECT_SOURCE_DIR}" NORMALIZE)
      string(REGEX REPLACE "clang\\+\\+([^/]*)$" "clang\\1" c "${cxx}")
      if(OMPDM_OFFLOAD_C)
        find_program(chosen_c "${OMPDM_OFFLOAD_C}" NO_CACHE REQUIRED)
        set(c "${chosen_c}")
      endif()
      _ompdm_can_offload("${cxx}" cpp able)
      if(able)
        _ompdm_can_offload("${c}" c able)
      endif()
      if(able)
        set(OMPDM_OFFLOAD_CXX "${cxx}" CACHE STRING "" FORCE)
        set(OMPDM_OFFLOAD_C "${c}" CACHE STRING "" FORCE)
        return()
      endif()
      list(APPEND reasons "${_ompdm_offload_reason}")
    endif()
    unset(cxx)
  endforeach()
  if(NOT reasons)
    list(JOIN candidates ", " candidates)
    set(reasons "none of these was found: ${candidates}")
  endif()
  list(JOIN reasons ", " reasons)
  set(_ompdm_offload_reason "${reasons}" PARENT_SCOPE)
endfunction()

macro(_ompdm_offload_choice result)
  set(${result} "${OMPDM_OFFLOAD_CXX}" "${OMPDM_OFFLOAD_C}" "${OMPDM_OFFLOAD_TARGETS}"
    "${OMPDM_OFFLOAD_OPTIONS}")
endmacro()

# Trying takes seconds: once a choice has worked, only another choice is tried.
_ompdm_offload_choice(_ompdm_choice)
if(NOT OMPDM_OFFLOAD_CXX OR NOT OMPDM_OFFLOAD_WORKS STREQUAL _ompdm_choice)
  set(_ompdm_offload_reason "")
  _ompdm_find_offload_compilers()
  if(_ompdm_offload_reason)
    set(OMPDM_OFFLOAD_WORKS "" CACHE INTERNAL "")
  else()
    _ompdm_offload_choice(_ompdm_choice)
    set(OMPDM_OFFLOAD_WORKS "${_ompdm_choice}" CACHE INTERNAL "The choice that was seen to work")
    list(JOIN OMPDM_OFFLOAD_OPTIONS " " _ompdm_options)
    message(STATUS
      "Offload programs: ${OMPDM_OFFLOAD_CXX} for ${OMPDM_OFFLOAD_TARGETS} ${_ompdm_options}")
  endif()
endif()

set(OMPDM_OFFLOAD_LIBRARY_DIR "")
add_custom_target(offload_programs)
if(OMPDM_OFFLOAD_WORKS)
  set(OMPDM_HAVE_OFFLOAD ON)
  execute_process(COMMAND "${OMPDM_OFFLOAD_CXX}" -dumpversion
    OUTPUT_VARIABLE OMPDM_OFFLOAD_VERSION OUTPUT_STRIP_TRAILING_WHITESPACE)
  _ompdm_offload_library_dir("${OMPDM_OFFLOAD_CXX}" OMPDM_OFFLOAD_LIBRARY_DIR)
else()
  set(OMPDM_HAVE_OFFLOAD OFF)
  message(STATUS "WARNING: no compiler for OpenMP-offload programs (${_ompdm_offload_reason}): "
    "the kernels and their tests are left out, the rest is built. "
    "Run scripts/setup, or set OMPDM_OFFLOAD_CXX.")
endif()

# ompdm_add_offload_program(NAME [SOURCES] source... [C] [SHARED] [OUTPUT_NAME name]
#   [OUTPUT_DIRECTORY dir] [OPTIONS option...] [LINK item...] [DEFAULT_OPTIONS off]
#   [IN_PLACE] [DEPENDS file...])
#
# Adds the target NAME, part of ALL, which builds the program OUTPUT_NAME (default NAME), or with
# SHARED the library libOUTPUT_NAME.so. The file's path is the target's property OFFLOAD_PROGRAM.
#   OUTPUT_DIRECTORY  default `programs` in the current build folder, whose own names are targets'
#   C                 compile every source as C and link so; otherwise only *.c is compiled as C
#   OPTIONS           for each compilation and the link, after `-O2 -g -fopenmp
#                     -fopenmp-targets=...` and OMPDM_OFFLOAD_OPTIONS (unless DEFAULT_OPTIONS off)
#   LINK              what the compiler takes (-lx, a file), or a SHARED target made here before
#   IN_PLACE          compile each source in its folder, by its name alone, as make does there: then a
#                     trace of a copy of the program names a source that was copied with it
#   DEPENDS           headers of a source that is compiled IN_PLACE; of others they are found
function(ompdm_add_offload_program name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "C;SHARED;IN_PLACE" "OUTPUT_NAME;OUTPUT_DIRECTORY;DEFAULT_OPTIONS"
    "SOURCES;OPTIONS;LINK;DEPENDS")
  if(NOT OMPDM_HAVE_OFFLOAD)
    message(FATAL_ERROR "ompdm_add_offload_program(${name}): test OMPDM_HAVE_OFFLOAD first")
  endif()
  set(sources ${arg_UNPARSED_ARGUMENTS} ${arg_SOURCES})
  if(NOT sources)
    message(FATAL_ERROR "ompdm_add_offload_program(${name}): no source")
  endif()

  set(options "")
  if(NOT DEFINED arg_DEFAULT_OPTIONS OR arg_DEFAULT_OPTIONS)
    _ompdm_offload_default_options("${OMPDM_OFFLOAD_CXX}" options)
  endif()
  list(APPEND options ${arg_OPTIONS})
  if(NOT arg_OUTPUT_NAME)
    set(arg_OUTPUT_NAME "${name}")
  endif()
  if(NOT arg_OUTPUT_DIRECTORY)
    set(arg_OUTPUT_DIRECTORY "${CMAKE_CURRENT_BINARY_DIR}/programs")
  endif()
  set(output "${arg_OUTPUT_DIRECTORY}/${arg_OUTPUT_NAME}")
  set(kind_options "")
  set(link_options "")
  if(arg_SHARED)
    set(output "${arg_OUTPUT_DIRECTORY}/lib${arg_OUTPUT_NAME}.so")
    set(kind_options -fPIC)
    set(link_options -shared "-Wl,-soname,lib${arg_OUTPUT_NAME}.so")
  endif()

  set(folder "${CMAKE_CURRENT_BINARY_DIR}/${name}.dir")
  file(MAKE_DIRECTORY "${folder}" "${arg_OUTPUT_DIRECTORY}")
  set(objects "")
  foreach(source IN LISTS sources)
    cmake_path(ABSOLUTE_PATH source BASE_DIRECTORY "${CMAKE_CURRENT_SOURCE_DIR}" NORMALIZE)
    cmake_path(GET source FILENAME source_name)
    set(compiler "${OMPDM_OFFLOAD_CXX}")
    if(arg_C OR source MATCHES "\\.c$")
      set(compiler "${OMPDM_OFFLOAD_C}")
    endif()
    set(object "${folder}/${source_name}.o")
    set(given "${source}")
    set(finds_headers -MD -MF "${object}.d" -MT "${object}")
    set(place DEPFILE "${object}.d")
    if(arg_IN_PLACE)
      cmake_path(GET source PARENT_PATH source_folder)
      set(given "${source_name}")
      set(finds_headers "")
      set(place WORKING_DIRECTORY "${source_folder}")
    endif()
    add_custom_command(
      OUTPUT "${object}"
      COMMAND "${compiler}" ${options} ${kind_options} ${finds_headers} -c "${given}" -o "${object}"
      DEPENDS "${source}" "${compiler}" ${arg_DEPENDS}
      ${place}
      COMMENT "Compiling ${name}/${source_name} for offload"
      COMMAND_EXPAND_LISTS VERBATIM)
    list(APPEND objects "${object}")
  endforeach()

  set(run_paths "${OMPDM_OFFLOAD_LIBRARY_DIR}")
  set(items "")
  set(dependencies "")
  foreach(item IN LISTS arg_LINK)
    set(library "")
    if(TARGET "${item}")
      get_target_property(library "${item}" OFFLOAD_PROGRAM)
    endif()
    if(library)
      cmake_path(GET library PARENT_PATH library_folder)
      list(APPEND run_paths "${library_folder}")
      list(APPEND dependencies "${library}" "${item}")
      list(APPEND items "${library}")
    else()
      list(APPEND items "${item}")
    endif()
  endforeach()
  list(REMOVE_DUPLICATES run_paths)
  if(run_paths)
    list(JOIN run_paths ":" run_path)
    list(APPEND link_options "-Wl,--enable-new-dtags,-rpath,${run_path}")
  endif()
  set(compiler "${OMPDM_OFFLOAD_CXX}")
  if(arg_C)
    set(compiler "${OMPDM_OFFLOAD_C}")
  endif()
  add_custom_command(
    OUTPUT "${output}"
    COMMAND "${compiler}" ${options} -Wno-unused-command-line-argument ${link_options}
            ${objects} ${items} -o "${output}"
    DEPENDS ${objects} ${dependencies}
    COMMENT "Linking ${name} for offload"
    COMMAND_EXPAND_LISTS VERBATIM)
  add_custom_target(${name} ALL DEPENDS "${output}")
  add_dependencies(offload_programs ${name})
  set_target_properties(${name} PROPERTIES OFFLOAD_PROGRAM "${output}")
endfunction()
