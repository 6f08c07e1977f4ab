package import Backstitch
import BackstitchSupport
import Foundation

extension ModelFingerprint {
    /// Returns a model with the same stored form as the fingerprint. It has no classes, delete rules and defaults,
    /// because stores do not know them.
    ///
    /// - Throws: ``BackstitchError/Code/storeFailure`` when the fingerprint is damaged,
    ///   ``BackstitchError/Code/newerFormat`` when it has a kind of property that this version does not know.
    package func model() throws -> ResolvedModel {
        var transformers: Set<String> = []
        let entities = try entities.sorted { $0.key < $1.key }.map { name, properties in
            var entity = EntityDescription(
                name, try properties.sorted { $0.key < $1.key }.map { try Self.property($0, $1, &transformers) })
            entity.renamingIdentifier = renamings?[name]
            entity.parent = parents?[name]
            entity.uniquenessConstraints = constraints?[name] ?? []
            entity.indexes = try (indexes?[name] ?? []).map { elements in
                FetchIndexDescription(
                    try elements.map { text in
                        guard let element = FetchIndexElementDescription(description: text) else {
                            throw Self.damaged(name, text)
                        }
                        return element
                    })
            }
            entity.properties = entity.properties.map { property in
                renamings?["\(name).\(property.name)"].map(property.renamed(from:)) ?? property
            }
            return entity
        }
        do {
            return try ResolvedModel(
                ManagedObjectModel(entities, transformers: transformers.sorted().map(Self.transformer)))
        } catch {
            throw BackstitchError(
                .storeFailure, "the store's description of its model is damaged; restore the store from a backup",
                cause: error)
        }
    }

    /// A hash of the stored form: SHA-256 of the canonical text, in hexadecimal. Models with the same stored form have
    /// the same hash.
    package func versionHash() throws -> String {
        var stored = self
        stored.renamings = nil
        stored.indexes = nil
        return SHA256.hash(data: Data(try stored.text().utf8)).hexadecimal
    }

    /// Whether both models give rows the same form.
    package func storesLike(_ other: ModelFingerprint) -> Bool {
        var one = self, two = other
        (one.renamings, one.indexes) = (nil, nil)
        (two.renamings, two.indexes) = (nil, nil)
        return one == two
    }

    private static func property(
        _ name: String, _ property: Property, _ transformers: inout Set<String>
    ) throws -> PropertyDescription {
        if property.type == "toOne" || property.type == "toMany" {
            let ends = (property.inverse ?? "").split(separator: ".").map(String.init)
            guard ends.count == 2 else { throw damaged(name, property.inverse ?? "") }
            return .relationship(
                RelationshipDescription(
                    name, to: ends[0], inverse: ends[1], toMany: property.type == "toMany",
                    optional: property.optional ?? true))
        }
        guard let type = AttributeType(stored: property.type) else { throw damaged(name, property.type) }
        if case .transformable(let transformer) = type { transformers.insert(transformer) }
        if let derivation = property.derivation { return .derived(name, type, from: derivation) }
        return .attribute(name, type, optional: property.optional ?? true, external: property.external ?? false)
    }

    private static func damaged(_ name: String, _ found: String) -> BackstitchError {
        BackstitchError(
            .newerFormat,
            "the store's description of its model has the property \(name) of the kind \"\(found)\", which this version "
                + "does not know; update the program", key: name)
    }

    /// Replaces a transformer of the older program. Its values are moved, but never decoded.
    private static func transformer(_ name: String) -> ValueTransformer {
        ValueTransformer(name) { _ in
            throw BackstitchError(.internalInconsistency, "transformer \(name) of an older model was asked to encode")
        } decode: {
            $0
        }
    }
}

extension AttributeType {
    private static let plain: [AttributeType] = [
        .integer16, .integer32, .integer64, .decimal, .double, .float, .string, .boolean, .date, .binary, .uuid, .uri,
    ]

    /// Creates the type with that description; nil for an unknown one.
    fileprivate init?(stored text: String) {
        if let type = Self.plain.first(where: { $0.description == text }) {
            self = type
        } else if text.hasPrefix("transformable("), text.hasSuffix(")") {
            self = .transformable(transformer: String(text.dropFirst("transformable(".count).dropLast()))
        } else {
            return nil
        }
    }
}

extension ResolvedModel {
    /// The elements of each entity's indexes; nil if no entity has one.
    var indexes: [String: [[String]]]? {
        let described = model.entities.filter { !$0.indexes.isEmpty }.map { entity in
            let texts = entity.indexes.map { $0.elements.map(\.description) }
            return (entity.name, texts.sorted { $0.lexicographicallyPrecedes($1) })
        }
        return described.isEmpty ? nil : Dictionary(uniqueKeysWithValues: described)
    }

    /// The earlier names of entities and properties; nil if no name has changed.
    var renamings: [String: String]? {
        var names: [String: String] = [:]
        for (entity, description) in zip(entities, model.entities) {
            names[entity.name] = description.renamingIdentifier
            for property in entity.ownProperties {
                names["\(entity.name).\(property.name)"] =
                    property.attribute?.renamingIdentifier ?? property.relationship?.description.renamingIdentifier
            }
        }
        return names.isEmpty ? nil : names
    }
}
