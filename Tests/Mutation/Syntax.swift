// SPDX-License-Identifier: Apache-2.0
import SwiftSyntax

extension ExprSyntax {
  var withoutParentheses: ExprSyntax {
    guard let tuple = self.as(TupleExprSyntax.self), tuple.elements.count == 1,
      let only = tuple.elements.first
    else { return self }
    return only.expression.withoutParentheses
  }

  /// The expression inside `try`, `await` and `unsafe`.
  var withoutEffects: ExprSyntax {
    if let attempt = self.as(TryExprSyntax.self) { return attempt.expression.withoutEffects }
    if let wait = self.as(AwaitExprSyntax.self) { return wait.expression.withoutEffects }
    if let access = self.as(UnsafeExprSyntax.self) { return access.expression.withoutEffects }
    return self
  }

  var infixOperator: String? {
    self.as(InfixOperatorExprSyntax.self)?.operator.as(BinaryOperatorExprSyntax.self)?.operator.text
  }

  var assigns: Bool {
    guard let infix = self.as(InfixOperatorExprSyntax.self) else { return false }
    let name = infixOperator ?? ""
    let compares = ["==", "!=", "===", "!==", "<=", ">="].contains(name)
    return infix.operator.is(AssignmentExprSyntax.self) || name.hasSuffix("=") && !compares
  }

  /// Whether the condition of an `#if` holds in the build whose tests notice faults.
  var holdsOnLinux: Bool {
    let condition = withoutParentheses
    if let negation = condition.as(PrefixOperatorExprSyntax.self) { return !negation.expression.holdsOnLinux }
    if let both = condition.as(InfixOperatorExprSyntax.self) {
      let (left, right) = (both.leftOperand.holdsOnLinux, both.rightOperand.holdsOnLinux)
      return condition.infixOperator == "&&" ? left && right : left || right
    }
    guard let call = condition.as(FunctionCallExprSyntax.self) else {
      return condition.trimmedDescription == "DEBUG"
    }
    let argument = call.arguments.trimmedDescription
    switch call.calledExpression.trimmedDescription {
    case "os": return argument == "Linux"
    case "canImport":
      return !["Darwin", "Musl", "Network", "ObjectiveC", "SystemConfiguration"].contains(argument)
    default: return true
    }
  }
}

extension SyntaxProtocol {
  /// The names of the declarations around this place, from the outside.
  var enclosingDeclaration: String {
    var names: [String] = []
    var node = parent
    while let here = node {
      if let name = here.declaredName { names.insert(name, at: 0) }
      node = here.parent
    }
    return names.joined(separator: ".")
  }

  fileprivate var declaredName: String? {
    func labels(_ clause: FunctionParameterClauseSyntax) -> String {
      "(" + clause.parameters.map { $0.firstName.text + ":" }.joined() + ")"
    }
    switch Syntax(self).as(SyntaxEnum.self) {
    case .functionDecl(let it): return it.name.text + labels(it.signature.parameterClause)
    case .initializerDecl(let it): return "init" + labels(it.signature.parameterClause)
    case .subscriptDecl(let it): return "subscript" + labels(it.parameterClause)
    case .deinitializerDecl: return "deinit"
    case .patternBinding(let it) where it.parent?.parent?.parent?.is(MemberBlockItemSyntax.self) == true:
      return it.pattern.trimmedDescription
    case .accessorDecl(let it) where it.accessorSpecifier.text != "get": return it.accessorSpecifier.text
    case .structDecl(let it): return it.name.text
    case .classDecl(let it): return it.name.text
    case .enumDecl(let it): return it.name.text
    case .actorDecl(let it): return it.name.text
    case .protocolDecl(let it): return it.name.text
    case .extensionDecl(let it): return it.extendedType.trimmedDescription
    default: return nil
    }
  }
}
