import Backstitch
import Foundation

extension PredicateExpressions.Variable: TranslatableExpression {
    func translated(by translator: inout PredicateTranslator) throws -> Term {
        Term(try translator.expression(for: key))
    }
}

extension PredicateExpressions.KeyPath: TranslatableExpression {
    func translated(by translator: inout PredicateTranslator) throws -> Term {
        let term = try translator.term(root)
        if Root.Output.self is ManagedObject.Type {
            let names = try names()
            return try term.map { operand in
                guard case .expression(.keyPath(let path)) = operand else {
                    throw PredicateTranslator.unsupported(self)
                }
                return .expression(.keyPath(FetchKeyPath(root: path.root, names: path.names + names)))
            }
        }
        switch kind {
        case .collectionCount where !isText: return try term.map { .expression(try count(of: $0)) }
        case .collectionIsEmpty:
            return try term.map { operand in
                if isText, let text = operand.expression {
                    return .predicate(.compare(text, .equal, .value(.string(""))))
                }
                return .predicate(.compare(try count(of: operand), .equal, .value(.int(0))))
            }
        default: throw unknownProperty("\(Root.Output.self)")
        }
    }

    private var isText: Bool { Root.Output.self is any StringProtocol.Type }

    /// The property's name as a path; the object's identity is the empty path.
    private func names() throws -> [String] {
        guard let objects = Root.Output.self as? any EntityObject.Type else {
            throw PredicateTranslator.unsupported(
                self,
                "\(Root.Output.self) has no table of key paths; write @Entity before it, or conform it to EntityObject")
        }
        if keyPath as AnyKeyPath == objects.objectIDKeyPath { return [] }
        if let name = objects.keyPathNames[keyPath] { return [name] }
        let known = objects.keyPathNames.names.joined(separator: ", ")
        throw unknownProperty("\(objects.entityName), whose properties are \(known)")
    }

    private func count(of operand: Term.Operand) throws -> FetchExpression {
        switch operand {
        case .expression(.keyPath(let path)): .count(path)
        case .subset(let subset): .subqueryCount(subset)
        default: throw PredicateTranslator.unsupported(self, "only to-many relationships are counted")
        }
    }

    private func unknownProperty(_ owner: String) -> BackstitchError {
        PredicateTranslator.unsupported(
            self, "it uses a property (of type \(Output.self)) that the model does not have, of \(owner)")
    }
}

extension EntityObject {
    fileprivate static var objectIDKeyPath: AnyKeyPath { \Self.objectID }
}
