import Foundation

extension FetchExpression: Codable {
    private enum CodingKeys: String, CodingKey, CaseIterable {
        case keyPath, variable, count, subquery, list
        case null, bool, int, double, decimal, string, date, data, uuid, uri, asset, object
    }

    private enum SubqueryKeys: String, CodingKey { case collection, variable, `where` }

    /// Decodes an expression: an object with one key, the kind of expression.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        guard container.allKeys.count == 1, let key = container.allKeys.first else {
            let kinds = CodingKeys.allCases.map(\.rawValue).joined(separator: ", ")
            throw DecodingError.dataCorrupted(
                .init(
                    codingPath: decoder.codingPath,
                    debugDescription: "an expression has one key, which is one of \(kinds)"))
        }
        switch key {
        case .keyPath: self = .keyPath(try container.decode(FetchKeyPath.self, forKey: key))
        case .variable: self = .variable(try container.decode(String.self, forKey: key))
        case .count: self = .count(try container.decode(FetchKeyPath.self, forKey: key))
        case .list: self = .list(try container.decode([FetchExpression].self, forKey: key))
        case .subquery:
            let subquery = try container.nestedContainer(keyedBy: SubqueryKeys.self, forKey: key)
            self = .subqueryCount(
                FetchSubquery(
                    try subquery.decode(FetchKeyPath.self, forKey: .collection),
                    variable: try subquery.decode(String.self, forKey: .variable),
                    where: try subquery.decode(FetchPredicate.self, forKey: .where)))
        default: self = .value(try Self.value(key, in: container))
        }
    }

    /// Encodes the expression: `{"keyPath": "folder.name"}`, `{"int": 3}`, `{"date": 1700000000000}`.
    ///
    /// Dates are milliseconds since 1970, and bytes are base64. Decimals are text, and so are the doubles that JSON
    /// lacks.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        switch self {
        case .keyPath(let path): try container.encode(path, forKey: .keyPath)
        case .variable(let name): try container.encode(name, forKey: .variable)
        case .count(let path): try container.encode(path, forKey: .count)
        case .list(let expressions): try container.encode(expressions, forKey: .list)
        case .value(let value): try Self.encode(value, in: &container)
        case .subqueryCount(let subquery):
            var nested = container.nestedContainer(keyedBy: SubqueryKeys.self, forKey: .subquery)
            try nested.encode(subquery.collection, forKey: .collection)
            try nested.encode(subquery.variable, forKey: .variable)
            try nested.encode(subquery.predicate, forKey: .where)
        }
    }

    private static func value(_ key: CodingKeys, in container: KeyedDecodingContainer<CodingKeys>) throws -> Value {
        func text<Result>(_ read: (String) -> Result?) throws -> Result {
            let text = try container.decode(String.self, forKey: key)
            guard let result = read(text) else {
                throw DecodingError.dataCorruptedError(
                    forKey: key, in: container, debugDescription: "\"\(text)\" is not a \(key.rawValue)")
            }
            return result
        }
        switch key {
        case .bool: return .bool(try container.decode(Bool.self, forKey: key))
        case .int: return .int(try container.decode(Int64.self, forKey: key))
        case .double:
            if let number = try? container.decode(Double.self, forKey: key) { return .double(number) }
            return .double(try text(Double.init))
        case .decimal: return .decimal(try text { $0 == "NaN" ? Decimal.nan : Decimal(canonicalText: $0) })
        case .string: return .string(try container.decode(String.self, forKey: key))
        case .date: return .date(Date(milliseconds: try container.decode(Int64.self, forKey: key)))
        case .data: return .data(try text { Data(base64Encoded: $0) })
        case .uuid: return .uuid(try text(UUID.init(uuidString:)))
        case .uri: return .uri(try text(URL.init(string:)))
        case .asset: return .asset(try container.decode(AssetReference.self, forKey: key))
        case .object: return .object(try container.decode(ObjectID.self, forKey: key))
        default: return .null
        }
    }

    private static func encode(_ value: Value, in container: inout KeyedEncodingContainer<CodingKeys>) throws {
        switch value {
        case .null: try container.encode(true, forKey: .null)
        case .bool(let value): try container.encode(value, forKey: .bool)
        case .int(let value): try container.encode(value, forKey: .int)
        case .double(let value) where !value.isFinite: try container.encode("\(value)", forKey: .double)
        case .double(let value): try container.encode(value, forKey: .double)
        case .decimal(let value): try container.encode(value.isNaN ? "NaN" : value.canonicalText, forKey: .decimal)
        case .string(let value): try container.encode(value, forKey: .string)
        case .date(let value): try container.encode(value.milliseconds, forKey: .date)
        case .data(let value): try container.encode(value.base64EncodedString(), forKey: .data)
        case .uuid(let value): try container.encode(value.uuidString, forKey: .uuid)
        case .uri(let value): try container.encode(value.absoluteString, forKey: .uri)
        case .asset(let value): try container.encode(value, forKey: .asset)
        case .file(let value): try container.encode(value.reference, forKey: .asset)
        case .object(let value): try container.encode(value, forKey: .object)
        }
    }
}
