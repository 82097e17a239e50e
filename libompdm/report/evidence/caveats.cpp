#include <fmt/format.h>

#include "report/advice.h"
#include "report/evidence/words.h"

namespace ompdm::report {

std::string words_of(const analysis::Caveat& caveat) {
  using Kind = analysis::Caveat::Kind;
  const bool is_one = caveat.names.size() == 1;
  switch (caveat.kind) {
    case Kind::kNotCompared:
      return "contents were not compared";
    case Kind::kFewCompared:
      return "too few contents were compared";
    case Kind::kHalfUnbacked:
      return "equal contents were seen of less than half of these bytes";
    case Kind::kBlocksCompared:
      return "only blocks of some of it were compared";
    case Kind::kOthersMap:
      return "other directives map the same data in between";
    case Kind::kHostChanges:
      return "the host changes it in between, so that target updates may move as much";
    case Kind::kOtherEntries:
      return "the loop may have been entered more often, and each time needs its own copies";
    case Kind::kMadeAnew:
      return fmt::format("{} {} declared anew in each pass, and what {} may be allocated anew",
                         spoken_list(caveat.names), is_one ? "is" : "are",
                         is_one ? "it points to" : "they point to");
    case Kind::kMakesMemory:
      return "the loop, or what it calls, allocates memory, which may be this";
    case Kind::kSameMadeAnew:
      return "the host may have computed the same content anew";
    case Kind::kSameWritten:
      return "a kernel may have written the values that were there, and others in another run";
    case Kind::kNamesStray:
      return fmt::format("{} {} for other data too, which is not kept", spoken_list(caveat.names),
                         is_one ? "stands" : "stand");
    case Kind::kOtherData:
      return "the directive also ran with other data of this name";
    case Kind::kScratchCopies:
      return "kernels in between map it by map(to:), and whether they change that copy does not "
             "show";
    case Kind::kHostChanged:
      return fmt::format(
          "whether the host had changed its own copy, and wants {} restored, does not show",
          is_one ? "it" : "them");
    case Kind::kRareFlag:
      return "it may be a flag, which a kernel sets only now and then";
    case Kind::kFewIterations:
      return "how many iterations it has does not show: of few, threads gain nothing";
    case Kind::kNeededAtOnce:
      return "whether the host needs each of them at once does not show";
    case Kind::kMaybeNoFaster:
      return "whether it would be faster otherwise does not show";
    case Kind::kPinnedUnmeasured:
      return "no transfer of this run tells what page-locked memory would reach";
    case Kind::kOtherPointer:
      return "whether the kernel reaches it by another pointer does not show";
    case Kind::kRestCounted:
      return "the rest of the run was counted only, and may need what this part of it does not";
    case Kind::kRestNotHere:
      return "the rest of the run is not here, and may need what this part of it does not";
  }
  return {};
}

}  // namespace ompdm::report
