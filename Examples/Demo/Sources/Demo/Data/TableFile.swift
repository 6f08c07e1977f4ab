import Backstitch
import Foundation
import SwiftCSV

/// A CSV file with a header, or a JSON file with a list of objects. It has one entity, `Row`; the values of the columns
/// give the attributes their types.
struct TableFile: Dataset {
    let title: String
    let model: ManagedObjectModel
    let excludedAssets: [String] = []
    let stage: Stage
    var expectedCount: Int { rows.count }

    private let columns: [Column]
    private let rows: [[String]]

    /// Reads the file and types its columns.
    ///
    /// - Throws: ``BackstitchError`` that names the file when it is empty, or of neither kind.
    init(contentsOf url: URL) throws {
        title = url.lastPathComponent
        let table = try Table(contentsOf: url)
        guard let first = table.header.first, !table.rows.isEmpty else {
            throw BackstitchError(.invalidValue, "\(url.lastPathComponent) has no rows", key: "input")
        }
        columns = table.header.enumerated().map { index, name in
            Column(name: name, position: index, values: table.rows.map { $0[index] })
        }
        rows = table.rows
        model = ManagedObjectModel([
            EntityDescription(
                "Row", [.attribute("rowNumber", .integer64, default: 0)] + columns.map(\.property))
        ])
        let texts = columns.filter { $0.type == .string }
        stage = Stage(
            entity: "Row", name: columns[0].attribute, contested: texts.first?.attribute ?? columns[0].attribute,
            other: (texts.dropFirst().first ?? columns.last)?.attribute ?? first, relationship: nil)
    }

    func importAll(into container: PersistentContainer, progress: @escaping @Sendable (Int) -> Void) async throws {
        let present = try await container.perform { context in
            Set(try context.fetch(FetchRequest<ManagedObject>(entityName: "Row")).map { $0["rowNumber"] as Int })
        }
        for start in stride(from: 0, to: rows.count, by: 1000) {
            let end = min(start + 1000, rows.count)
            try await container.perform(author: "import") { context in
                for number in start..<end where !present.contains(number) {
                    let object = try context.insertObject(entityName: "Row")
                    try object.setValue(.int(Int64(number)), forKey: "rowNumber")
                    for column in columns {
                        try object.setValue(column.value(rows[number][column.position]), forKey: column.attribute)
                    }
                }
                try context.save()
            }
            progress(end)
        }
    }
}

/// A column with the narrowest type for all its values.
private struct Column: Sendable {
    let attribute: String
    let position: Int
    let type: AttributeType

    init(name: String, position: Int, values: [String]) {
        self.position = position
        attribute = Self.attributeName(name, position)
        let present = values.filter { !$0.isEmpty }
        type =
            if present.isEmpty {
                .string
            } else if present.allSatisfy({ Int64($0) != nil && String(Int64($0) ?? 0) == $0 }) {
                .integer64
            } else if present.allSatisfy({ $0 == "true" || $0 == "false" }) {
                .boolean
            } else if present.allSatisfy({ Double($0)?.isFinite == true }) {
                .double
            } else {
                .string
            }
    }

    var property: PropertyDescription { .attribute(attribute, type) }

    func value(_ text: String) -> Value {
        if text.isEmpty { return .null }
        return switch type {
        case .integer64: Int64(text).map(Value.int) ?? .null
        case .double: Double(text).map(Value.double) ?? .null
        case .boolean: .bool(text == "true")
        default: .string(text)
        }
    }

    /// Makes an attribute's name from a header: ASCII letters, digits and underscores. It begins with `c` and the
    /// column's number, so it begins with a letter and is unique.
    private static func attributeName(_ header: String, _ position: Int) -> String {
        let cleaned = header.unicodeScalars.map {
            $0.isASCII && $0.properties.isAlphabetic || ("0"..."9").contains($0) ? Character($0) : "_"
        }
        return "c\(position + 1)_" + String(cleaned).prefix(40)
    }
}

/// A header and rows of texts, before the columns get their types.
private struct Table {
    let header: [String]
    let rows: [[String]]

    init(contentsOf url: URL) throws {
        let data: Data
        do { data = try Data(contentsOf: url) } catch {
            throw BackstitchError(.invalidValue, "cannot read \(url.path)", key: "input", cause: error)
        }
        if url.pathExtension.lowercased() == "json" {
            try self.init(json: data, name: url.lastPathComponent)
        } else {
            try self.init(csv: data, name: url.lastPathComponent)
        }
    }

    private init(csv data: Data, name: String) throws {
        do {
            let csv = try EnumeratedCSV(string: String(decoding: data, as: UTF8.self), loadColumns: false)
            header = csv.header
            rows = csv.rows.map { row in (0..<csv.header.count).map { $0 < row.count ? row[$0] : "" } }
        } catch {
            throw BackstitchError(.invalidValue, "\(name) is not a CSV with a header", key: "input", cause: error)
        }
    }

    private init(json data: Data, name: String) throws {
        guard let objects = try? JSONSerialization.jsonObject(with: data) as? [[String: Any]] else {
            throw BackstitchError(.invalidValue, "\(name) is not a JSON list of objects", key: "input")
        }
        let header = Set(objects.flatMap(\.keys)).sorted()
        self.header = header
        rows = objects.map { object in header.map { Self.text(object[$0]) } }
    }

    private static func text(_ value: Any?) -> String {
        switch value {
        case nil, is NSNull: ""
        case let text as String: text
        case let number as NSNumber where String(cString: number.objCType) == "c": number.boolValue ? "true" : "false"
        case let number as NSNumber: number.stringValue
        case let other?:
            (try? JSONSerialization.data(withJSONObject: other, options: .sortedKeys))
                .map { String(decoding: $0, as: UTF8.self) } ?? "\(other)"
        }
    }
}
