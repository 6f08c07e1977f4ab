import CPeers
import Harness

/// SQLite as a C program uses it.
final class CDatabase {
    private let pointer: OpaquePointer

    init(_ path: String) throws {
        guard let pointer = peer_sqlite_open(path) else { throw Self.failure() }
        self.pointer = pointer
    }

    deinit { peer_sqlite_close(pointer) }

    func run(_ sql: String) throws { _ = try Self.check(peer_sqlite_run(pointer, sql)) }

    /// Reads rows of integers and returns their sum.
    func fetchIntegers(_ sql: String, columns: Int, rows: Int) throws -> Int64 {
        var sum: Int64 = 0
        try expect(Self.check(peer_sqlite_fetch_integers(pointer, sql, Int32(columns), &sum)), rows, "rows read by C")
        return sum
    }

    /// Reads rows of any columns and returns their number.
    func fetch(_ sql: String) throws -> Int {
        var sum: Int64 = 0
        return try Self.check(peer_sqlite_fetch(pointer, sql, &sum))
    }

    /// Looks up rows by key, one after the other, and returns the sum of their integers.
    func lookUp(_ sql: String, keys: [UInt8]) throws -> Int64 {
        var sum: Int64 = 0
        let count = try keys.withUnsafeBytes {
            try Self.check(peer_sqlite_look_up(pointer, sql, $0.baseAddress, Int64(keys.count / 16), &sum))
        }
        try expect(count, keys.count / 16, "rows found by C")
        return sum
    }

    /// Inserts rows of ten integers in one transaction.
    func insert(_ items: ItemCells, keys: [UInt8]?, _ sql: String) throws {
        let rows = Int64(items.count)
        if let keys {
            _ = try keys.withUnsafeBytes {
                try Self.check(peer_sqlite_insert_integers(pointer, sql, $0.baseAddress, items.cells, rows, 10))
            }
        } else {
            _ = try Self.check(peer_sqlite_insert_integers(pointer, sql, nil, items.cells, rows, 10))
        }
    }

    @discardableResult
    static func check(_ result: Int64) throws -> Int {
        guard result >= 0 else { throw failure() }
        return Int(result)
    }

    static func failure() -> BenchmarkError { BenchmarkError(String(cString: peer_error())) }
}

/// PostgreSQL as a C program uses it.
final class CPostgres {
    private let pointer: OpaquePointer

    init(_ address: String) throws {
        guard let pointer = peer_postgres_open(address) else { throw CDatabase.failure() }
        self.pointer = pointer
    }

    deinit { peer_postgres_close(pointer) }

    func run(_ sql: String) throws { try CDatabase.check(peer_postgres_run(pointer, sql)) }

    /// Reads rows of bigint and returns their sum.
    func fetchIntegers(_ sql: String, columns: Int, rows: Int) throws -> Int64 {
        var sum: Int64 = 0
        let count = try CDatabase.check(peer_postgres_fetch_integers(pointer, sql, Int32(columns), &sum))
        try expect(count, rows, "rows read by libpq")
        return sum
    }

    /// Inserts rows of a key, a version and ten bigint by COPY, in one transaction.
    func copy(_ items: ItemCells, keys: [UInt8], _ sql: String) throws {
        _ = try keys.withUnsafeBytes {
            try CDatabase.check(
                peer_postgres_copy(pointer, sql, $0.baseAddress, items.cells, Int64(items.count), 10))
        }
    }
}

/// Makes random, rising keys of 16 bytes, like UUIDs of version 7.
func risingKeys(_ count: Int, seed: UInt64 = 3) -> [UInt8] {
    var random = RandomSource(seed: seed)
    var keys: [UInt8] = []
    keys.reserveCapacity(count * 16)
    for index in 0..<count {
        let high = (0x0190_0000_0000_7000 as UInt64) &+ UInt64(index) << 16
        withUnsafeBytes(of: high.bigEndian) { keys.append(contentsOf: $0) }
        withUnsafeBytes(of: random.next()) { keys.append(contentsOf: $0) }
    }
    return keys
}
