#include "spool/spool_builder.h"

#include <unistd.h>

#include <cstdlib>

namespace ompdm::test {
namespace {

constexpr std::int32_t kHost = 4;

spool::DataOp operation(std::uint16_t optype, std::uint64_t at, std::uint64_t bytes) {
  spool::DataOp op{};
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

LaneBuilder& LaneBuilder::map_list(std::uint32_t id, std::uint32_t site,
                                   const std::vector<spool::MapItem>& items) {
  spool::MapList list{};
  list.id = spool::MapListId{id};
  list.site = spool::SiteId{site};
  list.count = static_cast<std::uint32_t>(items.size());
  return add(spool::Tag::kMapList, list,
             {reinterpret_cast<const char*>(items.data()), items.size() * sizeof(items[0])});
}

LaneBuilder& LaneBuilder::region(std::uint32_t id, std::uint32_t site, std::uint8_t kind,
                                 std::uint64_t begin, std::uint64_t end, std::uint32_t map_list,
                                 std::int32_t device) {
  spool::Region region{};
  region.id = spool::RegionId{id};
  region.site = spool::SiteId{site};
  region.begin = tick(begin);
  region.end = end == 0 ? 0 : tick(end);
  region.map_list = spool::MapListId{map_list};
  region.device = device;
  return add(spool::Tag::kRegion, region, {}, kind);
}

LaneBuilder& LaneBuilder::op(std::uint32_t region, spool::DataOp op) {
  op.region = spool::RegionId{region};
  return add(spool::Tag::kDataOp, op, {}, spool::kOpInRegion);
}

LaneBuilder& LaneBuilder::api_op(std::uint32_t site, spool::DataOp op) {
  op.site = spool::SiteId{site};
  return add(spool::Tag::kDataOp, op);
}

LaneBuilder& LaneBuilder::launch(spool::Launch launch) { return add(spool::Tag::kLaunch, launch); }

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
  if (header.size == 0) header.size = (sizeof(header) + bytes_.size() + free_bytes + 7) / 8 * 8;
  std::string bytes(reinterpret_cast<const char*>(&header), sizeof(header));
  bytes += bytes_;
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

spool::DataOp alloc(std::uint64_t at, std::uint64_t host, std::uint64_t device,
                    std::uint64_t bytes) {
  spool::DataOp op = operation(1, at, bytes);
  op.src = host;
  op.dst = device;
  op.src_device = kHost;
  return op;
}

spool::DataOp to_device(std::uint64_t at, std::uint64_t host, std::uint64_t device,
                        std::uint64_t bytes) {
  spool::DataOp op = operation(2, at, bytes);
  op.src = host;
  op.dst = device;
  op.src_device = kHost;
  return op;
}

spool::DataOp from_device(std::uint64_t at, std::uint64_t device, std::uint64_t host,
                          std::uint64_t bytes) {
  spool::DataOp op = operation(3, at, bytes);
  op.src = device;
  op.dst = host;
  op.dst_device = kHost;
  return op;
}

spool::DataOp free_on_device(std::uint64_t at, std::uint64_t device) {
  spool::DataOp op = operation(4, at, 0);
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
