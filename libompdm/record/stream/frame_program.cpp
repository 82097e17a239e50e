#include "record/stream/frame_program.h"

namespace ompdm::record {

bool FrameProgram::run_extended(std::uint8_t instruction, TableBytes& code,
                                std::uint64_t& location) noexcept {
  const auto scaled = [&](std::int64_t value) { return value * common_.data_unit; };
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
    case 0x05: {  // offset_extended
      const std::uint64_t number = code.uleb();
      save(number, scaled(static_cast<std::int64_t>(code.uleb())));
      return true;
    }
    case 0x06:  // restore_extended
      restore(code.uleb());
      return true;
    case 0x07:  // undefined
      set(code.uleb(), {RegisterRule::kUnknown, 0, 0});
      return true;
    case 0x08:  // same_value
      set(code.uleb(), {RegisterRule::kSame, 0, 0});
      return true;
    case 0x09:  // register
      set(code.uleb(), {RegisterRule::kUnknown, 0, 0});
      code.uleb();
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
    case 0x0c: {  // def_cfa
      const std::uint64_t base = code.uleb();
      define_cfa(base, static_cast<std::int64_t>(code.uleb()));
      return true;
    }
    case 0x0d:  // def_cfa_register
      define_cfa(code.uleb(), rules_.cfa_offset);
      return true;
    case 0x0e:  // def_cfa_offset
      rules_.cfa_offset = static_cast<std::int64_t>(code.uleb());
      return true;
    case 0x0f: {  // def_cfa_expression
      TableBytes expression = code.part(code.uleb());
      return read_expression(expression, rules_.cfa_base, rules_.cfa_offset, rules_.cfa_is_read);
    }
    case 0x10: {  // expression
      const std::uint64_t number = code.uleb();
      TableBytes expression = code.part(code.uleb());
      RegisterRule rule{RegisterRule::kAtBase, 0, 0};
      std::int64_t offset = 0;
      bool is_read = false;
      const bool is_plain = read_expression(expression, rule.base, offset, is_read) && !is_read &&
                            offset == static_cast<std::int32_t>(offset);
      rule.offset = static_cast<std::int32_t>(offset);
      set(number, is_plain ? rule : RegisterRule{RegisterRule::kUnknown, 0, 0});
      return true;
    }
    case 0x11: {  // offset_extended_sf
      const std::uint64_t number = code.uleb();
      save(number, scaled(code.sleb()));
      return true;
    }
    case 0x12: {  // def_cfa_sf
      const std::uint64_t base = code.uleb();
      define_cfa(base, scaled(code.sleb()));
      return true;
    }
    case 0x13:  // def_cfa_offset_sf
      rules_.cfa_offset = scaled(code.sleb());
      return true;
    case 0x14:  // val_offset
    case 0x15:  // val_offset_sf
      set(code.uleb(), {RegisterRule::kUnknown, 0, 0});
      code.uleb();
      return true;
    case 0x16:  // val_expression
      set(code.uleb(), {RegisterRule::kUnknown, 0, 0});
      code.skip(code.uleb());
      return true;
    case 0x2e:  // GNU_args_size
      code.uleb();
      return true;
    default:
      return false;
  }
}

}  // namespace ompdm::record
