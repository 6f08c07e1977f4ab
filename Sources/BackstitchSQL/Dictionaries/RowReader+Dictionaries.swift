package import Backstitch
import Foundation

extension RowReader {
    /// The rows of values that a request asks for, in its order.
    package func dictionaries(_ request: StoreDictionaryRequest) throws -> [[Value]] {
        let statement = try DictionaryStatement(request, model: model, dialect: connection.dialect).statement()
        var rows: [[Value]] = []
        try connection.forEachRow(of: statement) { row in
            rows.append(try request.columns.enumerated().map { try $1.value(row, $0) })
        }
        return rows
    }
}

extension StoreDictionaryRequest.Column {
    fileprivate func value(_ row: any SQLRow, _ index: Int) throws -> Value {
        if row.isNull(index) { return .null }
        if let destinationName { return .object(ObjectID(entityName: destinationName, key: try row.key(index))) }
        switch attribute.type {
        case .integer16, .integer32, .integer64: return .int(row.int(index))
        case .boolean: return .bool(row.int(index) != 0)
        case .date: return .date(Date(milliseconds: row.int(index)))
        case .double, .float: return .double(row.double(index))
        case .decimal: return .decimal(try decimal(row.text(index)))
        case .string: return .string(row.text(index))
        case .uuid: return .uuid(try row.key(index).uuid)
        case .uri: return URL(string: row.text(index)).map(Value.uri) ?? .null
        case .transformable: return .data(Data(row.bytes(index)))
        case .binary:
            guard attribute.allowsExternalStorage else { return .data(Data(row.bytes(index))) }
            return AssetReference(text: row.text(index)).map(Value.asset) ?? .null
        }
    }

    private static let maximumDigits = 38

    /// A database may have more digits than `Decimal`, which would drop the last.
    private func decimal(_ text: String) throws -> Decimal {
        let digits = text.utf8.filter { (48...57).contains($0) }
        let significant = digits.drop { $0 == 48 }.reversed().drop { $0 == 48 }.count
        if significant <= Self.maximumDigits || aggregate == .average, let number = Decimal(canonicalText: text) {
            return number
        }
        throw BackstitchError(
            .invalidValue, "\(name) is \(text), which has more digits than a decimal holds", key: name)
    }
}
