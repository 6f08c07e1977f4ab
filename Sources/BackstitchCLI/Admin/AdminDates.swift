import ArgumentParser
import BackstitchServer
import Foundation

/// The end of a token or key, as an option gives it.
enum AdminDates {
    /// Reads the beginning of a day, for instance 2027-01-31, or a time, for instance 2027-01-31T12:00:00Z.
    static func date(_ text: String?, _ option: String) throws -> Date? {
        guard let text else { return nil }
        if let day = UsersFile.day(Substring(text)) { return day }
        guard let time = try? Date(text, strategy: .iso8601) else {
            throw ValidationError("\(option) takes a day such as 2027-01-31 or a time such as 2027-01-31T12:00:00Z")
        }
        return time
    }

    static func text(_ date: Date?) -> String { date.map { "until \($0.formatted(.iso8601))" } ?? "for ever" }

    /// Joins the parts of a line, without missing and empty ones.
    static func line(_ parts: [String?]) -> String {
        parts.compactMap(\.self).filter { !$0.isEmpty }.joined(separator: "  ")
    }
}
