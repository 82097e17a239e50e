#include <clang/AST/Attr.h>
#include <clang/AST/DeclOpenMP.h>
#include <clang/AST/ExprOpenMP.h>
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "names.h"
#include "walk.h"

namespace ompdm::edit {

const Expr* CodeWalk::wrapped_in(const Expr& expression) {
  if (const auto* one = dyn_cast<clang::FullExpr>(&expression)) return one->getSubExpr();
  if (const auto* one = dyn_cast<clang::MaterializeTemporaryExpr>(&expression)) {
    return expression.isGLValue() ? nullptr : one->getSubExpr();
  }
  if (const auto* one = dyn_cast<clang::CXXBindTemporaryExpr>(&expression)) {
    return one->getSubExpr();
  }
  if (const auto* one = dyn_cast<clang::SubstNonTypeTemplateParmExpr>(&expression)) {
    return one->getReplacement();
  }
  if (const auto* one = dyn_cast<clang::CXXDefaultArgExpr>(&expression)) return one->getExpr();
  if (const auto* one = dyn_cast<clang::CXXDefaultInitExpr>(&expression)) return one->getExpr();
  if (const auto* one = dyn_cast<clang::OpaqueValueExpr>(&expression)) {
    return one->getSourceExpr();
  }
  if (const auto* one = dyn_cast<clang::CXXRewrittenBinaryOperator>(&expression)) {
    return one->getSemanticForm();
  }
  return nullptr;
}

Places CodeWalk::temporary(const Expr& expression) {
  const Path path{&expression, {}};
  own(path.root);
  initialize(path, expression);
  destroy(path, expression.getType());
  return {{path}, false};
}

Places CodeWalk::pointees_or_place(const Expr& any) {
  const Expr& expression = *any.IgnoreParens();
  if (const auto* section = dyn_cast<clang::ArraySectionExpr>(&expression)) {
    return pointees_of(*section->getBase());
  }
  if (const auto* shaped = dyn_cast<clang::OMPArrayShapingExpr>(&expression)) {
    return pointees_of(*shaped->getBase());
  }
  return expression.isGLValue() ? place(expression) : value(expression);
}

Places CodeWalk::pointees_of(const Expr& any) {
  const Expr& expression = *any.IgnoreParens();
  if (isa<clang::ArraySectionExpr, clang::OMPArrayShapingExpr>(expression)) {
    // A section of a section: of an array of arrays, or of pointers.
    const Places rows = pointees_or_place(expression);
    const bool is_array = clang::ArraySectionExpr::getBaseOriginalType(&expression)
                              .getNonReferenceType()
                              ->isArrayType() ||
                          !isa<clang::ArraySectionExpr>(expression);
    return is_array ? rows : pointees_at(rows);
  }
  if (!expression.isGLValue()) return value(expression);
  const Places where = place(expression);
  return expression.getType()->isAnyPointerType() ? pointees_at(where) : where;
}

Places CodeWalk::place(const Expr& any) {
  const Expr& expression = *any.IgnoreParens();
  if (const auto* wrapped = wrapped_in(expression)) return place_of_any(*wrapped);
  if (!expression.isGLValue()) return place_of_any(expression);
  if (const auto* made = dyn_cast<clang::MaterializeTemporaryExpr>(&expression)) {
    const Path path{made, {}};
    own(path.root);
    initialize(path, *made->getSubExpr());
    destroy(path, made->getType());
    return {{path}, false};
  }
  if (const auto* name = dyn_cast<clang::DeclRefExpr>(&expression)) {
    return place_of(*name->getDecl());
  }
  if (const auto* member = dyn_cast<clang::MemberExpr>(&expression)) return place_of(*member);
  if (const auto* index = dyn_cast<clang::ArraySubscriptExpr>(&expression)) {
    Places where = index->getBase()->isGLValue() ? place(*index->getBase())
                                                 : followed(value(*index->getBase()));
    discard(*index->getIdx());
    return where;
  }
  if (const auto* unary = dyn_cast<clang::UnaryOperator>(&expression)) {
    if (unary->getOpcode() == clang::UO_Deref) {
      const bool is_code = unary->getSubExpr()->getType()->isFunctionPointerType();
      const Places pointees = value(*unary->getSubExpr());
      return is_code ? pointees : followed(pointees);
    }
    Places where = place(*unary->getSubExpr());
    if (unary->isIncrementDecrementOp()) change(where, unary->getType());
    return where;
  }
  if (const auto* binary = dyn_cast<clang::BinaryOperator>(&expression)) {
    if (binary->isAssignmentOp()) return assign(*binary);
    if (binary->getOpcode() == clang::BO_Comma) {
      discard(*binary->getLHS());
      return place(*binary->getRHS());
    }
  }
  if (const auto* choice = dyn_cast<clang::ConditionalOperator>(&expression)) {
    discard(*choice->getCond());
    Places where;
    maybe([&] { where = place(*choice->getTrueExpr()); });
    maybe([&] { where.add(place(*choice->getFalseExpr())); });
    return where;
  }
  if (const auto* cast = dyn_cast<clang::CastExpr>(&expression)) return place(*cast->getSubExpr());
  if (const auto* call = dyn_cast<CallExpr>(&expression)) return run_call(*call, {});
  if (const auto* literal = dyn_cast<clang::CompoundLiteralExpr>(&expression)) {
    const Path path{literal, {}};
    own(path.root);
    initialize(path, *literal->getInitializer());
    return {{path}, false};
  }
  if (isa<clang::StringLiteral, clang::PredefinedExpr, clang::CXXTypeidExpr>(expression)) {
    return {};
  }
  if (isa<clang::ArraySectionExpr, clang::OMPArrayShapingExpr>(expression)) {
    return pointees_or_place(expression);
  }
  if (const auto* literal = dyn_cast<clang::InitListExpr>(&expression)) {
    if (literal->getNumInits() == 1) return place(*literal->getInit(0));
  }
  of_unknown_shape(expression);
  return {{}, true};
}

Places CodeWalk::place_of_any(const Expr& expression) {
  return expression.isGLValue() ? place(expression) : temporary(expression);
}

Places CodeWalk::place_of(const clang::ValueDecl& named) {
  if (const auto* part = dyn_cast<clang::BindingDecl>(&named)) {
    return part->getBinding() == nullptr ? Places{{}, true} : place(*part->getBinding());
  }
  if (const auto* computed = dyn_cast<clang::OMPCapturedExprDecl>(&named)) {
    return place_of_any(*computed->getInit());
  }
  const auto* variable = dyn_cast<VarDecl>(&named);
  if (variable == nullptr) return {};
  const bool is_renamed = is_program() && (variable->hasAttr<clang::AsmLabelAttr>() ||
                                           variable->hasAttr<clang::AliasAttr>());
  if (is_renamed && !is_in_system_header(*variable)) lose("names of the linker's are given");
  const VarDecl* const root = same(*variable);
  if (const auto known = refers_to_.find(root); known != refers_to_.end()) return known->second;
  // The reference belongs to a lambda that is made outside of this code.
  const bool is_seen = owner_.contains(root);
  if (variable->isInitCapture() && !is_seen) declare(*variable);
  if (const auto known = refers_to_.find(root); known != refers_to_.end()) return known->second;
  if (variable->getType()->isReferenceType() && owner_.contains(root)) return {{}, true};
  return {{Path{root, {}}}, false};
}

Places CodeWalk::place_of(const clang::MemberExpr& member) {
  const Expr& base = *member.getBase();
  const auto* field = dyn_cast<clang::FieldDecl>(member.getMemberDecl());
  if (field == nullptr) {
    discard(base);
    const auto* variable = dyn_cast<VarDecl>(member.getMemberDecl());
    return variable == nullptr ? Places() : place_of(*variable);
  }
  const auto* self = dyn_cast<clang::CXXThisExpr>(base.IgnoreParenImpCasts());
  if (self != nullptr && !self->isImplicit()) found_.by_this.insert(field);
  const Places objects = member.isArrow() ? followed(value(base)) : place_of_any(base);
  Places where;
  where.is_any = objects.is_any;
  for (const Path& object : objects.paths) where.paths.insert(object.with(same(field)));
  if (where.paths.size() > kMostPlaces) {
    if (is_program()) lose("its pointers lead to too many places");
    where = {{}, true};
  }
  return field->getType()->isReferenceType() ? pointees_at(where) : where;
}

namespace {

bool is_zero(const Expr& index) {
  const Expr& plain = *index.IgnoreParenImpCasts();
  const auto* number = dyn_cast<clang::IntegerLiteral>(&plain);
  return number != nullptr && number->getValue() == 0;
}

/// Whether evaluating an expression always evaluates a wanted part of it. `&&`, `||` and `?:` may
/// leave out operands.
bool always_has(const Stmt& all, const llvm::FoldingSetNodeID& wanted,
                const clang::ASTContext& context) {
  llvm::FoldingSetNodeID its;
  all.Profile(its, context, true);
  if (its == wanted) return true;
  if (const auto* choice = dyn_cast<clang::AbstractConditionalOperator>(&all)) {
    return always_has(*choice->getCond(), wanted, context);
  }
  if (const auto* binary = dyn_cast<clang::BinaryOperator>(&all);
      binary != nullptr && binary->isLogicalOp()) {
    return always_has(*binary->getLHS(), wanted, context);
  }
  if (isa<clang::LambdaExpr, clang::UnaryExprOrTypeTraitExpr>(all)) return false;
  return std::ranges::any_of(all.children(), [&](const Stmt* child) {
    return child != nullptr && always_has(*child, wanted, context);
  });
}

/// Whether an assignment's right side reads the same expression as its left side: `u[i] = u[i] *
/// k`.
bool reads_itself(const clang::BinaryOperator& assignment, const Places& left_side) {
  if (left_side.paths.empty()) return false;
  const auto* variable = dyn_cast_or_null<const VarDecl*>(left_side.paths.begin()->root);
  if (variable == nullptr) return false;
  const clang::ASTContext& context = variable->getASTContext();
  llvm::FoldingSetNodeID left;
  assignment.getLHS()->IgnoreParenImpCasts()->Profile(left, context, true);
  return always_has(*assignment.getRHS(), left, context);
}

}  // namespace

Places CodeWalk::value(const Expr& any) {
  const Expr& expression = *any.IgnoreParens();
  if (is_too_much()) return {{}, true};
  if (expression.isGLValue()) {
    place(expression);
    return {};
  }
  if (const auto* wrapped = wrapped_in(expression)) {
    return wrapped->isGLValue() ? place(*wrapped) : value(*wrapped);
  }
  if (expression.getType()->isRecordType()) {
    temporary(expression);
    return {};
  }
  if (const auto* cast = dyn_cast<clang::CastExpr>(&expression)) return value_of(*cast);
  if (const auto* unary = dyn_cast<clang::UnaryOperator>(&expression)) {
    if (unary->getOpcode() == clang::UO_AddrOf) {
      const auto* element =
          dyn_cast<clang::ArraySubscriptExpr>(unary->getSubExpr()->IgnoreParens());
      const bool is_first = element != nullptr && is_zero(*element->getIdx());
      if (element != nullptr && !is_first) ++shifts_;
      return place_of_any(*unary->getSubExpr());
    }
    if (!unary->isIncrementDecrementOp()) return value(*unary->getSubExpr());
    const Places where = place(*unary->getSubExpr());
    return change(where, unary->getType());
  }
  if (const auto* binary = dyn_cast<clang::BinaryOperator>(&expression)) return value_of(*binary);
  if (const auto* choice = dyn_cast<clang::AbstractConditionalOperator>(&expression)) {
    discard(*choice->getCond());
    Places pointees;
    maybe([&] { pointees = value(*choice->getTrueExpr()); });
    maybe([&] { pointees.add(value(*choice->getFalseExpr())); });
    return pointees;
  }
  if (const auto* call = dyn_cast<CallExpr>(&expression)) return run_call(*call, {});
  if (const auto* self = dyn_cast<clang::CXXThisExpr>(&expression)) return self_of(self);
  if (const auto* block = dyn_cast<clang::StmtExpr>(&expression)) {
    Places last;
    for (const Stmt* one : block->getSubStmt()->body()) {
      const auto* result = dyn_cast<Expr>(one);
      if (result != nullptr && one == block->getSubStmt()->body_back() && !result->isGLValue()) {
        last = value(*result);
      } else {
        run(one);
      }
    }
    return last;
  }
  if (const auto* list = dyn_cast<clang::InitListExpr>(&expression)) {
    Places pointees;
    for (const Expr* one : list->inits()) pointees.add(value(*one));
    return pointees;
  }
  if (const auto* made = dyn_cast<clang::CXXNewExpr>(&expression)) {
    if (const auto size = made->getArraySize(); size && *size != nullptr) discard(**size);
    // Placement new, in memory that exists already.
    const bool is_placed = made->getNumPlacementArgs() == 1;
    const FunctionDecl* allocates = made->getOperatorNew();
    const FunctionDecl* own =
        is_program() && allocates != nullptr ? program_->definition_of(*allocates) : nullptr;
    const bool is_own_new = (own != nullptr && !is_of_system(own)) ||
                            (is_program() && isa_and_nonnull<clang::CXXMethodDecl>(allocates));
    if (is_own_new) {
      record_any();
      return {{}, true};
    }
    const Places memory = is_placed ? value(*made->getPlacementArg(0)) : fresh(expression);
    for (const Path& path : memory.paths) {
      if (is_placed) record(Use::kWrite, {{path}, false});
      if (made->getInitializer() != nullptr) initialize(path, *made->getInitializer());
    }
    return memory;
  }
  if (const auto* ended = dyn_cast<clang::CXXDeleteExpr>(&expression)) {
    const Places freed = value(*ended->getArgument());
    const clang::QualType type = ended->getDestroyedType();
    for (const Path& path : freed.paths) {
      if (!type.isNull()) destroy(path, type);
    }
    if (is_program()) {
      add_storage(Step::Kind::kGone, freed);
    } else {
      escape(freed, "is freed");
    }
    return {};
  }
  if (const auto* atomic = dyn_cast<clang::AtomicExpr>(&expression)) return value_of(*atomic);
  if (const auto* asked = dyn_cast<clang::UnaryExprOrTypeTraitExpr>(&expression)) {
    if (asked->getKind() == clang::UETT_SizeOf) run_sizes(asked->getTypeOfArgument());
    return {};
  }
  if (isa<clang::OffsetOfExpr, clang::CXXNoexceptExpr, clang::TypeTraitExpr,
          clang::CXXNullPtrLiteralExpr, clang::GNUNullExpr, clang::IntegerLiteral,
          clang::FloatingLiteral, clang::CharacterLiteral, clang::CXXBoolLiteralExpr,
          clang::ImaginaryLiteral, clang::ImplicitValueInitExpr, clang::CXXScalarValueInitExpr,
          clang::DeclRefExpr, clang::SizeOfPackExpr, clang::StringLiteral, clang::NoInitExpr,
          clang::CXXPseudoDestructorExpr, clang::SourceLocExpr>(expression)) {
    return {};
  }
  if (isa<clang::CXXThrowExpr>(expression)) {
    for (const Stmt* child : expression.children()) run(child);
    add_step(Step::Kind::kJump, &expression);
    return {};
  }
  of_unknown_shape(expression);
  return {{}, true};
}

Places CodeWalk::self_of(const clang::CXXThisExpr* self) {
  const Frame& frame = frames_.back();
  const auto* method = llvm::dyn_cast_or_null<clang::CXXMethodDecl>(frame.function);
  if (method != nullptr && !method->getParent()->isLambda()) return frame.self;
  if (method != nullptr) {
    const auto known = closure_self_.find(method->getParent());
    if (known != closure_self_.end() && !known->second.is_empty()) return known->second;
  }
  if (self == nullptr) return {};
  const clang::CXXRecordDecl* record = self->getType()->getPointeeCXXRecordDecl();
  if (record == nullptr) return {{}, true};
  return {{Path{record->getCanonicalDecl(), {nullptr}}}, false};
}

Places CodeWalk::value_of(const clang::CastExpr& cast) {
  const Expr& inner = *cast.getSubExpr();
  if (const auto* written = dyn_cast<clang::ExplicitCastExpr>(&cast)) {
    run_sizes(written->getTypeAsWritten());
  }
  switch (cast.getCastKind()) {
    case clang::CK_LValueToRValue: {
      const Places where = place(inner);
      const bool is_pointer = cast.getType()->isAnyPointerType();
      if (!is_pointer) {
        record(Use::kRead, where);
        return {};
      }
      record(Use::kRead, where, {}, Access::Reach::kPath, true);
      for (const Path& path : where.paths) {
        const bool is_element =
            !is_program() && !path.steps.empty() && path.steps.back() == nullptr;
        if (is_element && !is_reference(path)) {
          unknown({{path}, false}, "holds pointers", Access::Reach::kPath);
        }
      }
      return pointees_at(where);
    }
    case clang::CK_ArrayToPointerDecay:
      return place_of_any(inner);
    case clang::CK_IntegralToPointer:
      discard(inner);
      return {{}, true};
    case clang::CK_PointerToIntegral:
      // Any integer may be converted to a pointer again.
      escape(value(inner), "is made an integer");
      return {};
    case clang::CK_LValueToRValueBitCast: {
      // Bytes of a pointer, or a pointer of any bytes.
      const Places where = place_of_any(inner);
      record(Use::kRead, where);
      escape(pointees_at(where), "is made an integer");
      return {{}, cast.getType()->isAnyPointerType() || holds_pointers(cast.getType())};
    }
    case clang::CK_NullToPointer:
    case clang::CK_FunctionToPointerDecay:
    case clang::CK_BuiltinFnToFnPtr:
      discard(inner);
      return {};
    default:
      if (inner.isGLValue()) return place(inner);
      return cast.getType()->isAnyPointerType() ? value(inner) : (discard(inner), Places());
  }
}

bool CodeWalk::is_reference(const Path& path) {
  const auto count = path.steps.size();
  const clang::FieldDecl* field = count < 2 ? nullptr : path.steps[count - 2];
  return field != nullptr && field->getType()->isReferenceType();
}

Places CodeWalk::value_of(const clang::BinaryOperator& binary) {
  if (binary.isAssignmentOp()) {
    const Places where = assign(binary);
    return binary.getType()->isAnyPointerType() ? pointees_at(where) : Places();
  }
  if (binary.isPtrMemOp()) {
    of_unknown_shape(binary);
    if (is_program()) record_any();
    return {{}, true};
  }
  Places pointees = value(*binary.getLHS());
  Places right;
  if (binary.isLogicalOp()) {
    maybe([&] { right = value(*binary.getRHS()); });
  } else {
    right = value(*binary.getRHS());
  }
  if (!binary.getType()->isAnyPointerType()) return {};
  if (binary.getOpcode() == clang::BO_Comma) return right;
  ++shifts_;
  pointees.add(right);
  return pointees;
}

Places CodeWalk::value_of(const clang::AtomicExpr& atomic) {
  const auto* const* parts = const_cast<clang::AtomicExpr&>(atomic).getSubExprs();
  for (unsigned i = 0; i < atomic.getNumSubExprs(); ++i) {
    if (!parts[i]->getType()->isAnyPointerType()) {
      discard(*parts[i]);
      continue;
    }
    const Places where = value(*parts[i]);
    record(Use::kRead, where);
    record(Use::kWrite, where);
  }
  return atomic.getType()->isAnyPointerType() ? Places{{}, true} : Places();
}

Places CodeWalk::change(const Places& where, clang::QualType type) {
  if (type->isAnyPointerType()) {
    if (is_program()) record(Use::kChange, where);
    return pointees_at(where);
  }
  record(Use::kChange, where);
  return {};
}

Places CodeWalk::assign(const clang::BinaryOperator& binary) {
  if (binary.getType()->isRecordType()) {
    const Expr& right = *binary.getRHS();
    return assign_object(*binary.getLHS(), right);
  }
  const std::size_t before = trail_.accesses.size();
  const std::size_t unseen = unseen_;
  const std::size_t shifts = shifts_;
  const Places pointees = value(*binary.getRHS());
  const bool is_moved = is_program() && binary.getType()->isAnyPointerType() && shifts_ != shifts;
  const std::size_t behind = trail_.accesses.size();
  Places where = place(*binary.getLHS());
  if (binary.isCompoundAssignmentOp()) {
    change(where, binary.getType());
    return where;
  }
  if (is_program() && behind != before) {
    for (const Path& path : where.paths) note_origin(path, before, unseen);
  }
  const bool reads = is_program() ? is_moved : reads_itself(binary, where);
  record(reads ? Use::kChange : Use::kWrite, where);
  if (binary.getType()->isAnyPointerType()) store(where, pointees, false);
  return where;
}

Places CodeWalk::assign_object(const Expr& left, const Expr& right) {
  const Places from = place_of_any(*right.IgnoreParenImpCasts());
  record(Use::kRead, from);
  Places where = place_of_any(left);
  record(Use::kWrite, where);
  for (const Path& to : where.paths) copy(to, from, false);
  const bool is_kept = holds_pointers(left.getType()) &&
                       (where.is_any || std::ranges::any_of(where.paths, [&](const Path& to) {
                          return !is_own(to);
                        }));
  if (is_kept) escape(from, "is what other data gets a pointer to", Access::Reach::kBelow);
  return where;
}

void CodeWalk::of_unknown_shape(const Expr& expression) {
  for (const Stmt* child : expression.children()) {
    const auto* part = dyn_cast_or_null<Expr>(child);
    if (part == nullptr) {
      run(child);
      continue;
    }
    escape(part->isGLValue() ? place(*part) : value(*part), "is used in a way that is not known");
  }
}

}  // namespace ompdm::edit
