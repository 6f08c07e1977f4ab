import Foundation

/// A store of a coordinator.
struct StoreMember: Sendable {
    let store: any PersistentStore
    let description: PersistentStoreDescription
    /// The names of the entities that it holds; nil for all.
    let entities: Set<String>?

    func holds(_ entity: ResolvedEntity) -> Bool { entities?.contains(entity.name) ?? true }

    /// What messages call it.
    var name: String {
        let place = description.url?.lastPathComponent ?? "in memory"
        return description.configuration.map { "\(place) (\($0))" } ?? place
    }
}

/// What a coordinator has open.
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

    mutating func replace(_ members: [StoreMember], model: ResolvedModel) throws {
        self = try CoordinatorContent(members, model: model)
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
            for description in descriptions { members.append(try open(description)) }
        } catch {
            for member in members { try? member.store.close() }
            throw error
        }
        return members
    }

    func open(_ description: PersistentStoreDescription) throws -> StoreMember {
        let type = try StoreRegistry.type(named: description.type.rawValue)
        let configuration = try StoreConfiguration(
            description, model: model, type: type, clock: clock, generator: generator, changeHandler: changeHandler)
        return StoreMember(
            store: try type.init(configuration), description: description,
            entities: description.configuration == nil ? nil : Set(configuration.storedModel.entities.map(\.name)))
    }
}
