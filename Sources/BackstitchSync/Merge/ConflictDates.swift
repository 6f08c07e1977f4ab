import Backstitch
import CloudWire
import Foundation

// The dates of the two sides of a conflict: history has that of a save here, the record that of its last change there.

extension OutboxEntry {
    /// The number of the last save that changed one of some properties; the last of all where there are none.
    func lastSave(of keys: [String]) -> Int64 {
        fields.filter { keys.contains($0.name) }.map(\.sequence).max() ?? sequence
    }
}

extension WireRecord {
    /// When it was last changed, as far as the server says so.
    var modificationDate: Date? { modified.map { Date(milliseconds: $0.timestamp) } }
}

/// The dates of saves, each looked up once.
struct SaveDates {
    private var known: [Int64: Date?] = [:]

    /// The dates of all saves that an entry is of, by their numbers.
    mutating func dates(of entry: OutboxEntry, in journal: any JournalReading) throws -> [Int64: Date] {
        var dates: [Int64: Date] = [:]
        for number in Set(entry.fields.map(\.sequence) + [entry.sequence]) {
            dates[number] = try date(of: number, in: journal)
        }
        return dates
    }

    mutating func date(of number: Int64, in journal: any JournalReading) throws -> Date? {
        if let date = known[number] { return date }
        let date = try journal.date(ofTransaction: number)
        known[number] = .some(date)
        return date
    }
}
