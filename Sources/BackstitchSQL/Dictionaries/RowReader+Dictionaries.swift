package import Backstitch
import Foundation

extension RowReader {
    /// The rows of values for a dictionary request, in the requested order.
    package func dictionaries(_ request: StoreDictionaryRequest) throws -> DictionaryRows {
        let statement = try DictionaryStatement(request, model: model, dialect: connection.dialect).statement()
        var builder = RowBatchBuilder(entity: request.results)
        try connection.appendValues(of: statement, results: request.results, to: &builder)
        let rows = builder.finish()
        for (index, column) in request.columns.enumerated() where column.attribute.type == .decimal {
            for row in 0..<rows.count where !rows.isNull(row, index) { try column.check(rows.string(row, index)) }
        }
        return DictionaryRows(rows)
    }
}

extension StoreDictionaryRequest.Column {
    /// Checks that a decimal result fits into `Decimal`. A database may have more digits, and `Decimal` would drop the
    /// last ones.
    fileprivate func check(_ text: String) throws {
        guard text != SQLDecimals.none else {
            throw BackstitchError(
                .invalidValue, "\(name) is the mean of a sum that has more digits than a decimal holds", key: name)
        }
        let digits = text.utf8.filter { (48...57).contains($0) }
        let significant = digits.drop { $0 == 48 }.reversed().drop { $0 == 48 }.count
        if significant <= ExactDecimalSum.maximumDigits || aggregate == .average, Decimal(canonicalText: text) != nil {
            return
        }
        throw BackstitchError(
            .invalidValue, "\(name) is \(text), which has more digits than a decimal holds", key: name)
    }
}
