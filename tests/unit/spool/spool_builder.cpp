#include "spool/spool_builder.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <deque>
#include <tuple>

namespace ompdm::test {
namespace {

constexpr std::int32_t kHost = 4;

Operation operation(std::uint16_t optype, std::uint64_t at, std::uint64_t bytes) {
  Operation op{};
  op.optype = optype;
  op.begin = tick(at);
  op.end = tick(at + 5);
  op.bytes = bytes;
  return op;
}

}  // namespace

LaneBuilder& LaneBuilder::thread(std::uint32_t tid) {
  return add(spool::Tag::kLaneThread, spool::LaneThread{{}, tid, tick(0)});
}

LaneBuilder& LaneBuilder::module(std::uint32_t id, const std::string& path, std::uint64_t bias,
                                 const std::string& build_id, std::uint64_t size) {
  spool::Module module{};
  module.id = spool::ModuleId{id};
  module.bias = bias;
  module.begin = bias;
  module.end = bias + size;
  module.build_id_size = static_cast<std::uint32_t>(build_id.size());
  module.path_size = static_cast<std::uint32_t>(path.size() + 1);
  return add(spool::Tag::kModule, module, build_id + path + '\0');
}

LaneBuilder& LaneBuilder::site(std::uint32_t id, spool::Entry entry, std::uint64_t codeptr,
                               const SiteText& text, std::uint64_t kernel, std::uint32_t module) {
  std::string tail = text.psource + '\0';
  for (const std::string& name : text.names) tail += name + '\0';
  spool::Site site{};
  site.id = spool::SiteId{id};
  site.codeptr = codeptr;
  site.kernel = kernel;
  site.module = spool::ModuleId{module};
  site.name_count = static_cast<std::uint32_t>(text.names.size());
  site.text_size = static_cast<std::uint32_t>(tail.size());
  return add(spool::Tag::kSite, site, tail, static_cast<std::uint8_t>(entry));
}

LaneBuilder& LaneBuilder::record(std::string bytes) {
  Step step;
  step.kind = Step::Kind::kRecord;
  step.bytes = std::move(bytes);
  steps_.push_back(std::move(step));
  return *this;
}

LaneBuilder& LaneBuilder::raw(std::string_view bytes) {
  Step step;
  step.bytes = bytes;
  steps_.push_back(std::move(step));
  return *this;
}

LaneBuilder& LaneBuilder::map_list(std::uint32_t id, const std::vector<spool::MapItem>& items) {
  lists_[id] = items;
  return *this;
}

LaneBuilder& LaneBuilder::region(std::uint32_t id, std::uint32_t site, std::uint8_t kind,
                                 std::uint64_t begin, std::uint64_t end, std::uint32_t map_list,
                                 std::int32_t device, std::uint32_t path) {
  Step step;
  step.kind = Step::Kind::kRegion;
  step.region = id;
  step.list = map_list;
  step.begin = tick(begin);
  step.end = end == 0 ? 0 : tick(end);
  step.context[spool::kContextSite] = site;
  step.context[spool::kContextPath] = path;
  step.context[spool::kContextDevice] =
      static_cast<std::uint64_t>(static_cast<std::int64_t>(device));
  step.context[spool::kContextKind] = kind;
  steps_.push_back(std::move(step));
  return *this;
}

LaneBuilder& LaneBuilder::end(std::uint64_t at) {
  Step step;
  step.kind = Step::Kind::kEnd;
  step.end = tick(at);
  steps_.push_back(std::move(step));
  return *this;
}

LaneBuilder& LaneBuilder::op(std::uint32_t region, Operation op) {
  Step step;
  step.kind = Step::Kind::kOp;
  step.region = region;
  step.op = op;
  steps_.push_back(std::move(step));
  return *this;
}

LaneBuilder& LaneBuilder::api_op(std::uint32_t site, Operation op, std::uint32_t path) {
  Step step;
  step.kind = Step::Kind::kApiOp;
  step.site = site;
  step.path = path;
  step.op = op;
  steps_.push_back(std::move(step));
  return *this;
}

LaneBuilder& LaneBuilder::content(std::uint64_t fingerprint, std::uint64_t hash,
                                  std::uint64_t ticks, std::uint64_t flags) {
  Step step;
  step.kind = Step::Kind::kContent;
  step.content[spool::kContentFingerprint] = fingerprint;
  step.content[spool::kContentHash] = hash;
  step.content[spool::kContentFlags] = flags;
  step.begin = ticks;
  steps_.push_back(std::move(step));
  return *this;
}

LaneBuilder& LaneBuilder::launch(Submit submit) {
  Step step;
  step.kind = Step::Kind::kLaunch;
  step.region = submit.region;
  step.submit = submit;
  steps_.push_back(std::move(step));
  return *this;
}

/// Steps as a recorder would have written them.
class Encoder {
 public:
  using Step = LaneBuilder::Step;
  explicit Encoder(const LaneBuilder& lane) : lane_(lane), instant_(lane.header_.first.ticks) {}

