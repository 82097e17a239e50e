// What a recorder would have written of a thread buffer's steps.
#include <algorithm>
#include <deque>
#include <tuple>

#include "spool/spool_builder.h"

namespace ompdm::test {

/// Steps as a recorder would have written them.
class Encoder {
 public:
  using Step = BufferBuilder::Step;
  explicit Encoder(const BufferBuilder& buffer)
      : buffer_(buffer), instant_(buffer.header_.first.ticks) {}

  std::string encoded() {
    for (const Step& step : buffer_.steps_) add(step);
    while (!buffer_.goes_on_ && !open_.empty() && open_.back().end != 0) close();
    return std::move(bytes_);
  }

 private:
  struct Context {
    spool::DeltaState last{};
    bool is_told = false;
  };
  struct Open {
    std::uint32_t region;
    std::uint64_t end;
    Context* context;
    spool::OpCursor ops;
  };
  /// One that is written behind what is there.
  template <class Put>
  void event(spool::Event kind, std::uint64_t first, std::size_t most, Put&& put) {
    const std::size_t at = bytes_.size();
    bytes_.resize(at + most);
    auto* begin = reinterpret_cast<std::byte*>(bytes_.data() + at);
    spool::EventWriter writer(begin, kind, first);
    put(writer);
    bytes_.resize(at + static_cast<std::size_t>(writer.commit() - begin));
  }
  std::uint64_t since(std::uint64_t ticks) { return ticks - std::exchange(instant_, ticks); }
  auto memory() {
    return
        [this](std::size_t size) -> void* { return memory_.emplace_back((size + 7) / 8).data(); };
  }

  void close() {
    event(spool::Event::kEnd, since(open_.back().end), spool::kMostEventBytes, [](auto&) {});
    open_.pop_back();
  }
  /// Those above it end first.
  void come_to(std::uint32_t region) {
    const auto is_it = [&](const Open& one) { return one.region == region; };
    if (std::none_of(open_.begin(), open_.end(), is_it)) return;
    while (!is_it(open_.back())) close();
  }

  void add(const Step& step) {
    switch (step.kind) {
      case Step::Kind::kRecord:
        while (bytes_.size() % 8 != 0) bytes_ += static_cast<char>(spool::Tag::kPadding);
        bytes_ += step.bytes;
        return;
      case Step::Kind::kRaw:
        bytes_ += step.bytes;
        return;
      case Step::Kind::kRegion:
        return begin(step);
      case Step::Kind::kEnd:
        event(spool::Event::kEnd, since(step.end), spool::kMostEventBytes, [](auto&) {});
        if (!open_.empty()) open_.pop_back();
        return;
      case Step::Kind::kOp:
        come_to(step.region);
        return add_op(step.op);
      case Step::Kind::kApiOp:
        return add_api_op(step);
      case Step::Kind::kContent:
        return add_content(step);
      case Step::Kind::kLaunch:
        come_to(step.region);
        return add_launch(step.submit, step.region != 0);
    }
  }

  void begin(const Step& step) {
    while (!open_.empty() && open_.back().end != 0 && open_.back().end <= step.begin) close();
    const auto list = buffer_.lists_.find(step.list);
    const std::vector<spool::MapItem> items =
        list == buffer_.lists_.end() ? std::vector<spool::MapItem>() : list->second;
    auto key = std::make_tuple(step.context[0], step.context[1], step.context[2], step.context[3],
                               step.list);
    Context& context = contexts_.try_emplace(key).first->second;
    const auto number = numbers_.try_emplace(key, numbers_.size()).first->second;
    event(spool::Event::kBegin, since(step.begin), spool::most_begin_bytes(items.size()),
          [&](spool::EventWriter& writer) {
            writer.second(number);
            if (context.is_told) return;
            context.is_told = true;
            const auto count = static_cast<std::uint32_t>(items.size());
            writer.fields(step.context, context.last.context);
            writer.item_count(count);
            spool::make_item_room(context.last, count, memory());
            spool::set_item_count(context.last, count);
            for (std::uint32_t i = 0; i < count; ++i) {
              writer.item({items[i].base, items[i].begin, items[i].size, items[i].type},
                          context.last.items[i]);
            }
          });
    const bool has_end = (step.context[spool::kContextKind] & spool::kRegionFromWrapper) == 0;
    if (has_end) open_.push_back({step.region, step.end, &context, {}});
  }

