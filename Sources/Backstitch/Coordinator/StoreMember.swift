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
