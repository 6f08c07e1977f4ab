import Foundation

/// A store of a coordinator.
struct StoreMember: Sendable {
    let store: any PersistentStore
    let description: PersistentStoreDescription
    /// The names of the entities that it holds; nil for all.
    let entities: Set<String>?
    /// How many closures of `perform` it is good for at the same time.
    let concurrency: Int

    func holds(_ entity: ResolvedEntity) -> Bool { entities?.contains(entity.name) ?? true }

    /// The name of the store in messages.
    var name: String {
        let place = description.url?.lastPathComponent ?? "in memory"
        return description.configuration.map { "\(place) (\($0))" } ?? place
    }
}

/// The open stores of a coordinator.
struct CoordinatorContent: Sendable {
    private(set) var members: [StoreMember]
    /// The only member's store, or one that stands for all.
    private(set) var front: any PersistentStore
    /// How many writes are under way.
    var writes = 0
    /// Whether a store is being moved, and nobody may write.
    var isMoving = false

    init(_ members: [StoreMember], model: ResolvedModel) throws {
        self.members = members
        front = members.count == 1 ? members[0].store : UnionStore(members, model: model)
    }

    /// How many closures of `perform` may run at the same time: as many as the store for most of them is good for.
    var concurrency: Int { members.map(\.concurrency).max() ?? 1 }

    /// Puts these stores in the place of the others. Writes that are under way still are, and so is a move.
    mutating func replace(_ members: [StoreMember], model: ResolvedModel) throws {
        let next = try CoordinatorContent(members, model: model)
        (self.members, front) = (next.members, next.front)
    }
}

/// Opens stores for a coordinator.
struct StoreOpener: Sendable {
    let model: ResolvedModel
    let clock: any WallClock
    let generator: ObjectIDGenerator
    let changeHandler: @Sendable (StoreChanges) -> Void

    /// All of them, or none.
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

    /// A store that is listed twice would give every object twice.
    private func requireDistinct(_ members: [StoreMember]) throws {
        guard let last = members.last,
            let twin = members.dropLast().first(where: { $0.store.identifier == last.store.identifier })
        else { return }
        throw BackstitchError(
            .invalidRequest,
            "\(twin.description) and \(last.description) are one store, or copies of one: every object would be there twice; "
                + "describe it once, and copy stores with migratePersistentStore", key: last.name)
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
