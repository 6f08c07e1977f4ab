import Backstitch
import Foundation

/// A node of a `#Predicate` with a translation for fetches.
protocol TranslatableExpression {
    /// Returns the translation of the node. Called only for nodes that need an object; others are constants.
    func translated(by translator: inout PredicateTranslator) throws -> Term
}
