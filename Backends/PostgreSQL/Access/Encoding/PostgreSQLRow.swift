import Backstitch
import BackstitchSQL

/// A row of a result, at ``index``.
final class PostgreSQLRow: SQLRow {
    private let result: PostgreSQLResult
    /// The position of the row in the result.
    var index = 0

    init(_ result: PostgreSQLResult) { self.result = result }

    func isNull(_ column: Int) -> Bool { result.bytes(index, column) == nil }

    /// Reads integers of two, four or eight bytes, and booleans.
    func int(_ column: Int) -> Int64 {
        guard let bytes = result.bytes(index, column) else { return 0 }
        return switch bytes.count {
        case 8: Int64(bigEndian: bytes.loadUnaligned(as: Int64.self))
        case 4: Int64(Int32(bigEndian: bytes.loadUnaligned(as: Int32.self)))
        case 2: Int64(Int16(bigEndian: bytes.loadUnaligned(as: Int16.self)))
        case 1: Int64(bytes[0])
        default: 0
        }
    }

    func double(_ column: Int) -> Double {
        guard let bytes = result.bytes(index, column), bytes.count == 8 else { return 0 }
        return Double(bitPattern: UInt64(bigEndian: bytes.loadUnaligned(as: UInt64.self)))
    }

    func text(_ column: Int) -> String { result.bytes(index, column).map { String(decoding: $0, as: UTF8.self) } ?? "" }

    func bytes(_ column: Int) -> [UInt8] { result.bytes(index, column).map(Array.init) ?? [] }

    func key(_ column: Int) throws -> ObjectKey {
        guard let bytes = result.bytes(index, column), bytes.count == 16 else {
            throw PostgreSQLFailure(.malformed, "a key has not 16 bytes")
        }
        return ObjectKey(bigEndianBytes: bytes)
    }
}
