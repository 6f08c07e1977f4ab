public import Foundation

/// The settings for opening a store.
public struct StoreConfiguration: Sendable {
    /// The checked model. Requests refer to its entities.
    public let model: ResolvedModel
    /// The part of the model that the store holds; often all of it.
    public let storedModel: ResolvedModel
    /// The name of the part, a configuration of the model; nil for the whole model.
    public let part: String?
    /// The place: a file, a folder or a server, depending on the store's type; nil for a store in memory.
    public let url: URL?
    /// The options, checked against the type's specifications.
    public let options: StoreOptions
    /// The source of the time.
    public let clock: any WallClock
    /// The generator of new keys.
    public let generator: ObjectIDGenerator
    /// Called with changes that are not a save of this coordinator: by a sync, or by another process.
    public let changeHandler: @Sendable (StoreChanges) -> Void
    /// Whether saves fill an outbox; the syncing store sets it.
    public let keepsOutbox: Bool
    /// Whether the store is only read. Then it is not made if it is missing, not migrated, and not written.
    public let isReadOnly: Bool
    /// The stages of a migration from older versions of the model.
    public let migrationStages: [MigrationStage]

    /// Makes a configuration for opening a store.
    public init(
        model: ResolvedModel, storedModel: ResolvedModel? = nil, part: String? = nil, url: URL?,
        options: StoreOptions, clock: any WallClock = SystemClock(), generator: ObjectIDGenerator = ObjectIDGenerator(),
        keepsOutbox: Bool = false, isReadOnly: Bool = false,
        migrationStages: [MigrationStage] = [], changeHandler: @escaping @Sendable (StoreChanges) -> Void = { _ in }
    ) {
        self.model = model
        self.storedModel = storedModel ?? model
        self.part = part
        self.url = url
        self.options = options
        self.clock = clock
        self.generator = generator
        self.keepsOutbox = keepsOutbox
        self.isReadOnly = isReadOnly
        self.migrationStages = migrationStages
        self.changeHandler = changeHandler
    }
}
