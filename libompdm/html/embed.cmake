# Writes the C++ source OUTPUT with the files of the folder WEB, each kind joined in this order. Modules share one scope
# where they are joined, so that their imports and the word `export` go; a name stands for one thing in all of them.
set(Body_files body.html)
set(Style_files style.css)
set(Script_files basics.js data.js spans.js canvas.js passes.js timeline_rows.js timeline.js variables.js overview.js tables.js
  main.js)

macro(embed name hex)
  string(REGEX REPLACE "(..)" "0x\\1," bytes "${hex}")
  string(APPEND source "constexpr unsigned char ${name}Bytes[] = {${bytes}};\n"
    "const std::string_view ${name}(reinterpret_cast<const char*>(${name}Bytes), sizeof(${name}Bytes));\n")
endmacro()

set(source "#include \"html/page.h\"\n\nnamespace ompdm::report::page {\n")
foreach(part Body Style Script)
  set(text "")
  foreach(file IN LISTS ${part}_files)
    file(READ ${WEB}/${file} one)
    string(APPEND text "${one}\n")
  endforeach()
  if(part STREQUAL "Script")
    string(REGEX REPLACE "(^|\n)import [^;]*;" "\\1" text "${text}")
    string(REGEX REPLACE "(^|\n)export " "\\1" text "${text}")
    set(text "'use strict';\n(() => {\n${text}})();\n")
  endif()
  string(HEX "${text}" hex)
  embed(k${part} "${hex}")
  string(SHA256 hash "${text}")
  embed(k${part}Hash "${hash}")
endforeach()
file(WRITE ${OUTPUT} "${source}}  // namespace ompdm::report::page\n")
