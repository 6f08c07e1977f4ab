import Backstitch
import Foundation

/// Turns the nodes of a `#Predicate` into terms.
struct PredicateTranslator {
    /// The expressions of bound closure variables.
    private var terms: [PredicateExpressions.VariableID: FetchExpression] = [:]
    /// The values of variables bound to a constant.
    private var constants = PredicateBindings()
    private var elementCount = 0

    /// Binds a variable to the object at the end of a path.
    mutating func bind<Output>(_ variable: PredicateExpressions.Variable<Output>, to path: FetchKeyPath) {
        bind(variable, to: .keyPath(path))
    }

    /// Binds a variable to an expression.
    mutating func bind<Output>(_ variable: PredicateExpressions.Variable<Output>, to expression: FetchExpression) {
        terms[variable.key] = expression
    }

    /// Binds a variable to a constant value.
    mutating func bind<Output>(_ variable: PredicateExpressions.Variable<Output>, toConstant value: Output) {
        constants[variable] = value
    }

    /// Returns the expression bound to a variable.
    func expression(for variable: PredicateExpressions.VariableID) throws -> FetchExpression {
        if let expression = terms[variable] { return expression }
        throw BackstitchError(.invalidPredicate, "the predicate uses a variable of another predicate")
    }

    /// Makes a new, unused name for the elements of a to-many.
    mutating func makeElementName() -> String {
        elementCount += 1
        return "element\(elementCount)"
    }
}

extension PredicateTranslator {
    /// Returns the translation of a node as a predicate.
    mutating func predicate(_ expression: some PredicateExpression<Bool>) throws -> FetchPredicate {
        try term(expression).predicate()
    }

    /// Returns the term of a node: a constant if it needs no object, its translation otherwise.
    mutating func term<Node: PredicateExpression>(_ expression: Node) throws -> Term {
        if let value = try constant(expression) {
            guard let constant = ConstantExpression.expression(of: value) else {
                throw BackstitchError(
                    .invalidPredicate,
                    "\(Node.Output.self) is not a type of an attribute, so \(value) cannot be compared; give an "
                        + "attribute's value, or the objectID of an object")
            }
            return Term(constant)
        }
        guard let node = expression as? any TranslatableExpression else { throw Self.unsupported(expression) }
        return try node.translated(by: &self)
    }

    /// Returns a node's value; nil if it needs an object.
    ///
    /// - Throws: The error of the computation, a `!` of nil for instance.
    func constant<Node: PredicateExpression>(_ expression: Node) throws -> Node.Output? {
        do { return try expression.evaluate(constants) } catch let error as PredicateError
            where error.isUndefinedVariable
        {
            return nil
        } catch {
            throw BackstitchError(
                .invalidPredicate, "a part of the predicate that needs no object cannot be computed: \(expression)",
                cause: error)
        }
    }

    /// Makes the error for a node that a fetch cannot express.
    static func unsupported(_ node: some PredicateExpression, _ reason: String? = nil) -> BackstitchError {
        let name = String(describing: type(of: node)).prefix { $0 != "<" }
        let advice = reason ?? "compute it outside of #Predicate, or filter the fetched objects"
        return BackstitchError(
            .invalidPredicate, "a fetch cannot express \(name) of #Predicate: \(advice) (in \(node))")
    }
}

extension PredicateError {
    /// Whether a variable has no value. Compared by hash, because Foundation's `==` of this error calls itself without
    /// end.
    fileprivate var isUndefinedVariable: Bool { hashValue == PredicateError.undefinedVariable.hashValue }
}
