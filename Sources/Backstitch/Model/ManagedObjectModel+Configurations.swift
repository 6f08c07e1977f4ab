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
