import Backstitch
import CloudWire
import Foundation

/// The dates of saves, each looked up once.
struct SaveDates {
    private var known: [Int64: Date?] = [:]

    /// Returns the dates of all saves of an entry, by their numbers.
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
