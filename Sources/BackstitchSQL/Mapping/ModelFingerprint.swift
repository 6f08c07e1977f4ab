package import Backstitch
import Foundation

/// The part of a model that determines stored rows: names, types, and the ends of relationships. The store keeps it
/// from its creation, and compares it at every opening.
///
/// The order of entities and properties is no part of it, and neither are defaults, delete rules and classes. They may
/// change freely.
package struct ModelFingerprint: Codable, Hashable, Sendable {
    /// A property, in the form that is compared.
    package struct Property: Codable, Hashable, Sendable {
        /// The attribute's type (`"decimal"`), or `"toOne"` or `"toMany"`.
        package var type: String
        /// Whether the value may be missing; absent for a to-many relationship.
        package var optional: Bool?
        /// True if the bytes live outside the row; absent otherwise.
        package var external: Bool?
        /// The other end, as `Entity.relationship`; absent for an attribute.
        package var inverse: String?
        /// The expression of a derived attribute; absent for other attributes.
        package var derivation: String?
    }

    /// The entities' properties, by their names.
    package var entities: [String: [String: Property]]
    /// The sorted unique constraints of entities; absent if no entity has one.
    package var constraints: [String: [[String]]]?
    /// The parents of entities; absent if no entity has one.
    package var parents: [String: String]?
    /// The sorted elements of the entities' indexes; absent if no entity has one. Models that differ only in this have
    /// the same stored form.
    package var indexes: [String: [[String]]]?
    /// Earlier names of renamed entities (`Note`) and properties (`Note.title`); absent if none was renamed. Models
    /// that differ only in this have the same stored form.
    package var renamings: [String: String]?

    /// Creates the fingerprint of a model.
    package init(_ model: ResolvedModel) {
        entities = [:]
        let declared = model.entities.map { entity in
            let inherited = Set(entity.lineage.first.flatMap(model.entity(named:))?.ownProperties.map(\.name) ?? [])
            return entity.ownProperties.filter { !$0.isTransient && !inherited.contains($0.name) }
        }
        for entity in model.entities {
            entities[entity.name] = Dictionary(
                uniqueKeysWithValues: declared[entity.index].map { ($0.name, Property($0)) })
        }
        let children = model.entities.compactMap { entity in entity.lineage.first.map { (entity.name, $0) } }
        parents = children.isEmpty ? nil : Dictionary(uniqueKeysWithValues: children)
        renamings = model.renamings
        indexes = model.indexes
        let constrained = model.entities.filter { !Self.declared($0, in: model).isEmpty }
        guard !constrained.isEmpty else { return }
        constraints = Dictionary(
            uniqueKeysWithValues: constrained.map { entity in
                let names = Self.declared(entity, in: model).map { $0.map { entity.properties[$0].name } }
                return (entity.name, names.sorted { $0.lexicographicallyPrecedes($1) })
            })
    }

    /// The unique constraints that an entity declares itself, without the inherited ones.
    private static func declared(_ entity: ResolvedEntity, in model: ResolvedModel) -> [[Int]] {
        let inherited = entity.lineage.first.flatMap(model.entity(named:))?.uniquenessConstraints ?? []
        return entity.uniquenessConstraints.filter { !inherited.contains($0) }
    }

    /// Creates the fingerprint from the result of ``text()``.
    ///
    /// - Throws: ``BackstitchError/Code/storeFailure`` when the text is not a fingerprint.
    package init(text: String) throws(BackstitchError) {
        do { self = try JSONDecoder().decode(Self.self, from: Data(text.utf8)) } catch {
            throw BackstitchError(
                .storeFailure, "the store's description of its model is damaged; restore the store from a backup",
                cause: error)
        }
    }

    /// The fingerprint as canonical JSON: sorted keys, no white space.
    package func text() throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(self), as: UTF8.self)
    }
}

extension ModelFingerprint.Property {
    init(_ property: ResolvedProperty) {
        if let attribute = property.attribute {
            self.init(
                type: attribute.type.description, optional: attribute.isOptional,
                external: attribute.allowsExternalStorage ? true : nil, inverse: nil, derivation: attribute.derivation)
        } else if let relationship = property.relationship {
            let description = relationship.description
            self.init(
                type: description.isToMany ? "toMany" : "toOne",
                optional: description.isToMany ? nil : description.isOptional, external: nil,
                inverse: "\(description.destination).\(description.inverse)")
        } else {
            self.init(type: "", optional: nil, external: nil, inverse: nil)
        }
    }

    /// The changes of a property from its old form, in words.
    fileprivate func change(from old: Self) -> [String] {
        var changes: [String] = []
        if type != old.type { changes.append("from \(old.type) to \(type)") }
        if let optional, let before = old.optional, optional != before {
            changes.append(optional ? "from required to optional" : "from optional to required")
        }
        if external != old.external {
            changes.append(external == true ? "to external storage" : "to storage in the row")
        }
        if derivation != old.derivation {
            changes.append(derivation.map { "to be derived from \($0)" } ?? "to be no longer derived")
        }
        if let inverse, let before = old.inverse, inverse != before {
            changes.append("its inverse from \(before) to \(inverse)")
        }
        return changes
    }
}

extension ModelFingerprint {
    /// The differences from the model `old`, in words. Each entity and each property that was added, removed or changed
    /// gives a line. Equal models give none.
    package func differences(from old: ModelFingerprint) -> [String] {
        var lines: [String] = []
        for name in Set(entities.keys).union(old.entities.keys).sorted() {
            switch (old.entities[name], entities[name]) {
            case (nil, _): lines.append("entity \(name) was added")
            case (_, nil): lines.append("entity \(name) was removed")
            case (let before?, let now?):
                lines += Self.differences(of: name, before, now)
                if parents?[name] != old.parents?[name] {
                    lines.append("the parent of \(name) changed to \(parents?[name] ?? "none")")
                }
                if constraints?[name] != old.constraints?[name] {
                    lines.append("the unique constraints of \(name) changed")
                }
            }
        }
        return lines
    }

    private static func differences(
        of entity: String, _ before: [String: Property], _ now: [String: Property]
    ) -> [String] {
        Set(before.keys).union(now.keys).sorted().compactMap { name in
            switch (before[name], now[name]) {
            case (nil, _): return "\(entity).\(name) was added"
            case (_, nil): return "\(entity).\(name) was removed"
            case (let old?, let new?):
                let changes = new.change(from: old)
                return changes.isEmpty ? nil : "\(entity).\(name) changed \(changes.joined(separator: ", "))"
            }
        }
    }

    /// The error for a store of the model `old` that cannot be opened with this one.
    ///
    /// - Parameter store: The store's file or address, for the message.
    /// - Parameter reason: The reason why the store is not migrated.
    /// - Parameter key: The one property that is the reason, if there is one.
    package func mismatch(
        with old: ModelFingerprint, store: String, reason: String, key: String? = nil
    ) -> BackstitchError {
        let listed = differences(from: old).map { "  - \($0)" }.joined(separator: "\n")
        return BackstitchError(
            .modelMismatch,
            "\(store) was made with another model, and was left as it is: \(reason)\nWhat differs:\n\(listed)",
            key: key)
    }
}
