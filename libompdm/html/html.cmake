# The report as one HTML file. What a browser is given lies in web/, and is put into a C++ source.
set(page_styles style.css)
set(page_scripts basics.js data.js spans.js canvas.js passes.js timeline_rows.js timeline.js variables.js overview.js tables.js
  main.js)
set(page_files body.html ${page_styles} ${page_scripts})
list(TRANSFORM page_files PREPEND ${CMAKE_CURRENT_LIST_DIR}/web/)
list(JOIN page_styles "," page_style_list)
list(JOIN page_scripts "," page_script_list)
set(page_source ${CMAKE_CURRENT_BINARY_DIR}/web_files.cpp)
add_custom_command(OUTPUT ${page_source}
  COMMAND ${CMAKE_COMMAND} -DWEB=${CMAKE_CURRENT_LIST_DIR}/web -DSTYLES=${page_style_list}
    -DSCRIPTS=${page_script_list} -DOUTPUT=${page_source} -P ${CMAKE_CURRENT_LIST_DIR}/embed.cmake
  DEPENDS ${page_files} ${CMAKE_CURRENT_LIST_DIR}/embed.cmake VERBATIM)
set_source_files_properties(${page_source} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)

target_sources(ompdm_report PRIVATE
  ${CMAKE_CURRENT_LIST_DIR}/document.cpp ${CMAKE_CURRENT_LIST_DIR}/events.cpp ${page_source})
target_link_libraries(ompdm_report PRIVATE ZLIB::ZLIB)
