import Foundation

/// Rows of one entity, as stores give and take them: immutable, and decoded once.
///
/// A row has a key, a version, and a cell of eight bytes for each column of its entity. Numbers are in the cell itself.
/// Text and bytes are in one arena that all rows share. The cell then has their offset in its upper and their length in
/// its lower 32 bits. Cells of a row lie side by side, so reading an object touches one stretch of memory, and decoding
/// only appends.
///
/// | attribute | cell |
/// |---|---|
/// | integers, boolean, date (milliseconds since 1970) | `Int64` |
/// | double, float | bits of the `Double` |
/// | string, URI, decimal (canonical text) | UTF-8 in the arena |
/// | binary, transformable | bytes in the arena |
/// | external binary | `size:checksum` in the arena, see ``AssetReference``; where no store has it yet, a zero byte and the bytes |
/// | UUID, to-one | 16 bytes in the arena, network order |
public final class RowBatch: Sendable {
    /// The entity of all rows.
    public let entity: ResolvedEntity
    /// The keys of the rows.
    public let keys: ContiguousArray<ObjectKey>
    /// The rows' versions: one when inserted, one more after each write.
    public let versions: ContiguousArray<Int64>
    /// The number of rows.
    public let count: Int

    /// For each row, the words of its null bits, then its cells.
    private let cells: CellMemory
    private let columnCount: Int
    private let nullWords: Int
    private let stride: Int
    private let arena: ContiguousArray<UInt8>

    init(_ builder: consuming RowBatchBuilder) {
        entity = builder.entity
        keys = builder.keys
        versions = builder.versions
        count = builder.count
        cells = builder.cells
        columnCount = builder.columnCount
        nullWords = builder.nullWords
        stride = builder.nullWords + builder.columnCount
        arena = builder.arena
    }

    private init(_ other: RowBatch, versions: ContiguousArray<Int64>) {
        entity = other.entity
        keys = other.keys
        self.versions = versions
        count = other.count
        cells = other.cells
        columnCount = other.columnCount
        nullWords = other.nullWords
        stride = other.stride
        arena = other.arena
    }

    /// Returns the same rows one version later, as a store has them after it wrote them. All values are shared.
    package func advancingVersions() -> RowBatch {
        RowBatch(self, versions: ContiguousArray(versions.map { $0 + 1 }))
    }

    /// Returns the same rows as new ones, at version 1. All values are shared.
    package func atFirstVersion() -> RowBatch {
        RowBatch(self, versions: ContiguousArray(repeating: 1, count: versions.count))
    }

    /// The identity of a row's object.
    public func objectID(at row: Int) -> ObjectID { ObjectID(entityName: entityName(at: row), key: keys[row]) }

    /// Whether a cell has no value.
    @inline(__always)
    public func isNull(_ row: Int, _ column: Int) -> Bool {
        check(row, column)
        return self.row(row).isNull(column)
    }

    /// The eight bytes of a cell; undefined if the cell is null, see ``isNull(_:_:)``.
    @inline(__always)
    public func cell(_ row: Int, _ column: Int) -> UInt64 {
        check(row, column)
        return self.row(row)[column]
    }

    /// Returns the cells of a row. The row must exist.
    @inline(__always)
    func row(_ row: Int) -> RowCells { RowCells(start: cells.start + row &* stride, nullWords: nullWords) }

    /// The cells of all rows. They are valid as long as the batch.
    package var rowCells: RowCellList { RowCellList(cells.start, columnCount: columnCount) }

    @inline(__always)
    private func check(_ row: Int, _ column: Int) {
        precondition(UInt(bitPattern: row) < UInt(bitPattern: count), "there is no such row")
        precondition(UInt(bitPattern: column) < UInt(bitPattern: columnCount), "there is no such column")
    }

    /// A cell as an integer.
    @inline(__always)
    public func int(_ row: Int, _ column: Int) -> Int64 { Int64(bitPattern: cell(row, column)) }

    /// A cell as a double.
    @inline(__always)
    public func double(_ row: Int, _ column: Int) -> Double { Double(bitPattern: cell(row, column)) }

