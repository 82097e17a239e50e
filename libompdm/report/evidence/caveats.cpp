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
      return "contents speak for less than half of these bytes";
    case Kind::kBlocksCompared:
      return "of some of it only blocks were compared";
    case Kind::kOthersMap:
      return "other directives map the same in between";
    case Kind::kHostChanges:
      return "the host changes it in between: updates may move as much";
    case Kind::kOtherEntries:
      return "the loop may have been entered more often, and each time has its own";
    case Kind::kMadeAnew:
      return fmt::format("{} {} made in each pass, and what {} may be too",
                         spoken_list(caveat.names), is_one ? "is" : "are",
                         is_one ? "it points to" : "they point to");
    case Kind::kMakesMemory:
      return "the loop, or what it calls, makes memory in its passes, which may be this";
    case Kind::kSameMadeAnew:
      return "the host may have made the same content anew";
    case Kind::kOtherData:
      return "other instances of the directive name other data so";
    case Kind::kScratchCopies:
      return "kernels in between have map(to:) copies of it, and whether they change them does not "
             "show";
    case Kind::kHostChanged:
      return fmt::format(
          "whether the host had changed its own copy, and wants {} restored, does not show",
          is_one ? "it" : "them");
    case Kind::kRareFlag:
      return "a kernel may set a flag now and then";
    case Kind::kNeededAtOnce:
      return "whether the host needs each of them at once does not show";
    case Kind::kMaybeNoFaster:
      return "whether it would be faster otherwise does not show";
    case Kind::kPinnedUnmeasured:
      return "no transfer of this run tells what page-locked memory would reach";
    case Kind::kOtherPointer:
      return "whether the kernel reaches it by another pointer does not show";
  }
  return {};
}

}  // namespace ompdm::report
