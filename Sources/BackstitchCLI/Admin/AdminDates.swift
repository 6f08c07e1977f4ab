import ArgumentParser
import BackstitchServer
import Foundation

/// When something ends, as an option says it.
enum AdminDates {
    /// The beginning of a day such as 2027-01-31, or a time such as 2027-01-31T12:00:00Z.
    static func date(_ text: String?, _ option: String) throws -> Date? {
        guard let text else { return nil }
        if let day = UsersFile.day(Substring(text)) { return day }
        guard let time = try? Date(text, strategy: .iso8601) else {
            throw ValidationError("\(option) takes a day such as 2027-01-31 or a time such as 2027-01-31T12:00:00Z")
        }
        return time
    }

    static func text(_ date: Date?) -> String { date.map { "until \($0.formatted(.iso8601))" } ?? "for ever" }

    /// The parts of a line that are there.
    static func line(_ parts: [String?]) -> String {
        parts.compactMap(\.self).filter { !$0.isEmpty }.joined(separator: "  ")
    }
}
