# Writes the bytes of INPUT into the C++ source OUTPUT.
file(READ ${INPUT} bytes HEX)
string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${bytes}")
file(WRITE ${OUTPUT} "#include \"record/attach/stand_in.h\"\n\nnamespace ompdm::record {\n\nconst unsigned char kStandIn[] = {${bytes}};\nconst std::size_t kStandInSize = sizeof(kStandIn);\n\n}  // namespace ompdm::record\n")
