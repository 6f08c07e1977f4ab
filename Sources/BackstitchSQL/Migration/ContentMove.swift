import Backstitch
import Foundation

/// Moves the bytes of attributes out of the rows, or into the rows, if the new model keeps them in the other place.
///
/// Large values are not all in memory at once: each step reads and writes a portion of a limited number of bytes.
struct ContentMove {
    private let connection: any SQLConnection
    private let mapping: ModelMapping
    private let old: LegacySchemaNames
    private let content: any MigrationContent

    /// The most rows of one query for keys and lengths.
    private static let rowsAtOnce = 500
    /// A portion has at most this many bytes, unless a single value is longer.
    private static let bytesAtOnce = 8 << 20

    init(
        _ connection: any SQLConnection, _ mapping: ModelMapping, _ old: LegacySchemaNames,
        _ content: any MigrationContent
    ) {
        self.connection = connection
        self.mapping = mapping
        self.old = old
        self.content = content
    }

    /// Moves all values that need it. Values that go into the rows stay outside them too, until they are collected.
    ///
    /// - Throws: ``BackstitchError/Code/asset`` if the bytes of a row are missing or damaged.
    func run() throws {
        for move in mapping.contentMoves {
            guard let origin = mapping.tableOrigin(of: move.entity) else { continue }
            let columns = Columns(
                table: SQLNames.quoted(SQLNames.table(of: move.entity)),
                source: SQLNames.quoted(old.column(of: move.source, in: origin)),
                target: SQLNames.quoted(move.property.columnName))
            var last: ObjectKey?
            while true {
                let cells = try cells(of: move, columns, after: last)
                guard let end = cells.last else { break }
                for portion in Self.portions(of: cells) { try self.move(portion, move, columns) }
                last = end.key
            }
        }
    }

    /// The quoted names of a move's table and columns.
    private struct Columns {
        let table: String, source: String, target: String
    }

    /// A value to move: where it is, and its length.
    private struct Cell {
        let key: ObjectKey
        /// The name of bytes outside the row; nil for bytes in the row.
        let reference: AssetReference?
        let size: Int64
    }

    /// The next values to move, in the order of keys.
    private func cells(of move: ModelMapping.Move, _ columns: Columns, after last: ObjectKey?) throws -> [Cell] {
        let key = SQLNames.quoted(SQLNames.key)
        let isOutside = move.source.attribute?.allowsExternalStorage == true
        let value = isOutside ? columns.source : "CAST(length(\(columns.source)) AS bigint)"
        var query = SQLStatement(
            connection.dialect,
            "SELECT \(key), \(value) FROM \(columns.table) "
                + "WHERE \(columns.source) IS NOT NULL\(FamilyChange.condition(rowsOf: [move.entity]))")
        if let last {
            query.append(" AND \(key) > ")
            query.append(.key(last))
        }
        query.append(" ORDER BY \(key) LIMIT \(Self.rowsAtOnce)")
        query.isAdHoc = true
        var cells: [Cell] = []
        try connection.forEachRow(of: query) { row in
            let key = try row.key(0)
            guard isOutside else {
                cells.append(Cell(key: key, reference: nil, size: row.int(1)))
                return
            }
            let text = row.text(1)
            guard let reference = AssetReference(text: text) else {
                throw BackstitchError(
                    .storeFailure,
                    "\"\(text)\" in \(move.entity.name).\(move.property.name) names no asset; restore the store from a "
                        + "backup",
                    objectID: ObjectID(entityName: move.entity.name, key: key), key: move.property.name)
            }
            cells.append(Cell(key: key, reference: reference, size: reference.size))
        }
        return cells
    }

    private static func portions(of cells: [Cell]) -> [ArraySlice<Cell>] {
        var portions: [ArraySlice<Cell>] = []
        var start = 0, bytes: Int64 = 0
        for (index, cell) in cells.enumerated() {
            if index > start, bytes + cell.size > bytesAtOnce {
                portions.append(cells[start..<index])
                (start, bytes) = (index, 0)
            }
            bytes += cell.size
        }
        portions.append(cells[start...])
        return portions
    }

    private func move(_ portion: ArraySlice<Cell>, _ move: ModelMapping.Move, _ columns: Columns) throws {
        var values: [(key: ObjectKey, value: Value)] = []
        if move.property.attribute?.allowsExternalStorage == true {
            var contents: AssetContents = [:]
            for cell in portion {
                let data = try bytes(of: cell.key, columns)
                let reference = AssetReference(contentOf: data)
                contents[reference] = .data(data)
                values.append((cell.key, .asset(reference)))
            }
            try content.write(contents)
        } else {
            for cell in portion { values.append((cell.key, .data(try bytesOutside(cell, of: move)))) }
        }
        for (key, value) in values {
            var statement = SQLStatement(connection.dialect, "UPDATE \(columns.table) SET \(columns.target) = ")
            statement.append(value)
            statement.append(" WHERE \(SQLNames.quoted(SQLNames.key)) = ")
            statement.append(.key(key))
            statement.isAdHoc = true
            try connection.run(statement)
        }
    }

    private func bytes(of key: ObjectKey, _ columns: Columns) throws -> Data {
        var data = Data()
        var query = SQLStatement(
            connection.dialect,
            "SELECT \(columns.source) FROM \(columns.table) WHERE \(SQLNames.quoted(SQLNames.key)) = ")
        query.append(.key(key))
        // The next step may give the same names to columns of other types.
        query.isAdHoc = true
        try connection.forEachRow(of: query) { data = Data($0.bytes(0)) }
        return data
    }

    private func bytesOutside(_ cell: Cell, of move: ModelMapping.Move) throws -> Data {
        guard let reference = cell.reference else { return Data() }
        if let data = try content.read(reference) { return data }
        let id = ObjectID(entityName: move.entity.name, key: cell.key)
        throw BackstitchError(
            .asset,
            "the \(reference.size) bytes of \(move.property.name) of \(id) are missing, so they cannot move into the "
                + "row; put their file back, or empty the attribute with the program of the older model",
            objectID: id, key: move.property.name)
    }
}
