#include "known_functions.h"

#include <clang/AST/DeclCXX.h>
#include <clang/AST/DeclTemplate.h>
#include <clang/Basic/SourceManager.h>

#include <algorithm>
#include <array>
#include <set>
#include <string>

#include "paths.h"
#include "program.h"

namespace ompdm::edit {
namespace {

constexpr auto kFirst = KnownFunction::Result::kFirst;
constexpr auto kFresh = KnownFunction::Result::kFresh;
constexpr auto kPlace = KnownFunction::Result::kPlace;

constexpr std::array kKnownFunctions = std::to_array<KnownFunction>({
    {"memcpy", "wr.", kFirst},
    {"memmove", "wr.", kFirst},
    {"memset", "w..", kFirst},
    {"memcmp", "rr."},
    {"strlen", "r"},
    {"strcmp", "rr"},
    {"strncmp", "rr."},
    {"strcpy", "wr", kFirst},
    {"fwrite", "r..."},
    {"fread", "w..."},
    {"read", ".w."},
    {"write", ".r."},
    {"printf", "*"},
    {"fprintf", ".*"},
    {"puts", "r"},
    {"malloc", ".", kFresh},
    {"realloc", "f.", kFresh},
    {"free", "f"},
    {"posix_memalign", "m.."},
    {"operator new", "..", kFresh},
    {"operator_new", "..", kFresh},
    {"operator new[]", "..", kFresh},
    {"operator delete", "f.."},
    {"operator_delete", "f.."},
    {"operator delete[]", "f.."},
    {"snprintf", "w.*"},
    {"sprintf", "w*"},
    {"fputs", "r."},
    {"omp_target_memcpy", "xx....."},
    {"omp_target_is_present", ".."},
    {"omp_target_is_accessible", "..."},
    {"MPI_Send", "r....."},
    {"MPI_Ssend", "r....."},
    {"MPI_Recv", "w.....w"},
    {"MPI_Bcast", "x...."},
    {"MPI_Reduce", "rw....."},
    {"MPI_Allreduce", "rw...."},
    {"MPI_Gather", "r..w...."},
    {"MPI_Allgather", "r..w..."},
    {"MPI_Scatter", "r..w...."},
    {"MPI_Sendrecv", "r....w.....w"},
    {"calloc", "..", kFresh},
    {"aligned_alloc", "..", kFresh},
    {"assume_aligned", "...", kFirst},
    {"prefetch", "..."},
    {"frexp", ".w"},
    {"frexpf", ".w"},
    {"modf", ".w"},
    {"modff", ".w"},
    {"remquo", "..w"},
    {"sincos", ".ww"},
    {"sincosf", ".ww"},
    {"lgamma_r", ".w"},
    {"addressof", "", kPlace},
    {"std::__addressof", "", kPlace},
    {"std::move", "", kPlace},
    {"std::move_if_noexcept", "", kPlace},
    {"std::forward", "", kPlace},
    {"std::as_const", "", kPlace},
});

/// Whether all types that a template is instantiated with are plain. True for a class that is no
/// instantiation.
bool has_plain_types(const clang::CXXRecordDecl& record) {
  const auto* of_types = dyn_cast<clang::ClassTemplateSpecializationDecl>(&record);
  const auto is_plain_one = [](const clang::TemplateArgument& one) {
    return one.getKind() != clang::TemplateArgument::Type || is_plain(one.getAsType());
  };
  return of_types == nullptr ||
         std::ranges::all_of(of_types->getTemplateArgs().asArray(), [&](const auto& one) {
           return one.getKind() == clang::TemplateArgument::Pack
                      ? std::ranges::all_of(one.pack_elements(), is_plain_one)
                      : is_plain_one(one);
         });
}

}  // namespace

const KnownFunction* known_function(const FunctionDecl& function) {
  const std::string whole = function.getQualifiedNameAsString();
  llvm::StringRef name = whole;
  name.consume_front("std::");
  name.consume_front("__builtin_");
  if (!is_of_system(&function) && !function.isExternC()) return nullptr;
  if (isa<clang::CXXMethodDecl>(function) && name.contains("operator")) return nullptr;
  const auto* found = std::ranges::find_if(
      kKnownFunctions, [&](const auto& one) { return one.name == name || one.name == whole; });
  return found == kKnownFunctions.end() ? nullptr : found;
}

bool forgets_arguments(const FunctionDecl& function) {
  const std::string called = function.getNameInfo().getAsString();
  static const std::set<std::string> kKeeps = {"pthread_create", "omp_get_mapped_ptr",
                                               "strtok",         "strtok_r",
                                               "fmemopen",       "open_memstream",
                                               "hsearch",        "tsearch",
                                               "lfind",          "setg",
                                               "setp",           "pubsetbuf"};
  if (kKeeps.contains(called)) return false;
  if (is_of_system(&function)) return true;
  if (!function.isExternC()) return false;
  const std::string name = function.getNameAsString();
  const llvm::StringRef word = name;
  // Functions that begin transfers which continue, and functions that wait for them.
  const bool goes_on = word.starts_with("MPI_I") || word.starts_with("MPI_W") ||
                       word.starts_with("MPI_Test") || word.starts_with("MPI_Start") ||
                       word.ends_with("_init");
  if (word.starts_with("MPI_")) {
    return !goes_on || word == "MPI_Init" || word == "MPI_Wtime" || word == "MPI_Initialized";
  }
  return word.starts_with("omp_") || word.starts_with("cblas_") || word.starts_with("LAPACKE_");
}

bool runs_no_other_code(const FunctionDecl& function) {
  if (!is_of_system(&function) || function.isNoReturn()) return false;
  const auto is_of_program = [](clang::QualType type) {
    while (!type->getPointeeType().isNull()) type = type->getPointeeType();
    const clang::CXXRecordDecl* record = type->getBaseElementTypeUnsafe()->getAsCXXRecordDecl();
    const bool is_own =
        record != nullptr &&
        !record->getASTContext().getSourceManager().isInSystemHeader(record->getLocation());
    return type->isFunctionType() || type->isDependentType() || is_own;
  };
  const auto has_own = [&](const clang::TemplateArgumentList* arguments) {
    return arguments != nullptr && std::ranges::any_of(arguments->asArray(), [&](const auto& one) {
             return one.getKind() != clang::TemplateArgument::Integral &&
                    (one.getKind() != clang::TemplateArgument::Type ||
                     is_of_program(one.getAsType()));
           });
  };
  if (has_own(function.getTemplateSpecializationArgs())) return false;
  const auto* of_class =
      dyn_cast<clang::ClassTemplateSpecializationDecl>(function.getDeclContext());
  if (of_class != nullptr && has_own(&of_class->getTemplateArgs())) return false;
  return std::ranges::none_of(function.parameters(), [&](const clang::ParmVarDecl* one) {
    return is_of_program(one->getType());
  });
}

bool is_plain(clang::QualType type) {
  static const std::set<std::string> kPlain = {"pair",
                                               "tuple",
                                               "array",
                                               "complex",
                                               "optional",
                                               "basic_string",
                                               "char_traits",
                                               "less",
                                               "greater",
                                               "hash",
                                               "equal_to",
                                               "allocator",
                                               "_Select1st",
                                               "_Identity",
                                               "__identity",
                                               "_Mod_range_hashing",
                                               "_Default_ranged_hash",
                                               "_Prime_rehash_policy",
                                               "_Hashtable_traits"};
  if (type->isArithmeticType() || type->isEnumeralType()) return true;
  const auto* record = type->getAsCXXRecordDecl();
  const bool is_known = record != nullptr && is_in_system_header(*record) &&
                        kPlain.contains(record->getNameAsString());
  return is_known && has_plain_types(*record);
}

bool is_container_of_plain(const clang::CXXRecordDecl& record) {
  static const std::set<std::string> kContainers = {
      "map",           "multimap",           "set",           "multiset",
      "unordered_map", "unordered_multimap", "unordered_set", "unordered_multiset",
      "list",          "forward_list",       "deque",         "queue",
      "stack",         "priority_queue",     "basic_string"};
  return is_in_system_header(record) && kContainers.contains(record.getNameAsString()) &&
         has_plain_types(record);
}

namespace {

/// Whether objects of a type lead to other data, or run code that may use some.
bool leads_elsewhere(clang::QualType type) {
  if (type->isFunctionType() || type->isMemberPointerType()) return true;
  if (type->isAnyPointerType()) return !type->getPointeeType()->isAnyCharacterType();
  const auto* record = type->getBaseElementTypeUnsafe()->getAsCXXRecordDecl();
  if (record == nullptr || !record->hasDefinition()) return false;
  if (!is_in_system_header(*record)) {
    return record->isPolymorphic() || record->isLambda() || holds_pointers(type) ||
           std::ranges::any_of(record->methods(), [](const clang::CXXMethodDecl* one) {
             return one->getOverloadedOperator() == clang::OO_Call;
           });
  }
  const auto* of_types = dyn_cast<clang::ClassTemplateSpecializationDecl>(record);
  return of_types != nullptr &&
         std::ranges::any_of(of_types->getTemplateArgs().asArray(), [](const auto& one) {
           return one.getKind() == clang::TemplateArgument::Type &&
                  leads_elsewhere(one.getAsType());
         });
}

}  // namespace

bool may_use_kept_data(const FunctionDecl& function) {
  const auto* method = dyn_cast<clang::CXXMethodDecl>(&function);
  const auto* of_types =
      method == nullptr ? nullptr
                        : dyn_cast<clang::ClassTemplateSpecializationDecl>(method->getParent());
  if (of_types == nullptr || !is_of_system(&function)) return false;
  return std::ranges::any_of(of_types->getTemplateArgs().asArray(), [](const auto& one) {
    return one.getKind() == clang::TemplateArgument::Type && leads_elsewhere(one.getAsType());
  });
}

bool is_worth_walking(const FunctionDecl& function) {
  static const std::set<std::string> kClasses = {"vector",
                                                 "_Vector_base",
                                                 "_Vector_impl",
                                                 "_Vector_impl_data",
                                                 "array",
                                                 "__array_traits",
                                                 "unique_ptr",
                                                 "__uniq_ptr_impl",
                                                 "shared_ptr",
                                                 "__shared_ptr",
                                                 "allocator",
                                                 "__uniq_ptr_data",
                                                 "new_allocator",
                                                 "__new_allocator",
                                                 "allocator_traits",
                                                 "__shared_ptr_access",
                                                 "__alloc_traits",
                                                 "__normal_iterator",
                                                 "initializer_list",
                                                 "tuple",
                                                 "_Tuple_impl",
                                                 "_Head_base",
                                                 "pair",
                                                 "complex",
                                                 "valarray",
                                                 "span",
                                                 "__extent_storage",
                                                 "reference_wrapper",
                                                 "default_delete",
                                                 "move_iterator",
                                                 "reverse_iterator",
                                                 "basic_string_view"};
  static const std::set<std::string> kFunctions = {
      "swap",       "iter_swap",     "swap_ranges",  "get",         "begin",       "end",
      "cbegin",     "cend",          "data",         "size",        "min",         "max",
      "abs",        "sqrt",          "fill",         "fill_n",      "copy",        "copy_n",
      "for_each",   "generate",      "iota",         "equal",       "transform",   "accumulate",
      "reduce",     "inner_product", "exchange",     "make_unique", "tie",         "make_pair",
      "make_tuple", "advance",       "distance",     "max_element", "min_element", "clamp",
      "destroy_at", "destroy",       "construct_at", "launder",     "pow",         "norm",
      "conj",       "real",          "imag",         "to_address",  "bit_cast"};
  const std::string name = function.getNameInfo().getAsString();
  const auto* method = dyn_cast<clang::CXXMethodDecl>(&function);
  const auto* in = dyn_cast<clang::CXXRecordDecl>(function.getDeclContext());
  if (method != nullptr && in != nullptr) {
    const std::string type = in->getNameAsString();
    // The code of these visits all nodes, and uses nothing else.
    static const std::set<std::string> kNodes = {"_Rb_tree",     "_Rb_tree_impl", "_Hashtable",
                                                 "_List_base",   "_List_impl",    "_Fwd_list_base",
                                                 "_Deque_base",  "_Deque_impl",   "__tree",
                                                 "__hash_table", "__list_imp"};
    const auto* outer = dyn_cast<clang::CXXRecordDecl>(in->getDeclContext());
    if (kNodes.contains(type) && has_plain_types(outer != nullptr ? *outer : *in)) return false;
    return in->isLambda() || llvm::StringRef(type).starts_with("_") || kClasses.contains(type);
  }
  return kFunctions.contains(name) || llvm::StringRef(name).starts_with("_") ||
         function.isOverloadedOperator();
}

}  // namespace ompdm::edit
