# Two rungs of heat side by side, as scripts/demo does, and all of them as scripts/lesson does.
if(NOT OMPDM_BUILD_KERNELS)
  return()
endif()
target_sources(e2e_test PRIVATE compare_test.cpp)
add_dependencies(e2e_test heat jacobi)
add_test(NAME lesson COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/lesson_test.py
  ${PROJECT_SOURCE_DIR}/scripts/lesson ${PROJECT_BINARY_DIR})
set_tests_properties(lesson PROPERTIES LABELS e2e TIMEOUT 300)
