package import Backstitch

extension SQLConnection {
    /// Reads values column by column, in the forms that `results` declares. For connections without a quicker method.
    package func appendValues(
        of statement: SQLStatement, results: ResolvedEntity, to builder: inout RowBatchBuilder
    ) throws {
        try forEachRow(of: statement) { row in
            builder.beginRow(key: ObjectKey(high: 0, low: 0), version: 0)
            for (index, form) in results.cellForms.enumerated() {
                if row.isNull(index) {
                    builder.appendNull()
                    continue
                }
                switch form {
                case .integer: builder.append(int: row.int(index))
                case .double: builder.append(double: row.double(index))
                case .text: try append(Array(row.text(index).utf8), of: results, to: &builder)
                case .bytes: try append(row.bytes(index), of: results, to: &builder)
                case .key: builder.append(key: try row.key(index))
                }
            }
        }
    }

    private func append(_ bytes: [UInt8], of results: ResolvedEntity, to builder: inout RowBatchBuilder) throws {
        guard builder.arenaSize + bytes.count <= Int(UInt32.max) - 16 else {
            throw BackstitchError(
                .invalidRequest, "the \(results.name) hold more than 4 GiB; fetch them in parts, with a limit")
        }
        bytes.withUnsafeBytes { builder.append(bytes: $0) }
    }
}
