import Backstitch
import BackstitchSupport
import Foundation

/// Names and values of a connection's parameters. It describes itself by the names only.
struct ConnectionKeywords: Sendable, CustomStringConvertible {
    private let pairs: [(String, String)]

    init(_ pairs: [(String, String)]) { self.pairs = pairs }

    var description: String { pairs.map(\.0).joined(separator: ", ") }

    /// Runs `body` with both as the client library takes them: lists that end with a null pointer.
    func withCStrings<Result>(
        _ body: ([UnsafePointer<CChar>?], [UnsafePointer<CChar>?]) -> Result
    ) -> Result {
        let names = pairs.map { strdup($0.0) }, values = pairs.map { strdup($0.1) }
        defer { for text in names + values { free(text) } }
        return body(names.map { UnsafePointer($0) } + [nil], values.map { UnsafePointer($0) } + [nil])
    }
}
