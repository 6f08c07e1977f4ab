import Backstitch
import BackstitchSQL
import GRDBSQLite

/// Binds rows of a batch to a statement's parameters straight from their cells.
struct SQLiteRowBinder {
    private enum Source {
        case key, version
        case integer(Int), double(Int), text(Int), bytes(Int)
    }

    private let rows: RowBatch
    private let sources: ContiguousArray<Source>
    private let binder: SQLiteBinder

    init(_ rows: RowBatch, _ parameters: [SQLRowParameter], _ binder: SQLiteBinder) {
        self.rows = rows
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

    /// Binds a row. `arena` holds the batch's texts and bytes, and must stay until the statement has run.
    @inline(__always)
    func bind(_ row: Int, arena: UnsafeRawBufferPointer) {
        for (index, source) in sources.enumerated() {
            let position = index + 1
            switch source {
            case .key: binder.bind(rows.keys[row], at: position)
            case .version: binder.bind(rows.versions[row], at: position)
            case .integer(let column), .double(let column), .text(let column), .bytes(let column):
                if rows.isNull(row, column) {
                    binder.bindNull(at: position)
                } else {
                    bind(rows.cell(row, column), source, at: position, arena: arena)
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
    private static func slice(_ cell: UInt64, of arena: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
        let start = Int(cell >> 32)
        return UnsafeRawBufferPointer(rebasing: arena[start..<start + Int(cell & 0xFFFF_FFFF)])
    }
}
