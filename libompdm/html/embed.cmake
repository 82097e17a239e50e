# Writes the C++ source OUTPUT with the files of the folder WEB: body.html, the style sheets STYLES and the modules
# SCRIPTS (names, separated by commas), each joined in this order. Modules share one scope where they are joined, so
# that their imports and the word `export` go; a name stands for one thing in all of them.
function(embed name text)
  string(HEX "${text}" hex)
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${hex}")
  string(APPEND source "constexpr unsigned char ${name}Bytes[] = {${bytes}};\n"
    "const std::string_view ${name}(reinterpret_cast<const char*>(${name}Bytes), sizeof(${name}Bytes));\n")
  set(source "${source}" PARENT_SCOPE)
endfunction()

function(join_files names result)
  string(REPLACE "," ";" names "${names}")
  set(all "")
  foreach(file IN LISTS names)
    file(READ ${WEB}/${file} text)
    string(APPEND all "${text}\n")
  endforeach()
  set(${result} "${all}" PARENT_SCOPE)
endfunction()

join_files("body.html" body)
join_files("${STYLES}" style)
join_files("${SCRIPTS}" modules)
string(REGEX REPLACE "(^|\n)import [^;]*;" "\\1" modules "${modules}")
string(REGEX REPLACE "(^|\n)export " "\\1" modules "${modules}")
set(script "'use strict';\n(() => {\n${modules}})();\n")

set(source "#include \"html/page.h\"\n\nnamespace ompdm::report::page {\n")
embed(kBody "${body}")
embed(kStyle "${style}")
embed(kScript "${script}")
foreach(name Style Script)
  string(TOLOWER ${name} text)
  string(SHA256 hash "${${text}}")
  string(APPEND source "const std::string_view k${name}Hash = \"${hash}\";\n")
endforeach()
file(WRITE ${OUTPUT} "${source}}  // namespace ompdm::report::page\n")
