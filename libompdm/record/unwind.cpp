#include "record/unwind.h"

#include <string.h>

#include <cstddef>

#include "record/loaded_objects.h"
#include "record/modules.h"

namespace ompdm::record {

/// How to restore a register's value in the caller.
struct RegisterRule {
  enum Kind : std::uint8_t {
    kSame,      ///< unchanged
    kUnknown,   ///< undefined, or by a rule that is not supported
    kAtOffset,  ///< in memory, `offset` from the canonical frame address
    kAtBase,    ///< in memory, `offset` from the register `base`
  };
  Kind kind;
  std::uint8_t base;
  std::int32_t offset;
};

/// How to restore the caller's registers from a function's frame.
struct FrameRules {
  std::uint8_t cfa_base;  ///< register of the canonical frame address (CFA)
  bool cfa_is_read;       ///< the CFA is loaded from there
  bool is_signal;         ///< the frame of a signal handler, not of a call
  std::int64_t cfa_offset;
  RegisterRule registers[kRegisters];
};

namespace {

// DW_EH_PE_* (Linux Standard Base Core 5.0, 10.5).
enum PointerEncoding : std::uint8_t {
  kAbsolute = 0x00,
  kUleb = 0x01,
  kUnsigned2 = 0x02,
  kUnsigned4 = 0x03,
  kUnsigned8 = 0x04,
  kSigned2 = 0x0a,
  kSigned4 = 0x0b,
  kSigned8 = 0x0c,
  kRelative = 0x10,      // to its own place
  kDataRelative = 0x30,  // to the table
  kIndirect = 0x80,
  kOmitted = 0xff,
};

/// TableBytes of a module's tables. What lies beyond the end reads as zero, and is remembered.
class TableBytes {
 public:
  TableBytes(const std::byte* at, const std::byte* end) noexcept
      : at_(at), end_(at < end ? end : at) {}

  [[nodiscard]] const std::byte* at() const noexcept { return at_; }
  [[nodiscard]] bool is_good() const noexcept { return good_; }
  [[nodiscard]] bool at_end() const noexcept { return at_ == end_; }

  template <class T>
  T get() noexcept {
    T value{};
    if (static_cast<std::size_t>(end_ - at_) < sizeof(T)) {
      good_ = false;
      at_ = end_;
      return value;
    }
    memcpy(&value, at_, sizeof(T));
    at_ += sizeof(T);
    return value;
  }

  std::uint64_t uleb() noexcept { return leb(false); }
  std::int64_t sleb() noexcept { return static_cast<std::int64_t>(leb(true)); }

  // An encoded pointer. Unsupported encodings give 0 and make the bytes bad.
  std::uint64_t encoded(std::uint8_t encoding) noexcept {
    const auto place = reinterpret_cast<std::uint64_t>(at_);
    std::uint64_t value = 0;
    switch (encoding & 0x0fU) {
      case kAbsolute:
      case kUnsigned8:
      case kSigned8:
        value = get<std::uint64_t>();
        break;
      case kUnsigned2:
        value = get<std::uint16_t>();
        break;
      case kSigned2:
        value = static_cast<std::uint64_t>(std::int64_t{get<std::int16_t>()});
        break;
      case kUnsigned4:
        value = get<std::uint32_t>();
        break;
      case kSigned4:
        value = static_cast<std::uint64_t>(std::int64_t{get<std::int32_t>()});
        break;
      case kUleb:
        value = uleb();
        break;
      default:
        good_ = false;
        break;
    }
    const unsigned relative = encoding & 0x70U;
    good_ = good_ && (relative == 0 || relative == kRelative);
    return relative == kRelative ? place + value : value;
  }

  void skip(std::uint64_t size) noexcept {
    good_ = good_ && size <= static_cast<std::uint64_t>(end_ - at_);
    at_ = good_ ? at_ + size : end_;
  }

  TableBytes part(std::uint64_t size) noexcept {
    const std::byte* begin = at_;
    skip(size);
    return {begin, at_};
  }

 private:
  std::uint64_t leb(bool is_signed) noexcept {
    std::uint64_t value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
      const auto byte = get<std::uint8_t>();
      value |= std::uint64_t{byte & 0x7fU} << shift;
      if ((byte & 0x80U) == 0) {
        const bool is_negative = is_signed && (byte & 0x40U) != 0 && shift + 7 < 64;
        return is_negative ? value | ~std::uint64_t{0} << (shift + 7) : value;
      }
    }
    good_ = false;
    return value;
  }

  const std::byte* at_;
  const std::byte* end_;
  bool good_ = true;
};

/// A common information entry (CIE): what the functions that refer to it have in common.
struct FrameCommon {
  std::uint64_t code_unit = 1;
  std::int64_t data_unit = 1;
  std::uint8_t pointers = kAbsolute;
  bool has_augmentation = false;
  bool is_signal = false;
  TableBytes first{nullptr, nullptr};  // instructions
};

/// Runs call frame instructions up to a place in a function.
class FrameProgram {
 public:
  FrameProgram(const FrameCommon& common, FrameRules& rules) noexcept
      : common_(common), rules_(rules) {}

