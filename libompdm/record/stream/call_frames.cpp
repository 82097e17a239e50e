#include "record/stream/call_frames.h"

#include <string.h>

#include "record/modules/find_object.h"
#include "record/modules/modules.h"
#include "record/stream/frame_program.h"

namespace ompdm::record {
namespace {

bool read_common(TableBytes entry, FrameCommon& common) noexcept {
  const auto size = entry.get<std::uint32_t>();
  TableBytes body = entry.part(size);
  if (size == 0 || size == ~std::uint32_t{0} || body.get<std::uint32_t>() != 0) {
    return false;
  }
  const auto version = body.get<std::uint8_t>();
  char augmentation[8] = {};
  for (char& letter : augmentation) {
    letter = body.get<char>();
    if (letter == '\0') {
      break;
    }
  }
  common.code_unit = body.uleb();
  common.data_unit = body.sleb();
  const std::uint64_t return_register = version == 1 ? body.get<std::uint8_t>() : body.uleb();
  common.has_augmentation = augmentation[0] == 'z';
  if ((version != 1 && version != 3) || return_register != kRegisterReturn ||
      augmentation[sizeof(augmentation) - 1] != '\0' ||
      (augmentation[0] != '\0' && !common.has_augmentation)) {
    return false;
  }
  TableBytes data = body.part(common.has_augmentation ? body.uleb() : 0);
  for (const char* letter = augmentation; *letter != '\0'; ++letter) {
    switch (*letter) {
      case 'z':
        break;
      case 'R':
        common.pointers = data.get<std::uint8_t>();
        break;
      case 'L':
        data.get<std::uint8_t>();
        break;
      case 'P': {
        const auto encoding = data.get<std::uint8_t>();
        data.encoded(encoding & static_cast<std::uint8_t>(~kIndirect));
        break;
      }
      case 'S':
        common.is_signal = true;
        break;
      default:
        return false;
    }
  }
  common.first = body;
  return body.is_good() && data.is_good();
}

/// The tables of the object that an address lies in.
struct Tables {
  const std::byte* header;  // .eh_frame_hdr; null: none
  const std::byte* begin;   // of the object
  const std::byte* end;
};

Tables tables_of(std::uint64_t address) noexcept {
  if (!can_find_objects()) {
    const UnwindTables noted = unwind_tables_of(address);
    return {reinterpret_cast<const std::byte*>(noted.header),
            reinterpret_cast<const std::byte*>(noted.begin),
            reinterpret_cast<const std::byte*>(noted.end)};
  }
  FoundObject found{};
  return find_object(address, found) ? Tables{found.eh_frame_hdr, found.begin, found.end}
                                     : Tables{};
}

/// The entry of the function that an address lies in; null if there is none.
const std::byte* find_entry(const Tables& tables, std::uint64_t address) noexcept {
  constexpr std::size_t kHead = 12;  // version, encodings, .eh_frame's place, how many entries
  if (tables.header == nullptr || tables.header < tables.begin ||
      static_cast<std::size_t>(tables.end - tables.header) < kHead) {
    return nullptr;
  }
  TableBytes head(tables.header, tables.end);
  const auto version = head.get<std::uint8_t>();
  const auto frames = head.get<std::uint8_t>();
  const auto counts = head.get<std::uint8_t>();
  const auto entries = head.get<std::uint8_t>();
  head.encoded(frames);
  const std::uint64_t count = head.encoded(counts);
  // What linkers write: pairs of distances from the header, in order.
  struct Row {
    std::int32_t function;
    std::int32_t entry;
  };
  if (version != 1 || entries != (kDataRelative | kSigned4) || !head.is_good() || count == 0 ||
      count > static_cast<std::uint64_t>(tables.end - head.at()) / sizeof(Row)) {
    return nullptr;
  }
  const auto row_at = [&](std::uint64_t i) {
    Row row{};
    memcpy(&row, head.at() + i * sizeof(row), sizeof(row));
    return row;
  };
  const auto wanted =
      static_cast<std::int64_t>(address - reinterpret_cast<std::uint64_t>(tables.header));
  std::uint64_t low = 0;
  std::uint64_t high = count;
  while (high - low > 1) {
    const std::uint64_t middle = low + (high - low) / 2;
    (row_at(middle).function <= wanted ? low : high) = middle;
  }
  const Row row = row_at(low);
  const std::byte* entry = tables.header + row.entry;
  return row.function <= wanted && entry >= tables.begin && entry < tables.end ? entry : nullptr;
}

}  // namespace

bool frame_rules_at(std::uint64_t instruction, FrameRules& rules) noexcept {
  const Tables tables = tables_of(instruction);
  const std::byte* at = find_entry(tables, instruction);
  if (at == nullptr) {
    return false;
  }
  TableBytes entry(at, tables.end);
  const auto size = entry.get<std::uint32_t>();
  TableBytes body = entry.part(size);
  const std::byte* place = body.at();
  const auto back = body.get<std::uint32_t>();
  if (size == ~std::uint32_t{0} || back == 0 || back > place - tables.begin) {
    return false;
  }
  FrameCommon common;
  if (!read_common({place - back, tables.end}, common)) {
    return false;
  }
  const std::uint64_t begin = body.encoded(common.pointers);
  const std::uint64_t length = body.encoded(common.pointers & 0x0fU);
  if (instruction < begin || instruction - begin >= length) {
    return false;
  }
  if (common.has_augmentation) {
    body.skip(body.uleb());
  }
  rules = {};
  rules.cfa_base = kRegisters;
  rules.is_signal = common.is_signal;
  FrameProgram program(common, rules);
  if (!program.run(common.first, begin, ~std::uint64_t{0})) {
    return false;
  }
  program.begin();
  return program.run(body, begin, instruction) && rules.cfa_base < kRegisters;
}

}  // namespace ompdm::record
