import Foundation

/// The readers of history and the place that each has reached: kept with the store.
enum HistoryConsumers {
    /// The author of the transaction that notes a place. It changes no object, so no transaction in history has this
    /// author.
    static let author = "history"
    /// How long history is kept at least, in milliseconds.
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
        throw BackstitchError(.storeFailure, "the store's \"\(key)\" is no number; restore the store", key: key)
    }
}
