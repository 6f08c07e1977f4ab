import Backstitch
import BackstitchSupport
import Foundation

/// The names and values of a connection's parameters. Its description has only the names.
struct ConnectionKeywords: Sendable, CustomStringConvertible {
    private let pairs: [(String, String)]

    init(_ pairs: [(String, String)]) { self.pairs = pairs }

    var description: String { pairs.map(\.0).joined(separator: ", ") }

    /// Runs `body` with both in the form for the client library: lists that end with a null pointer.
    func withCStrings<Result>(
        _ body: ([UnsafePointer<CChar>?], [UnsafePointer<CChar>?]) -> Result
    ) -> Result {
        let names = pairs.map { strdup($0.0) }, values = pairs.map { strdup($0.1) }
        defer { for text in names + values { free(text) } }
        return body(names.map { UnsafePointer($0) } + [nil], values.map { UnsafePointer($0) } + [nil])
    }
}