    /// Runs `body` with the bytes that a cell refers to. The pointer is valid for the call only.
    @inline(__always)
    public func withBytes<Result>(
        _ row: Int, _ column: Int, _ body: (UnsafeRawBufferPointer) throws -> Result
    ) rethrows -> Result {
        let cell = cell(row, column)
        let start = Int(cell >> 32)
        return try arena.withUnsafeBytes {
            try body(UnsafeRawBufferPointer(rebasing: $0[start..<start + Int(cell & 0xFFFF_FFFF)]))
        }
    }

    /// Runs `body` with the arena: all texts and bytes, at the places given by the cells. It is for stores that bind
    /// many cells at once. The pointer is valid for the call only.
    public func withArena<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
        try arena.withUnsafeBytes(body)
    }

    /// A cell as text.
    public func string(_ row: Int, _ column: Int) -> String { string(at: cell(row, column)) }

    /// Returns the text that a cell's bytes refer to.
    @inline(__always)
    func string(at cell: UInt64) -> String {
        arena.withUnsafeBytes { bytes in
            let start = Int(cell >> 32)
            return String(
                decoding: UnsafeRawBufferPointer(rebasing: bytes[start..<start + Int(cell & 0xFFFF_FFFF)]),
                as: UTF8.self)
        }
    }

    /// A cell as the key of a UUID or to-one relationship.
    public func key(_ row: Int, _ column: Int) -> ObjectKey {
        withBytes(row, column) { ObjectKey(bigEndianBytes: $0) }
    }
}

extension RowBatch {
    /// Returns a cell's value, by its column's type. Complexity: O(1), or the length of text and bytes.
    public func value(_ row: Int, _ column: Int) -> Value {
        if isNull(row, column) { return .null }
        let property = entity.properties[column]
        guard let attribute = property.attribute else {
            return .object(ObjectID(entityName: property.destinationName, key: key(row, column)))
        }
        switch attribute.type {
        case .integer16, .integer32, .integer64: return .int(int(row, column))
        case .boolean: return .bool(cell(row, column) != 0)
        case .date: return .date(Date(milliseconds: int(row, column)))
        case .double, .float: return .double(double(row, column))
        case .string: return .string(string(row, column))
        case .decimal: return Decimal(canonicalText: string(row, column)).map(Value.decimal) ?? .null
        case .uuid: return .uuid(key(row, column).uuid)
        case .uri: return URL(string: string(row, column)).map(Value.uri) ?? .null
        case .transformable: return .data(withBytes(row, column) { Data($0) })
        case .binary:
            guard attribute.allowsExternalStorage else { return .data(withBytes(row, column) { Data($0) }) }
            return externalValue(row, column)
        }
    }

    private func externalValue(_ row: Int, _ column: Int) -> Value {
        withBytes(row, column) { bytes in
            if bytes.first == RowBatchBuilder.contentMark { return .data(Data(bytes.dropFirst())) }
            if bytes.first == RowBatchBuilder.fileMark { return file(bytes.dropFirst()) }
            return AssetReference(text: String(decoding: bytes, as: UTF8.self)).map(Value.asset) ?? .null
        }
    }

    /// Returns the file that is named in a cell with ``RowBatchBuilder/fileMark``.
    private func file(_ bytes: Slice<UnsafeRawBufferPointer>) -> Value {
        let parts = bytes.split(separator: 0, maxSplits: 1).map { String(decoding: $0, as: UTF8.self) }
        guard parts.count == 2, let reference = AssetReference(text: parts[0]) else { return .null }
        return .file(AssetFile(URL(filePath: parts[1]), as: reference))
    }

    /// All values of a row, by column.
    public func values(at row: Int) -> [Value] { (0..<entity.columnCount).map { value(row, $0) } }
}

extension ResolvedProperty {
    /// The name of a relationship's destination entity; empty for an attribute.
    package var destinationName: String { relationship?.description.destination ?? "" }
}

extension AssetReference {
    /// `size:checksum`, as rows keep it.
    package var text: String { "\(size):\(checksum)" }

    /// Reads a reference from its ``text``; nil if the text is none.
    package init?(text: String) {
        guard let colon = text.utf8.firstIndex(of: UInt8(ascii: ":")), let size = Int64(text[..<colon]) else {
            return nil
        }
        self.init(checksum: String(text[text.utf8.index(after: colon)...]), size: size)
    }
}
