# What findings say to change, changed: built and recorded again.
if(NOT OMPDM_BUILD_KERNELS)
  return()
endif()
add_library(e2e_applied STATIC applied/code_text.cpp applied/statements.cpp applied/edit_text.cpp
  applied/source_patch.cpp applied/applier.cpp applied/programs.cpp applied/program_list.cpp
  applied/findings_programs.cpp applied/edited_program.cpp applied/check.cpp)
target_include_directories(e2e_applied PUBLIC ${CMAKE_CURRENT_SOURCE_DIR}/applied)
target_link_libraries(e2e_applied PUBLIC e2e_support ompdm_pragmas fmt::fmt PRIVATE ompdm_options)
add_executable(e2e_applied_test applied/applied_test.cpp applied/applier_test.cpp)
target_link_libraries(e2e_applied_test PRIVATE ompdm_options e2e_applied GTest::gtest_main)
add_executable(applied_edits applied/applied_edits.cpp)
target_link_libraries(applied_edits PRIVATE ompdm_options e2e_applied)
get_property(e2e_built DIRECTORY PROPERTY E2E_PROGRAMS)
foreach(name e2e_applied_test applied_edits)
  add_dependencies(${name} ${e2e_built} vadd pi jacobi heat endings_plain endings_late verbs_data_only)
endforeach()
gtest_discover_tests(e2e_applied_test NO_PRETTY_VALUES TEST_PREFIX e2e. DISCOVERY_MODE PRE_TEST
  PROPERTIES LABELS e2e TIMEOUT 300)
