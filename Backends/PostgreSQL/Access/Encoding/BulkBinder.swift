import Backstitch
import BackstitchSQL

/// Collects the parameters of many runs. Each parameter becomes one array.
final class BulkBinder: SQLBinder {
    /// The number of the first run.
    let first: Int
    /// The number of runs that have begun.
    private(set) var count = 0
    private let columns: [Column]
    private var failure: (any Error)?

    /// The array of one parameter.
    private final class Column {
        let type: PostgreSQLType
        let keepsKeys: Bool
        var keys: [ObjectKey] = []
        var writer: ArrayWriter
        var buffer = WireBuffer(capacity: 4096)

        init(_ type: SQLBulkType, keepsKeys: Bool) {
            self.type = PostgreSQLType(type)
            self.keepsKeys = keepsKeys
            writer = ArrayWriter(self.type, to: &buffer)
        }
    }

    /// Creates a binder for the runs from `first` on. Keys are kept for the parameters that the statement returns.
    init(_ statement: SQLBulkStatement, first: Int) {
        self.first = first
        columns = statement.types.enumerated().map { index, type in
            Column(type, keepsKeys: statement.returned.contains(index))
        }
    }

    /// The bytes of all arrays so far.
    var byteCount: Int { columns.reduce(0) { $0 + $1.buffer.count } }

    /// Begins the next run. Each of its parameters must then be bound once, in order.
    func begin() { count += 1 }

    func bind(_ value: Int64, at position: Int) {
        let column = columns[position - 1]
        column.writer.append(value, to: &column.buffer)
    }

    func bind(_ value: String?, at position: Int) {
        let column = columns[position - 1]
        guard var value else { return column.writer.appendNull(to: &column.buffer) }
        value.withUTF8 { bytes in
            if bytes.contains(0) { failure = BackstitchError.nulCharacter(in: nil) }
            column.writer.append(UnsafeRawBufferPointer(bytes), to: &column.buffer)
        }
    }

    func bind(_ value: [UInt8]?, at position: Int) {
        let column = columns[position - 1]
        guard let value else { return column.writer.appendNull(to: &column.buffer) }
        value.withUnsafeBytes { column.writer.append($0, to: &column.buffer) }
    }

    func bind(_ value: ObjectKey, at position: Int) {
        let column = columns[position - 1]
        if column.keepsKeys { column.keys.append(value) }
        column.writer.append(value, to: &column.buffer)
    }

    /// The key of a run for a parameter, counted from zero.
    func key(_ run: Int, _ parameter: Int) -> ObjectKey { columns[parameter].keys[run] }

    /// The arrays as the parameters of a statement.
    ///
    /// - Throws: ``BackstitchError/Code/invalidValue`` when a text has a NUL character.
    func parameters() throws -> StatementParameters {
        if let failure { throw failure }
        var parameters = StatementParameters(capacity: byteCount + 64)
        for column in columns {
            column.writer.finish(&column.buffer)
            parameters.append(column.type.array) { $0.write(column.buffer.bytes) }
        }
        return parameters
    }
}

extension PostgreSQLType {
    /// The type of the array elements for a placeholder.
    fileprivate init(_ type: SQLBulkType) {
        switch type {
        case .key: self = .uuid
        case .integer: self = .bigint
        case .text: self = .text
        case .bytes: self = .bytes
        case .column(let property): self = PostgreSQLType(property)
        }
    }
}