  static void take(const Operation& op, spool::OpFields& fields) {
    fields[spool::kOpSrc] = op.src;
    fields[spool::kOpDst] = op.dst;
    fields[spool::kOpBytes] = op.bytes;
    fields[spool::kOpDevices] = static_cast<std::uint32_t>(op.src_device) |
                                std::uint64_t{static_cast<std::uint32_t>(op.dst_device)} << 32U;
    fields[spool::kOpWhat] = op.optype | std::uint64_t{op.argument} << 16U;
  }

  void add_op(const Operation& op) {
    Context left;  // of the chunk before
    spool::OpCursor walk;
    const bool is_left = open_.empty();
    const spool::OpCursor::Place place =
        is_left ? walk.next(left.last, memory())
                : open_.back().ops.next(open_.back().context->last, memory());
    if (!is_left) open_.back().ops.go_on();
    spool::OpFields now;
    take(op, now);
    event(spool::Event::kOp, since(op.begin), spool::kMostEventBytes,
          [&](spool::EventWriter& writer) {
            writer.second(op.end - op.begin);
            if (!spool::are_equal(now, place.fields())) writer.fields(now, place.fields());
          });
    instant_ = op.end;
    was_in_region_ = true;
  }

  void add_api_op(const Step& step) {
    const Operation& op = step.op;
    spool::OpFields now;
    take(op, now);
    const spool::ApiFields api = {number(op.api_call), step.site, step.path};
    event(spool::Event::kApiOp, since(op.begin), spool::kMostEventBytes,
          [&](spool::EventWriter& writer) {
            writer.second(op.end - op.begin);
            writer.fields(now, api_op_);
            writer.fields(api, api_);
          });
    instant_ = op.end;
    was_in_region_ = false;
  }

  void add_content(const Step& step) {
    const bool is_after = (step.content[spool::kContentFlags] & spool::kContentAfter) != 0;
    if (is_after && was_in_region_ && !open_.empty()) close();
    spool::ContentFields none{};
    event(spool::Event::kContent, 1, spool::kMostEventBytes, [&](spool::EventWriter& writer) {
      writer.second(step.begin);
      writer.fields(step.content, none);
    });
  }

  void add_launch(const Submit& submit, bool is_in_region) {
    const spool::LaunchFields now = {submit.kernel, submit.trip_count, submit.requested_teams,
                                     submit.num_teams, submit.thread_limit};
    spool::LaunchFields none{};
    auto& last = is_in_region ? open_.back().context->last.launch : none;
    event(spool::Event::kLaunch, since(submit.begin), spool::kMostEventBytes,
          [&](spool::EventWriter& writer) {
            writer.second(is_in_region ? 1 : 0);
            if (!spool::are_equal(now, last)) writer.fields(now, last);
          });
    if (submit.end != 0) {
      event(spool::Event::kLaunchEnd, since(submit.end), spool::kMostEventBytes, [](auto&) {});
    }
  }

  using Key = std::tuple<std::uint64_t, std::uint64_t, std::uint64_t, std::uint64_t, std::uint32_t>;
  const BufferBuilder& buffer_;
  std::uint64_t instant_;
  std::string bytes_;
  std::vector<Open> open_;
  std::map<Key, Context> contexts_;
  std::map<Key, std::uint64_t> numbers_;
  std::deque<std::vector<std::uint64_t>> memory_;
  spool::OpFields api_op_{};
  spool::ApiFields api_{};
  bool was_in_region_ = false;
};

std::string BufferBuilder::bytes(std::size_t free_bytes) const {
  spool::ChunkHeader header = header_;
  const std::string encoded = Encoder(*this).encoded();
  if (header.size == 0) header.size = (sizeof(header) + encoded.size() + free_bytes + 7) / 8 * 8;
  std::string bytes(reinterpret_cast<const char*>(&header), sizeof(header));
  bytes += encoded;
  bytes.resize(header.size);
  return bytes;
}

}  // namespace ompdm::test
