// The field list of a row: `fields(visit, row)`, beside each struct of the model.
//
// Every format is a visitor of these lists: trace.json, trace.ompdm, the SQLite database (fields
// that export/sqlite_file.cpp names), the check of references, the shapes of columns. A field is
// entered once:
//   visit("device", row.device, {.shape = 4, .absent = -1});
// The order of a list is that of the keys in JSON. A visitor is called with the key, the field and,
// where it is not the default, the field's rule.
#pragma once

#include <concepts>
#include <cstdint>
#include <type_traits>

namespace ompdm {

/// A row of that type, const or not.
template <class Row, class Of>
concept RowOf = std::same_as<std::remove_const_t<Row>, Of>;

/// How formats treat a field.
struct FieldRule {
  enum As : std::uint8_t {
    kValue,     ///< as its type: a number, a flag, a text, a word, a reference, a list
    kAddress,   ///< an address or a hash: hexadecimal in JSON
    kInstant,   ///< an instant of the recording's clock, 0 if there is none
    kTime,      ///< begin or end of an event: `ts` and `dur` in trace.json
    kCategory,  ///< the kind of an event: `cat` in trace.json
    kOwner,     ///< the region of an event: `bind_id` in trace.json, where an arrow leads to it
    kSide,      ///< a device of an operation: absent in trace.json where it is the host
    kThread,    ///< a position in Trace::threads
    kMapList,   ///< a position in Trace::map_lists, 0xffffffff if there is none
  };

  /// Position among the fields of a row, or of its shape, in trace.ompdm. A new field takes the
  /// next one; the positions of others never change. -1: it is in no such list.
  int shape = -1;
  /// The same among the fields that few rows have (`Row::Rare`).
  int rare = -1;
  As as = kValue;
  /// The value at which events, and optional fields of other rows, leave the field out.
  std::int64_t absent = 0;
  /// The field of a definition is left out where it is `absent` or empty. References always are.
  bool optional = false;
};

}  // namespace ompdm
