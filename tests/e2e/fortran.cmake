# Fortran: programs of data directives alone, for flang (19 to 22) links no kernels for host devices.
#
#   OMPDM_FLANG   cache: Fortran compilers that offload, a list; empty: whichever is installed. One
#                 that is unpacked in a folder of its own wants a script that sets LD_LIBRARY_PATH.
set(OMPDM_FLANG "" CACHE STRING "Fortran compilers for offload programs (empty: search)")

function(find_flangs result)
  set(names ${OMPDM_FLANG})
  if(NOT names)
    set(names flang-new-19 flang-19 flang-22 flang)
  endif()
  set(found "")
  foreach(name IN LISTS names)
    find_program(compiler "${name}" NO_CACHE)
    if(compiler)
      file(REAL_PATH "${compiler}" compiler)
      list(APPEND found "${compiler}")
    elseif(OMPDM_FLANG)
      message(FATAL_ERROR "OMPDM_FLANG: ${name}: not found")
    endif()
    unset(compiler)
  endforeach()
  list(REMOVE_DUPLICATES found)
  set(${result} "${found}" PARENT_SCOPE)
endfunction()

# Where a compiler's own libomptarget lies, and what that needs in turn: no program's run path is
# for that, so the tests set LD_LIBRARY_PATH.
function(flang_library_path compiler result)
  execute_process(COMMAND "${compiler}" --version OUTPUT_VARIABLE version ERROR_QUIET)
  set(${result} "" PARENT_SCOPE)
  if(version MATCHES "InstalledDir: ([^\n]*)")
    cmake_path(GET CMAKE_MATCH_1 PARENT_PATH root)
    cmake_path(NORMAL_PATH root)
    set(${result} "${root}/lib:${root}/../${CMAKE_LIBRARY_ARCHITECTURE}" PARENT_SCOPE)
  endif()
endfunction()

set(fortran_sources ${CMAKE_CURRENT_SOURCE_DIR}/fortran)
set(fortran_programs "")
set(fortran_arguments "")
find_flangs(flangs)
foreach(compiler IN LISTS flangs)
  execute_process(COMMAND "${compiler}" --version OUTPUT_VARIABLE version ERROR_QUIET)
  if(NOT version MATCHES "flang[^\n]* version ([0-9]+)")
    message(STATUS "WARNING: ${compiler} is no flang: the tests on Fortran programs go without it")
    continue()
  endif()
  set(name "arrays_flang${CMAKE_MATCH_1}")
  if(TARGET e2e_${name})
    continue()
  endif()
  flang_library_path("${compiler}" library_path)
  set(folder "${CMAKE_CURRENT_BINARY_DIR}/e2e_${name}.dir")
  file(MAKE_DIRECTORY "${folder}" "${e2e_programs}")
  set(sources "${fortran_sources}/fields.f90" "${fortran_sources}/others.f90"
    "${fortran_sources}/legacy.f" "${fortran_sources}/arrays.f90")
  add_custom_command(
    OUTPUT "${e2e_programs}/${name}"
    COMMAND "${compiler}" -O2 -g -fopenmp -fopenmp-targets=x86_64-pc-linux-gnu ${sources}
            -o "${e2e_programs}/${name}"
    WORKING_DIRECTORY "${folder}"  # takes the modules' files
    DEPENDS ${sources} "${compiler}"
    COMMENT "Compiling ${name} for offload"
    VERBATIM)
  add_custom_target(e2e_${name} ALL DEPENDS "${e2e_programs}/${name}")
  list(APPEND fortran_programs ${name})
  list(APPEND fortran_arguments "${name}=${library_path}")
endforeach()
if(NOT fortran_programs)
  message(STATUS "WARNING: no flang: the tests on Fortran programs are skipped. "
    "Install flang-19, or set OMPDM_FLANG.")
endif()

list(JOIN fortran_arguments "|" fortran_list)
add_executable(e2e_fortran_test fortran_test.cpp)
target_link_libraries(e2e_fortran_test PRIVATE ompdm_options e2e_support GTest::gtest_main)
target_compile_definitions(e2e_fortran_test PRIVATE OMPDM_FORTRAN_SOURCES="${fortran_sources}"
  OMPDM_FORTRAN_PROGRAMS="${fortran_list}")
foreach(name IN LISTS fortran_programs)
  add_dependencies(e2e_fortran_test e2e_${name})
endforeach()
gtest_discover_tests(e2e_fortran_test NO_PRETTY_VALUES TEST_PREFIX e2e. DISCOVERY_MODE PRE_TEST
  PROPERTIES LABELS e2e TIMEOUT 120)
