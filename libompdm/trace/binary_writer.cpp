#include <cstring>
#include <string>
#include <tuple>
#include <vector>

#include "trace/binary_fields.h"
#include "trace/binary_format.h"
#include "trace/binary_trace.h"
#include "trace/trace_metadata.h"
#include "trace/varint.h"

namespace ompdm {
namespace {

using namespace binary;

class BlockWriter final : public ByteSink {
 public:
  explicit BlockWriter(ByteSink& sink) : sink_(sink), block_(kLargestBlock, '\0') {
    std::string opening(kMagic);
    opening.resize(kOpeningSize, '\0');
    std::memcpy(opening.data() + kMagic.size(), &kVersion, sizeof(kVersion));
    sink_.write(opening);
  }

  /// The metadata's text, cut anywhere.
  void write(std::string_view bytes) override {
    while (!bytes.empty()) {
      const std::string_view piece = bytes.substr(0, kFullBlock);
      put_block(BlockKind::kMetadata, piece);
      bytes.remove_prefix(piece.size());
    }
  }
  void close() override { put_block(BlockKind::kEnd, {}); }

  template <class Row>
  void rows(BlockKind kind, const Runs<Row>& runs) {
    // In the file shapes are numbered by the first rows that have them.
    constexpr std::uint32_t kNew = ~std::uint32_t{0};
    std::vector<std::uint32_t> numbers(runs.shape_count(), kNew);
    std::uint64_t known = 0;
    std::uint64_t last_begin = 0;
    std::uint64_t last_region = 0;
    char* at = block_.data();
    for (std::size_t i = 0; i < runs.size(); ++i) {
      const std::uint32_t shape = runs.shape_of(i);
      const bool is_new = numbers[shape] == kNew;
      if (is_new) numbers[shape] = static_cast<std::uint32_t>(known++);
      const auto& rare = runs.rare(i);
      const bool has_rare = !(rare == typename RowParts<Row>::Rare());
      at = put_varint(at, std::uint64_t{numbers[shape]} * 2 + (has_rare ? 1 : 0));
      if (is_new) at = put_fields(at, shape_fields(runs.common(i)));
      const auto begin = static_cast<std::uint64_t>(runs.begin_of(i));
      at = put_varint(at, to_zigzag(begin - last_begin));
      at = put_varint(at, to_zigzag(static_cast<std::uint64_t>(runs.duration_of(i))));
      last_begin = begin;
      if constexpr (requires { runs.region_of(i); }) {
        const std::uint64_t region = to_number(runs.region_of(i));
        at = put_varint(at, to_zigzag(region - last_region));
        last_region = region;
      }
      if (has_rare) at = put_fields(at, rare_fields(rare));
      at = end_row(kind, at);
    }
    put_rest(kind, at);
  }

  template <class Row>
  void rows(BlockKind kind, const std::vector<Row>& all) {
    std::uint64_t last_begin = 0;
    char* at = block_.data();
    for (const Row& row : all) {
      const auto begin = static_cast<std::uint64_t>(row.begin);
      at = put_varint(at, to_zigzag(begin - last_begin));
      at = put_varint(at, to_zigzag(static_cast<std::uint64_t>(row.end) - begin));
      last_begin = begin;
      at = end_row(kind, put_fields(at, all_fields(row)));
    }
    put_rest(kind, at);
  }

 private:
  template <class Fields>
  static char* put_fields(char* at, const Fields& fields) {
    at = put_varint(at, std::tuple_size_v<Fields>);
    std::apply([&at](const auto&... field) { ((at = put_varint(at, to_number(field))), ...); },
               fields);
    return at;
  }

  char* end_row(BlockKind kind, char* at) {
    return at - block_.data() < static_cast<std::ptrdiff_t>(kFullBlock) ? at : put_rest(kind, at);
  }

  char* put_rest(BlockKind kind, const char* end) {
    const auto size = static_cast<std::size_t>(end - block_.data());
    if (size > 0) put_block(kind, {block_.data(), size});
    return block_.data();
  }

  void put_block(BlockKind kind, std::string_view bytes) {
    BlockHeader header{kind, static_cast<std::uint32_t>(bytes.size()), 0};
    header.checksum = checksum_of(header, number_++, bytes);
    char raw[sizeof(header)];
    std::memcpy(raw, &header, sizeof(header));
    sink_.write({raw, sizeof(raw)});
    sink_.write(bytes);
  }

  ByteSink& sink_;
  std::string block_;
  std::uint64_t number_ = 0;
};

}  // namespace

bool is_binary_name(const std::filesystem::path& name) {
  const std::filesystem::path plain = name.extension() == ".gz" ? name.stem() : name;
  return plain.extension() == ".ompdm";
}

bool is_binary_beginning(std::string_view bytes) { return bytes.starts_with(kMagic); }

void write_binary_trace(const Trace& trace, ByteSink& sink) {
  BlockWriter writer(sink);
  write_metadata(trace, writer);
  writer.rows(BlockKind::kRegions, trace.regions);
  writer.rows(BlockKind::kOps, trace.ops);
  writer.rows(BlockKind::kLaunches, trace.launches);
  writer.rows(BlockKind::kActivities, trace.activities);
  writer.rows(BlockKind::kSynchronizations, trace.synchronizations);
  writer.close();
  sink.close();
}

}  // namespace ompdm
