import Logging

/// A row of values found by a ``DictionaryFetchRequest``.
public struct FetchedRow: Sendable {
    private let table: FetchedTable
    private let row: Int

    init(_ table: FetchedTable, _ row: Int) {
        self.table = table
        self.row = row
    }

    /// The values, in the order of the request's properties.
    public var values: Values { Values(table, row) }

    /// The names, in the order of the request's properties.
    public var names: [String] { table.names }

    /// The value of this name. An unknown name gives null, and is reported once in the log.
    public subscript(name: String) -> Value {
        if let position = table.positions[name] { return values[position] }
        OnceLog.current.tell(
            .warning,
            "a fetched row was asked for \"\(name)\", and has no such value; \(NearNames.hint(name, among: names))")
        return .null
    }

    /// Returns the value of this name in a Swift type; nil if it is null or of another type.
    public func value<Result: AttributeValue>(_ name: String, as type: Result.Type = Result.self) -> Result? {
        Result(self[name])
    }

    /// All values of the row, by name.
    public var dictionary: [String: Value] {
        Dictionary(uniqueKeysWithValues: table.positions.map { ($0.key, values[$0.value]) })
    }
}

extension FetchedRow: Hashable {
    /// Compares names and values.
    public static func == (left: FetchedRow, right: FetchedRow) -> Bool {
        left.names == right.names && left.values == right.values
    }

    /// Hashes consistently with equality.
    public func hash(into hasher: inout Hasher) { hasher.combine(values) }
}

extension FetchedRow: CustomStringConvertible {
    /// All names with their values.
    public var description: String {
        "[" + zip(names, values).map { "\($0): \($1.summary)" }.joined(separator: ", ") + "]"
    }
}
