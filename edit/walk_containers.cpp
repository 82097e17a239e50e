// The effects of std::vector's members, by rule: libraries implement them in many ways, so their
// bodies are not walked. The storage is memory that the vector's construction makes. A member that
// may reallocate it ends it and makes it again. Only for a walk through a program.
#include <clang/AST/DeclTemplate.h>

#include <algorithm>
#include <array>

#include "walk.h"

namespace ompdm::edit {
namespace {

bool has_name(const clang::CXXRecordDecl& record, llvm::StringRef name) {
  return record.isInStdNamespace() && record.getIdentifier() != nullptr && record.getName() == name;
}

/// The class of a std::vector of numbers, or of plain objects of numbers, with the library's
/// allocator. Null for other classes. Elements with pointers, or with code of the program, make a
/// vector's bodies worth walking.
const clang::ClassTemplateSpecializationDecl* vector_of(const clang::CXXRecordDecl* record) {
  const auto* vector = llvm::dyn_cast_or_null<clang::ClassTemplateSpecializationDecl>(record);
  if (vector == nullptr || !has_name(*vector, "vector") || !vector->hasDefinition()) return nullptr;
  const clang::TemplateArgumentList& arguments = vector->getTemplateArgs();
  if (arguments.size() < 2) return nullptr;
  const clang::QualType element = arguments[0].getAsType();
  const clang::CXXRecordDecl* allocator = arguments[1].getAsType()->getAsCXXRecordDecl();
  if (allocator == nullptr || !has_name(*allocator, "allocator")) return nullptr;
  if (element->isBooleanType() || holds_pointers(element)) return nullptr;
  const clang::CXXRecordDecl* own = element->getAsCXXRecordDecl();
  const bool is_plain = own == nullptr
                            ? element->isArithmeticType() || element->isEnumeralType()
                            : own->hasDefinition() && own->isAggregate() &&
                                  own->isTriviallyCopyable() && own->hasTrivialDefaultConstructor();
  return is_plain ? vector : nullptr;
}

clang::QualType element_of(const clang::ClassTemplateSpecializationDecl& vector) {
  return vector.getTemplateArgs()[0].getAsType();
}

/// Whether a type's code is the library's, or the compiler's: iterators, lists, allocators, values.
bool is_of_library(clang::QualType type) {
  const clang::CXXRecordDecl* record = type->getAsCXXRecordDecl();
  return record == nullptr || is_in_system_header(*record);
}

const clang::FieldDecl* first_field(const clang::CXXRecordDecl& record) {
  if (!record.hasDefinition()) return nullptr;
  for (const clang::CXXBaseSpecifier& base : record.bases()) {
    const clang::CXXRecordDecl* inner = base.getType()->getAsCXXRecordDecl();
    const clang::FieldDecl* field = inner == nullptr ? nullptr : first_field(*inner);
    if (field != nullptr) return field;
  }
  return record.field_empty() ? nullptr : *record.field_begin();
}

/// The members that lead from an iterator to its pointer to the element. Empty: not known.
std::vector<const clang::FieldDecl*> pointer_in(clang::QualType iterator) {
  std::vector<const clang::FieldDecl*> steps;
  for (const clang::CXXRecordDecl* record = iterator->getAsCXXRecordDecl(); record != nullptr;) {
    const clang::FieldDecl* field = first_field(*record);
    if (field == nullptr) return {};
    steps.push_back(field);
    if (field->getType()->isAnyPointerType()) return steps;
    record = field->getType()->getAsCXXRecordDecl();
  }
  return {};
}

template <std::size_t Count>
bool is_one_of(llvm::StringRef name, const std::array<llvm::StringLiteral, Count>& names) {
  return std::ranges::find(names, name) != names.end();
}

constexpr std::array<llvm::StringLiteral, 5> kElements = {"operator[]", "at", "front", "back",
                                                          "data"};
constexpr std::array<llvm::StringLiteral, 8> kIterators = {"begin",  "end",  "cbegin",  "cend",
                                                           "rbegin", "rend", "crbegin", "crend"};
constexpr std::array<llvm::StringLiteral, 5> kSizes = {"size", "empty", "capacity", "max_size",
                                                       "get_allocator"};
constexpr std::array<llvm::StringLiteral, 8> kReallocating = {"resize",    "reserve",      "assign",
                                                              "push_back", "emplace_back", "insert",
                                                              "emplace",   "shrink_to_fit"};
constexpr std::array<llvm::StringLiteral, 3> kShortening = {"pop_back", "clear", "erase"};

}  // namespace

bool CodeWalk::is_vector(clang::QualType type) const {
  return is_program() && !type.isNull() && vector_of(type->getAsCXXRecordDecl()) != nullptr;
}

Places CodeWalk::storage_pointer(const Places& vectors, const clang::CXXRecordDecl& vector) const {
  Places pointers{{}, vectors.is_any};
  const clang::FieldDecl* field = first_field(vector);
  for (const Path& one : vectors.paths) {
    if (field != nullptr) pointers.paths.insert(one.with(same(field)));
  }
  return pointers;
}

Places CodeWalk::storage_of(const Places& vectors, const clang::CXXRecordDecl& vector) {
  const clang::FieldDecl* field = first_field(vector);
  for (const Path& one : vectors.paths) {
    if (field == nullptr || !is_own(one)) continue;
    const Places pointer{{one.with(same(field))}, false};
    if (pointees_at(pointer).is_empty()) store(pointer, first_storage(one), true);
  }
  Places storage = pointees_at(storage_pointer(vectors, vector));
  // Nothing shows what was put into it.
  if (storage.is_empty()) storage.is_any = true;
  return storage;
}

void CodeWalk::take_elements(const Expr& argument, clang::QualType element) {
  const clang::QualType type = argument.getType().getNonReferenceType();
  // A value of another type is converted to an element, by code of its own.
  const auto runs_code = [&](clang::QualType one) {
    return one->isRecordType() && one.getCanonicalType().getUnqualifiedType() !=
                                      element.getCanonicalType().getUnqualifiedType();
  };
  if (type->isAnyPointerType()) {
    if (runs_code(type->getPointeeType())) record_any();
    record(Use::kRead, argument.isGLValue() ? pointees_at(place(argument)) : value(argument));
    return;
  }
  if (!type->isRecordType()) {
    if (argument.isGLValue()) {
      record(Use::kRead, place(argument));
    } else {
      discard(argument);
    }
    return;
  }
  const Places from = place_of_any(argument);
  record(Use::kRead, from);
  if (!runs_code(type)) return;
  if (const auto* vector = vector_of(type->getAsCXXRecordDecl())) {
    record(Use::kRead, pointees_at(storage_pointer(from, *vector)));
    return;
  }
  // Iterators of the program run its code, and so may conversions of other element types.
  const std::vector<const clang::FieldDecl*> steps = pointer_in(type);
  const bool is_plain = steps.empty() || !runs_code(steps.back()->getType()->getPointeeType());
  if (!is_of_library(type) || !is_plain) return record_any();
  for (const Path& one : from.paths) {
    Path pointer = one;
    for (const clang::FieldDecl* step : steps) pointer = pointer.with(same(step));
    if (!steps.empty()) record(Use::kRead, pointees_at({{pointer}, false}));
  }
}

bool CodeWalk::construct_vector(const Path& to, const clang::CXXConstructExpr& made) {
  const auto* vector = is_program() ? vector_of(made.getConstructor()->getParent()) : nullptr;
  if (vector == nullptr) return false;
  const Places pointer = storage_pointer({{to}, false}, *vector);
  // The storage is taken over, also where an allocator is given.
  const clang::CXXConstructorDecl& constructor = *made.getConstructor();
  const bool is_move = constructor.getNumParams() > 0 &&
                       constructor.getParamDecl(0)->getType()->isRValueReferenceType() &&
                       is_vector(constructor.getParamDecl(0)->getType().getNonReferenceType());
  if (is_move && made.getNumArgs() > 0) {
    const Places from = place_of_any(*made.getArg(0));
    store(pointer, storage_of(from, *vector), true);
    return true;
  }
  const Places storage = fresh(made);
  store(pointer, storage, true);
  for (const Expr* argument : made.arguments()) {
    if (!isa<clang::CXXDefaultArgExpr>(argument)) take_elements(*argument, element_of(*vector));
  }
  record(Use::kWrite, storage);
  return true;
}

std::optional<Places> CodeWalk::call_of_vector(const clang::CXXMethodDecl& method,
                                               const std::vector<const Expr*>& arguments,
                                               const Places& self, const Path& result,
                                               const Expr& call) {
  const auto* vector = is_program() ? vector_of(method.getParent()) : nullptr;
  if (vector == nullptr) return std::nullopt;
  const std::string name = method.getNameAsString();
  const auto run_arguments = [&] {
    for (const Expr* argument : arguments) discard(*argument);
  };
  const auto iterator_to = [&](const Places& storage) {
    Path pointer = result;
    const std::vector<const clang::FieldDecl*> steps = pointer_in(call.getType());
    for (const clang::FieldDecl* step : steps) pointer = pointer.with(same(step));
    if (!result.root.isNull() && !steps.empty()) store({{pointer}, false}, storage, true);
    return Places();
  };
  if (is_one_of(name, kSizes)) return Places();
  if (name == "operator=") {
    if (arguments.size() != 1) return std::nullopt;
    const clang::QualType type = arguments[0]->getType().getNonReferenceType();
    const Places storage = storage_of(self, *vector);
    if (is_vector(type)) {
      const Places from = place_of_any(*arguments[0]);
      const Places its = storage_of(from, *vector);
      if (method.isMoveAssignmentOperator()) {
        add_storage(Step::Kind::kGone, storage);
        store(storage_pointer(self, *vector), its, false);
        return self;
      }
      record(Use::kRead, its);
    } else {
      take_elements(*arguments[0], element_of(*vector));
    }
    renew(storage);
    return self;
  }
  const Places storage = storage_of(self, *vector);
  if (is_one_of(name, kElements)) {
    run_arguments();
    return storage;
  }
  if (is_one_of(name, kIterators)) return iterator_to(storage);
  if (is_one_of(name, kReallocating)) {
    for (const Expr* argument : arguments) {
      if (!isa<clang::CXXDefaultArgExpr>(argument)) take_elements(*argument, element_of(*vector));
    }
    renew(storage);
  } else if (is_one_of(name, kShortening)) {
    run_arguments();
    record(Use::kWrite, storage);
  } else if (name == "swap" && arguments.size() == 1) {
    swap_vectors(self, place_of_any(*arguments[0]), *vector);
    return Places();
  } else {
    return std::nullopt;
  }
  return call.getType()->isRecordType() ? iterator_to(storage) : storage;
}

std::optional<Places> CodeWalk::call_of_plain(const clang::CXXMethodDecl& method,
                                              const std::vector<const Expr*>& arguments,
                                              const Places& self, const Path& result,
                                              const Expr& call) {
  if (!is_program() || !is_container_of_plain(*method.getParent())) return std::nullopt;
  const auto is_text = [](clang::QualType type) {
    return type->isAnyPointerType() && type->getPointeeType()->isAnyCharacterType();
  };
  const clang::QualType returned = call.getType();
  const bool is_known =
      !returned->isAnyPointerType() && std::ranges::all_of(arguments, [&](const Expr* one) {
        const clang::QualType type = one->getType().getNonReferenceType();
        const clang::CXXRecordDecl* record = type->getAsCXXRecordDecl();
        return is_plain(type) || is_text(type) || type->isArrayType() ||
               isa<clang::CXXDefaultArgExpr>(one) ||
               (record != nullptr && is_container_of_plain(*record));
      });
  if (!is_known) return std::nullopt;
  for (const Expr* one : arguments) {
    if (isa<clang::CXXDefaultArgExpr>(one)) continue;
    const clang::QualType type = one->getType().getNonReferenceType();
    if (is_text(type) || type->isArrayType()) {
      record(Use::kRead, pointees_or_place(*one));
    } else if (one->isGLValue() || type->isRecordType()) {
      record(Use::kRead, place_of_any(*one));
    } else {
      discard(*one);
    }
  }
  record(method.isConst() ? Use::kRead : Use::kChange, self);
  // Iterators lead to the elements, which belong to the container itself.
  Path pointer = result;
  const clang::CXXRecordDecl* made = returned->getAsCXXRecordDecl();
  const bool is_iterator = made != nullptr && !is_plain(returned) && !is_container_of_plain(*made);
  const std::vector<const clang::FieldDecl*> steps =
      is_iterator ? pointer_in(returned) : std::vector<const clang::FieldDecl*>();
  for (const clang::FieldDecl* step : steps) pointer = pointer.with(same(step));
  if (!result.root.isNull() && !steps.empty()) store({{pointer}, false}, self, true);
  return call.isGLValue() ? self : Places();
}

void CodeWalk::end_vector(const Path& vector, const clang::CXXRecordDecl& record) {
  add_storage(Step::Kind::kGone, pointees_at(storage_pointer({{vector}, false}, record)));
}

void CodeWalk::renew(const Places& storage) {
  add_storage(Step::Kind::kGone, storage);
  add_storage(Step::Kind::kMade, storage);
  record(Use::kWrite, storage);
}

void CodeWalk::swap_vectors(const Places& one, const Places& other,
                            const clang::CXXRecordDecl& vector) {
  const Places first = storage_of(one, vector);
  const Places second = storage_of(other, vector);
  store(storage_pointer(one, vector), second, false);
  store(storage_pointer(other, vector), first, false);
}

namespace {

/// Whether objects of a class are moved member by member, without code of the program.
bool is_moved_by_members(clang::QualType type) {
  const auto* record = type->getBaseElementTypeUnsafe()->getAsCXXRecordDecl();
  if (record == nullptr || record->isInStdNamespace()) return true;
  const bool is_plain =
      record->hasDefinition() && record->getNumVBases() == 0 &&
      !record->hasUserDeclaredMoveConstructor() && !record->hasUserDeclaredMoveAssignment() &&
      !record->hasUserDeclaredCopyConstructor() && !record->hasUserDeclaredCopyAssignment();
  return is_plain &&
         std::ranges::all_of(record->fields(),
                             [](const auto* one) { return is_moved_by_members(one->getType()); }) &&
         std::ranges::all_of(record->bases(), [](const clang::CXXBaseSpecifier& one) {
           return is_moved_by_members(one.getType());
         });
}

}  // namespace

bool CodeWalk::swaps_objects(const FunctionDecl& called,
                             const std::vector<const Expr*>& arguments) {
  const bool is_swap = is_program() && arguments.size() == 2 && called.isInStdNamespace() &&
                       called.getIdentifier() != nullptr && called.getName() == "swap" &&
                       arguments[0]->getType()->isRecordType();
  if (!is_swap) return false;
  const bool are_vectors = is_vector(arguments[0]->getType()) && is_vector(arguments[1]->getType());
  if (!are_vectors && !is_moved_by_members(arguments[0]->getType())) return false;
  const Places one = place_of_any(*arguments[0]);
  const Places other = place_of_any(*arguments[1]);
  if (are_vectors) {
    swap_vectors(one, other, *arguments[0]->getType()->getAsCXXRecordDecl());
    return true;
  }
  record(Use::kChange, one);
  record(Use::kChange, other);
  for (const Path& path : one.paths) copy(path, other, false);
  for (const Path& path : other.paths) copy(path, one, false);
  return true;
}

}  // namespace ompdm::edit
