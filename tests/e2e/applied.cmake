# What findings say to change, changed: built and recorded again.
if(NOT OMPDM_BUILD_KERNELS)
  return()
endif()
add_library(e2e_applied STATIC applied/code_text.cpp applied/edit_text.cpp
  applied/source_patch.cpp applied/applier.cpp applied/programs.cpp applied/program_list.cpp
  applied/findings_programs.cpp applied/cases.cpp applied/edited_program.cpp applied/printed.cpp applied/check.cpp)
target_include_directories(e2e_applied PUBLIC ${CMAKE_CURRENT_SOURCE_DIR}/applied)
target_link_libraries(e2e_applied PUBLIC e2e_support ompdm_pragmas fmt::fmt PRIVATE ompdm_options ompdm_verbs)
target_sources(e2e_test PRIVATE applied/applied_test.cpp applied/applier_test.cpp)
target_link_libraries(e2e_test PRIVATE e2e_applied)
add_executable(applied_edits EXCLUDE_FROM_ALL applied/applied_edits.cpp)
target_link_libraries(applied_edits PRIVATE ompdm_options e2e_applied)
add_dependencies(by_hand applied_edits)
get_property(e2e_built DIRECTORY PROPERTY E2E_PROGRAMS)
foreach(name e2e_test applied_edits)
  add_dependencies(${name} ${e2e_built} vadd pi jacobi heat endings_plain endings_late verbs_data_only)
endforeach()
