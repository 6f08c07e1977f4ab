package import Backstitch
import Foundation

/// The part of a model that bears on stored rows: names, types, and where links lead. Kept in the store when it is
/// made, and compared whenever it is opened.
///
/// Neither the order of entities and properties, nor defaults, delete rules and classes are part of it: they may change
/// freely.
package struct ModelFingerprint: Codable, Hashable, Sendable {
    /// A property, in the form that is compared.
    package struct Property: Codable, Hashable, Sendable {
        /// The attribute's type (`"decimal"`), or `"toOne"` or `"toMany"`.
        package var type: String
        /// Whether it may be without a value; absent for a to-many.
        package var optional: Bool?
        /// Whether its bytes live outside the row; absent unless so.
        package var external: Bool?
        /// `Entity.relationship` at the other end; absent for an attribute.
        package var inverse: String?
        /// The expression from which a derived attribute is computed; absent for other attributes.
        package var derivation: String?
    }

    /// The entities' properties, by their names.
    package var entities: [String: [String: Property]]
    /// The unique constraints of the entities that have some, sorted; absent for none.
    package var constraints: [String: [[String]]]?
    /// The parents of the entities that have one; absent for none.
    package var parents: [String: String]?
    /// The elements of the indexes of the entities that have some, sorted; absent for none. Models that differ in
    /// nothing else store alike.
    package var indexes: [String: [[String]]]?
    /// Earlier names of entities (`Note`) and properties (`Note.title`) that were renamed; absent for none. Models that
    /// differ in nothing else store alike.
    package var renamings: [String: String]?

    /// The fingerprint of a model.
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

    private static func declared(_ entity: ResolvedEntity, in model: ResolvedModel) -> [[Int]] {
        let inherited = entity.lineage.first.flatMap(model.entity(named:))?.uniquenessConstraints ?? []
        return entity.uniquenessConstraints.filter { !inherited.contains($0) }
    }

    /// The fingerprint that ``text`` gave.
    ///
    /// - Throws: ``BackstitchError/Code/storeFailure`` when the text is none.
    package init(text: String) throws(BackstitchError) {
        do { self = try JSONDecoder().decode(Self.self, from: Data(text.utf8)) } catch {
            throw BackstitchError(
                .storeFailure, "the store's description of its model is damaged; restore the store from a backup",
                cause: error)
        }
    }

    /// Canonical JSON: sorted keys, no white space.
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
            changes.append(derivation.map { "to be derived from \($0)" } ?? "to be derived no more")
        }
        if let inverse, let before = old.inverse, inverse != before {
            changes.append("its inverse from \(before) to \(inverse)")
        }
        return changes
    }
}

extension ModelFingerprint {
    /// In words, what makes this model another than `old`: a line for each entity and property that was added, removed
    /// or changed; empty when they are equal.
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

    /// The error for a store of model `old` that cannot be opened with this one.
    ///
    /// - Parameters:
    ///   - store: The store's file or address, for the message.
    ///   - reason: Why it is not migrated.
    package func mismatch(with old: ModelFingerprint, store: String, reason: String) -> BackstitchError {
        let listed = differences(from: old).map { "  - \($0)" }.joined(separator: "\n")
        return BackstitchError(
            .modelMismatch,
            "\(store) was made with another model, and was left as it is: \(reason)\nWhat differs:\n\(listed)")
    }
}
