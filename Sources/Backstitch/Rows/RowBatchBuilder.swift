import Foundation

/// Collects rows of one entity into a ``RowBatch``.
///
/// Begin a row, then append one cell for each column of the entity, in order:
/// ```swift
/// var builder = RowBatchBuilder(entity: note, capacity: 100)
/// builder.beginRow(key: key, version: 1)
/// for column in note.columns { builder.append(values[column.slot]) }
/// let batch = builder.finish()
/// ```
public struct RowBatchBuilder: ~Copyable {
    let entity: ResolvedEntity
    let columnCount: Int
    let nullWords: Int
    var keys: ContiguousArray<ObjectKey> = []
    var versions: ContiguousArray<Int64> = []
    /// For each row, the words of its null bits, then its cells; see ``RowBatch``.
    let cells: CellMemory
    /// The number of words in use.
    private var wordCount = 0
    var arena: ContiguousArray<UInt8> = []
    /// The column of the next cell; none before the first row.
    private var column = Int.max

    /// Creates a builder for rows of `entity`, with room for `capacity` rows.
    public init(entity: ResolvedEntity, capacity: Int = 0) {
        self.entity = entity
        columnCount = entity.columnCount
        nullWords = RowCells.nullWords(entity.columnCount)
        cells = CellMemory(capacity: capacity * (entity.columnCount + nullWords))
        keys.reserveCapacity(capacity)
        versions.reserveCapacity(capacity)
    }

    /// Makes room for `rows` further rows.
    package mutating func reserve(_ rows: Int) {
        let total = count + rows
        keys.reserveCapacity(total)
        versions.reserveCapacity(total)
        cells.reserve(total * (nullWords + columnCount))
    }

    /// The number of rows that have begun.
    public private(set) var count = 0

    /// The bytes of text and binary values that were collected so far.
    public var arenaSize: Int { arena.count }

    /// Begins a row; one cell for each column must follow.
    public mutating func beginRow(key: ObjectKey, version: Int64) {
        keys.append(key)
        versions.append(version)
        count &+= 1
        cells.reserve(wordCount + nullWords + columnCount)
        for _ in 0..<nullWords {
            cells.start[wordCount] = 0
            wordCount &+= 1
        }
        column = 0
    }

    /// Appends a row and returns its cells. All of them must be set before the builder is used again; only ``keep(_:)``
    /// may be called in between.
    package mutating func appendRow(key: ObjectKey, version: Int64) -> RowCells {
        beginRow(key: key, version: version)
        let start = cells.start + (wordCount - nullWords)
        wordCount += columnCount
        column = columnCount
        return RowCells(start: start, nullWords: nullWords)
    }

    /// Does the same for values that belong to no object: the row has neither key nor version. A batch has such rows
    /// only, or none.
    package mutating func appendValues() -> RowCells {
        let start = wordCount
        wordCount &+= nullWords &+ columnCount
        cells.reserve(wordCount)
        for word in start..<start &+ nullWords { cells.start[word] = 0 }
        count &+= 1
        column = columnCount
        return RowCells(start: cells.start + start, nullWords: nullWords)
    }

    /// Keeps text or bytes, and returns the cell that refers to them. An arena holds up to 4 GiB, so stores divide
    /// larger results into several batches.
    package mutating func keep(_ bytes: UnsafeRawBufferPointer) -> UInt64 {
        let start = UInt64(arena.count)
        precondition(
            start + UInt64(bytes.count) <= UInt64(UInt32.max), "a row batch holds up to 4 GiB of text and bytes")
        arena.append(contentsOf: bytes)
        return start << 32 | UInt64(bytes.count)
    }

    /// Appends a cell without a value.
    @inline(__always)
    public mutating func appendNull() {
        precondition(column < columnCount, "a row has more cells than its entity has columns")
        cells.start[wordCount - column - nullWords + column >> 6] |= 1 << UInt64(column & 63)
        appendCell(0)
    }

    /// Appends an integer, boolean or date cell.
    @inline(__always)
    public mutating func append(int: Int64) { appendCell(UInt64(bitPattern: int)) }

    /// Appends a double or float cell.
    @inline(__always)
    public mutating func append(double: Double) { appendCell(double.bitPattern) }

    /// Appends a cell of text or bytes. An arena holds up to 4 GiB, so stores divide larger results into several
    /// batches.
    @inline(__always)
    public mutating func append(bytes: UnsafeRawBufferPointer) { appendCell(keep(bytes)) }

    /// Appends a cell of text.
    public mutating func append(string: String) { appendCell(keep(string)) }

