# What is known of data in real programs: which it is, and who may have changed it.
if(NOT OMPDM_BUILD_KERNELS)
  return()
endif()
set(e2e_evidence ${CMAKE_CURRENT_SOURCE_DIR}/evidence)
foreach(level O0 O2)
  add_e2e_program(identity_${level} ${e2e_evidence}/identity.cpp OPTIONS -std=c++20 -g -${level})
endforeach()
add_executable(e2e_evidence_test identity_test.cpp)
target_link_libraries(e2e_evidence_test PRIVATE ompdm_options e2e_support GTest::gtest_main)
add_dependencies(e2e_evidence_test e2e_identity_O0 e2e_identity_O2)
gtest_discover_tests(e2e_evidence_test NO_PRETTY_VALUES TEST_PREFIX e2e. DISCOVERY_MODE PRE_TEST
  PROPERTIES LABELS e2e TIMEOUT 120)
