#include <elf.h>
#include <gtest/gtest.h>

#include <cstring>

#include "doctor.h"

namespace ompdm::cli::offload_image_test {
namespace {

template <class Value>
void put(std::string& bytes, std::size_t offset, Value value) {
  if (bytes.size() < offset + sizeof value) bytes.resize(offset + sizeof value);
  std::memcpy(bytes.data() + offset, &value, sizeof value);
}

/// One OffloadBinary as llvm/Object/OffloadBinary.h lays it out: header, entry, strings, image.
std::string binary(const std::string& triple, const std::string& arch, std::uint32_t elf_flags) {
  constexpr std::size_t kEntry = 32;
  constexpr std::size_t kStrings = 80;
  constexpr std::size_t kTexts = 112;
  std::string bytes("\x10\xFF\x10\xAD", 4);
  std::string texts;
  const auto add = [&](const std::string& text) {
    const std::size_t at = kTexts + texts.size();
    texts += text + '\0';
    return static_cast<std::uint64_t>(at);
  };
  put(bytes, kStrings, add("triple"));
  put(bytes, kStrings + 8, add(triple));
  put(bytes, kStrings + 16, add("arch"));
  put(bytes, kStrings + 24, add(arch));
  bytes += texts;
  bytes.resize((bytes.size() + 7) / 8 * 8);
  const std::uint64_t image_offset = bytes.size();
  Elf64_Ehdr elf = {};
  std::memcpy(elf.e_ident, ELFMAG, SELFMAG);
  elf.e_flags = elf_flags;
  put(bytes, image_offset, elf);
  put(bytes, 4, std::uint32_t{1});
  put(bytes, 8, static_cast<std::uint64_t>(bytes.size()));
  put(bytes, 16, static_cast<std::uint64_t>(kEntry));
  put(bytes, 24, std::uint64_t{48});
  put(bytes, kEntry + 8, static_cast<std::uint64_t>(kStrings));
  put(bytes, kEntry + 16, std::uint64_t{2});
  put(bytes, kEntry + 24, image_offset);
  put(bytes, kEntry + 32, static_cast<std::uint64_t>(sizeof elf));
  return bytes;
}

TEST(OffloadImages, AreReadOneAfterAnother) {
  const std::string section =
      binary("x86_64-pc-linux-gnu", "", 0) + binary("nvptx64-nvidia-cuda", "sm_90", 0x5a055a);
  const std::vector<OffloadImage> images = parse_offload_images(section);
  ASSERT_EQ(images.size(), 2U);
  EXPECT_EQ(images[0].triple, "x86_64-pc-linux-gnu");
  EXPECT_EQ(images[0].architecture, "");
  EXPECT_EQ(images[1].architecture, "sm_90");
  EXPECT_EQ(images[1].elf_flags, 0x5a055aU);
}

TEST(OffloadImages, EndWhereTheSectionIsCutShort) {
  const std::string section = binary("x86_64-pc-linux-gnu", "", 0) + binary("nvptx64", "sm_90", 0);
  for (std::size_t size = 0; size < section.size(); ++size) {
    EXPECT_LE(parse_offload_images(std::string_view(section).substr(0, size)).size(), 1U) << size;
  }
}

TEST(OffloadImages, SurviveEveryDamagedByte) {
  const std::string whole = binary("nvptx64-nvidia-cuda", "sm_90", 0x5a055a);
  for (std::size_t at = 0; at < whole.size(); ++at) {
    for (const char value : {'\0', '\x7f', '\xff'}) {
      std::string damaged = whole;
      damaged[at] = value;
      EXPECT_LE(parse_offload_images(damaged).size(), 1U);
    }
  }
}

TEST(Cubins, OfCuda13HideTheirArchitecture) {
  EXPECT_TRUE(hides_its_architecture({"nvptx64-nvidia-cuda", "sm_90", true, 0x09005a04}));
  EXPECT_FALSE(hides_its_architecture({"nvptx64-nvidia-cuda", "sm_90", true, 0x5a055a}));
  EXPECT_FALSE(hides_its_architecture({"nvptx64-nvidia-cuda", "sm_90", false, 0}));
  EXPECT_FALSE(hides_its_architecture({"x86_64-pc-linux-gnu", "", true, 0}));
}

// CUDA 13 writes ABI version 8: the architecture has left the low byte.
OffloadImage cuda13(const std::string& architecture) {
  return {"nvptx64-nvidia-cuda", architecture, true, 0x9005a04};
}

TEST(Images, OfCuda13AreNamedWithTheOneRemedy) {
  const Findings findings = examine_images({cuda13("sm_80"), cuda13("sm_90"), cuda13("sm_90")}, 19);
  ASSERT_EQ(findings.size(), 1U);
  EXPECT_EQ(findings[0].level, Finding::Level::kNo);
  EXPECT_NE(findings[0].fact.find("nvptx64-nvidia-cuda sm_80, sm_90 was"), std::string::npos)
      << findings[0].fact;
  EXPECT_NE(findings[0].remedy.find("--cuda-path="), std::string::npos);
}

TEST(Images, OneThatRunsIsEnough) {
  const Findings findings =
      examine_images({cuda13("sm_90"), {"x86_64-pc-linux-gnu", "", true, 0}}, 19);
  ASSERT_EQ(findings.size(), 3U);
  EXPECT_EQ(findings[0].level, Finding::Level::kWarn);
  EXPECT_EQ(findings[1].level, Finding::Level::kOk);
  EXPECT_NE(findings[2].remedy.find("OMP_DEFAULT_DEVICE"), std::string::npos);
}

}  // namespace
}  // namespace ompdm::cli::offload_image_test
