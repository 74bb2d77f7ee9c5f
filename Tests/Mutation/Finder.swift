// SPDX-License-Identifier: Apache-2.0
import SwiftSyntax

/// A fault that one place of a file can have: text around the place, in which `@` stands for the fault's number.
///
/// The texts only surround what is there, so that faults may lie inside one another.
struct Fault: Encodable {
  /// The rule's name, as `Tests/Mutation/equivalent` has it.
  let rule: String
  /// The enclosing declaration and the changed text, which identify the fault in its file whatever changes elsewhere.
  let declaration: String, text: String
  let line: Int, start: Int, end: Int
  let before: String, after: String
}

/// Finds the faults of a file, whose operators are folded, by rule.
final class Finder: SyntaxVisitor {
  private(set) var faults: [Fault] = []
  private let lines: SourceLocationConverter
  /// The places whose value is inverted or assumed already.
  private var decided: Set<AbsolutePosition> = []

  init(_ file: SourceFileSyntax) {
    lines = SourceLocationConverter(fileName: "", tree: file)
    super.init(viewMode: .sourceAccurate)
    walk(file)
  }

  // MARK: Conditions

  override func visit(_ list: ConditionElementListSyntax) -> SyntaxVisitorContinueKind {
    for element in list {
      switch element.condition {
      case .expression(let condition) where list.count == 1: negate(condition)
      case .expression(let condition): assume("true", condition)
      case .optionalBinding(let binding): unbind(binding)
      default: break
      }
    }
    return .visitChildren
  }

  override func visit(_ expression: TernaryExprSyntax) -> SyntaxVisitorContinueKind {
    negate(expression.condition)
    return .visitChildren
  }

  override func visit(_ statement: RepeatStmtSyntax) -> SyntaxVisitorContinueKind {
    negate(statement.condition)
    return .visitChildren
  }

  override func visit(_ clause: WhereClauseSyntax) -> SyntaxVisitorContinueKind {
    negate(clause.condition)
    return .visitChildren
  }

  private func negate(_ condition: ExprSyntax) {
    decide("negate", condition, "Mutant.not(@, ")
  }

  private func assume(_ value: String, _ condition: ExprSyntax) {
    decide("assume-\(value)", condition, "Mutant.assume(\(value), @, ")
  }

  /// The operands of `&&` and `||` have faults of their own, instead of the whole.
  private func decide(_ rule: String, _ condition: ExprSyntax, _ before: String) {
    guard !["&&", "||"].contains(condition.withoutParentheses.infixOperator),
      decided.insert(condition.positionAfterSkippingLeadingTrivia).inserted
    else { return }
    add(rule, condition, before)
  }

  private func unbind(_ binding: OptionalBindingConditionSyntax) {
    if let value = binding.initializer?.value {
      add("nil", value, "Mutant.none(@, ")
    } else {
      let name = binding.pattern.trimmedDescription
      add("nil", binding.pattern, "", after: " = Mutant.none(@, \(name))")
    }
  }

  // MARK: Operators and numbers

  private static let shifted = ["<": "<=", "<=": "<", ">": ">=", ">=": ">"]

  override func visit(_ expression: InfixOperatorExprSyntax) -> SyntaxVisitorContinueKind {
    guard let name = ExprSyntax(expression).infixOperator else { return .visitChildren }
    switch name {
    case "&&", "||":
      for operand in [expression.leftOperand, expression.rightOperand] {
        assume(name == "&&" ? "true" : "false", operand)
      }
    case "==", "!=", "===", "!==": negate(ExprSyntax(expression))
    case "??": add("nil", expression.leftOperand, "Mutant.none(@, ")
    default:
      guard let other = Self.shifted[name] else { break }
      let (left, right) = (
        expression.leftOperand.trimmedDescription, expression.rightOperand.trimmedDescription
      )
      add("shift", expression, "(Mutant.is(@) ? \(left) \(other) \(right) : ")
    }
    return .visitChildren
  }

