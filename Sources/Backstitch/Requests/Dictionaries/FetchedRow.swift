/// A row of values that a ``DictionaryFetchRequest`` found.
public struct FetchedRow: Sendable {
    private let columns: Columns
    /// The values, in the order of the request's properties.
    public let values: [Value]

    /// The names that all rows of a result share.
    final class Columns: Sendable {
        let names: [String]
        let positions: [String: Int]

        init(_ names: [String]) {
            self.names = names
            positions = Dictionary(names.enumerated().map { ($1, $0) }, uniquingKeysWith: { first, _ in first })
        }
    }

    init(_ columns: Columns, _ values: [Value]) {
        self.columns = columns
        self.values = values
    }

    /// The names, in the order of the request's properties.
    public var names: [String] { columns.names }

    /// The value of that name; null also for a name that the row has not.
    public subscript(name: String) -> Value { columns.positions[name].map { values[$0] } ?? .null }

    /// The value of that name in a Swift type; nil where it is null or of another type.
    public func value<Result: AttributeValue>(_ name: String, as type: Result.Type = Result.self) -> Result? {
        Result(self[name])
    }

    /// All values by name.
    public var dictionary: [String: Value] {
        Dictionary(uniqueKeysWithValues: columns.positions.map { ($0.key, values[$0.value]) })
    }
}

extension FetchedRow: Hashable {
    /// Equal names and values.
    public static func == (left: FetchedRow, right: FetchedRow) -> Bool {
        left.names == right.names && left.values == right.values
    }

    /// Consistent with equality.
    public func hash(into hasher: inout Hasher) { hasher.combine(values) }
}

extension FetchedRow: CustomStringConvertible {
    /// Names and values.
    public var description: String {
        "[" + zip(names, values).map { "\($0): \($1.summary)" }.joined(separator: ", ") + "]"
    }
}
