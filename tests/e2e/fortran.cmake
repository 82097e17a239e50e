# Fortran: programs of data directives alone, for flang (19 to 22) links no kernels for host devices.
#
#   OMPDM_FLANG   cache: the Fortran compiler for offload programs; empty: the flang of the C++ one's version, beside it or
#                 installed. Without any the tests are skipped.
set(OMPDM_FLANG "" CACHE STRING "Fortran compiler for offload programs (empty: search)")
unset(flang)
if(OMPDM_FLANG)
  set(flang "${OMPDM_FLANG}")
else()
  string(REGEX MATCH "^[0-9]+" major "${OMPDM_OFFLOAD_VERSION}")
  cmake_path(GET OMPDM_OFFLOAD_CXX PARENT_PATH beside)
  find_program(flang NAMES flang-new-${major} flang-${major} HINTS "${beside}" NO_CACHE)
endif()
if(flang)
  file(REAL_PATH "${flang}" flang)
  # Where its libomptarget lies, and what that needs in turn: no program's run path is for that, so the tests set
  # LD_LIBRARY_PATH.
  execute_process(COMMAND "${flang}" --version OUTPUT_VARIABLE version ERROR_QUIET)
  if(NOT version MATCHES "flang.*InstalledDir: ([^\n]*)")
    message(FATAL_ERROR "OMPDM_FLANG: ${flang} is no flang")
  endif()
  cmake_path(GET CMAKE_MATCH_1 PARENT_PATH root)
  cmake_path(NORMAL_PATH root)
  set(fortran_libraries "${root}/lib:${root}/../${CMAKE_LIBRARY_ARCHITECTURE}")
else()
  message(STATUS "WARNING: no flang: the tests on Fortran programs are skipped. Install flang-${major}, or set OMPDM_FLANG.")
endif()

set(fortran_sources ${CMAKE_CURRENT_SOURCE_DIR}/fortran)
if(flang)
  set(modules "${CMAKE_CURRENT_BINARY_DIR}/fortran_modules")
  file(MAKE_DIRECTORY "${modules}" "${e2e_programs}")
  set(sources fields.f90 others.f90 legacy.f arrays.f90)
  list(TRANSFORM sources PREPEND "${fortran_sources}/")
  add_custom_command(
    OUTPUT "${e2e_programs}/arrays"
    COMMAND "${flang}" -O2 -g -fopenmp -fopenmp-targets=x86_64-pc-linux-gnu ${sources} -o "${e2e_programs}/arrays"
    WORKING_DIRECTORY "${modules}"
    DEPENDS ${sources} "${flang}"
    COMMENT "Compiling arrays for offload"
    VERBATIM)
  add_custom_target(e2e_arrays ALL DEPENDS "${e2e_programs}/arrays")
  add_dependencies(offload_programs e2e_arrays)
endif()

target_sources(e2e_test PRIVATE fortran_test.cpp)
target_compile_definitions(e2e_test PRIVATE OMPDM_FORTRAN_SOURCES="${fortran_sources}")
if(flang)
  add_dependencies(e2e_test e2e_arrays)
endif()
