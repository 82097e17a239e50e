// Source positions by DWARF alone, within one module. clang writes no .debug_aranges, so
// compilation units are found by their own ranges, indexed once.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

struct Dwfl_Module;

namespace ompdm::trace {

struct CodePlace;
struct ItemDeclaration;

class DwarfPlaces {
 public:
  /// `module` must outlive this.
  explicit DwarfPlaces(Dwfl_Module* module);
  ~DwarfPlaces();
  DwarfPlaces(const DwarfPlaces&) = delete;
  DwarfPlaces& operator=(const DwarfPlaces&) = delete;

  /// Empty where no compilation unit covers the address.
  CodePlace at(std::uint64_t address) const;

  /// What is known of a map clause's item, as its variable is declared there.
  ItemDeclaration item_at(std::uint64_t address, const std::string& expression) const;

 private:
  struct Units;
  std::unique_ptr<Units> units_;
};

}  // namespace ompdm::trace
