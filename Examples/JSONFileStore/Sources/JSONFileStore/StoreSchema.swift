import Backstitch

/// The part of a model that matters for the file: names and types. It is kept in the file, and compared at each
/// opening.
struct StoreSchema: Codable, Hashable, Sendable {
    /// A line for each entity and property: `"Note.title": "string"`.
    let lines: [String: String]

    init(_ model: ResolvedModel) {
        var lines: [String: String] = [:]
        for entity in model.entities {
            lines[entity.name] = entity.lineage.first.map { "child of \($0)" } ?? "entity"
            for property in entity.ownProperties where !property.isTransient {
                lines["\(entity.name).\(property.name)"] = Self.summary(of: property)
            }
        }
        self.lines = lines
    }

    init(from decoder: any Decoder) throws {
        lines = try decoder.singleValueContainer().decode([String: String].self)
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(lines)
    }

    private static func summary(of property: ResolvedProperty) -> String {
        if let attribute = property.attribute {
            return attribute.allowsExternalStorage ? "\(attribute.type), external" : "\(attribute.type)"
        }
        guard let relationship = property.relationship?.description else { return "" }
        return "to \(relationship.isToMany ? "many" : "one") \(relationship.destination), "
            + "inverse \(relationship.inverse)"
    }

    /// Refuses models with features that this store lacks, since doing them by halves would be worse.
    ///
    /// - Throws: ``BackstitchError/Code/invalidModel`` with the name of the first such feature.
    static func require(_ model: ResolvedModel) throws {
        for entity in model.entities {
            let derived = entity.ownProperties.first { $0.attribute?.derivation != nil }
            let fault: String
            if !entity.uniquenessConstraints.isEmpty {
                fault = "the unique constraints of \(entity.name)"
            } else if let derived {
                fault = "the derived attribute \(entity.name).\(derived.name)"
            } else {
                continue
            }
            throw BackstitchError(
                .invalidModel,
                "stores of the type \(JSONFileStore.typeName) cannot keep \(fault); take another type of store",
                key: derived?.name)
        }
    }

    /// Returns the error for a file that was opened with a model of another schema.
    func mismatch(
        with other: StoreSchema, _ configuration: StoreConfiguration, _ path: String
    ) -> BackstitchError {
        let names = Set(lines.keys).union(other.lines.keys).filter { lines[$0] != other.lines[$0] }
        let listed = names.sorted().map { "  - \($0): \(lines[$0] ?? "none") before, \(other.lines[$0] ?? "none") now" }
        let reason =
            configuration.isReadOnly
            ? "it is opened read-only" : "stores of the type \(JSONFileStore.typeName) do not migrate"
        return BackstitchError(
            .modelMismatch,
            "\(path) was made with another model, and was left as it is: \(reason). What differs:\n"
                + listed.joined(separator: "\n"))
    }
}
