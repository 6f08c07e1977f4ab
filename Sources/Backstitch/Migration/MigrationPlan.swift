/// The changes of a store's migration to another version of its model, in words, before it is done.
///
/// ```swift
/// if let plan = try PersistentStoreCoordinator.migrationPlan(model: .notes, store: description) { print(plan) }
/// // notes.sqlite: from model 5f0c… to 91ab…
/// //   - entity Note becomes Memo
/// //   - Memo.rating is added; every object gets the integer 0
/// //   - Memo.draft is removed, with its values (loses data)
/// ```
public struct MigrationPlan: Sendable, Hashable {
    /// One change of the migration.
    public struct Step: Sendable, Hashable, CustomStringConvertible {
        /// The entity's name in the new model; a removed entity has its old name.
        public let entityName: String
        /// The name of the changed property; nil if the step changes the entity.
        public let propertyName: String?
        /// Whether values or links are lost for good.
        public let losesData: Bool
        /// The change, in words.
        public let description: String

        package init(
            _ description: String, entity: String, property: String? = nil, losesData: Bool = false
        ) {
            entityName = entity
            propertyName = property
            self.losesData = losesData
            self.description = description
        }
    }

    /// The store's file or address.
    public let store: String
    /// The hash of the store's model.
    public let sourceVersion: String
    /// The hash of the store's future model.
    public let destinationVersion: String
    /// The changes, in the order of entities.
    public let steps: [Step]

    /// Whether values or links are lost for good.
    public var losesData: Bool { steps.contains(where: \.losesData) }

    package init(store: String, from source: String, to destination: String, steps: [Step]) {
        self.store = store
        sourceVersion = source
        destinationVersion = destination
        self.steps = steps
    }
}

extension MigrationPlan: CustomStringConvertible {
    /// A line for the versions and one for each step.
    public var description: String {
        let lines = steps.map { "  - \($0)\($0.losesData ? " (loses data)" : "")" }
        let head = "\(store): from model \(sourceVersion.prefix(12)) to \(destinationVersion.prefix(12))"
        return ([head] + (lines.isEmpty ? ["  - nothing that is stored changes"] : lines)).joined(separator: "\n")
    }
}
