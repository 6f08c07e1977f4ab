#if FUZZING

import Backstitch
import BackstitchTestKit
import CLibPQ
import Foundation

@testable import BackstitchPostgreSQL

/// Rows as a server may send them: any bytes in any column, of the requested types and of others.
final class PostgreSQLTarget: FuzzTarget {
    private let entity: ResolvedEntity
    private let types: [PostgreSQLType]

    init() throws {
        entity = try ResolvedModel(.journal).requireEntity(named: "AllTypes")
        types = [.uuid, .bigint] + entity.columns.map { PostgreSQLType($0) }
    }

    func run(_ input: [UInt8]) {
        var input = FuzzInput(input)
        let strange = input.byte()
        guard let pointer = PQmakeEmptyPGresult(nil, PGRES_TUPLES_OK) else { return }
        let result = PostgreSQLResult(pointer)
        var types = types
        // Now and then a column is of another type.
        if strange < 16 { types[Int(strange) % types.count] = PostgreSQLType(Oid(input.byte())) }
        setTypes(types, of: result)
        var row: Int32 = 0
        while !input.isEmpty, row < 4 {
            for column in types.indices { set(row, Int32(column), of: result, &input) }
            row += 1
        }
        read(result)
    }

    private func setTypes(_ types: [PostgreSQLType], of result: PostgreSQLResult) {
        guard let name = strdup("column") else { return }
        defer { free(name) }
        var attributes = types.map {
            PGresAttDesc(name: name, tableid: 0, columnid: 0, format: 1, typid: $0.oid, typlen: -1, atttypmod: -1)
        }
        PQsetResultAttrs(result.pointer, Int32(types.count), &attributes)
    }

    /// A first byte of 255 is null.
    private func set(_ row: Int32, _ column: Int32, of result: PostgreSQLResult, _ input: inout FuzzInput) {
        let length = input.byte()
        if length == 255 {
            PQsetvalue(result.pointer, row, column, nil, -1)
        } else {
            let bytes = input.bytes(Int(length))
            bytes.withUnsafeBytes { bytes in
                let start = bytes.bindMemory(to: CChar.self).baseAddress
                _ = PQsetvalue(result.pointer, row, column, UnsafeMutablePointer(mutating: start), Int32(bytes.count))
            }
        }
    }

    private func read(_ result: PostgreSQLResult) {
        if let decoder = try? PostgreSQLRowDecoder(result, entity: entity, firstColumn: 0) {
            var builder = RowBatchBuilder(entity: entity)
            do {
                for row in 0..<result.rowCount { try decoder.append(row, to: &builder) }
                let rows = builder.finish()
                for row in 0..<rows.count { _ = "\(rows.values(at: row)) \(rows.objectID(at: row))" }
            } catch {}
        }
        let row = PostgreSQLRow(result)
        for index in 0..<result.rowCount {
            row.index = index
            for column in 0..<result.columnCount {
                _ = (row.isNull(column), row.int(column), row.double(column), row.text(column), row.bytes(column))
                _ = try? row.key(column)
            }
        }
    }
}

#endif
