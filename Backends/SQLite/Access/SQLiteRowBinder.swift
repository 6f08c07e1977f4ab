import Backstitch
import BackstitchSQL
import GRDBSQLite

/// Binds the rows of a batch to a statement's parameters, directly from their cells.
struct SQLiteRowBinder {
    /// The part of a row that a parameter is bound to; columns by the form of their cells.
    private enum Source {
        case key, version
        case integer(Int), double(Int), text(Int), bytes(Int)
    }

    /// Holds the memory that ``cells`` points to.
    private let rows: RowBatch
    private let keys: ContiguousArray<ObjectKey>
    private let cells: RowCellList
    private let sources: ContiguousArray<Source>
    private let binder: SQLiteBinder

    init(_ rows: RowBatch, _ parameters: [SQLRowParameter], _ binder: SQLiteBinder) {
        self.rows = rows
        keys = rows.keys
        cells = rows.rowCells
        self.binder = binder
        sources = ContiguousArray(parameters.map { Self.source($0, rows.entity) })
    }

    private static func source(_ parameter: SQLRowParameter, _ entity: ResolvedEntity) -> Source {
        switch parameter {
        case .key: .key
        case .version: .version
        case .cell(let column): cell(column, entity.cellForms[column])
        }
    }

    private static func cell(_ column: Int, _ form: CellForm) -> Source {
        switch form {
        case .integer: .integer(column)
        case .double: .double(column)
        case .text: .text(column)
        case .bytes, .key: .bytes(column)
        }
    }

    /// Binds a row. `arena` holds the batch's texts and bytes, and must stay in place until the statement has run.
    @inline(__always)
    func bind(_ row: Int, arena: UnsafeRawBufferPointer) {
        let nulls = cells.start + row &* cells.stride
        let values = nulls + cells.nullWords
        for index in sources.indices {
            let position = index + 1
            let source = sources[index]
            switch source {
            case .key: binder.bind(keys[row], at: position)
            case .version: binder.bind(rows.versions[row], at: position)
            case .integer(let column), .double(let column), .text(let column), .bytes(let column):
                if nulls[column &>> 6] & (1 &<< UInt64(column & 63)) != 0 {
                    binder.bindNull(at: position)
                } else {
                    bind(values[column], source, at: position, arena: arena)
                }
            }
        }
    }

    @inline(__always)
    private func bind(_ cell: UInt64, _ source: Source, at position: Int, arena: UnsafeRawBufferPointer) {
        switch source {
        case .integer: binder.bind(Int64(bitPattern: cell), at: position)
        case .double: binder.bind(Double(bitPattern: cell), at: position)
        case .text: binder.bindText(Self.slice(cell, of: arena), at: position, nil)
        case .bytes: binder.bindBytes(Self.slice(cell, of: arena), at: position, nil)
        case .key, .version: break
        }
    }

    @inline(__always)
    /// The bytes of a cell: the high half of the cell is their start in the arena, the low half their number.
    private static func slice(_ cell: UInt64, of arena: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
        let start = Int(cell >> 32)
        return UnsafeRawBufferPointer(rebasing: arena[start..<start + Int(cell & 0xFFFF_FFFF)])
    }
}
