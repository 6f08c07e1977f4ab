import Backstitch
import BackstitchSupport

/// The tokens of a store's own transactions. Because of them the store gets no report of its own changes.
final class OwnTransactions: Sendable {
    /// The number of each transaction, nil until it is known.
    private let numbers = Locked<[ObjectKey: Int64?]>([:])

    /// Creates an empty set of tokens.
    init() {}

    /// Notes a token. This happens before the transaction is visible to others.
    func begin(_ token: ObjectKey) { numbers.withLock { $0[token] = .some(nil) } }

    /// Notes the number of a committed transaction. With nil the token is removed: the transaction was undone, or wrote
    /// no history.
    func end(_ token: ObjectKey, _ number: Int64?) {
        numbers.withLock { numbers in
            if let number { numbers[token] = number } else { numbers[token] = nil }
        }
    }

    /// The tokens of all transactions that are not forgotten.
    var tokens: [ObjectKey] { numbers.withLock { Array($0.keys) } }

    /// Forgets the transactions up to a number. They are never asked for again.
    func forget(through number: Int64) {
        numbers.withLock { numbers in numbers = numbers.filter { ($0.value ?? .max) > number } }
    }
}
