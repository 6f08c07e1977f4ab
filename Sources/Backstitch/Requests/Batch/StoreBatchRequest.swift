/// A batch request as stores get it: entity and properties found, values in the form in which rows keep them.
public struct StoreBatchRequest {
    /// Gives the rows of an insert, up to so many at a time, and nil behind the last. Their versions are 1.
    public typealias RowSource = (_ limit: Int) throws -> Part?

    /// Some rows of an insert.
    public struct Part: Sendable {
        /// The rows.
        public let rows: RowBatch
        /// The bytes of external attributes that they name.
        public let assets: AssetContents
        /// Whether the program has chosen keys of the rows; see ``SaveChangesRequest/givesKeys``.
        public let givesKeys: Bool

        /// Rows and the bytes that they name.
        public init(rows: RowBatch, assets: AssetContents = [:], givesKeys: Bool = false) {
            self.rows = rows
            self.assets = assets
            self.givesKeys = givesKeys
        }
    }

    /// The kinds of batch requests.
    public enum Operation {
        /// Rows to insert: `rows` begins anew each time that it is called, if ``StoreBatchRequest/isRepeatable``.
        case insert(ResolvedEntity, rows: () -> RowSource)
        /// Rows to change, and how.
        case update(StoreFetchRequest, [BatchAssignment])
        /// Rows to delete, with what their delete rules ask for.
        case delete(StoreFetchRequest)
    }

    /// The operation to carry out.
    public private(set) var operation: Operation
    /// Whether it may be begun again when its transaction was undone.
    public let isRepeatable: Bool
    /// The policy for inserted rows with the unique values of others; see ``ConstraintConflict``.
    public var mergePolicy: MergePolicy
    /// The bytes of external attributes that the constants of an update name.
    public var assets: AssetContents = [:]
    /// The author of the changes, for history.
    public var author: String?
    /// The context's name, for history.
    public var contextName: String?
    /// Whether a synced store keeps the changes on this device, as it decides by author and context; see
    /// ``OutboxEntry``.
    public var isHeld = false

    /// Whether rows that it writes may name bytes outside them.
    package var namesAssets: Bool {
        switch operation {
        case .insert(let entity, _): entity.hasExternalColumns
        case .update(let fetch, _): fetch.entity.hasExternalColumns
        case .delete: false
        }
    }

    /// The properties that an update changes, by the names of the entities whose objects it may change; nil for other
    /// requests, which may change more than they name.
    var changedProperties: [String: Set<String>]? {
        guard case .update(let fetch, let assignments) = operation else { return nil }
        let names = Set(assignments.map { fetch.entity.properties[$0.column].name })
        let entities = [fetch.entity.name] + fetch.entity.subentityNames
        return Dictionary(uniqueKeysWithValues: entities.map { ($0, names) })
    }

    /// The request with another operation.
    func replacing(_ operation: Operation) -> StoreBatchRequest {
        var request = self
        request.operation = operation
        return request
    }

    /// A request.
    public init(
        _ operation: Operation, isRepeatable: Bool = true, mergePolicy: MergePolicy = .error, author: String? = nil,
        contextName: String? = nil
    ) {
        self.operation = operation
        self.isRepeatable = isRepeatable
        self.mergePolicy = mergePolicy
        self.author = author
        self.contextName = contextName
    }
}

extension RowBatch {
    /// The rows with other values, and which columns of each differ. Rows that have the values already are left out.
    ///
    /// - Throws: ``BackstitchError/Code/invalidValue``; see ``BatchAssignment/value(for:of:)``.
    public func applying(_ assignments: [BatchAssignment]) throws -> RowUpdate {
        var rows = RowBatchBuilder(entity: entity, capacity: count)
        var originals = RowBatchBuilder(entity: entity, capacity: count)
        var changed: [PropertySet] = []
        for row in 0..<count {
            var values: [Int: Value] = [:]
            for assignment in assignments {
                let value = try assignment.value(for: row, of: self)
                if value != self.value(row, assignment.column) { values[assignment.column] = value }
            }
            if values.isEmpty { continue }
            originals.appendRow(row, of: self)
            rows.beginRow(key: keys[row], version: versions[row])
            for column in 0..<entity.columnCount {
                if let value = values[column] {
                    rows.append(value)
                } else {
                    rows.appendCell(column, row: row, of: self)
                }
            }
            changed.append(PropertySet(values.keys))
        }
        return RowUpdate(rows: rows.finish(), originals: originals.finish(), changed: changed)
    }
}
