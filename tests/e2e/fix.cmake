# Patches that are built and run: what `ompdm fix` makes of programs in folders of their own. Nothing of it without
# ompdm-edit.
if(NOT OMPDM_BUILD_KERNELS OR NOT TARGET ompdm-edit)
  return()
endif()
add_executable(e2e_fix_test fix_build_test.cpp fix_source_test.cpp fix_test.cpp project.cpp)
target_compile_definitions(e2e_fix_test PRIVATE OMPDM_E2E_FIX="${CMAKE_CURRENT_SOURCE_DIR}/fix" OMPDM_KERNELS="${PROJECT_SOURCE_DIR}/kernels")
target_link_libraries(e2e_fix_test PRIVATE ompdm_options e2e_support GTest::gtest_main)
add_dependencies(e2e_fix_test ompdm ompdm-edit ompdm_record ompdm_build_log)
if(OMPDM_HAVE_STANDIN)
  list(JOIN OMPDM_STANDIN_OPTIONS " " standin_options)
  string(APPEND standin_options " -Wl,-rpath,${OMPDM_OFFLOAD_LIBRARY_DIR}")
  target_sources(e2e_fix_test PRIVATE fix_standin_test.cpp)
  target_compile_definitions(e2e_fix_test PRIVATE OMPDM_STANDIN_LIBRARIES="${OMPDM_STANDIN_LIBRARIES}"
    OMPDM_STANDIN_C="${OMPDM_OFFLOAD_C} ${standin_options}" OMPDM_STANDIN_CXX="${OMPDM_OFFLOAD_CXX} ${standin_options}")
  add_dependencies(e2e_fix_test standin)
endif()
gtest_discover_tests(e2e_fix_test NO_PRETTY_VALUES TEST_PREFIX e2e. DISCOVERY_MODE PRE_TEST PROPERTIES LABELS e2e TIMEOUT 300)
