import Foundation

/// Opens stores for a coordinator.
struct StoreOpener: Sendable {
    let model: ResolvedModel
    let clock: any WallClock
    let generator: ObjectIDGenerator
    let changeHandler: @Sendable (StoreChanges) -> Void

    /// Opens all of the stores, or none.
    func open(_ descriptions: [PersistentStoreDescription]) throws -> [StoreMember] {
        guard !descriptions.isEmpty else {
            throw BackstitchError(.invalidRequest, "a coordinator needs at least one store; describe one")
        }
        var members: [StoreMember] = []
        do {
            for description in descriptions {
                members.append(try open(description))
                try requireDistinct(members)
            }
        } catch {
            for member in members { try? member.store.close() }
            throw error
        }
        return members
    }

    /// Refuses a store that is listed twice, because a fetch would give every object twice.
    private func requireDistinct(_ members: [StoreMember]) throws {
        guard let last = members.last,
            let twin = members.dropLast().first(where: { $0.store.identifier == last.store.identifier })
        else { return }
        throw BackstitchError(
            .invalidRequest,
            "\(twin.description) and \(last.description) are one store, or copies of one: every object would "
                + "appear twice; describe it once, and copy stores with migratePersistentStore", key: last.name)
    }

    func open(_ description: PersistentStoreDescription) throws -> StoreMember {
        let type = try StoreRegistry.type(named: description.type.rawValue)
        let configuration = try StoreConfiguration(
            description, model: model, type: type, clock: clock, generator: generator, changeHandler: changeHandler)
        let store = try type.init(configuration)
        return StoreMember(
            store: store, description: description,
            entities: description.configuration == nil ? nil : Set(configuration.storedModel.entities.map(\.name)),
            concurrency: configuration.options.value(.maximumConcurrency) ?? store.concurrency)
    }
}
