# ompdm-edit: what it reads and writes, and what it decides on small sources.
if(TARGET ompdm-edit)
  add_executable(edit_test edit/answer_test.cpp edit/asked.cpp edit/clauses_test.cpp edit/doubts_test.cpp edit/facts_test.cpp edit/host_code_test.cpp edit/coherence_test.cpp edit/one_way_test.cpp
    edit/host_uses_test.cpp edit/loops_test.cpp edit/names_test.cpp edit/request_test.cpp edit/trail_residence_test.cpp edit/unit_test.cpp)
  target_include_directories(edit_test PRIVATE ${CMAKE_CURRENT_SOURCE_DIR}/edit ${tests_root})
  target_link_libraries(edit_test PRIVATE ompdm_options ompdm_edit_parts nlohmann_json::nlohmann_json GTest::gtest_main)
  set(edit_environment)
  if(OMPDM_SANITIZE MATCHES "address")
    # LLVM's allocators poison memory in this code's inlined part of them, and are built without that in LLVM's library.
    set(edit_environment ENVIRONMENT ASAN_OPTIONS=allow_user_poisoning=0)
  endif()
  ompdm_discover_tests(edit_test PREFIX edit. LABELS unit quick TIMEOUT 60 ${edit_environment})
endif()
