/// A model: the entities of a store, as a value built in code.
///
/// ```swift
/// extension ManagedObjectModel {
///     static let notes = ManagedObjectModel([
///         EntityDescription("Note", class: Note.self, [
///             .attribute("title", .string), .toOne("folder", "Folder", inverse: "notes"),
///         ]),
///         EntityDescription("Folder", class: Folder.self, [
///             .attribute("name", .string), .toMany("notes", "Note", inverse: "folder", delete: .cascade),
///         ]),
///     ])
/// }
/// ```
///
/// Building a model checks nothing. Opening a container does, and its error lists every fault by name.
public struct ManagedObjectModel: Sendable {
    /// The entities of the model.
    public var entities: [EntityDescription]
    /// The transformers of transformable attributes.
    public var transformers: [ValueTransformer]
    /// Names for parts of the model, each a list of entities. A store may hold one part only; see
    /// ``PersistentStoreDescription/configuration``. Relationships must not lead out of a part.
    public var configurations: [String: [String]] = [:]

    /// Makes a model of these entities.
    public init(_ entities: [EntityDescription], transformers: [ValueTransformer] = []) {
        self.entities = entities
        self.transformers = transformers
    }
}

extension ManagedObjectModel {
    /// Returns the entities of a configuration as a model of their own.
    ///
    /// - Throws: ``BackstitchError/Code/invalidRequest`` if the model has no such configuration; the message lists the
    ///   existing ones.
    package func part(_ configuration: String) throws -> ManagedObjectModel {
        guard let names = configurations[configuration] else {
            let known = configurations.keys.sorted().joined(separator: ", ")
            throw BackstitchError(
                .invalidRequest,
                "the model has no configuration \"\(configuration)\"; it has \(known.isEmpty ? "none" : known)",
                key: configuration)
        }
        var part = self
        part.entities = entities.filter { names.contains($0.name) }
        part.configurations = [:]
        return part
    }

    /// Returns the entities of a configuration, or the whole model if it has no such configuration.
    package func part(ifNamed configuration: String?) throws -> ManagedObjectModel {
        guard let configuration, configurations[configuration] != nil else { return self }
        return try part(configuration)
    }

    /// Returns the faults of the configurations: unknown entities, and relationships out of a configuration.
    func configurationFaults() -> [BackstitchError] {
        configurations.sorted { $0.key < $1.key }.flatMap { name, members in
            let known = Set(entities.map(\.name))
            let unknown = members.filter { !known.contains($0) }.map {
                BackstitchError(
                    .invalidModel, "configuration \(name) has the entity \($0), which the model does not have",
                    key: name)
            }
            let leaks = entities.filter { members.contains($0.name) }.flatMap { entity in
                entity.relationships.filter { !members.contains($0.destination) }.map {
                    BackstitchError(
                        .invalidModel,
                        "configuration \(name) has \(entity.name) but not \($0.destination), the destination of "
                            + "\(entity.name).\($0.name): objects of two stores cannot be related",
                        key: "\(entity.name).\($0.name)")
                }
            }
            return unknown + leaks
        }
    }
}

extension ManagedObjectModel {
    /// For each class, the position of its entity. If several entities share the class, it is the one above the others.
    var indexByClass: [ObjectIdentifier: Int] {
        entitiesByClass.compactMapValues { entities in
            top(of: entities).flatMap { top in self.entities.firstIndex { $0.name == top.name } }
        }
    }

    /// Returns the faults of classes with several entities, if none is an ancestor of the others.
    func classFaults() -> [BackstitchError] {
        entitiesByClass.values.filter { top(of: $0) == nil }.sorted { $0[0].name < $1[0].name }.map { entities in
            let names = entities.map(\.name).joined(separator: " and "), type = entities[0].managedObjectClass
            return BackstitchError(
                .invalidModel,
                "\(names) have the same class, \(type): FetchRequest<\(type)> and \(type)(context:) could mean either; give each entity a "
                    + "class of its own, or none", key: entities[1].name)
        }
    }

    private var entitiesByClass: [ObjectIdentifier: [EntityDescription]] {
        Dictionary(
            grouping: entities.filter { $0.managedObjectClass != ManagedObject.self },
            by: { ObjectIdentifier($0.managedObjectClass) })
    }

    /// The entity that is an ancestor of all the others; nil if there is none.
    private func top(of entities: [EntityDescription]) -> EntityDescription? {
        entities.first { candidate in
            entities.allSatisfy { withAncestors($0).contains { $0.name == candidate.name } }
        }
    }
}
