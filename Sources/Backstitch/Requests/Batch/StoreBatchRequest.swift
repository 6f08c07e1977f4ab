/// A batch request in the form for stores: entity and properties are resolved, and values are in their form in rows.
public struct StoreBatchRequest {
    /// Returns the next rows of an insert, up to `limit`, and nil after the last. Their versions are 1.
    public typealias RowSource = (_ limit: Int) throws -> Part?

    /// A part of the rows of an insert.
    public struct Part: Sendable {
        /// The rows to insert.
        public let rows: RowBatch
        /// The bytes of the rows' external attributes.
        public let assets: AssetContents
        /// Whether the program chose keys of the rows; see ``SaveChangesRequest/givesKeys``.
        public let givesKeys: Bool

        /// Makes a part of rows and their assets.
        public init(rows: RowBatch, assets: AssetContents = [:], givesKeys: Bool = false) {
            self.rows = rows
            self.assets = assets
            self.givesKeys = givesKeys
        }
    }

    /// The kinds of batch requests.
    public enum Operation {
        /// Inserts rows: `rows` starts anew at each call, if ``StoreBatchRequest/isRepeatable``.
        case insert(ResolvedEntity, rows: () -> RowSource)
        /// Changes the rows of a fetch by assignments.
        case update(StoreFetchRequest, [BatchAssignment])
        /// Deletes the rows of a fetch, and applies their delete rules.
        case delete(StoreFetchRequest)
    }

    /// The operation to perform.
    public private(set) var operation: Operation
    /// Whether the request may be repeated after its transaction was rolled back.
    public let isRepeatable: Bool
    /// The policy for an inserted row with the unique values of another; see ``ConstraintConflict``.
    public var mergePolicy: MergePolicy
    /// The bytes of assets among the constants of an update.
    public var assets: AssetContents = [:]
    /// The author of the changes, for history.
    public var author: String?
    /// The context's name, for history.
    public var contextName: String?
    /// Whether a synced store keeps the changes on this device, depending on author and context; see ``OutboxEntry``.
    public var isHeld = false

    /// Whether the written rows may refer to bytes outside of them.
    package var namesAssets: Bool {
        switch operation {
        case .insert(let entity, _): entity.hasExternalColumns
        case .update(let fetch, _): fetch.entity.hasExternalColumns
        case .delete: false
        }
    }

    /// The properties changed by an update, by the names of the entities with changed objects. Nil for other requests,
    /// which may change further properties.
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

    /// Makes a batch request for an operation.
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
    /// Returns the changed rows, with their changed columns. Rows that already have the values are left out.
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
