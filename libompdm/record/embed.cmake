# Writes the bytes of INPUT into the C++ source OUTPUT.
file(READ ${INPUT} bytes HEX)
string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${bytes}")
file(WRITE ${OUTPUT} "namespace ompdm::record {\nextern const unsigned char kStandIn[];\nextern const unsigned long kStandInSize;\nconst unsigned char kStandIn[] = {${bytes}};\nconst unsigned long kStandInSize = sizeof(kStandIn);\n}  // namespace ompdm::record\n")