  /// Runs `code`, which begins at `location`, up to `until`. False if it is not supported.
  bool run(TableBytes code, std::uint64_t location, std::uint64_t until) noexcept {
    while (!code.at_end() && location <= until) {
      const auto byte = code.get<std::uint8_t>();
      const std::uint8_t low = byte & 0x3fU;
      switch (byte >> 6U) {
        case 1:
          location += low * common_.code_unit;
          break;
        case 2:
          save(low, static_cast<std::int64_t>(code.uleb()) * common_.data_unit);
          break;
        case 3:
          restore(low);
          break;
        default:
          if (!run_extended(low, code, location)) {
            return false;
          }
      }
    }
    return code.is_good();
  }

  /// Makes the present rules the initial ones of the function, to which `restore` returns.
  void begin() noexcept { first_ = rules_; }

 private:
  static constexpr unsigned kDeepest = 4;

  void set(std::uint64_t number, RegisterRule rule) noexcept {
    if (number < kRegisters) {
      rules_.registers[number] = rule;
    }
  }
  void save(std::uint64_t number, std::int64_t offset) noexcept {
    const bool fits = offset == static_cast<std::int32_t>(offset);
    set(number, {fits ? RegisterRule::kAtOffset : RegisterRule::kUnknown, 0,
                 static_cast<std::int32_t>(offset)});
  }
  void restore(std::uint64_t number) noexcept {
    if (number < kRegisters) {
      rules_.registers[number] = first_.registers[number];
    }
  }
  void define_cfa(std::uint64_t base, std::int64_t offset) noexcept {
    rules_.cfa_base =
        base < kRegisters ? static_cast<std::uint8_t>(base) : static_cast<std::uint8_t>(kRegisters);
    rules_.cfa_offset = offset;
    rules_.cfa_is_read = false;
  }

  // Supports expressions of a register and an offset, dereferenced or not, which compilers write
  // for functions that align their stack.
  static bool read_expression(TableBytes code, std::uint8_t& base, std::int64_t& offset,
                              bool& is_read) noexcept {
    constexpr std::uint8_t kDeref = 0x06;
    constexpr std::uint8_t kBreg0 = 0x70;
    const auto first = code.get<std::uint8_t>();
    if (first < kBreg0 || first >= kBreg0 + kRegisterReturn) {
      return false;
    }
    base = first - kBreg0;
    offset = code.sleb();
    is_read = !code.at_end() && code.get<std::uint8_t>() == kDeref;
    return code.is_good() && code.at_end();
  }

  // The instructions by their numbers of DWARF 5, 7.24. Those that end in "_sf" take a signed
  // number.
  bool run_extended(std::uint8_t instruction, TableBytes& code, std::uint64_t& location) noexcept {
    const auto scaled = [&](bool is_signed) {
      return (is_signed ? code.sleb() : static_cast<std::int64_t>(code.uleb())) * common_.data_unit;
    };
    std::uint64_t number = 0;
    switch (instruction) {
      case 0x00:  // nop
        return true;
      case 0x01:  // set_loc
        location = code.encoded(common_.pointers);
        return true;
      case 0x02:  // advance_loc1
        location += code.get<std::uint8_t>() * common_.code_unit;
        return true;
      case 0x03:  // advance_loc2
        location += code.get<std::uint16_t>() * common_.code_unit;
        return true;
      case 0x04:  // advance_loc4
        location += code.get<std::uint32_t>() * common_.code_unit;
        return true;
      case 0x05:  // offset_extended
      case 0x11:  // offset_extended_sf
        number = code.uleb();
        save(number, scaled(instruction == 0x11));
        return true;
      case 0x06:  // restore_extended
        restore(code.uleb());
        return true;
      case 0x08:  // same_value
        set(code.uleb(), {RegisterRule::kSame, 0, 0});
        return true;
      case 0x07:  // undefined
      case 0x09:  // register
      case 0x14:  // val_offset
      case 0x15:  // val_offset_sf
      case 0x16:  // val_expression
        set(code.uleb(), {RegisterRule::kUnknown, 0, 0});
        number = instruction != 0x07 ? code.uleb() : 0;
        code.skip(instruction == 0x16 ? number : 0);
        return true;
      case 0x0a:  // remember_state
        if (depth_ == kDeepest) {
          return false;
        }
        remembered_[depth_++] = rules_;
        return true;
      case 0x0b:  // restore_state
        if (depth_ == 0) {
          return false;
        }
        rules_ = remembered_[--depth_];
        return true;
      case 0x0c:  // def_cfa
        number = code.uleb();
        define_cfa(number, static_cast<std::int64_t>(code.uleb()));
        return true;
      case 0x12:  // def_cfa_sf
        number = code.uleb();
        define_cfa(number, scaled(true));
        return true;
      case 0x0d:  // def_cfa_register
        define_cfa(code.uleb(), rules_.cfa_offset);
        return true;
      case 0x0e:  // def_cfa_offset
        rules_.cfa_offset = static_cast<std::int64_t>(code.uleb());
        return true;
      case 0x13:  // def_cfa_offset_sf
        rules_.cfa_offset = scaled(true);
        return true;
      case 0x0f:  // def_cfa_expression
        return read_expression(code.part(code.uleb()), rules_.cfa_base, rules_.cfa_offset,
                               rules_.cfa_is_read);
      case 0x10: {  // expression
        number = code.uleb();
        RegisterRule rule{RegisterRule::kAtBase, 0, 0};
        std::int64_t offset = 0;
        bool is_read = false;
        const bool is_plain = read_expression(code.part(code.uleb()), rule.base, offset, is_read) &&
                              !is_read && offset == static_cast<std::int32_t>(offset);
        rule.offset = static_cast<std::int32_t>(offset);
        set(number, is_plain ? rule : RegisterRule{RegisterRule::kUnknown, 0, 0});
        return true;
      }
      case 0x2e:  // GNU_args_size
        code.uleb();
        return true;
      default:
        return false;
    }
  }

