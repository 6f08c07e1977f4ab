import Foundation

/// An open store of a coordinator, with its description.
struct StoreMember: Sendable {
    let store: any PersistentStore
    let description: PersistentStoreDescription
    /// The names of the entities that the store holds; nil for all.
    let entities: Set<String>?
    /// The number of `perform` closures that the store serves at the same time.
    let concurrency: Int

    func holds(_ entity: ResolvedEntity) -> Bool { entities?.contains(entity.name) ?? true }

    /// The name of the store in messages.
    var name: String {
        let place = description.url?.lastPathComponent ?? "in memory"
        return description.configuration.map { "\(place) (\($0))" } ?? place
    }
}