  /// The arguments that are ignored: how many values a pointer promises, and what the kernel writes first.
  private static let ignored: Set<String?> = ["capacity", "revents"]

  override func visit(_ number: IntegerLiteralExprSyntax) -> SyntaxVisitorContinueKind {
    // Decoding overwrites the first value of most properties.
    let property = number.parent?.parent?.as(PatternBindingSyntax.self)?.parent?.parent?.parent
    if number.literal.text == "0", property?.is(MemberBlockItemSyntax.self) == true { return .skipChildren }
    var node = Syntax(number).parent
    while let here = node, !here.is(CodeBlockItemSyntax.self) {
      // What a pattern, the raw value of a case, an attribute or the default of a parameter says is no expression that runs.
      if here.is(ExpressionPatternSyntax.self) || here.is(EnumCaseElementSyntax.self)
        || here.is(AttributeSyntax.self)
        || here.is(FunctionParameterSyntax.self) || here.is(PrefixOperatorExprSyntax.self)
        || here.as(LabeledExprSyntax.self).map({ Self.ignored.contains($0.label?.text) }) == true
      {
        return .skipChildren
      }
      node = here.parent
    }
    add("increase", number, "Mutant.increase(@, ")
    return .skipChildren
  }

  // MARK: Returned values

  override func visit(_ statement: ReturnStmtSyntax) -> SyntaxVisitorContinueKind {
    if let value = statement.expression { replace(value, returnedFrom: Syntax(statement)) }
    return .visitChildren
  }

  override func visit(_ list: CodeBlockItemListSyntax) -> SyntaxVisitorContinueKind {
    let isBody =
      list.parent?.is(AccessorBlockSyntax.self) == true
      || list.parent?.parent?.is(FunctionDeclSyntax.self) == true
      || list.parent?.parent?.is(AccessorDeclSyntax.self) == true
    if isBody, list.count == 1, case .expr(let value)? = list.first?.item {
      replace(value, returnedFrom: Syntax(list))
    }
    return .visitChildren
  }

  private func replace(_ value: ExprSyntax, returnedFrom place: Syntax) {
    guard let type = returnType(at: place), !value.is(IfExprSyntax.self), !value.is(SwitchExprSyntax.self)
    else { return }
    let empty: String
    switch type.as(TypeSyntaxEnum.self) {
    case .optionalType: empty = "nil"
    case .arrayType: empty = "[]"
    case .dictionaryType: empty = "[:]"
    case .identifierType(let name) where name.name.text == "Bool": return negate(value)
    case .identifierType(let name) where name.name.text == "String": empty = "\"\""
    default: return
    }
    guard value.trimmedDescription != empty else { return }
    add("return-empty", value, "Mutant.replace(@, \(empty), ")
  }

  /// The declared type of what a place returns; nil in a closure that does not declare it.
  private func returnType(at place: Syntax) -> TypeSyntax? {
    var node = place.parent
    while let here = node {
      if let closure = here.as(ClosureExprSyntax.self) { return closure.signature?.returnClause?.type }
      if let function = here.as(FunctionDeclSyntax.self) { return function.signature.returnClause?.type }
      if let accessor = here.as(AccessorDeclSyntax.self), accessor.accessorSpecifier.text != "get" {
        return nil
      }
      if let binding = here.as(PatternBindingSyntax.self) { return binding.typeAnnotation?.type }
      if let subscription = here.as(SubscriptDeclSyntax.self) { return subscription.returnClause.type }
      if here.is(InitializerDeclSyntax.self) || here.is(DeinitializerDeclSyntax.self) { return nil }
      node = here.parent
    }
    return nil
  }

  // MARK: Statements

  /// Calls that do not return, that only ever end the program, that only make room, and that only prolong a life.
  private static let kept: Set = [
    "_exit", "assert", "assertionFailure", "exit", "fatalError", "init", "precondition",
    "preconditionFailure",
    "reserveCapacity", "withExtendedLifetime",
  ]