  const FrameCommon& common_;
  FrameRules& rules_;
  FrameRules first_{};
  FrameRules remembered_[kDeepest];
  unsigned depth_ = 0;
};

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
    if (*letter == 'R') {
      common.pointers = data.get<std::uint8_t>();
    } else if (*letter == 'L') {
      data.get<std::uint8_t>();
    } else if (*letter == 'P') {
      const auto encoding = data.get<std::uint8_t>();
      data.encoded(encoding & static_cast<std::uint8_t>(~kIndirect));
    } else if (*letter == 'S') {
      common.is_signal = true;
    } else if (*letter != 'z') {
      return false;
    }
  }
  common.first = body;
  return body.is_good() && data.is_good();
}

/// The entry (FDE) of the function that holds an address; null if there is none.
const std::byte* find_entry(const UnwindTables& tables, std::uint64_t address) noexcept {
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
  // The table that linkers write: sorted pairs of offsets from the header.
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

// The rules at an instruction. False if there are none, or none of the kinds that compilers write
// for the body of a function.
bool frame_rules_at(std::uint64_t instruction, FrameRules& rules) noexcept {
  const UnwindTables tables = unwind_tables_of(instruction);
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

}  // namespace

bool StackWalk::read(std::uint64_t place, std::uint64_t& value) const noexcept {
  if (place % sizeof(value) != 0 || place < registers_[kRegisterRsp] || place < stack_.begin ||
      place >= stack_.end || stack_.end - place < sizeof(value)) {
    return false;
  }
  value = *reinterpret_cast<const std::uint64_t*>(place);
  return true;
}

void StackWalk::restore(const FrameRules& rules, std::uint64_t cfa) noexcept {
  const std::uint32_t known_before = known_;
  std::uint64_t before[kRegisters];
  __builtin_memcpy(before, registers_, sizeof(before));
  for (unsigned i = 0; i < kRegisterReturn; ++i) {
    const RegisterRule& rule = rules.registers[i];
    if ((kPreserved >> i & 1U) == 0 || rule.kind == RegisterRule::kSame) {
      continue;
    }
    const bool at_base = rule.kind == RegisterRule::kAtBase;
    const std::uint64_t place =
        (at_base ? before[rule.base] : cfa) + static_cast<std::uint64_t>(std::int64_t{rule.offset});
    const bool is_known = rule.kind != RegisterRule::kUnknown &&
                          (!at_base || (known_before >> rule.base & 1U) != 0) &&
                          read(place, registers_[i]);
    known_ = is_known ? known_ | 1U << i : known_ & ~(1U << i);
  }
}

bool StackWalk::next(std::uint64_t& place, std::uint64_t& address) noexcept {
  // A call may be its function's last instruction, so that its return address is in another
  // function.
  const std::uint64_t pc = registers_[kRegisterReturn] - (is_first_ ? 0 : 1);
  is_first_ = false;
  FrameRules rules;
  if (!frame_rules_at(pc, rules) || rules.is_signal || (known_ >> rules.cfa_base & 1U) == 0) {
    return false;
  }
  std::uint64_t cfa = registers_[rules.cfa_base] + static_cast<std::uint64_t>(rules.cfa_offset);
  if ((rules.cfa_is_read && !read(cfa, cfa)) || cfa <= registers_[kRegisterRsp] ||
      cfa > stack_.end) {
    return false;
  }
  const RegisterRule& back = rules.registers[kRegisterReturn];
  place = cfa + static_cast<std::uint64_t>(std::int64_t{back.offset});
  if (back.kind != RegisterRule::kAtOffset || !read(place, address) || address == 0) {
    return false;
  }
  restore(rules, cfa);
  registers_[kRegisterRsp] = cfa;
  registers_[kRegisterReturn] = address;
  return true;
}

}  // namespace ompdm::record
