import Foundation

/// The readers of history, each with the place it has reached. They are kept with the store.
enum HistoryConsumers {
    /// The author of the transaction for a reader's place. It changes no object, so history has no transaction of this
    /// author.
    static let author = "history"
    /// The shortest life of a transaction in history, in milliseconds.
    static let grace: Int64 = 600_000

    private static let prefix = "history.consumer."

    static func all(_ journal: any JournalReading) throws -> [String: Int64] {
        var all: [String: Int64] = [:]
        for (key, value) in try journal.metadata(withPrefix: prefix) {
            all[String(key.dropFirst(prefix.count))] = try number(value, key)
        }
        return all
    }

    static func set(_ name: String, to number: Int64?, _ journal: any JournalWriting) throws {
        try journal.setMetadata(number.map { Data("\($0)".utf8) }, for: prefix + name)
    }

    private static func number(_ value: Data, _ key: String) throws -> Int64 {
        if let number = Int64(String(decoding: value, as: UTF8.self)) { return number }
        throw BackstitchError(.storeFailure, "the store's \"\(key)\" is not a number; restore the store", key: key)
    }
}