    /// Appends a UUID or to-one cell.
    public mutating func append(key: ObjectKey) {
        key.withBytes { append(bytes: $0) }
    }

    /// Appends a cell from a value that fits its column; any other value is a programming error.
    public mutating func append(_ value: Value) {
        if let bits = value.numberBits {
            appendCell(bits)
        } else if value.isNull {
            appendNull()
        } else if case .data(let data) = value, entity.properties[column].attribute?.allowsExternalStorage == true {
            appendCell(keep(content: data))
        } else if case .file(let file) = value {
            appendCell(keep(file))
        } else {
            appendCell(keep(value))
        }
    }

    /// The mark before bytes of an external attribute that are in the cell itself. It cannot be confused with a
    /// reference, whose text begins with a digit.
    static var contentMark: UInt8 { 0 }

    /// Keeps the bytes of an external attribute, for rows of objects that are not saved yet.
    private mutating func keep(content: Data) -> UInt64 {
        let start = UInt64(arena.count)
        arena.append(Self.contentMark)
        content.withUnsafeBytes { (bytes: UnsafeRawBufferPointer) in _ = keep(bytes) }
        return start << 32 | UInt64(content.count + 1)
    }

    /// The mark before a file of an external attribute. The reference, a zero and the file's path follow it.
    static var fileMark: UInt8 { 1 }

    /// Keeps the file of an external attribute, for rows of objects that are not saved yet.
    private mutating func keep(_ file: AssetFile) -> UInt64 {
        let bytes = [Self.fileMark] + Array(file.reference.text.utf8) + [0] + Array(file.url.path.utf8)
        return bytes.withUnsafeBytes { keep($0) }
    }

    /// Keeps a value that is no number, and returns the cell that refers to it.
    mutating func keep(_ value: Value) -> UInt64 {
        switch value {
        case .decimal(let value): keep(value.canonicalText)
        case .string(let value): keep(value)
        case .data(let value): value.withUnsafeBytes { keep($0) }
        case .uuid(let value): ObjectKey(value).withBytes { keep($0) }
        case .uri(let value): keep(value.absoluteString)
        case .asset(let value): keep(value.text)
        case .file(let value): keep(value)
        case .object(let value): value.key.withBytes { keep($0) }
        case .null, .bool, .int, .double, .date: 0
        }
    }

    private mutating func keep(_ text: String) -> UInt64 {
        var text = text
        return text.withUTF8 { keep(UnsafeRawBufferPointer($0)) }
    }

    /// Appends a copy of a row of another batch of the same entity, with another version if one is given.
    public mutating func appendRow(_ row: Int, of batch: RowBatch, version: Int64? = nil) {
        let (key, version) = (batch.keys[row], version ?? batch.versions[row])
        if entity.otherCount == 0, batch.entity.columnCount == columnCount {
            appendRow(key: key, version: version).copy(batch.row(row), columnCount: columnCount)
            return
        }
        beginRow(key: key, version: version)
        for column in 0..<entity.columnCount { appendCell(column, row: row, of: batch) }
    }

    /// Appends a copy of one cell of another batch of the same entity.
    public mutating func appendCell(_ column: Int, row: Int, of batch: RowBatch) {
        if batch.isNull(row, column) {
            appendNull()
        } else if entity.properties[column].isInArena {
            batch.withBytes(row, column) { append(bytes: $0) }
        } else {
            appendCell(batch.cell(row, column))
        }
    }

    /// Finishes the batch of all rows.
    ///
    /// - Precondition: Each row has a cell for each column.
    public consuming func finish() -> RowBatch {
        precondition(wordCount == count * (nullWords + columnCount), "a row of \(entity.name) lacks cells")
        return RowBatch(self)
    }

    @inline(__always)
    private mutating func appendCell(_ cell: UInt64) {
        precondition(column < columnCount, "a row has more cells than its entity has columns")
        cells.start[wordCount] = cell
        wordCount &+= 1
        column &+= 1
    }
}

extension ResolvedProperty {
    /// Whether the column's cells refer to bytes in the arena.
    package var isInArena: Bool { cellKind == .text || cellKind == .bytes }
}

extension Decimal {
    /// The only text of a number: digits without exponent or superfluous zeros (`-12.5`, `0.001`, `100`).
    package var canonicalText: String {
        isZero ? "0" : description
    }

    /// Reads a number from its ``canonicalText``; nil if the text is none.
    package init?(canonicalText text: String) {
        guard let number = Decimal(string: text, locale: nil), !number.isNaN else { return nil }
        self = number
    }
}
