import Backstitch
import BackstitchSupport

/// The tokens of a store's own transactions, so that it is not told of what it did itself.
final class OwnTransactions: Sendable {
    /// The number of each, once it is known.
    private let numbers = Locked<[ObjectKey: Int64?]>([:])

    /// None yet.
    init() {}

    /// Goes before the transaction can be seen by anybody.
    func begin(_ token: ObjectKey) { numbers.withLock { $0[token] = .some(nil) } }

    /// The transaction was committed with that number, or wrote no history, or was undone.
    func end(_ token: ObjectKey, _ number: Int64?) {
        numbers.withLock { numbers in
            if let number { numbers[token] = number } else { numbers[token] = nil }
        }
    }

    /// All that are not forgotten.
    var tokens: [ObjectKey] { numbers.withLock { Array($0.keys) } }

    /// Forgets those up to a number, which nobody will ask about again.
    func forget(through number: Int64) {
        numbers.withLock { numbers in numbers = numbers.filter { ($0.value ?? .max) > number } }
    }
}