  std::string encoded() {
    for (const Step& step : lane_.steps_) add(step);
    while (!lane_.goes_on_ && !open_.empty() && open_.back().end != 0) close();
    return std::move(bytes_);
  }

 private:
  struct Context {
    spool::Last last{};
    bool is_told = false;
  };
  struct Open {
    std::uint32_t region;
    std::uint64_t end;
    Context* context;
    spool::OpWalk ops;
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
    const auto list = lane_.lists_.find(step.list);
    const std::vector<spool::MapItem> items =
        list == lane_.lists_.end() ? std::vector<spool::MapItem>() : list->second;
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
    spool::OpWalk walk;
    const bool is_left = open_.empty();
    const spool::OpWalk::Place place =
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
  const LaneBuilder& lane_;
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

LaneBuilder& LaneBuilder::symbol(std::uint64_t address, std::uint64_t size, const std::string& name,
                                 std::uint32_t module) {
  spool::OffloadEntry entry{};
  entry.module = spool::ModuleId{module};
  entry.address = address;
  entry.size = size;
  entry.name_size = static_cast<std::uint32_t>(name.size() + 1);
  return add(spool::Tag::kEntry, entry, name + '\0');
}

LaneBuilder& LaneBuilder::device(std::int32_t number, const std::string& type,
                                 std::uint64_t ticks) {
  spool::Device device{};
  device.number = number;
  device.ticks = tick(ticks);
  device.text_size = static_cast<std::uint32_t>(type.size() + 1);
  return add(spool::Tag::kDevice, device, type + '\0',
             static_cast<std::uint8_t>(spool::DeviceEvent::kInitialize));
}

std::string LaneBuilder::bytes(std::size_t free_bytes) const {
  spool::ChunkHeader header = header_;
  const std::string encoded = Encoder(*this).encoded();
  if (header.size == 0) header.size = (sizeof(header) + encoded.size() + free_bytes + 7) / 8 * 8;
  std::string bytes(reinterpret_cast<const char*>(&header), sizeof(header));
  bytes += encoded;
  bytes.resize(header.size);
  return bytes;
}

spool::FileHeader plain_header() {
  spool::FileHeader header{};
  std::memcpy(header.magic, spool::kMagic, sizeof(header.magic));
  header.version = spool::kVersion;
  header.header_size = sizeof(header);
  header.pid = 4242;
  header.ppid = 4241;
  header.process_start = 77;
  header.clock = spool::Clock::kMonotonic;
  header.state = spool::State::kFinished;
  header.rank = -1;
  header.omp_version = 201611;
  header.reach = spool::Reach::kOk;
  header.attach = {tick(0), tick(0), 1'700'000'000'000'000'000U};
  header.trailer = {tick(1'000'000), tick(1'000'000), 1'700'000'000'001'000'000U};
  std::strcpy(header.boot_id, "another-boot");
  std::strcpy(header.host, "another-host");
  std::strcpy(header.program, "/home/u/heat");
  std::memcpy(header.arguments, "./heat\0001000\000", 12);
  return header;
}

std::string spool_bytes(const spool::FileHeader& header, const std::vector<LaneBuilder>& chunks) {
  std::string bytes(reinterpret_cast<const char*>(&header), sizeof(header));
  for (const LaneBuilder& chunk : chunks) bytes += chunk.bytes();
  return bytes;
}

std::filesystem::path write_file(const std::string& name, const std::string& bytes) {
  static const std::filesystem::path kFolder = [] {
    std::string pattern = (std::filesystem::temp_directory_path() / "ompdm-spool-XXXXXX").string();
    return std::filesystem::path(mkdtemp(pattern.data()));
  }();
  const std::filesystem::path path = kFolder / name;
  std::ofstream(path, std::ios::binary) << bytes;
  return path;
}

Operation alloc(std::uint64_t at, std::uint64_t host, std::uint64_t device, std::uint64_t bytes) {
  Operation op = operation(1, at, bytes);
  op.src = host;
  op.dst = device;
  op.src_device = kHost;
  return op;
}

Operation to_device(std::uint64_t at, std::uint64_t host, std::uint64_t device,
                    std::uint64_t bytes) {
  Operation op = operation(2, at, bytes);
  op.src = host;
  op.dst = device;
  op.src_device = kHost;
  return op;
}

Operation from_device(std::uint64_t at, std::uint64_t device, std::uint64_t host,
                      std::uint64_t bytes) {
  Operation op = operation(3, at, bytes);
  op.src = device;
  op.dst = host;
  op.dst_device = kHost;
  return op;
}

Operation free_on_device(std::uint64_t at, std::uint64_t device) {
  Operation op = operation(4, at, 0);
  op.src = device;
  op.dst_device = -1;
  return op;
}

std::filesystem::path spool_of(const std::string& name, const spool::FileHeader& header) {
  LaneBuilder lane(0);
  lane.thread(7).site(1, spool::Entry::kKernel, 0x10, {";a.cpp;main;7;1;;", {}});
  lane.region(1, 1, 1, 10, 20);
  return write_file(name, spool_bytes(header, {lane}));
}

}  // namespace ompdm::test