  override func visit(_ item: CodeBlockItemSyntax) -> SyntaxVisitorContinueKind {
    guard case .expr(let statement) = item.item, !isResult(item) else { return .visitChildren }
    let action = statement.withoutEffects
    if let call = action.as(FunctionCallExprSyntax.self) {
      let member = call.calledExpression.as(MemberAccessExprSyntax.self)
      let name = member?.declName.baseName.text ?? call.calledExpression.trimmedDescription
      let isValue = member != nil && member?.base == nil
      if !Self.kept.contains(name), !isValue, !isOnlyStatementOfClosure(item) {
        add("drop", statement, "if !Mutant.is(@) { ", after: " }")
      }
    } else if action.assigns, !isInInitializer(item) {
      add("drop", statement, "if !Mutant.is(@) { ", after: " }")
    }
    return .visitChildren
  }

  /// Whether the item's value is that of a function, or of an `if` or `switch` that is an expression.
  private func isResult(_ item: CodeBlockItemSyntax) -> Bool {
    guard let list = item.parent?.as(CodeBlockItemListSyntax.self), list.count == 1, let block = list.parent
    else { return false }
    if let system = block.parent?.parent, system.is(IfConfigDeclSyntax.self) {
      return system.parent?.as(CodeBlockItemSyntax.self).map(isResult) ?? false
    }
    if block.is(AccessorBlockSyntax.self) { return true }
    if block.parent?.as(FunctionDeclSyntax.self)?.signature.returnClause != nil { return true }
    let branch = block.is(SwitchCaseSyntax.self) ? block.parent?.parent : block.parent
    guard var choice = branch, choice.is(IfExprSyntax.self) || choice.is(SwitchExprSyntax.self) else {
      return false
    }
    while let outer = choice.parent, outer.is(IfExprSyntax.self) { choice = outer }
    guard let statement = choice.parent?.as(ExpressionStmtSyntax.self) else { return true }
    return statement.parent?.as(CodeBlockItemSyntax.self).map(isResult) ?? false
  }

  private func isOnlyStatementOfClosure(_ item: CodeBlockItemSyntax) -> Bool {
    guard let list = item.parent?.as(CodeBlockItemListSyntax.self) else { return false }
    return list.count == 1 && list.parent?.is(ClosureExprSyntax.self) == true
  }

  /// There every property needs its first value.
  private func isInInitializer(_ item: CodeBlockItemSyntax) -> Bool {
    var node = item.parent
    while let here = node, !here.is(FunctionDeclSyntax.self), !here.is(ClosureExprSyntax.self) {
      if here.is(InitializerDeclSyntax.self) { return true }
      node = here.parent
    }
    return false
  }

  // MARK: Other systems

  override func visit(_ clause: IfConfigClauseSyntax) -> SyntaxVisitorContinueKind {
    guard let list = clause.parent?.as(IfConfigClauseListSyntax.self) else { return .skipChildren }
    let chosen = list.first { $0.condition.map(\.holdsOnLinux) ?? true }
    return chosen?.id == clause.id ? .visitChildren : .skipChildren
  }

  override func visit(_ attribute: AttributeSyntax) -> SyntaxVisitorContinueKind { .skipChildren }

  private func add(_ rule: String, _ node: some SyntaxProtocol, _ before: String, after: String = ")") {
    faults.append(
      Fault(
        rule: rule, declaration: node.enclosingDeclaration,
        text: node.trimmedDescription.split(whereSeparator: \.isWhitespace).joined(separator: " "),
        line: lines.location(for: node.positionAfterSkippingLeadingTrivia).line,
        start: node.positionAfterSkippingLeadingTrivia.utf8Offset,
        end: node.endPositionBeforeTrailingTrivia.utf8Offset,
        before: before, after: after))
  }
}
