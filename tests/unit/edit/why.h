// The words of refusals that tests ask for, in one place: what each is for tells its name.
#pragma once

namespace ompdm::edit::testing::why {

inline constexpr const char* kReturn = "leaves it by return";
inline constexpr const char* kBreak = "leaves the block by break";
inline constexpr const char* kGoto = "holds a goto";
inline constexpr const char* kLabel = "may be jumped to";
inline constexpr const char* kEnd = "ends the program";
inline constexpr const char* kMacro = "comes from a macro";
inline constexpr const char* kNoLoop = "no for, while or do begins here";
inline constexpr const char* kAloneNothing =
    "this directive alone uses the data: around it as much is copied";
inline constexpr const char* kElsewhere = "is compiled elsewhere";
inline constexpr const char* kSetAnew = "a pointer to the data is set here";
inline constexpr const char* kOtherData = "exchanged here with one of other data";
inline constexpr const char* kUnseen = "whose body is not seen";
inline constexpr const char* kByPointer = "what is called here, whose body is not seen";
inline constexpr const char* kOtherName = "may be another name of";
inline constexpr const char* kNotOnlyHere = "which other files may call";
inline constexpr const char* kExtentIsSet = "is set in the loop";
inline constexpr const char* kExtentMayBeSet = "may be set in the loop";
inline constexpr const char* kExtentAddress = "may be set by its address";
inline constexpr const char* kExtentIsMore = "more than names and numbers";
inline constexpr const char* kRedefined = "defined more than once";
inline constexpr const char* kNoRoom = "where no directive can stand";
inline constexpr const char* kWithRegions = "in a statement that runs regions on a device";
inline constexpr const char* kThreads = "the threads of this construct share";
inline constexpr const char* kNoMemory = "may have no memory otherwise";
inline constexpr const char* kMayRead = "the kernel may read";
inline constexpr const char* kMayChange = "the kernel may change";
inline constexpr const char* kUses = "the kernel uses";
inline constexpr const char* kModifier = "is mapped with a modifier";
inline constexpr const char* kNoClause = "no clause names";
inline constexpr const char* kHasBody = "has a body";
inline constexpr const char* kNotLookedInto = "is not known";
inline constexpr const char* kNotReached = "unexecuted directives";
inline constexpr const char* kNoEdits = "it has no edits";

}  // namespace ompdm::edit::testing::why
